//! A model's files on this disk, read for its share of the roofline.
//!
//! Reasons go into the run document, so that they name files and never folders.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use tokmark_catalog::ModelSpec;
use tokmark_catalog::read::{
    SafetensorsFile, read_config, read_gguf, read_safetensors, read_safetensors_index,
    spec_of_gguf, with_tensors,
};
use tokmark_measure::roofline::FileModel;

/// Bytes of a JSON file at most; indices of the largest models have a few megabytes.
const MOST_JSON_BYTES: u64 = 64 << 20;
/// Files of one model at most; the largest have about two hundred.
const MOST_FILES: usize = 2_000;

/// The model in a GGUF file, in a folder with `config.json`, or in a folder with one GGUF model.
pub(crate) fn read(path: &Path) -> Result<FileModel, String> {
    if path.is_file() && !is_named(path, "config.json") {
        return gguf(path);
    }
    let folder = if path.is_dir() {
        path
    } else {
        path.parent().unwrap_or(path)
    };
    if folder.join("config.json").exists() {
        return config(folder);
    }
    let found = ggufs(folder);
    match found.as_slice() {
        [] if path.exists() => Err("there is neither a `config.json` nor a GGUF file".to_owned()),
        [] => Err("nothing is there".to_owned()),
        [first, ..] if pieces(first).is_some_and(|pieces| pieces == found) => gguf(first),
        [only] => gguf(only),
        _ => Err("there are several GGUF files; --model-files may name one".to_owned()),
    }
}

fn is_named(path: &Path, name: &str) -> bool {
    path.file_name().is_some_and(|own| own == name)
}

fn name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// The GGUF files of a folder, those of pictures' encoders left out.
fn ggufs(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut found: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|ending| ending == "gguf"))
        .filter(|path| !name(path).contains("mmproj"))
        .take(MOST_FILES)
        .collect();
    found.sort();
    found
}

fn gguf(path: &Path) -> Result<FileModel, String> {
    let paths = pieces(path).unwrap_or_else(|| vec![path.to_owned()]);
    let files = paths.iter().map(|path| {
        let file = open(path)?;
        read_gguf(file).map_err(|error| format!("`{}`: {error}", name(path)))
    });
    let files = files.collect::<Result<Vec<_>, _>>()?;
    let spec = spec_of_gguf(&files).map_err(|error| format!("`{}`: {error}", name(path)))?;
    Ok(FileModel {
        spec,
        kind: "GGUF".to_owned(),
    })
}

/// All files of a split model, of which one is `NAME-00001-of-00003.gguf`; `None` for a whole one.
fn pieces(path: &Path) -> Option<Vec<PathBuf>> {
    let own = path.file_name()?.to_str()?;
    let (rest, count) = own.strip_suffix(".gguf")?.rsplit_once("-of-")?;
    let (stem, _) = rest.rsplit_once('-')?;
    let all: usize = count.parse().ok()?;
    if all > MOST_FILES {
        return None;
    }
    let piece = |at: usize| path.with_file_name(format!("{stem}-{at:05}-of-{count}.gguf"));
    Some((1..=all).map(piece).collect())
}

/// The configuration, with the bytes of the tensors where all of their files are there.
fn config(folder: &Path) -> Result<FileModel, String> {
    let text = json(&folder.join("config.json"))?;
    let beside = folder.join("hf_quant_config.json");
    let beside = beside.exists().then(|| json(&beside)).transpose()?;
    let spec =
        read_config(&text, beside.as_deref()).map_err(|error| format!("`config.json`: {error}"))?;
    let Some(paths) = safetensors(folder)? else {
        return Ok(FileModel {
            spec,
            kind: "config.json".to_owned(),
        });
    };
    with_weights(spec, &paths)
}

fn with_weights(spec: ModelSpec, paths: &[PathBuf]) -> Result<FileModel, String> {
    let files = paths.iter().map(|path| {
        let file = open(path)?;
        read_safetensors(file).map_err(|error| format!("`{}`: {error}", name(path)))
    });
    let files: Vec<SafetensorsFile> = files.collect::<Result<_, _>>()?;
    let spec = with_tensors(spec, &files).map_err(|error| format!("its tensors: {error}"))?;
    Ok(FileModel {
        spec,
        kind: "config.json and safetensors".to_owned(),
    })
}

/// The files of the weights; `None` where one of them is missing, since a part would look like a
/// smaller model.
fn safetensors(folder: &Path) -> Result<Option<Vec<PathBuf>>, String> {
    let index = folder.join("model.safetensors.index.json");
    let names = if index.exists() {
        let index = json(&index)?;
        let index = read_safetensors_index(&index)
            .map_err(|error| format!("`model.safetensors.index.json`: {error}"))?;
        index.files
    } else {
        vec!["model.safetensors".to_owned()]
    };
    let paths: Vec<PathBuf> = names.iter().map(|name| folder.join(name)).collect();
    let are_there = paths.len() <= MOST_FILES && paths.iter().all(|path| path.is_file());
    Ok(are_there.then_some(paths))
}

