//! What a document says of weights and cache in words.

use tokmark_catalog::{Catalog, FormatSource, KvCache, WeightFormat};
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
/// engine, and what the model's names say.
pub(super) fn weight_format(
    engine: &Engine,
    model: &Model,
    catalog: &Catalog,
) -> Result<(WeightFormat, FigureSource), String> {
    let names: Vec<&str> = names(model).collect();
    let stated = engine.quantization.as_deref();
    match catalog.told_weight_format(&names, stated) {
        Ok(Some((format, FormatSource::Stated))) => Ok((format, FigureSource::Engine)),
        Ok(Some((format, FormatSource::Name))) => Ok((format, FigureSource::Name)),
        Ok(None) => Err(
            "the weights' format is not known; --quantization tells it, and --model-files names the \
             model's files"
                .to_owned(),
        ),
        Err(_) => Err(format!(
            "what a weight takes in the format `{}` is not known; --model-files names the model's \
             files, which tell",
            stated.unwrap_or_default()
        )),
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

#[cfg(test)]
mod tests {
    use super::*;

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
