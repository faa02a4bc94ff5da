//! A model from files: Hugging Face's folder or `config.json`, GGUF, safetensors.

use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};

use tokmark_calculator::query::FileModel;
use tokmark_catalog::read::{
    ReadError, SafetensorsFile, read_config, read_gguf, read_safetensors, read_safetensors_index,
    spec_of_gguf, with_tensors,
};
use tokmark_catalog::{Catalog, GgmlType, ModelSpec, WeightFormat};

use crate::exit::Exit;
use crate::failure::{Failure, Outcome};

/// Files of a model that are read at most; the largest have a few hundred.
const MOST_FILES: usize = 2_000;

const INDEX: &str = "model.safetensors.index.json";

/// The model at a path; `None` where the words are no path, so that they are a name.
///
/// `stated` is the format that a person says, which decides the kernels but not the bytes.
pub(super) fn read(
    catalog: &Catalog,
    words: &str,
    stated: Option<&str>,
) -> Outcome<Option<FileModel>> {
    let path = Path::new(words);
    if !path.exists() {
        if path.is_absolute() || words.starts_with("./") || words.starts_with("../") {
            let message = format!("`{words}` does not exist");
            return Err(Failure::saying(Exit::Usage, message)
                .hint("--model takes a name, or the path of a model that lies here"));
        }
        return Ok(None);
    }
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let mut model = if path.is_dir() {
        of_folder(catalog, &path)?
    } else if has_ending(&path, "gguf") {
        of_gguf(&path)?
    } else {
        of_config(catalog, &beside_or_itself(&path))?
    };
    if let Some(stated) = stated {
        let named = catalog.checkpoint_format("", Some(stated));
        model.format = named
            .map_err(|unknown| Failure::new(Exit::Usage, unknown))?
            .format;
    }
    Ok(Some(model))
}

/// The configuration of a folder; without one, its GGUF file.
fn of_folder(catalog: &Catalog, folder: &Path) -> Outcome<FileModel> {
    let config = folder.join("config.json");
    if config.exists() {
        return of_config(catalog, &config);
    }
    let mut models = files(folder, "gguf")?;
    models.retain(|path| !file_name(path).to_lowercase().contains("mmproj"));
    let whole: Vec<&PathBuf> = models
        .iter()
        .filter(|path| part_of(path).is_none_or(|part| part.number == 1))
        .collect();
    match whole.as_slice() {
        [only] => of_gguf(only),
        [] => Err(Failure::saying(
            Exit::Usage,
            format!(
                "no `config.json` and no GGUF file lies in `{}`",
                folder.display()
            ),
        )),
        several => {
            let names: Vec<String> = several.iter().map(|path| file_name(path)).collect();
            let message = format!("several models lie in `{}`", folder.display());
            Err(Failure::saying(Exit::Usage, message)
                .hint(format!("name one of them: {}", names.join(", "))))
        }
    }
}

/// For a safetensors file or an index, the configuration beside it.
fn beside_or_itself(path: &Path) -> PathBuf {
    if has_ending(path, "safetensors") || file_name(path) == INDEX {
        return path.with_file_name("config.json");
    }
    path.to_owned()
}

fn of_config(catalog: &Catalog, config: &Path) -> Outcome<FileModel> {
    let folder = config.parent().unwrap_or(Path::new("."));
    let bytes = bytes_of(config)?;
    let quantization = folder.join("hf_quant_config.json");
    let quantization = if quantization.exists() {
        Some(bytes_of(&quantization)?)
    } else {
        None
    };
    let spec =
        read_config(&bytes, quantization.as_deref()).map_err(|cause| unread(config, cause))?;
    let mut assumptions = Vec::new();
    let headers = tensors(folder)?;
    let spec = if headers.is_empty() {
        let line = "no safetensors file lies beside the configuration: the bytes of the weights are \
                    calculated";
        assumptions.push(line.to_owned());
        spec
    } else {
        with_tensors(spec, &headers).map_err(|cause| unread(folder, cause))?
    };
    let name = folder.file_name().map_or_else(
        || spec.architecture.clone(),
        |name| name.to_string_lossy().into_owned(),
    );
    let format = format_of(catalog, &spec, &name);
    Ok(FileModel {
        name,
        spec,
        format,
        assumptions,
    })
}

