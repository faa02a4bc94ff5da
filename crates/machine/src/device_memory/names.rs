//! What the makers call their libraries and functions, and what their errors mean.

use std::path::PathBuf;

/// One maker's library.
pub(super) struct Names {
    /// `NVIDIA's compute library`.
    pub(super) whose: &'static str,
    /// Its files on this system, newest first.
    pub(super) files: &'static [&'static str],
    /// What its results say of it.
    pub(super) api: &'static str,
    pub(super) start: &'static str,
    pub(super) count: &'static str,
    pub(super) number_of: &'static str,
    pub(super) name_of: &'static str,
    pub(super) free_and_total: &'static str,
    pub(super) allocate: &'static str,
    pub(super) release: &'static str,
    pub(super) copy: &'static str,
    pub(super) fill: &'static str,
    pub(super) wait: &'static str,
    pub(super) choose: Choose,
}

/// How a thread's device is chosen.
pub(super) enum Choose {
    Context {
        retain: &'static str,
        make_current: &'static str,
        release: &'static str,
    },
    Place(&'static str),
}

/// CUDA's driver API (`cuda.h`). The suffixes are those that the header's macros choose.
pub(super) static CUDA: Names = Names {
    whose: "NVIDIA's compute library",
    files: if cfg!(windows) {
        &["nvcuda.dll"]
    } else {
        &["libcuda.so.1", "libcuda.so"]
    },
    api: "CUDA driver API",
    start: "cuInit",
    count: "cuDeviceGetCount",
    number_of: "cuDeviceGet",
    name_of: "cuDeviceGetName",
    free_and_total: "cuMemGetInfo_v2",
    allocate: "cuMemAlloc_v2",
    release: "cuMemFree_v2",
    copy: "cuMemcpyDtoDAsync_v2",
    fill: "cuMemsetD32Async",
    wait: "cuCtxSynchronize",
    choose: Choose::Context {
        retain: "cuDevicePrimaryCtxRetain",
        make_current: "cuCtxSetCurrent",
        release: "cuDevicePrimaryCtxRelease_v2",
    },
};

/// HIP (`hip_runtime_api.h`), whose functions were made after CUDA's.
pub(super) static HIP: Names = Names {
    whose: "AMD's compute library",
    files: if cfg!(windows) {
        &["amdhip64_7.dll", "amdhip64_6.dll", "amdhip64.dll"]
    } else {
        &[
            "libamdhip64.so.7",
            "libamdhip64.so.6",
            "libamdhip64.so.5",
            "libamdhip64.so",
        ]
    },
    api: "HIP",
    start: "hipInit",
    count: "hipGetDeviceCount",
    number_of: "hipDeviceGet",
    name_of: "hipDeviceGetName",
    free_and_total: "hipMemGetInfo",
    allocate: "hipMalloc",
    release: "hipFree",
    copy: "hipMemcpyDtoDAsync",
    fill: "hipMemsetD32Async",
    wait: "hipDeviceSynchronize",
    choose: Choose::Place("hipSetDevice"),
};

impl Names {
    /// Why nothing could be loaded.
    pub(super) fn not_loaded(&self) -> String {
        format!("{} is not installed or cannot be loaded", self.whose)
    }

    /// Where it is looked for.
    pub(super) fn places(&self) -> Vec<PathBuf> {
        self.files.iter().map(PathBuf::from).collect()
    }
}

/// An error as a reason. Both makers give these numbers the same meaning.
pub(super) fn reason(names: &Names, code: i32) -> String {
    let known = match code {
        2 => "not enough of its memory is free",
        46 => "another program has the accelerator for itself",
        100 => "no accelerator is visible to this program",
        214 => "the accelerator's memory has an error that cannot be corrected",
        700 | 719 => "the accelerator stopped with an error; see the system's log",
        800 => "this user may not use it",
        802 => "the accelerator is not ready",
        803 => {
            "library and kernel driver have different versions; a restart of the machine after an \
             update mends it"
        }
        _ => return format!("{} answered with error {code}", names.whose),
    };
    known.to_owned()
}
