//! What a document says of weights and cache in words.

use tokmark_catalog::{KvCache, WeightFormat};
use tokmark_run_format::{Engine, FigureSource, LaunchSettings, Model};

/// The KV cache's type and where it is known from, or why it is not.
///
/// A launch that is known and says nothing leaves the server's default, which is 16 bits with all of
/// them; one that is not known leaves it open.
pub(super) fn kv_cache(
    engine: &Engine,
    launch: Option<&LaunchSettings>,
) -> Result<(KvCache, FigureSource), String> {
    if let Some(word) = &engine.kv_type {
        return KvCache::parse(word)
            .map(|cache| (cache, FigureSource::Engine))
            .map_err(|_| format!("what the KV cache type `{word}` takes is not known"));
    }
    let launch = launch.filter(|launch| launch.server.is_some());
    match launch {
        Some(launch) if launch.settings_file.is_none() => Ok((KvCache::F16, FigureSource::Default)),
        Some(_) => Err(
            "the launch names a file of settings, which may set the type of the KV \
                        cache; --kv-type tells it"
                .to_owned(),
        ),
        None => Err("the type of the KV cache is not known; --kv-type tells it".to_owned()),
    }
}

/// The weights' format and where it is known from, or why it is not: what the document says of the
/// engine, else what the model's names say.
pub(super) fn weight_format(
    engine: &Engine,
    model: &Model,
) -> Result<(WeightFormat, FigureSource), String> {
    let said = engine.quantization.as_deref();
    let by_engine = said.and_then(format_in);
    let by_name = names(model).find_map(format_in_name);
    match (by_engine, by_name) {
        // Some servers tell the type of the activations where they tell of no quantization.
        (Some(WeightFormat::F16) | None, Some(format)) => Ok((format, FigureSource::Name)),
        (Some(format), _) => Ok((format, FigureSource::Engine)),
        (None, None) => Err(match said {
            Some(said) => format!(
                "what a weight takes in the format `{said}` is not known; --model-files names the \
                 model's files, which tell"
            ),
            None => "the weights' format is not known; --quantization tells it, and --model-files \
                     names the model's files"
                .to_owned(),
        }),
    }
}

/// The names of a model, the most telling one first.
pub(super) fn names(model: &Model) -> impl Iterator<Item = &str> {
    let optional = [model.file.as_deref(), model.repository.as_deref()];
    let own = [model.served_name.as_str(), model.name.as_str()];
    optional
        .into_iter()
        .flatten()
        .chain(own)
        .filter(|name| !name.is_empty())
}

/// The one format that a text names, whole (`Q4_K - Medium`, `FP8`) or by one of its words (`AWQ
/// 4-bit`); `None` when it names none, or two.
fn format_in(text: &str) -> Option<WeightFormat> {
    let mixes = [(" - Medium", "_M"), (" - Small", "_S"), (" - Large", "_L")];
    let whole = mixes.iter().fold(text.to_owned(), |text, (words, letter)| {
        text.replace(words, letter)
    });
    WeightFormat::parse(&whole)
        .ok()
        .or_else(|| only_format(text, text.split_whitespace()))
}

/// The one format that is a part of a name: `Qwen3-4B-AWQ`, `model-Q4_K_M.gguf`.
fn format_in_name(name: &str) -> Option<WeightFormat> {
    let file = name.rsplit('/').next().unwrap_or(name);
    let stem = file.strip_suffix(".gguf").unwrap_or(file);
    let parts = || stem.split(['-', '.', ' ', ':']);
    // A dynamic mix differs from model to model: only its file tells.
    if parts().any(|part| part.eq_ignore_ascii_case("ud")) {
        return None;
    }
    only_format(stem, parts())
}

fn only_format<'a>(text: &str, parts: impl Iterator<Item = &'a str>) -> Option<WeightFormat> {
    let mut found: Vec<WeightFormat> = Vec::new();
    for part in parts {
        let format = WeightFormat::parse(part).ok();
        found.extend(format.filter(|format| !found.contains(format)));
    }
    match found.as_slice() {
        [one] if bits_agree(text, *one) => Some(*one),
        _ => None,
    }
}

