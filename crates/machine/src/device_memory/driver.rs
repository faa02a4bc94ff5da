//! The functions of an accelerator's driver library that moving bytes in its memory needs, loaded
//! when they are asked for, behind types that cannot be used wrongly.
//!
//! `unsafe` stands here because a C library promises nothing to the compiler: loading it runs its own
//! code, and what a symbol's arguments are is only written in the maker's header. No kept crate does
//! it instead: `cudarc`, which can load CUDA at run time, panics where the library or one of its
//! hundreds of symbols is missing, takes no path to it, and has no HIP. Everything outside of this
//! file is safe: a [`Device`] is one at a time and current, and a [`Buffer`] is freed before it.
#![expect(
    unsafe_code,
    reason = "functions of a C library, with the arguments of the maker's header"
)]

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::marker::PhantomData;
use std::path::PathBuf;
use std::ptr;

use libloading::Library;

use super::names::{self, Names};

/// What every function answers: 0, or the number of an error.
type Code = c_int;
/// An address in the device's memory. HIP declares pointers, which are as wide on the systems that
/// this is built for.
type Address = u64;
type Stream = *mut c_void;
type Context = *mut c_void;

type Count = unsafe extern "C" fn(*mut c_int) -> Code;
type NumberOf = unsafe extern "C" fn(*mut c_int, c_int) -> Code;
type NameOf = unsafe extern "C" fn(*mut c_char, c_int, c_int) -> Code;
type FreeAndTotal = unsafe extern "C" fn(*mut usize, *mut usize) -> Code;
type Allocate = unsafe extern "C" fn(*mut Address, usize) -> Code;
type Release = unsafe extern "C" fn(Address) -> Code;
type CopyBytes = unsafe extern "C" fn(Address, Address, usize, Stream) -> Code;
type FillWords = unsafe extern "C" fn(Address, c_uint, usize, Stream) -> Code;
type Wait = unsafe extern "C" fn() -> Code;
type Start = unsafe extern "C" fn(c_uint) -> Code;
type Retain = unsafe extern "C" fn(*mut Context, c_int) -> Code;
type MakeCurrent = unsafe extern "C" fn(Context) -> Code;
type WithNumber = unsafe extern "C" fn(c_int) -> Code;

/// How a device becomes the one that the calling thread works on.
enum Choose {
    /// CUDA: its primary context is held and made current.
    Context {
        retain: Retain,
        make_current: MakeCurrent,
        release: WithNumber,
    },
    /// HIP: by its place.
    Place(WithNumber),
}

struct Functions {
    start: Start,
    count: Count,
    number_of: NumberOf,
    name_of: NameOf,
    free_and_total: FreeAndTotal,
    allocate: Allocate,
    release: Release,
    copy: CopyBytes,
    fill: FillWords,
    wait: Wait,
    choose: Choose,
}

/// A loaded and started library.
pub(super) struct Driver {
    functions: Functions,
    names: &'static Names,
}

/// A device that the thread works on, until it is dropped.
pub(super) struct Device<'a> {
    driver: &'a Driver,
    number: c_int,
    /// Bound to the thread that chose it.
    _not_send: PhantomData<*mut ()>,
}

/// Memory of a device.
pub(super) struct Buffer<'a> {
    device: &'a Device<'a>,
    address: Address,
    bytes: usize,
}

impl Driver {
    /// Loads the first of `files` that is there and starts it; or says why not.
    pub(super) fn load(names: &'static Names, files: &[PathBuf]) -> Result<Self, String> {
        // SAFETY: the maker's library runs its initialisers, as in any program that is linked with
        // it; the caller names that library and no other.
        let library = files
            .iter()
            .find_map(|file| unsafe { Library::new(file) }.ok());
        let library = library.ok_or_else(|| names.not_loaded())?;
        let functions = functions(&library, names);
        // Never unloaded: such a library has threads of its own, which must find their code.
        std::mem::forget(library);
        let driver = Self {
            functions: functions?,
            names,
        };
        // SAFETY: the argument has no meaning yet and must be 0.
        driver.check(unsafe { (driver.functions.start)(0) })?;
        Ok(driver)
    }

    /// How many devices it shows.
    pub(super) fn count(&self) -> Result<c_int, String> {
        let mut count = 0;
        // SAFETY: the function writes one number.
        self.check(unsafe { (self.functions.count)(&raw mut count) })?;
        Ok(count)
    }

    fn number(&self, place: c_int) -> Result<c_int, String> {
        let mut number = 0;
        // SAFETY: the function writes one number.
        self.check(unsafe { (self.functions.number_of)(&raw mut number, place) })?;
        Ok(number)
    }

    /// The name of the device at a place, which need not be chosen; `None` when the library does not
    /// tell.
    pub(super) fn name(&self, place: c_int) -> Option<String> {
        let number = self.number(place).ok()?;
        let mut text = [0_u8; 256];
        let length = c_int::try_from(text.len()).ok()?;
        let start = text.as_mut_ptr().cast::<c_char>();
        // SAFETY: the function writes at most `length` bytes, the closing zero among them.
        let code = unsafe { (self.functions.name_of)(start, length, number) };
        self.check(code).ok()?;
        let name = CStr::from_bytes_until_nul(&text).ok()?.to_string_lossy();
        Some(name.trim().to_owned()).filter(|name| !name.is_empty())
    }

