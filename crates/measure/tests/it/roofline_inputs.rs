//! Which machine and which model the roofline is taken of, and why sometimes of none.

use std::sync::LazyLock;

use tokmark_catalog::read::read_config;
use tokmark_catalog::{Catalog, KvCache};
use tokmark_measure::roofline::{FileModel, Subject, inputs};
use tokmark_run_format::roofline::{RooflineMachine, RooflineRates};
use tokmark_run_format::{
    Accelerator, AcceleratorBandwidth, AcceleratorFacts, Engine, FigureSource, Hardware,
    LaunchSettings, MachineClass, MeasuredBandwidth, Model, ProcessorFacts, Roofline, Slice,
    Speculation,
};

use crate::build::close;

static CATALOG: LazyLock<Catalog> = LazyLock::new(|| Catalog::bundled().unwrap());

/// Everything that is known of a run on one RTX 3090.
#[derive(Clone)]
struct Known {
    hardware: Hardware,
    engine: Engine,
    model: Model,
    launch: Option<LaunchSettings>,
    files: Option<Result<FileModel, String>>,
}

fn cards(count: u32) -> Hardware {
    Hardware {
        class: MachineClass::DiscreteGpu,
        cpu: Some("AMD Ryzen 9 7900X (12C)".to_owned()),
        accelerators: vec![Accelerator {
            name: "NVIDIA RTX 3090".to_owned(),
            count,
            memory_bytes: Some(24 << 30),
            facts: Some(AcceleratorFacts::default()),
            ..Accelerator::default()
        }],
        source: Some("detected".to_owned()),
        ..Hardware::default()
    }
}

fn known() -> Known {
    Known {
        hardware: cards(1),
        engine: Engine {
            name: "vllm".to_owned(),
            ..Engine::default()
        },
        model: Model {
            name: "deepseek-r1-distill-qwen-14b-awq".to_owned(),
            served_name: "bench".to_owned(),
            repository: Some("casperhansen/deepseek-r1-distill-qwen-14b-awq".to_owned()),
            ..Model::default()
        },
        launch: Some(LaunchSettings {
            server: Some("vllm".to_owned()),
            ..LaunchSettings::default()
        }),
        files: None,
    }
}

fn of(known: &Known) -> Roofline {
    inputs(
        &Subject {
            hardware: &known.hardware,
            engine: &known.engine,
            model: &known.model,
            launch: known.launch.as_ref(),
            files: known.files.as_ref(),
        },
        &CATALOG,
    )
}

fn changed(change: impl FnOnce(&mut Known)) -> Known {
    let mut known = known();
    change(&mut known);
    known
}

fn machine(known: &Known) -> RooflineMachine {
    let found = of(known);
    found
        .machine
        .unwrap_or_else(|| panic!("{:?}", found.unknown))
}

/// That one thing is not known, with these words in the reason.
fn is_unknown(known: &Known, fact: &str, words: &str) {
    let found = of(known);
    let [only] = found.unknown.as_slice() else {
        panic!("{:?}", found.unknown);
    };
    assert_eq!(only.fact, fact, "{only:?}");
    assert!(only.reason.contains(words), "{only:?}");
    assert_eq!(found.machine.is_none(), fact == "machine");
    assert_eq!(found.model.is_none(), fact == "model");
}

#[test]
fn card_and_model_of_the_catalogue() {
    let found = of(&known());
    assert_eq!(found.unknown, []);
    let machine = found.machine.unwrap();
    let expect = RooflineMachine {
        name: "NVIDIA RTX 3090".to_owned(),
        count: 1,
        bandwidth_gb_s: 936.2,
        bandwidth_source: FigureSource::Catalogue,
        rates: RooflineRates {
            fp16_tflops: Some(71.2),
            fp16_accumulate_tflops: Some(142.4),
            int8_tops: Some(284.7),
            ..machine.rates
        },
    };
    assert_eq!(machine, expect);
    let model = found.model.unwrap();
    assert_eq!(model.name, "deepseek-ai/DeepSeek-R1-Distill-Qwen-14B");
    assert_eq!(model.source, FigureSource::Catalogue);
    assert_eq!(model.weight_format_source, FigureSource::Name);
    assert_eq!(model.weight_format.as_deref(), Some("4.16 bits a weight"));
    assert_eq!(
        (model.kv_type.as_str(), model.kv_type_source),
        ("f16", FigureSource::Default)
    );
    // 48 layers · 2 · 8 heads · 128 · 2 bytes.
    close(model.kv_bytes_per_token, 196_608.0);
}