/// `AWQ 8-bit` is no `AWQ`, whose name alone stands for 4 bits.
fn bits_agree(text: &str, format: WeightFormat) -> bool {
    let lower = text.to_lowercase().replace(['-', ' ', '_'], "");
    let said = lower
        .find("bit")
        .and_then(|at| lower.get(..at)?.chars().last()?.to_digit(10));
    said.is_none_or(|bits| {
        let bits = f64::from(bits);
        (bits..bits + 1.0).contains(&format.bits_per_weight())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_in_what_engines_and_people_say() {
        let check = |text: &str, expect: Option<&str>| {
            let expect = expect.map(|word| WeightFormat::parse(word).unwrap());
            assert_eq!(format_in(text), expect, "{text}");
        };
        check("awq_marlin", Some("AWQ"));
        check("AWQ 4-bit", Some("AWQ"));
        check("AWQ 4-bit (experts)", Some("AWQ"));
        check("AWQ 8-bit", None);
        check("Q4_K - Medium", Some("Q4_K_M"));
        check("Q3_K - Small", Some("Q3_K_S"));
        check("Q8_0", Some("Q8_0"));
        check("fp8", Some("FP8"));
        check("bfloat16", Some("BF16"));
        check("compressed-tensors", None);
        check("INT4", None);
        check("AWQ or GPTQ-g32", None);
        check("", None);
    }

    #[test]
    fn formats_in_names() {
        let check = |name: &str, expect: Option<&str>| {
            let expect = expect.map(|word| WeightFormat::parse(word).unwrap());
            assert_eq!(format_in_name(name), expect, "{name}");
        };
        check(
            "cyankiwi/Qwen3-Coder-30B-A3B-Instruct-AWQ-4bit",
            Some("AWQ"),
        );
        check("casperhansen/deepseek-r1-distill-qwen-14b-awq", Some("AWQ"));
        check("Qwen3-4B-Q4_K_M.gguf", Some("Q4_K_M"));
        check("unsloth/Qwen3-4B-UD-Q4_K_M.gguf", None);
        check("Qwen/Qwen3-8B-FP8", Some("FP8"));
        check("owner/model-AWQ-8bit", None);
        check("Qwen/Qwen3-4B", None);
        check("qwen3:4b", None);
    }

    #[test]
    fn a_name_tells_more_than_the_type_of_the_activations() {
        let model = |name: &str| Model {
            name: name.to_owned(),
            ..Model::default()
        };
        let engine = |quantization: Option<&str>| Engine {
            quantization: quantization.map(str::to_owned),
            ..Engine::default()
        };
        let awq = WeightFormat::AWQ;
        let check =
            |said: Option<&str>, name: &str, expect: Option<(WeightFormat, FigureSource)>| {
                let found = weight_format(&engine(said), &model(name)).ok();
                assert_eq!(found, expect, "{said:?} {name}");
            };
        check(Some("bfloat16"), "m-AWQ", Some((awq, FigureSource::Name)));
        check(
            Some("bfloat16"),
            "m",
            Some((WeightFormat::F16, FigureSource::Engine)),
        );
        check(
            Some("fp8"),
            "m-AWQ",
            Some((WeightFormat::Fp8, FigureSource::Engine)),
        );
        check(
            Some("compressed-tensors"),
            "m-AWQ",
            Some((awq, FigureSource::Name)),
        );
        check(Some("compressed-tensors"), "m", None);
        check(None, "m", None);
    }

    #[test]
    fn the_cache_is_16_bits_only_where_the_launch_leaves_it_so() {
        let check = |word: Option<&str>,
                     launch: Option<LaunchSettings>,
                     expect: Result<FigureSource, &str>| {
            let engine = Engine {
                kv_type: word.map(str::to_owned),
                ..Engine::default()
            };
            let found = kv_cache(&engine, launch.as_ref());
            match expect {
                Ok(source) => assert_eq!(found.unwrap().1, source),
                Err(part) => {
                    let reason = found.unwrap_err();
                    assert!(reason.contains(part), "{reason}");
                }
            }
        };
        let launch = |file: Option<&str>| LaunchSettings {
            server: Some("vllm".to_owned()),
            settings_file: file.map(str::to_owned),
            ..LaunchSettings::default()
        };
        check(Some("auto"), None, Ok(FigureSource::Engine));
        check(
            Some("fp8_e5m2"),
            Some(launch(None)),
            Ok(FigureSource::Engine),
        );
        check(Some("int4"), Some(launch(None)), Err("`int4`"));
        check(None, Some(launch(None)), Ok(FigureSource::Default));
        check(
            None,
            Some(launch(Some("vllm.yaml"))),
            Err("file of settings"),
        );
        check(None, Some(LaunchSettings::default()), Err("--kv-type"));
        check(None, None, Err("--kv-type"));
    }
}
