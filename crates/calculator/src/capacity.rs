//! Which cells of a run fitted, held against the server's budget and against the memory model.

use tokmark_run_format::{CapacityRule, CellStatus, DecodeCell, RunDocument};
use tokmark_units::float;

use crate::memory::{Fit, Limits};
use crate::observe::ObservedRun;

/// How far fewer requests than asked for may be active before some of them waited.
const WAITED: f64 = 0.5;

/// Part of the budget that the rule `expected` lets a cell need (methodology section 6).
const EXPECTED_SHARE: f64 = 0.97;

/// What a run tells about the capacity of its server, and how well it is predicted.
#[derive(Debug, Clone, PartialEq)]
pub struct Capacity {
    /// Tokens of cache that the server stated.
    pub stated_tokens: Option<u64>,
    /// The cache held at least so many tokens: the largest need of a cell whose requests all ran.
    pub implied_from: Option<u64>,
    /// And fewer than so many: the smallest need of a cell that was refused.
    pub implied_below: Option<u64>,
    /// Tokens that the memory model predicts, with 0.5 GB less and more.
    pub predicted_tokens: f64,
    /// See `predicted_tokens`.
    pub predicted_between: (f64, f64),
    /// Sequences that it predicts states to leave room for.
    pub predicted_sequences: Option<f64>,
    /// Which cells the budget explains: the stated one, else what the cells imply.
    pub given_budget: Score,
    /// Which cells the memory model predicts.
    pub from_memory: Score,
    /// The cells that tell something, in the order of the run.
    pub cells: Vec<CellCapacity>,
}

/// A cell whose requests were let in or not.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CellCapacity {
    /// Nominal context in tokens.
    pub context: u64,
    /// Requests at once.
    pub requests: u32,
    /// What became of them.
    pub came: Came,
    /// What the memory model says, which does not know the server's own budget.
    pub from_memory: Fit,
}

impl CellCapacity {
    /// Whether the memory model is right; `None` where it leaves it open.
    pub fn is_right(&self) -> Option<bool> {
        match self.from_memory {
            Fit::Borderline => None,
            Fit::Fits => Some(self.came == Came::Ran),
            Fit::DoesNotFit => Some(self.came != Came::Ran),
        }
    }
}

/// Cells by whether it was predicted rightly that they run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Score {
    /// Rightly.
    pub right: usize,
    /// It was left open.
    pub borderline: usize,
    /// Wrongly.
    pub wrong: usize,
}

/// What became of a cell, as far as it tells about capacity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Came {
    /// All requests ran at once.
    Ran,
    /// It was tried, and some of them waited.
    Waited,
    /// It was left out for lack of cache.
    Refused,
}

impl Came {
    /// The word in documents.
    pub fn word(self) -> &'static str {
        match self {
            Self::Ran => "ran",
            Self::Waited => "waited",
            Self::Refused => "refused",
        }
    }
}

struct Place {
    came: Came,
    context: u64,
    requests: u32,
    /// Tokens of each request, prompt and what was reserved for the output.
    each: f64,
    prompt: f64,
}

impl Place {
    fn of(document: &RunDocument, cell: &DecodeCell) -> Option<Self> {
        let came = match cell.status {
            CellStatus::OverCapacity => Came::Refused,
            CellStatus::Queued | CellStatus::Preempted => {
                let active = cell.average_active_requests?;
                if active < f64::from(cell.requests) - WAITED {
                    Came::Waited
                } else {
                    Came::Ran
                }
            }
            CellStatus::Valid
            | CellStatus::Looped
            | CellStatus::ClientLimited
            | CellStatus::Throttled
            | CellStatus::Restarts
            | CellStatus::Buffered => Came::Ran,
            _ => return None,
        };
        let requests = f64::from(cell.requests.max(1));
        let reserved = float::from_u64(cell.context + document.plan.max_output_tokens);
        let each = match (cell.need_tokens, document.plan.capacity, cell.output_tokens) {
            (_, CapacityRule::Reserve, _) => reserved,
            (Some(need), CapacityRule::Expected, _) => float::from_u64(need) / requests,
            // Nothing was reserved: what ran needed room for what it generated.
            (None, _, Some(output)) if came == Came::Ran => {
                float::from_u64(cell.context) + float::from_u64(output) / requests
            }
            _ => reserved,
        };
        Some(Self {
            came,
            context: cell.context,
            requests: cell.requests,
            each,
            prompt: float::from_u64(cell.context),
        })
    }

    fn need(&self) -> u64 {
        float::round_to_u64(self.each * f64::from(self.requests))
    }
}

impl Capacity {
    /// Of a run and what the calculator makes of it.
    pub fn of(document: &RunDocument, run: &ObservedRun) -> Self {
        let cells = document.decode.iter();
        let places: Vec<Place> = cells.filter_map(|cell| Place::of(document, cell)).collect();
        let needs = |came: Came| {
            let of_kind = places.iter().filter(move |place| place.came == came);
            of_kind.map(Place::need)
        };
        let alone = Limits {
            kv_tokens: None,
            ..run.limits
        };
        let memory = run.setup.memory(&alone);
        let mut capacity = Self {
            stated_tokens: run.limits.kv_tokens,
            implied_from: needs(Came::Ran).max(),
            implied_below: needs(Came::Refused).min(),
            predicted_tokens: memory.tokens,
            predicted_between: memory.tokens_between,
            predicted_sequences: memory.sequences,
            given_budget: Score::default(),
            from_memory: Score::default(),
            cells: Vec::new(),
        };
        let budget = capacity.budget(document);
        for place in &places {
            if let Some(budget) = budget {
                let fits = float::from_u64(place.need()) <= budget;
                let refused = place.came == Came::Refused;
                capacity.given_budget.count(Some(fits != refused));
            }
            let output = place.each - place.prompt;
            let cell = CellCapacity {
                context: place.context,
                requests: place.requests,
                came: place.came,
                from_memory: run.setup.fits(&alone, place.requests, place.prompt, output),
            };
            capacity.from_memory.count(cell.is_right());
            capacity.cells.push(cell);
        }
        capacity
    }

    /// Tokens that a cell may need: of what the server stated the rule's part, else what the cells
    /// imply.
    fn budget(&self, document: &RunDocument) -> Option<f64> {
        let share = match document.plan.capacity {
            CapacityRule::Expected => EXPECTED_SHARE,
            CapacityRule::Reserve | CapacityRule::Try => 1.0,
        };
        let stated = self
            .stated_tokens
            .map(|tokens| float::from_u64(tokens) * share);
        stated.or_else(|| self.implied_from.map(float::from_u64))
    }
}

impl Score {
    fn count(&mut self, right: Option<bool>) {
        let one = match right {
            Some(true) => &mut self.right,
            None => &mut self.borderline,
            Some(false) => &mut self.wrong,
        };
        *one += 1;
    }

    /// Cells in all.
    pub fn cells(&self) -> usize {
        self.right + self.borderline + self.wrong
    }
}