#[test]
fn what_was_measured_goes_before_the_catalogue() {
    let card = |copy: Option<f64>, fill: Option<f64>| AcceleratorBandwidth {
        name: "NVIDIA RTX 3090".to_owned(),
        copy_gb_s: copy,
        fill_gb_s: fill,
        ..AcceleratorBandwidth::default()
    };
    let with = |cards: Vec<AcceleratorBandwidth>| {
        changed(|known| {
            known.hardware.measured_bandwidth = Some(MeasuredBandwidth {
                read_gb_s: Some(61.5),
                accelerators: cards,
                ..MeasuredBandwidth::default()
            });
        })
    };
    let check = |cards: Vec<AcceleratorBandwidth>, gb_s: f64, source: FigureSource| {
        let found = machine(&with(cards));
        close(found.bandwidth_gb_s, gb_s);
        assert_eq!(found.bandwidth_source, source);
        assert_eq!(
            found.rates.fp16_tflops,
            Some(71.2),
            "arithmetic stays the catalogue's"
        );
    };
    let (measured, catalogue) = (FigureSource::Measured, FigureSource::Catalogue);
    check(vec![card(Some(845.0), Some(862.0))], 862.0, measured);
    // Cards that share a layer wait for the slowest.
    check(
        vec![card(Some(845.0), None), card(Some(800.0), None)],
        800.0,
        measured,
    );
    check(vec![card(None, None)], 936.2, catalogue);
    check(
        vec![card(Some(845.0), None), card(None, None)],
        936.2,
        catalogue,
    );
    check(Vec::new(), 936.2, catalogue);
    let mut other = card(Some(500.0), None);
    other.name = "NVIDIA T400".to_owned();
    check(vec![other], 936.2, catalogue);
    // A card that the catalogue does not know has what was measured, and no arithmetic.
    let mut own = with(vec![AcceleratorBandwidth {
        name: "Board Of My Own".to_owned(),
        ..card(Some(700.0), None)
    }]);
    own.hardware.accelerators[0].name = "board of my own".to_owned();
    let found = machine(&own);
    assert_eq!(
        (found.bandwidth_gb_s, found.rates),
        (700.0, RooflineRates::default())
    );
    own.hardware.measured_bandwidth = None;
    is_unknown(
        &own,
        "machine",
        "`board of my own` is not in the catalogue; `tokmark machine --probe`",
    );
}

type ChangeLaunch = fn(&mut LaunchSettings);

#[test]
fn several_accelerators_count_as_far_as_the_launch_says() {
    let with = |count: u32, change: &dyn Fn(&mut LaunchSettings)| {
        changed(|known| {
            known.hardware = cards(count);
            change(known.launch.as_mut().unwrap());
        })
    };
    let count =
        |count: u32, change: &dyn Fn(&mut LaunchSettings)| machine(&with(count, change)).count;
    let tensor =
        |number: u32| move |launch: &mut LaunchSettings| launch.tensor_parallel = Some(number);
    assert_eq!(count(4, &tensor(4)), 4);
    assert_eq!(count(4, &tensor(2)), 2);
    assert_eq!(
        count(4, &|_| {}),
        1,
        "vLLM takes one unless it is told otherwise"
    );
    is_unknown(
        &with(2, &tensor(4)),
        "machine",
        "over 4 accelerators, and the machine shows 2",
    );
    let cases: [(ChangeLaunch, &str); 3] = [
        (
            |launch| launch.pipeline_parallel = Some(2),
            "pipeline parallel",
        ),
        (|launch| launch.data_parallel = Some(2), "several copies"),
        (
            |launch| launch.server = Some("tgi".to_owned()),
            "whether they share the layers",
        ),
    ];
    for (change, words) in cases {
        is_unknown(&with(2, &change), "machine", words);
    }
    let hidden = |launch: &mut LaunchSettings| {
        launch.server = Some("tgi".to_owned());
        launch.environment = vec!["CUDA_VISIBLE_DEVICES=1".to_owned()];
    };
    assert_eq!(count(2, &hidden), 1);
    let mut remote = with(2, &|_| {});
    remote.launch = None;
    remote.engine.kv_type = Some("auto".to_owned());
    is_unknown(&remote, "machine", "whether they share the layers");
    remote.hardware = cards(1);
    assert_eq!(machine(&remote).count, 1);
}