fn open(path: &Path) -> Result<BufReader<File>, String> {
    let file = File::open(path).map_err(|error| format!("`{}`: {error}", name(path)))?;
    Ok(BufReader::new(file))
}

fn json(path: &Path) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    open(path)?
        .take(MOST_JSON_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| format!("`{}`: {error}", name(path)))?;
    if u64::try_from(bytes.len()).unwrap_or(u64::MAX) > MOST_JSON_BYTES {
        return Err(format!("`{}` is too large", name(path)));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use tempfile::TempDir;

    use super::*;

    const CONFIG: &str = r#"{"model_type": "llama", "hidden_size": 64, "intermediate_size": 128,
        "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16,
        "vocab_size": 100, "tie_word_embeddings": false}"#;

    /// A safetensors file of one tensor of `count` bytes.
    fn tensor(name: &str, count: usize) -> Vec<u8> {
        let header = format!(
            r#"{{"{name}":{{"dtype":"U8","shape":[{count}],"data_offsets":[0,{count}]}}}}"#
        );
        let mut bytes = u64::try_from(header.len()).unwrap().to_le_bytes().to_vec();
        bytes.extend(header.as_bytes());
        bytes.extend(vec![0; count]);
        bytes
    }

    fn folder(files: &[(&str, &[u8])]) -> TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, content) in files {
            fs::write(folder.path().join(name), content).unwrap();
        }
        folder
    }

    fn fails(folder: &TempDir, words: &str) {
        let reason = read(folder.path()).unwrap_err();
        assert!(reason.contains(words), "{reason}");
        let private = folder.path().file_name().unwrap().to_str().unwrap();
        assert!(!reason.contains(private), "a folder in {reason}");
    }

    #[test]
    fn a_configuration_with_or_without_its_weights() {
        let config = ("config.json", CONFIG.as_bytes());
        let alone = folder(&[config]);
        let found = read(alone.path()).unwrap();
        assert_eq!(found.kind, "config.json");
        let dense = found.spec.weights.dense.bytes;
        assert_eq!(read(&alone.path().join("config.json")).unwrap(), found);
        let weights = tensor("model.layers.0.mlp.up_proj.weight", 77);
        let head = tensor("lm_head.weight", 33);
        let one = folder(&[config, ("model.safetensors", &weights)]);
        let found = read(one.path()).unwrap();
        assert_eq!(found.kind, "config.json and safetensors");
        assert_eq!(found.spec.weights.dense.bytes.to_string(), "77");
        let index = br#"{"weight_map": {"a": "m-1.safetensors", "b": "m-2.safetensors"}}"#;
        let index = ("model.safetensors.index.json", &index[..]);
        let first = ("m-1.safetensors", &weights[..]);
        let two = folder(&[config, index, first, ("m-2.safetensors", &head)]);
        let weights = read(two.path()).unwrap().spec.weights;
        assert_eq!(
            (
                weights.dense.bytes.to_string(),
                weights.head.bytes.to_string()
            ),
            ("77".to_owned(), "33".to_owned())
        );
        // A part of the files would be a smaller model.
        let part = folder(&[config, index, first]);
        let found = read(part.path()).unwrap();
        assert_eq!(found.kind, "config.json");
        assert!((found.spec.weights.dense.bytes - dense).abs() < 1e-9);
    }

    #[test]
    fn what_is_no_model_is_a_reason_without_folders() {
        fails(&folder(&[]), "neither a `config.json` nor a GGUF file");
        fails(&folder(&[("config.json", b"{")]), "`config.json`: ");
        fails(
            &folder(&[("config.json", b"{\"model_type\":\"x\"}")]),
            "`config.json`: ",
        );
        fails(&folder(&[("a.gguf", b"junk")]), "`a.gguf`: ");
        fails(
            &folder(&[("a.gguf", b""), ("b.gguf", b"")]),
            "several GGUF files",
        );
        // A piece without the others.
        fails(
            &folder(&[("a-00001-of-00002.gguf", b"GGUF")]),
            "`a-00001-of-00002.gguf`",
        );
        let gone = folder(&[]).path().join("gone");
        assert_eq!(read(&gone).unwrap_err(), "nothing is there");
        let weights: (&str, &[u8]) = ("model.safetensors", b"cut");
        fails(
            &folder(&[("config.json", CONFIG.as_bytes()), weights]),
            "`model.safetensors`: ",
        );
    }

    #[test]
    fn a_split_model_is_all_of_its_files() {
        let path = Path::new("/m/big-Q4_K_M-00002-of-00003.gguf");
        let all: Vec<String> = pieces(path)
            .unwrap()
            .iter()
            .map(|path| name(path))
            .collect();
        assert_eq!(
            all,
            [
                "big-Q4_K_M-00001-of-00003.gguf",
                "big-Q4_K_M-00002-of-00003.gguf",
                "big-Q4_K_M-00003-of-00003.gguf"
            ]
        );
        assert_eq!(pieces(Path::new("/m/big-Q4_K_M.gguf")), None);
        assert_eq!(pieces(Path::new("/m/best-of-breed.gguf")), None);
    }
}
