//! Prometheus text: families, samples with labels, histograms, and sums over ranks.

use tokmark_units::float;

use crate::model::{Counters, Histogram, RankStats};

/// Label names with their values.
pub(super) type Labels = Vec<(&'static str, String)>;

/// A page that is being written.
pub(super) struct Exposition<'a> {
    text: String,
    ranks: &'a [RankStats],
    labels: Box<dyn Fn(usize) -> Labels + 'a>,
    number: fn(f64) -> String,
}

impl<'a> Exposition<'a> {
    /// A page about these ranks, whose samples have these labels, in the alphabetical order that
    /// the clients of Prometheus give them, and numbers as Python prints them.
    pub(super) fn new(ranks: &'a [RankStats], labels: impl Fn(usize) -> Labels + 'a) -> Self {
        Self {
            text: String::new(),
            ranks,
            labels: Box::new(labels),
            number: python,
        }
    }

    /// With numbers as Rust, C++ and Go print them: whole ones without a point.
    #[must_use]
    pub(super) fn short_numbers(mut self) -> Self {
        self.number = short;
        self
    }

    /// The page.
    pub(super) fn text(self) -> String {
        self.text
    }

    /// Its ranks.
    pub(super) fn ranks(&self) -> &'a [RankStats] {
        self.ranks
    }

    /// The opening of a family.
    pub(super) fn family(&mut self, name: &str, kind: &str, help: &str) {
        let head = format!("# HELP {name} {help}\n# TYPE {name} {kind}\n");
        self.text.push_str(&head);
    }

    /// One line of a family; `labels` come beside the rank's own.
    pub(super) fn sample(
        &mut self,
        name: &str,
        rank: usize,
        labels: &[(&'static str, &str)],
        value: f64,
    ) {
        let mut all = (self.labels)(rank);
        all.extend(labels.iter().map(|(key, text)| (*key, (*text).to_owned())));
        all.sort_by_key(|(key, _)| *key);
        self.line(name, &all, value);
    }

    /// One line with exactly these labels.
    pub(super) fn line(&mut self, name: &str, labels: &[(&'static str, String)], value: f64) {
        self.text.push_str(name);
        if !labels.is_empty() {
            let labels: Vec<_> = labels
                .iter()
                .map(|(key, text)| format!("{key}=\"{}\"", escape(text)))
                .collect();
            self.text.push_str(&format!("{{{}}}", labels.join(",")));
        }
        let line = format!(" {}\n", (self.number)(value));
        self.text.push_str(&line);
    }

    /// A family with one sample a rank.
    pub(super) fn each(
        &mut self,
        name: &str,
        kind: &str,
        help: &str,
        value: impl Fn(&RankStats) -> f64,
    ) {
        self.family(name, kind, help);
        for (rank, stats) in self.ranks.iter().enumerate() {
            self.sample(name, rank, &[], value(stats));
        }
    }

    /// A gauge with one sample a rank.
    pub(super) fn gauge(&mut self, name: &str, help: &str, value: impl Fn(&RankStats) -> f64) {
        self.each(name, "gauge", help, value);
    }

    /// A counter with one sample a rank.
    pub(super) fn counter(&mut self, name: &str, help: &str, value: impl Fn(&Counters) -> u64) {
        self.each(name, "counter", help, |stats| {
            float::from_u64(value(&stats.counters))
        });
    }

    /// A family with one sample in all, the sum over the ranks, under the first rank's labels.
    pub(super) fn sum(
        &mut self,
        name: &str,
        kind: &str,
        help: &str,
        value: impl Fn(&RankStats) -> f64,
    ) {
        self.family(name, kind, help);
        let sum = self.ranks.iter().map(value).sum();
        self.sample(name, 0, &[], sum);
    }

    /// A gauge over all ranks.
    pub(super) fn level(&mut self, name: &str, help: &str, value: impl Fn(&RankStats) -> f64) {
        self.sum(name, "gauge", help, value);
    }

    /// A counter over all ranks.
    pub(super) fn total(&mut self, name: &str, help: &str, value: impl Fn(&Counters) -> f64) {
        self.sum(name, "counter", help, |rank| value(&rank.counters));
    }

    /// A histogram, one a rank.
    pub(super) fn histogram(
        &mut self,
        name: &str,
        help: &str,
        of: impl Fn(&Counters) -> &Histogram,
    ) {
        self.family(name, "histogram", help);
        for (rank, stats) in self.ranks.iter().enumerate() {
            let histogram = of(&stats.counters);
            for (bound, count) in histogram.cumulative() {
                let bound = (self.number)(bound);
                let bucket = format!("{name}_bucket");
                let labels = [("le", bound.as_str())];
                self.sample(&bucket, rank, &labels, float::from_u64(count));
            }
            let count = float::from_u64(histogram.count());
            self.sample(&format!("{name}_count"), rank, &[], count);
            self.sample(&format!("{name}_sum"), rank, &[], histogram.sum());
        }
    }
}

impl Exposition<'_> {
    /// A histogram over all ranks, for servers that have no label to tell them apart.
    pub(super) fn merged(&mut self, name: &str, help: &str, of: fn(&Counters) -> &Histogram) {
        self.family(name, "histogram", help);
        let all = || self.ranks.iter().map(|rank| of(&rank.counters));
        let mut buckets: Vec<(f64, u64)> = Vec::new();
        for histogram in all() {
            for (at, (bound, count)) in histogram.cumulative().enumerate() {
                match buckets.get_mut(at) {
                    Some((_, sum)) => *sum += count,
                    None => buckets.push((bound, count)),
                }
            }
        }
        let count: u64 = all().map(Histogram::count).sum();
        let sum = all().map(Histogram::sum).sum();
        for (bound, count) in buckets {
            let bound = (self.number)(bound);
            let bucket = format!("{name}_bucket");
            let labels = [("le", bound.as_str())];
            self.sample(&bucket, 0, &labels, float::from_u64(count));
        }
        self.sample(&format!("{name}_count"), 0, &[], float::from_u64(count));
        self.sample(&format!("{name}_sum"), 0, &[], sum);
    }
}

/// A float as the Prometheus client of Python prints it.
pub(super) fn python(value: f64) -> String {
    if value == f64::INFINITY {
        "+Inf".to_owned()
    } else {
        format!("{value:?}")
    }
}

fn short(value: f64) -> String {
    if value == f64::INFINITY {
        "+Inf".to_owned()
    } else {
        value.to_string()
    }
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_have_their_labels_in_order_and_numbers_of_their_language() {
        let mut page = Exposition::new(&[], |rank| vec![("rank", rank.to_string())]);
        page.family("a:b", "gauge", "Some.");
        page.sample("a:b", 3, &[("le", "x\"y")], 2.0);
        page.line("a:b", &[], f64::INFINITY);
        assert_eq!(
            page.text(),
            "# HELP a:b Some.\n# TYPE a:b gauge\na:b{le=\"x\\\"y\",rank=\"3\"} 2.0\na:b +Inf\n"
        );
        let mut page = Exposition::new(&[], |_| Vec::new()).short_numbers();
        page.line("a", &[], 2.0);
        page.line("a", &[], 0.5);
        assert_eq!(page.text(), "a 2\na 0.5\n");
    }
}