#[test]
fn a_part_in_the_processors_memory_has_no_one_bandwidth() {
    let llama = |layers: Option<&str>| {
        changed(|known| {
            known.launch = Some(LaunchSettings {
                server: Some("llamacpp".to_owned()),
                accelerator_layers: layers.map(str::to_owned),
                ..LaunchSettings::default()
            });
        })
    };
    for layers in ["49", "99", "all"] {
        assert_eq!(
            machine(&llama(Some(layers))).name,
            "NVIDIA RTX 3090",
            "{layers}"
        );
    }
    is_unknown(&llama(Some("48")), "machine", "`--n-gpu-layers 48`");
    is_unknown(&llama(Some("-1")), "machine", "`--n-gpu-layers -1`");
    is_unknown(&llama(None), "machine", "does not say how many layers");
    for flag in ["--cpu-offload-gb 8", "--n-cpu-moe=4", "-ot exps=CPU"] {
        let known = changed(|known| known.engine.flags = vec![flag.to_owned()]);
        is_unknown(&known, "machine", flag);
    }
    let none = changed(|known| known.engine.flags = vec!["--cpu-offload-gb 0".to_owned()]);
    assert_eq!(machine(&none).name, "NVIDIA RTX 3090");
}

#[test]
fn machines_that_are_not_one_figure() {
    let mixed = changed(|known| {
        known.hardware.accelerators.push(Accelerator {
            name: "NVIDIA RTX 4090".to_owned(),
            count: 1,
            ..Accelerator::default()
        });
    });
    is_unknown(&mixed, "machine", "several kinds");
    let divided = changed(|known| {
        let facts = known.hardware.accelerators[0].facts.as_mut().unwrap();
        facts.slices = vec![Slice::default()];
    });
    is_unknown(&divided, "machine", "divided into slices");
    is_unknown(
        &changed(|known| known.hardware = Hardware::default()),
        "machine",
        "--hardware",
    );
    let named = changed(|known| {
        known.hardware = Hardware {
            name: Some("rented box".to_owned()),
            ..Hardware::default()
        };
    });
    is_unknown(&named, "machine", "accelerators are not known");
    let simulated = changed(|known| {
        known.hardware = Hardware {
            class: MachineClass::Simulated,
            ..Hardware::default()
        };
    });
    is_unknown(&simulated, "machine", "is simulated");
}

#[test]
fn processors_by_measurement_then_by_the_catalogue() {
    let epyc = |measured: Option<f64>| {
        changed(|known| {
            known.hardware = Hardware {
                class: MachineClass::Cpu,
                cpu: Some("2x AMD EPYC 9654 (192C)".to_owned()),
                processor: Some(ProcessorFacts {
                    sockets: Some(2),
                    ..ProcessorFacts::default()
                }),
                measured_bandwidth: measured.map(|rate| MeasuredBandwidth {
                    read_gb_s: Some(rate),
                    triad_gb_s: Some(rate / 2.0),
                    ..MeasuredBandwidth::default()
                }),
                ..Hardware::default()
            };
        })
    };
    let found = machine(&epyc(Some(700.0)));
    assert_eq!((found.count, found.bandwidth_gb_s), (1, 700.0));
    assert_eq!(found.bandwidth_source, FigureSource::Measured);
    let found = machine(&epyc(None));
    assert_eq!((found.count, found.bandwidth_gb_s), (2, 460.8));
    assert_eq!(found.rates, RooflineRates::default());
    let unknown = changed(|known| {
        known.hardware = Hardware {
            class: MachineClass::Cpu,
            cpu: Some("Chip Of My Own (4C)".to_owned()),
            ..Hardware::default()
        };
    });
    is_unknown(
        &unknown,
        "machine",
        "`Chip Of My Own` is not in the catalogue",
    );
    // A card that the server does not use.
    let idle = changed(|known| {
        known.engine.backend = Some("cpu".to_owned());
        known.hardware.measured_bandwidth = Some(MeasuredBandwidth {
            read_gb_s: Some(61.5),
            ..MeasuredBandwidth::default()
        });
    });
    close(machine(&idle).bandwidth_gb_s, 61.5);
}

