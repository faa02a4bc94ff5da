//! Loading the library, and its errors in words.

use nvml_wrapper::Nvml;
use nvml_wrapper::error::NvmlError;

use super::NvmlLibrary;

pub(super) fn load(library: &NvmlLibrary) -> Result<Nvml, String> {
    let loaded = match library {
        NvmlLibrary::Off => return Err("the library was not asked".to_owned()),
        NvmlLibrary::System => Nvml::init(),
        NvmlLibrary::At(path) => Nvml::builder().lib_path(path.as_os_str()).init(),
    };
    loaded.map_err(|error| reason(&error))
}

/// An error as a reason. Paths that a loader's error names are left out.
pub(super) fn reason(error: &NvmlError) -> String {
    match error {
        NvmlError::LibloadingError(_) | NvmlError::LibraryNotFound => {
            "NVIDIA's library is not installed or cannot be loaded".to_owned()
        }
        NvmlError::FailedToLoadSymbol(_) | NvmlError::FunctionNotFound => {
            "NVIDIA's library is too old for this".to_owned()
        }
        NvmlError::LibRmVersionMismatch => {
            "NVIDIA's library and kernel driver have different versions; a restart of the machine \
             after an update mends it"
                .to_owned()
        }
        NvmlError::NotSupported => "the card does not tell".to_owned(),
        NvmlError::NoPermission => "this user may not read it".to_owned(),
        other => other.to_string(),
    }
}

/// A value or a reason.
pub(super) fn told<T>(result: Result<T, NvmlError>) -> Result<T, String> {
    result.map_err(|error| reason(&error))
}
