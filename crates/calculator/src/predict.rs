//! One prediction with its band, and a matrix of them.

use tokmark_units::float;

use crate::constants::Constants;
use crate::decode::{DecodeLoad, DecodeSpeed, StepTerm};
use crate::energy::Power;
use crate::fit::{Band, Calibration};
use crate::memory::{Fit, Limits};
use crate::path::Family;
use crate::prefill::PrefillTime;
use crate::setup::Setup;

/// A figure with its spread. Results above the roofline are impossible, and no edge passes it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Banded {
    /// The median.
    pub median: f64,
    /// Half of the results lie between these.
    pub half: (f64, f64),
    /// Nine of ten lie between these.
    pub ninety: (f64, f64),
}

impl Banded {
    /// A median with a band of factors, nothing above `most`.
    pub fn new(median: f64, band: &Band, most: f64) -> Self {
        let edge = |factor: f64| (median * factor).min(most);
        Self {
            median: median.min(most),
            half: (edge(band.half.0), edge(band.half.1)),
            ninety: (edge(band.ninety.0), edge(band.ninety.1)),
        }
    }

    /// Every edge through a function that grows.
    #[must_use]
    pub fn map(self, through: impl Fn(f64) -> f64) -> Self {
        Self {
            median: through(self.median),
            half: (through(self.half.0), through(self.half.1)),
            ninety: (through(self.ninety.0), through(self.ninety.1)),
        }
    }

    /// Every edge through a function that falls, so that lower and upper edges change places.
    #[must_use]
    pub fn map_falling(self, through: impl Fn(f64) -> f64) -> Self {
        Self {
            median: through(self.median),
            half: (through(self.half.1), through(self.half.0)),
            ninety: (through(self.ninety.1), through(self.ninety.0)),
        }
    }
}

/// What is known about a setup: its constants and how far predictions with them are off.
#[derive(Debug, Clone, PartialEq)]
pub struct Knowledge {
    /// The constants.
    pub constants: Constants,
    /// Spread of decode.
    pub decode: Band,
    /// Spread of prefill.
    pub prefill: Band,
}

/// Everything about one load.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// Tokens a second of all requests.
    pub total_tokens_per_s: Banded,
    /// Tokens a second of one request.
    pub per_request_tokens_per_s: Banded,
    /// The step behind it.
    pub decode: DecodeSpeed,
    /// Prompt tokens a second of one prompt; `None` where the machine's arithmetic is unknown.
    pub prompt_tokens_per_s: Option<Banded>,
    /// Seconds to the first token of one request whose prompt is not cached.
    pub cold_ttft_s: Option<Banded>,
    /// Seconds to the first token when the whole prompt is cached: a step.
    pub warm_ttft_s: f64,
    /// Whether it fits.
    pub fit: Fit,
    /// The term that takes longest.
    pub limited_by: StepTerm,
    /// Joules of an output token, of the accelerators and of their host; `None` where no power is
    /// known.
    pub joules_per_token: Option<f64>,
    /// Share of the roofline that the median reaches.
    pub roofline_share: f64,
}

/// A matrix of contexts and requests.
#[derive(Debug, Clone, PartialEq)]
pub struct Matrix {
    /// Prompt tokens of the rows.
    pub contexts: Vec<u64>,
    /// Requests of the columns.
    pub requests: Vec<u32>,
    /// Predictions, row by row.
    pub cells: Vec<Prediction>,
}

impl Knowledge {
    /// From the calibration of the setup's family, where there is one.
    pub fn of(setup: &Setup, calibrations: &[Calibration]) -> Self {
        let family = Family::of(setup);
        match calibrations.iter().find(|one| one.family == family) {
            Some(calibration) => Self {
                constants: calibration.constants(setup),
                decode: calibration.band(setup, false),
                prefill: calibration.band(setup, true),
            },
            None => Self {
                constants: Constants::defaults(setup),
                decode: Band::UNCALIBRATED,
                prefill: Band::UNCALIBRATED,
            },
        }
    }
}

impl Setup {
    /// Predicts a load. `reserved_output` are the tokens that each request's output may take in the
    /// cache, for [`Prediction::fit`].
    pub fn predict(
        &self,
        knowledge: &Knowledge,
        limits: &Limits,
        load: &DecodeLoad,
        reserved_output: f64,
    ) -> Prediction {
        let decode = self.decode(&knowledge.constants, load);
        let most = decode.ceiling_tokens_per_s;
        let total = Banded::new(decode.tokens_per_s, &knowledge.decode, most);
        let read = self.prefill(&knowledge.constants, load.prompt_tokens.max(1.0), 0.0);
        let prompt =
            read.map(|read| Banded::new(read.tokens_per_s(), &knowledge.prefill, f64::MAX));
        let warm = self
            .step(&knowledge.constants, 1.0, load.prompt_tokens, load.prompts)
            .seconds();
        let cold = |rate: f64| load.prompt_tokens.max(1.0) / rate + warm;
        let power = Power::of(self).map(|power| power.decode_w);
        Prediction {
            total_tokens_per_s: total,
            per_request_tokens_per_s: total.map(|rate| rate / load.requests),
            prompt_tokens_per_s: prompt,
            cold_ttft_s: prompt.map(|rate| rate.map_falling(cold)),
            warm_ttft_s: warm,
            fit: self.fits(
                limits,
                whole_requests(load.requests),
                load.prompt_tokens,
                reserved_output,
            ),
            limited_by: decode.step.largest(),
            joules_per_token: power.map(|watts| watts / total.median),
            roofline_share: total.median / most,
            decode,
        }
    }

    /// Predicts every cell of a matrix; `load` gives what they have in common.
    pub fn matrix(
        &self,
        knowledge: &Knowledge,
        limits: &Limits,
        contexts: &[u64],
        requests: &[u32],
        load: &DecodeLoad,
        reserved_output: f64,
    ) -> Matrix {
        let places = contexts
            .iter()
            .flat_map(|context| requests.iter().map(move |requests| (*context, *requests)));
        let cells = places.map(|(context, requests)| {
            let cell = DecodeLoad {
                requests: f64::from(requests),
                prompt_tokens: float::from_u64(context),
                ..*load
            };
            self.predict(knowledge, limits, &cell, reserved_output)
        });
        Matrix {
            contexts: contexts.to_vec(),
            requests: requests.to_vec(),
            cells: cells.collect(),
        }
    }

    /// Seconds of reading one prompt; see [`Setup::prefill`].
    pub fn prompt_time(&self, knowledge: &Knowledge, tokens: f64) -> Option<PrefillTime> {
        self.prefill(&knowledge.constants, tokens, 0.0)
    }
}

fn whole_requests(requests: f64) -> u32 {
    u32::try_from(float::round_to_u64(requests.max(0.0).ceil())).unwrap_or(u32::MAX)
}

impl Matrix {
    /// The prediction at a place.
    pub fn cell(&self, context: u64, requests: u32) -> Option<&Prediction> {
        let row = self.contexts.iter().position(|one| *one == context)?;
        let column = self.requests.iter().position(|one| *one == requests)?;
        self.cells.get(row * self.requests.len() + column)
    }
}
