//! From what was typed to what a run is asked to do.

use tokmark_bench::{Endpoint, Settings};
use tokmark_run_format::plan::{CapacityRule, PrefillMode, Profile};

use crate::args::PlanArgs;
use crate::args::work::{Capacity, Prefill, Route, Thoroughness};
use crate::exit::Exit;
use crate::failure::{Failure, Outcome};

/// The settings of the options; refuses what cannot be meant.
pub(crate) fn settings(args: &PlanArgs) -> Outcome<Settings> {
    refuse_idle(args)?;
    if args.duration.is_some_and(|window| window.is_zero()) {
        return Err(
            Failure::saying(Exit::Usage, "a window of no length measures nothing")
                .hint("for example --duration 10s"),
        );
    }
    if args.max_time.is_some_and(|most| most.is_zero()) {
        return Err(
            Failure::saying(Exit::Usage, "a run of no length measures nothing")
                .hint("for example --max-time 10m"),
        );
    }
    if args.max_output == 0 {
        return Err(Failure::saying(Exit::Usage, "--max-output must be above 0"));
    }
    let usual = Settings::default();
    Ok(Settings {
        contexts: args.contexts.as_ref().map(|list| list.to_vec()),
        prefill_contexts: args.prefill_contexts.as_ref().map(|list| list.to_vec()),
        requests: args
            .requests
            .as_ref()
            .map_or(usual.requests, |list| list.to_vec()),
        window: args.duration.unwrap_or(usual.window),
        max_output: args.max_output,
        profile: match args.profile {
            Thoroughness::Quick => Profile::Quick,
            Thoroughness::Standard => Profile::Standard,
            Thoroughness::Rigorous => Profile::Rigorous,
        },
        capacity: match args.capacity {
            Capacity::Expected => CapacityRule::Expected,
            Capacity::Reserve => CapacityRule::Reserve,
            Capacity::Try => CapacityRule::Try,
        },
        kv_budget: args.kv_budget,
        shared_context: args.shared_context,
        prefill: match args.prefill {
            Prefill::WarmUp => PrefillMode::WarmUp,
            Prefill::Standalone => PrefillMode::Standalone,
            Prefill::Off => PrefillMode::Off,
        },
        prefill_samples: args.prefill_samples,
        endpoint: endpoint(args),
        stall_timeout: args.stall_timeout,
        wait_server: args.wait_server,
        seed: args.seed,
        loop_check: !args.no_loop_check,
        max_time: args.max_time,
        ..Settings::default()
    })
}

/// Refuses options that would do nothing beside another one (case B098): who gives them expects
/// something of them.
fn refuse_idle(args: &PlanArgs) -> Outcome<()> {
    let beside = |mode: &str, given: &[(&str, bool)]| {
        let idle = given.iter().find(|(_, is_given)| *is_given);
        idle.map_or(Ok(()), |(option, _)| {
            let text = format!("{option} does nothing with --prefill {mode}");
            Err(Failure::saying(Exit::Usage, text)
                .hint(format!("leave out {option}, or --prefill {mode}")))
        })
    };
    match args.prefill {
        Prefill::WarmUp => Ok(()),
        Prefill::Standalone => beside(
            "standalone",
            &[
                ("--requests", args.requests.is_some()),
                ("--duration", args.duration.is_some()),
                ("--shared-context", args.shared_context),
                ("--no-loop-check", args.no_loop_check),
            ],
        ),
        Prefill::Off => beside(
            "off",
            &[
                ("--prefill-contexts", args.prefill_contexts.is_some()),
                ("--prefill-samples", args.prefill_samples.is_some()),
            ],
        ),
    }
}

/// The route that is measured.
pub(crate) fn endpoint(args: &PlanArgs) -> Endpoint {
    match args.endpoint {
        Route::Chat => Endpoint::Chat,
        Route::Completions => Endpoint::Completions,
    }
}