    /// Chooses the device at a place for this thread. One at a time.
    pub(super) fn choose(&mut self, place: c_int) -> Result<Device<'_>, String> {
        let number = self.number(place)?;
        match &self.functions.choose {
            Choose::Context {
                retain,
                make_current,
                release,
            } => {
                let mut context: Context = ptr::null_mut();
                // SAFETY: the function writes one handle, for the device that was just named.
                self.check(unsafe { retain(&raw mut context, number) })?;
                // SAFETY: the handle was just given out and is held until `release`.
                let current = self.check(unsafe { make_current(context) });
                if current.is_err() {
                    // SAFETY: gives back what `retain` took. What it answers changes nothing.
                    let _given_back = unsafe { release(number) };
                }
                current?;
            }
            // SAFETY: takes a place below the count, and refuses another.
            Choose::Place(choose) => self.check(unsafe { choose(place) })?,
        }
        Ok(Device {
            driver: self,
            number,
            _not_send: PhantomData,
        })
    }

    fn check(&self, code: Code) -> Result<(), String> {
        match code {
            0 => Ok(()),
            code => Err(names::reason(self.names, code)),
        }
    }
}

/// All functions, or which one the library lacks.
fn functions(library: &Library, names: &Names) -> Result<Functions, String> {
    // SAFETY (of all below): each type is that of the function with this name in the maker's header.
    Ok(Functions {
        start: unsafe { symbol(library, names, names.start) }?,
        count: unsafe { symbol(library, names, names.count) }?,
        number_of: unsafe { symbol(library, names, names.number_of) }?,
        name_of: unsafe { symbol(library, names, names.name_of) }?,
        free_and_total: unsafe { symbol(library, names, names.free_and_total) }?,
        allocate: unsafe { symbol(library, names, names.allocate) }?,
        release: unsafe { symbol(library, names, names.release) }?,
        copy: unsafe { symbol(library, names, names.copy) }?,
        fill: unsafe { symbol(library, names, names.fill) }?,
        wait: unsafe { symbol(library, names, names.wait) }?,
        choose: match names.choose {
            names::Choose::Context {
                retain,
                make_current,
                release,
            } => Choose::Context {
                retain: unsafe { symbol(library, names, retain) }?,
                make_current: unsafe { symbol(library, names, make_current) }?,
                release: unsafe { symbol(library, names, release) }?,
            },
            names::Choose::Place(choose) => {
                Choose::Place(unsafe { symbol(library, names, choose) }?)
            }
        },
    })
}

/// # Safety
/// `T` must be the type of the function that the library has under this name.
unsafe fn symbol<T: Copy>(library: &Library, names: &Names, name: &str) -> Result<T, String> {
    // SAFETY: by the caller. A function pointer stays good without the symbol, because the library
    // is never unloaded.
    let found = unsafe { library.get::<T>(name.as_bytes()) };
    found
        .map(|symbol| *symbol)
        .map_err(|_| format!("{} has no `{name}`: it is too old", names.whose))
}

impl Device<'_> {
    /// Bytes of its memory that are free, and all.
    pub(super) fn free_and_total(&self) -> Result<(usize, usize), String> {
        let (mut free, mut total) = (0, 0);
        // SAFETY: the function writes two numbers.
        let code = unsafe { (self.driver.functions.free_and_total)(&raw mut free, &raw mut total) };
        self.driver.check(code)?;
        Ok((free, total))
    }

    /// Memory of so many bytes, with whatever is in it.
    pub(super) fn buffer(&self, bytes: usize) -> Result<Buffer<'_>, String> {
        let mut address = 0;
        // SAFETY: the function writes one address.
        let code = unsafe { (self.driver.functions.allocate)(&raw mut address, bytes) };
        self.driver.check(code)?;
        Ok(Buffer {
            device: self,
            address,
            bytes,
        })
    }

    /// Waits until all that was asked is done.
    pub(super) fn wait(&self) -> Result<(), String> {
        // SAFETY: takes nothing, and waits for this thread's device.
        self.driver.check(unsafe { (self.driver.functions.wait)() })
    }
}

impl Buffer<'_> {
    /// Asks for a copy of another buffer of the device; both are as long as the shorter. Returns
    /// before it is done.
    pub(super) fn copy_from(&mut self, other: &Buffer<'_>) -> Result<(), String> {
        let driver = self.device.driver;
        let bytes = self.bytes.min(other.bytes);
        // SAFETY: both addresses are live allocations of at least `bytes` bytes and distinct, since
        // one is borrowed mutably. They outlive the copy: the driver frees memory only after the
        // work that uses it. The null stream is the default one.
        let code =
            unsafe { (driver.functions.copy)(self.address, other.address, bytes, ptr::null_mut()) };
        driver.check(code)
    }

    /// Asks to fill it with a 32-bit value. Returns before it is done.
    pub(super) fn fill(&mut self, value: u32) -> Result<(), String> {
        let driver = self.device.driver;
        // SAFETY: so many values of four bytes lie inside the allocation.
        let code = unsafe {
            (driver.functions.fill)(self.address, value, self.bytes / 4, ptr::null_mut())
        };
        driver.check(code)
    }
}

impl Drop for Buffer<'_> {
    fn drop(&mut self) {
        // SAFETY: the address was given out by `allocate` and is given back once. A failure after
        // an error of the device cannot be helped: the context's end frees all.
        let _freed = unsafe { (self.device.driver.functions.release)(self.address) };
    }
}

impl Drop for Device<'_> {
    fn drop(&mut self) {
        if let Choose::Context { release, .. } = &self.driver.functions.choose {
            // SAFETY: gives back what `choose` retained, once; its buffers are gone by their lifetimes.
            let _given_back = unsafe { release(self.number) };
        }
    }
}