/// The headers of the safetensors files of a folder; none where one that the index names is missing.
fn tensors(folder: &Path) -> Outcome<Vec<SafetensorsFile>> {
    let index = folder.join(INDEX);
    let files = if index.exists() {
        let named =
            read_safetensors_index(&bytes_of(&index)?).map_err(|cause| unread(&index, cause))?;
        let all = named.files.iter().map(|name| folder.join(name));
        let there: Vec<PathBuf> = all.filter(|path| path.exists()).collect();
        if there.len() == named.files.len() {
            there
        } else {
            Vec::new()
        }
    } else {
        files(folder, "safetensors")?
    };
    let header =
        |path: &PathBuf| read_safetensors(open(path)?).map_err(|cause| unread(path, cause));
    files.iter().map(header).collect()
}

/// What the configuration calls the format, and what its bytes are where that says too little.
fn format_of(catalog: &Catalog, spec: &ModelSpec, name: &str) -> WeightFormat {
    let Some(method) = spec.quantization.as_deref() else {
        return WeightFormat::F16;
    };
    if let Ok(found) = catalog.checkpoint_format(name, Some(method))
        && found.open.is_none()
    {
        return found.format;
    }
    let (dense, experts) = (spec.weights.dense, spec.weights.experts);
    // Experts are what is quantized where anything is.
    let part = if experts.parameters > 0.0 {
        experts
    } else {
        dense
    };
    match part.bytes * 8.0 / part.parameters.max(1.0) {
        bits if bits > 12.0 => WeightFormat::F16,
        bits if bits > 6.5 => WeightFormat::Fp8,
        _ => WeightFormat::AWQ,
    }
}

fn of_gguf(path: &Path) -> Outcome<FileModel> {
    let mut headers = Vec::new();
    for part in parts(path)? {
        headers.push(read_gguf(open(&part)?).map_err(|cause| unread(&part, cause))?);
    }
    let spec = spec_of_gguf(&headers).map_err(|cause| unread(path, cause))?;
    let kind = spec.quantization.as_deref().and_then(GgmlType::from_name);
    Ok(FileModel {
        name: file_name(path),
        format: kind.map_or(WeightFormat::F16, WeightFormat::Ggml),
        spec,
        assumptions: Vec::new(),
    })
}

/// One of the files of a split model: `NAME-00001-of-00003.gguf`.
struct Part<'a> {
    start: &'a str,
    number: u32,
    count: &'a str,
}

fn part_of(path: &Path) -> Option<Part<'_>> {
    let stem = path.file_stem()?.to_str()?;
    let (rest, count) = stem.rsplit_once("-of-")?;
    let (start, number) = rest.rsplit_once('-')?;
    count.parse::<u32>().ok()?;
    Some(Part {
        start,
        number: number.parse().ok()?,
        count,
    })
}

/// All files of a split model, or the only one.
fn parts(path: &Path) -> Outcome<Vec<PathBuf>> {
    let Some(own) = part_of(path) else {
        return Ok(vec![path.to_owned()]);
    };
    let mut all = files(path.parent().unwrap_or(Path::new(".")), "gguf")?;
    all.retain(|other| {
        part_of(other).is_some_and(|part| part.start == own.start && part.count == own.count)
    });
    Ok(all)
}

/// The files of a folder with an ending, by name.
fn files(folder: &Path, ending: &str) -> Outcome<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).map_err(|cause| unread(folder, ReadError::Io(cause)))?;
    let mut found: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| has_ending(path, ending))
        .take(MOST_FILES)
        .collect();
    found.sort();
    Ok(found)
}

fn has_ending(path: &Path, ending: &str) -> bool {
    path.extension()
        .is_some_and(|own| own.eq_ignore_ascii_case(ending))
}

fn file_name(path: &Path) -> String {
    path.file_name()
        .map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

fn open(path: &Path) -> Outcome<BufReader<File>> {
    let file = File::open(path).map_err(|cause| unread(path, ReadError::Io(cause)))?;
    Ok(BufReader::new(file))
}

/// A file of text. Its reader has a bound; nothing larger than that is read into memory.
fn bytes_of(path: &Path) -> Outcome<Vec<u8>> {
    const MOST: u64 = 256 << 20;
    let failed = |cause: std::io::Error| unread(path, ReadError::Io(cause));
    let size = fs::metadata(path).map_err(failed)?.len();
    if size > MOST {
        let message = format!(
            "`{}` has {size} bytes; at most {MOST} are read",
            path.display()
        );
        return Err(Failure::saying(Exit::Usage, message));
    }
    fs::read(path).map_err(failed)
}

fn unread(path: &Path, cause: ReadError) -> Failure {
    let context = format!("no model can be read from `{}`", path.display());
    Failure::new(Exit::Usage, anyhow::Error::new(cause).context(context)).hint(
        "--model takes a Hugging Face folder or its config.json, a GGUF file, a safetensors file, or \
         a name",
    )
}