#[test]
fn one_memory_for_both_is_the_accelerators() {
    let apple = changed(|known| {
        known.hardware = Hardware {
            class: MachineClass::UnifiedMemory,
            cpu: Some("Apple M3 Ultra (28C)".to_owned()),
            measured_bandwidth: Some(MeasuredBandwidth {
                read_gb_s: Some(300.0),
                ..MeasuredBandwidth::default()
            }),
            ..Hardware::default()
        };
        // Where there is one memory, no layer is elsewhere.
        known.launch.as_mut().unwrap().server = Some("llamacpp".to_owned());
    });
    let found = machine(&apple);
    // The processor alone does not reach what the accelerator does.
    assert_eq!(found.bandwidth_source, FigureSource::Catalogue);
    assert!((found.bandwidth_gb_s - 819.2).abs() < 1.0, "{found:?}");
    // Rates that may be surpassed are no limit.
    assert_eq!(found.rates, RooflineRates::default());
}

#[test]
fn models_that_are_not_known_say_why() {
    let named = |name: &str| {
        changed(|known| {
            known.model = Model {
                name: name.to_owned(),
                served_name: name.to_owned(),
                ..Model::default()
            };
            known.engine.quantization = Some("AWQ".to_owned());
        })
    };
    is_unknown(
        &named("mine"),
        "model",
        "`mine` is not in the catalogue; --repository",
    );
    is_unknown(
        &named("Qwen3-4B-FineTuned-By-Me"),
        "model",
        "`Qwen3-4B-FineTuned-By-Me` is not in the catalogue; akin are Qwen/Qwen3-4B",
    );
    let plain = changed(|known| known.model.repository = Some("Qwen/Qwen3-4B".to_owned()));
    let plain = Known {
        model: Model {
            name: "Qwen3-4B".to_owned(),
            ..plain.model
        },
        ..plain
    };
    is_unknown(&plain, "model", "--quantization tells it");
    let int4 = changed(|known| {
        known.model.name = "Qwen3-4B".to_owned();
        known.model.repository = None;
        known.engine.quantization = Some("int4".to_owned());
    });
    is_unknown(&int4, "model", "in the format `int4` is not known");
    let cache = changed(|known| known.launch = None);
    is_unknown(&cache, "model", "--kv-type");
}

#[test]
fn the_models_own_files_go_before_its_name() {
    let config = serde_json::json!({
        "model_type": "llama", "hidden_size": 64, "intermediate_size": 128,
        "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
        "head_dim": 16, "vocab_size": 100, "tie_word_embeddings": false
    });
    let spec = read_config(config.to_string().as_bytes(), None).unwrap();
    let kv = spec.kv_bytes_per_token(KvCache::F16);
    let files = FileModel {
        spec,
        kind: "config.json".to_owned(),
    };
    let read = changed(|known| known.files = Some(Ok(files)));
    let model = of(&read).model.unwrap();
    assert_eq!(
        (model.source, model.name.as_str()),
        (FigureSource::Files, "config.json")
    );
    // 2 layers · 2 heads · (16 + 16) · 2 bytes.
    close(model.kv_bytes_per_token, 256.0);
    close(kv, 256.0);
    // Head: 100 · 64 parameters of 2 bytes.
    close(model.head.bytes, 12_800.0);
    // Files that cannot be read leave the catalogue, and stand in the reason where it does not help.
    let unread = Some(Err("the layer kind `x` is not known".to_owned()));
    let named = changed(|known| known.files = unread.clone());
    assert_eq!(of(&named).model.unwrap().source, FigureSource::Catalogue);
    let neither = changed(|known| {
        known.files = unread.clone();
        known.model = Model {
            name: "mine".to_owned(),
            ..Model::default()
        };
    });
    is_unknown(
        &neither,
        "model",
        "(the layer kind `x` is not known), and `mine` is not in the",
    );
}

#[test]
fn drafts_are_those_of_the_launch() {
    let drafting = changed(|known| {
        known.launch.as_mut().unwrap().speculation = Some(Speculation {
            draft_tokens: Some(3),
            ..Speculation::default()
        });
    });
    assert_eq!(of(&drafting).draft_tokens, Some(3));
    assert_eq!(of(&known()).draft_tokens, None);
}
