//! `/metrics` of the simulated vLLM: Prometheus text with the names and labels of vLLM 0.32, the
//! descriptions in our own words.

use tokmark_units::float;

use crate::config::SimConfig;
use crate::model::{Counters, Histogram, RankStats};

/// Collects one page.
struct Page<'a> {
    text: String,
    model: &'a str,
    ranks: &'a [RankStats],
}

/// The page for these counts.
pub(super) fn page(config: &SimConfig, ranks: &[RankStats]) -> String {
    let mut page = Page {
        text: String::new(),
        model: &config.model.served_name,
        ranks,
    };
    page.gauges();
    page.tokens();
    page.endings();
    page.speculation(config);
    page.histograms();
    page.cache_config(config);
    page.text
}

impl Page<'_> {
    fn family(&mut self, name: &str, kind: &str, help: &str) {
        let head = format!("# HELP {name} {help}\n# TYPE {name} {kind}\n");
        self.text.push_str(&head);
    }

    /// One line of a family; `labels` stand between the engine's and the model's label, in the
    /// alphabetical order that the real page has.
    fn sample(&mut self, name: &str, rank: usize, labels: &[(&str, &str)], value: f64) {
        let mut all = vec![("engine", rank.to_string())];
        all.extend(labels.iter().map(|(key, text)| (*key, (*text).to_owned())));
        all.push(("model_name", self.model.to_owned()));
        all.sort_by_key(|(key, _)| *key);
        self.line(name, &all, value);
    }

    fn line(&mut self, name: &str, labels: &[(&str, String)], value: f64) {
        let labels: Vec<_> = labels
            .iter()
            .map(|(key, text)| format!("{key}=\"{}\"", escape(text)))
            .collect();
        let (labels, value) = (labels.join(","), number(value));
        let line = format!("{name}{{{labels}}} {value}\n");
        self.text.push_str(&line);
    }

    fn each(&mut self, name: &str, kind: &str, help: &str, value: impl Fn(&RankStats) -> f64) {
        self.family(name, kind, help);
        for (rank, stats) in self.ranks.iter().enumerate() {
            self.sample(name, rank, &[], value(stats));
        }
    }

    fn counter(&mut self, name: &str, help: &str, value: impl Fn(&Counters) -> u64) {
        self.each(name, "counter", help, |stats| {
            float::from_u64(value(&stats.counters))
        });
    }

    fn gauges(&mut self) {
        let running = "Sequences that the scheduler runs.";
        self.each("vllm:num_requests_running", "gauge", running, |stats| {
            f64::from(stats.running)
        });
        let waiting = "Sequences in the scheduler's queue.";
        self.each("vllm:num_requests_waiting", "gauge", waiting, |stats| {
            f64::from(stats.waiting)
        });
        let name = "vllm:num_requests_waiting_by_reason";
        self.family(
            name,
            "gauge",
            "Sequences in the queue by the reason of their waiting.",
        );
        for (rank, stats) in self.ranks.iter().enumerate() {
            self.sample(
                name,
                rank,
                &[("reason", "capacity")],
                f64::from(stats.waiting),
            );
            self.sample(name, rank, &[("reason", "deferred")], 0.0);
        }
        let usage = "Share of the KV cache in use; 1 is all of it.";
        self.each(
            "vllm:kv_cache_usage_perc",
            "gauge",
            usage,
            RankStats::kv_usage,
        );
    }

    fn tokens(&mut self) {
        self.counter(
            "vllm:prefix_cache_queries_total",
            "Prompt tokens looked up in the prefix cache.",
            |c| c.prefix_queries,
        );
        self.counter(
            "vllm:prefix_cache_hits_total",
            "Prompt tokens found in the prefix cache.",
            |c| c.prefix_hits,
        );
        self.counter(
            "vllm:num_preemptions_total",
            "Sequences that lost their cache and started again.",
            |c| c.preemptions,
        );
        self.counter(
            "vllm:prompt_tokens_total",
            "Prompt tokens whose prefill has ended, cached ones included.",
            |c| c.prompt_tokens,
        );
        let name = "vllm:prompt_tokens_by_source_total";
        self.family(
            name,
            "counter",
            "Prompt tokens by where their KV came from.",
        );
        for (rank, stats) in self.ranks.iter().enumerate() {
            let (all, cached) = (
                stats.counters.prompt_tokens,
                stats.counters.cached_prompt_tokens,
            );
            let rows = [
                ("local_compute", all.saturating_sub(cached)),
                ("local_cache_hit", cached),
                ("external_kv_transfer", 0),
            ];
            for (source, tokens) in rows {
                self.sample(name, rank, &[("source", source)], float::from_u64(tokens));
            }
        }
        self.counter(
            "vllm:prompt_tokens_cached_total",
            "Prompt tokens that were cached.",
            |c| c.cached_prompt_tokens,
        );
        self.counter("vllm:generation_tokens_total", "Generated tokens.", |c| {
            c.generation_tokens
        });
    }

    fn endings(&mut self) {
        let name = "vllm:request_success_total";
        self.family(
            name,
            "counter",
            "Requests that came to their end, by reason.",
        );
        for (rank, stats) in self.ranks.iter().enumerate() {
            let rows = [
                ("stop", stats.counters.finished_stop),
                ("length", stats.counters.finished_length),
                // A client that hangs up is counted nowhere, as in the real server.
                ("abort", 0),
                ("error", 0),
                ("repetition", 0),
            ];
            for (reason, count) in rows {
                let labels = [("finished_reason", reason)];
                self.sample(name, rank, &labels, float::from_u64(count));
            }
        }
    }

    /// The families exist only where there is speculation.
    fn speculation(&mut self, config: &SimConfig) {
        if config.engine.speculation.is_none() {
            return;
        }
        self.counter(
            "vllm:spec_decode_num_drafts_total",
            "Steps of sequences that verified drafts.",
            |c| c.drafts,
        );
        self.counter(
            "vllm:spec_decode_num_draft_tokens_total",
            "Drafted tokens.",
            |c| c.draft_tokens,
        );
        self.counter(
            "vllm:spec_decode_num_accepted_tokens_total",
            "Drafted tokens that were accepted.",
            |c| c.accepted_by_position.iter().sum(),
        );
        let name = "vllm:spec_decode_num_accepted_tokens_per_pos_total";
        self.family(
            name,
            "counter",
            "Accepted tokens by their position in the draft.",
        );
        for (rank, stats) in self.ranks.iter().enumerate() {
            for (position, count) in stats.counters.accepted_by_position.iter().enumerate() {
                let position = position.to_string();
                let labels = [("position", position.as_str())];
                self.sample(name, rank, &labels, float::from_u64(*count));
            }
        }
    }

    fn histograms(&mut self) {
        self.histogram(
            "vllm:time_to_first_token_seconds",
            "Seconds from submission to first token.",
            |c| &c.ttft_s,
        );
        self.histogram(
            "vllm:inter_token_latency_seconds",
            "Seconds between two outputs of a request.",
            |c| &c.gap_s,
        );
        self.histogram(
            "vllm:e2e_request_latency_seconds",
            "Seconds from submission to last token.",
            |c| &c.e2e_s,
        );
        self.histogram(
            "vllm:request_queue_time_seconds",
            "Seconds in the scheduler's queue.",
            |c| &c.queue_s,
        );
        self.histogram(
            "vllm:request_prompt_tokens",
            "Prompt tokens of finished requests.",
            |c| &c.request_prompt_tokens,
        );
        self.histogram(
            "vllm:request_generation_tokens",
            "Generated tokens of finished requests.",
            |c| &c.request_generation_tokens,
        );
    }

    fn histogram(&mut self, name: &str, help: &str, of: impl Fn(&Counters) -> &Histogram) {
        self.family(name, "histogram", help);
        for (rank, stats) in self.ranks.iter().enumerate() {
            let histogram = of(&stats.counters);
            for (bound, count) in histogram.cumulative() {
                let bound = number(bound);
                let labels = [("le", bound.as_str())];
                let bucket = format!("{name}_bucket");
                self.sample(&bucket, rank, &labels, float::from_u64(count));
            }
            let count = float::from_u64(histogram.count());
            self.sample(&format!("{name}_count"), rank, &[], count);
            self.sample(&format!("{name}_sum"), rank, &[], histogram.sum());
        }
    }

    /// The settings of the cache as labels; the values are what Python prints. This family has no
    /// model label.
    fn cache_config(&mut self, config: &SimConfig) {
        let engine = &config.engine;
        let tokens = engine.kv_tokens();
        let name = "vllm:cache_config_info";
        self.family(name, "gauge", "Settings of the KV cache.");
        let concurrency = float::from_u64(tokens) / f64::from(engine.max_model_len);
        let prefix = if engine.prefix_cache { "True" } else { "False" };
        for rank in 0..self.ranks.len() {
            let labels = [
                ("block_size", engine.block_size.to_string()),
                ("cache_dtype", config.model.kv_cache_dtype.clone()),
                ("enable_prefix_caching", prefix.to_owned()),
                ("engine", rank.to_string()),
                ("kv_cache_max_concurrency", number(concurrency)),
                ("kv_cache_size_tokens", tokens.to_string()),
                ("mamba_block_size", "None".to_owned()),
                ("num_cpu_blocks", "None".to_owned()),
                ("num_gpu_blocks", engine.num_blocks.to_string()),
                ("num_gpu_blocks_override", "None".to_owned()),
                ("sliding_window", "None".to_owned()),
            ];
            self.line(name, &labels, 1.0);
        }
    }
}

/// A float as the Prometheus client of Python prints it.
fn number(value: f64) -> String {
    if value == f64::INFINITY {
        "+Inf".to_owned()
    } else {
        format!("{value:?}")
    }
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n")
}
