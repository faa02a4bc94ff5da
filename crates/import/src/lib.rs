//! Other tools' result files as run documents.
//!
//! The format is told by the content, never by a file's name. What a source states is carried over
//! as it is; what it does not state stays `null`, and a load that is no fixed number of requests
//! over prompts of one length is no cell. The original is kept inside the document with secrets,
//! private names and texts removed, and its SHA-256 beside it. Each format has a table of its
//! fields, what they mean, and where they go ([`explain`]).

mod error;
mod example_page;
mod figure;
mod launch;
mod load;
mod mapping;
mod object;
mod redact;
mod results;
mod source;
mod tool;

use tokmark_run_format::RunDocument;

pub use error::ImportError;
pub use mapping::{Mapping, Ours, explain};

use source::Source;

/// One format that can be read. A new one is a row of [`FORMATS`].
struct Format {
    /// Its name for people, also stored in the document.
    name: &'static str,
    /// The tool's name, by which a person chooses it.
    tool: &'static str,
    /// Whether a file is of this format.
    recognises: fn(&Source<'_>) -> bool,
    /// Reads it.
    read: fn(&Source<'_>) -> Result<Vec<RunDocument>, ImportError>,
    /// What its fields are.
    mappings: &'static [Mapping],
}

/// The formats, in the order in which they are tried.
const FORMATS: &[Format] = &[
    Format {
        name: example_page::FORMAT,
        tool: "llm-inference-bench",
        recognises: example_page::recognises,
        read: example_page::read,
        mappings: &[],
    },
    tool::inference_bench::FORMAT,
    tool::vllm_bench::FORMAT,
    tool::sglang_bench::FORMAT,
    tool::llama_bench::FORMAT,
    tool::llama_benchy::FORMAT,
    tool::guidellm::FORMAT,
    tool::aiperf::FORMAT,
    tool::aiperf::GENAI_PERF,
    tool::localscore::FORMAT,
];

/// The names of the formats that can be read.
pub fn formats() -> impl Iterator<Item = &'static str> {
    FORMATS.iter().map(|format| format.name)
}

/// The names of the tools, for a person who knows which one wrote a file.
pub fn tools() -> impl Iterator<Item = &'static str> {
    let mut seen: Vec<&str> = Vec::new();
    FORMATS
        .iter()
        .map(|format| format.tool)
        .filter(move |tool| {
            let new = !seen.contains(tool);
            seen.push(tool);
            new
        })
}

/// The table of a format's fields; empty for one that has none.
pub fn mappings(format: &str) -> &'static [Mapping] {
    FORMATS
        .iter()
        .find(|known| known.name == format)
        .map_or(&[], |known| known.mappings)
}

/// Reads a result file of another tool. One file may hold several runs.
pub fn import(text: &str) -> Result<Vec<RunDocument>, ImportError> {
    let source = opened(text)?;
    let format = FORMATS
        .iter()
        .find(|format| (format.recognises)(&source))
        .ok_or_else(|| tool::not_this_file(&source))?;
    (format.read)(&source)
}

/// Reads a result file as one of this tool, also one that does not look like it.
pub fn import_as(text: &str, tool: &str) -> Result<Vec<RunDocument>, ImportError> {
    let source = opened(text)?;
    let of_tool = || FORMATS.iter().filter(|format| format.tool == tool);
    let format = of_tool()
        .find(|format| (format.recognises)(&source))
        .or(of_tool().next_back())
        .ok_or_else(|| ImportError::unknown_tool(tool))?;
    if source.records().is_empty() && !(format.recognises)(&source) {
        return Err(tool::not_this_file(&source));
    }
    (format.read)(&source)
}

fn opened(text: &str) -> Result<Source<'_>, ImportError> {
    let source = Source::new(text)?;
    if source.is_tokmark_run() {
        return Err(ImportError::AlreadyARun);
    }
    Ok(source)
}
