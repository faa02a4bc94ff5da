//! What goes over the wire.

use serde::{Deserialize, Serialize};
use tokmark_run_format::{LaunchSettings, Telemetry};

use crate::choose::UsedDevice;

/// Readings, on the agent's own clock.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Reading {
    /// The agent's clock when it answered.
    pub now_ns: u64,
    /// What was read.
    pub telemetry: Telemetry,
}

/// How the server on a port of the agent's host was started.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Launched {
    /// The command without secrets.
    pub command: Option<String>,
    /// Its flags that matter.
    pub flags: Vec<String>,
    /// Its settings.
    pub settings: Option<LaunchSettings>,
    /// The arguments without secrets.
    pub argv: Vec<String>,
    /// Why there is no command.
    pub unknown: Option<String>,
    /// The accelerators whose readings are the server's.
    pub devices: Option<Vec<UsedDevice>>,
}
