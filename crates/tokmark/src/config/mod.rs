//! Settings in files: `tokmark.toml` of the project and of the user.
//!
//! A key is an option's long name. In `[run]` and the like it is that command's; at the top it is for
//! every command whose variable has no command in its name (`TOKMARK_DURATION`, not
//! `TOKMARK_CALC_…`). Stronger beats weaker: option, variable, project, user, default. What a file
//! says is put among what was typed, so that clap checks and reads both alike.

mod apply;
mod check;
mod file;
mod find;
mod input;

pub(crate) use apply::{Applied, Source, is_secret};
pub(crate) use check::stands_at_the_top;
pub(crate) use file::File;
pub(crate) use find::{Place, places};
pub(crate) use input::{Refusal, chosen_file, command, read, read_settings, resolve};
