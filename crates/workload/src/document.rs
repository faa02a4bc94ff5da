//! Documents: a prefix that stays, and a task at the end that changes with every restart.

use std::sync::Arc;

use tokmark_units::Context;

use crate::genre::Genre;
use crate::manuscript::{Manuscript, OPENING_WORDS, opening};
use crate::seed::{Key, Purpose, Seed, Slot};
use crate::task::{SHORT_TASK_WORDS, TASK_WORDS, free_task, short_task, task};

/// What a document is made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recipe {
    /// Seed of everything before the task.
    pub document: Seed,
    /// Seed of the task; streams that share a document differ in it.
    pub task: Seed,
    /// Kind of text.
    pub genre: Genre,
}

impl Recipe {
    /// A stream's own document. `attempt` is 0, and higher where a fresh one must take its place.
    pub fn of_stream(run: Seed, context: Context, stream: u32, attempt: u32) -> Self {
        let slot = Slot::Stream(stream);
        Self {
            document: run.derive(key(context, slot, Purpose::Document, attempt)),
            task: run.derive(key(context, slot, Purpose::Task, attempt)),
            genre: Genre::of_stream(stream),
        }
    }

    /// The one document of all streams (`--shared-context`) with the task of this stream.
    pub fn shared(run: Seed, context: Context, stream: u32, attempt: u32) -> Self {
        Self {
            document: run.derive(key(context, Slot::Shared, Purpose::Document, attempt)),
            genre: Genre::of_stream(0),
            ..Self::of_stream(run, context, stream, attempt)
        }
    }

    /// A document that is read once, for prefill samples, warm-up or calibration.
    pub fn once(run: Seed, context: Context, purpose: Purpose, attempt: u32) -> Self {
        let document = run.derive(key(context, Slot::Shared, purpose, attempt));
        Self {
            document,
            task: document.part(1),
            genre: Genre::of_stream(attempt),
        }
    }

    /// The document of so many words, its task among them; at least one. For servers whose tokens
    /// can only be estimated ([`crate::Calibration::words_for`]).
    pub fn document(&self, words: u64) -> Document {
        let words = usize::try_from(words).unwrap_or(usize::MAX);
        let mut manuscript = Manuscript::new(self.document, self.genre);
        Document::compose(self, &mut manuscript, Shape::of_words(words))
    }
}

fn key(context: Context, slot: Slot, purpose: Purpose, attempt: u32) -> Key {
    Key {
        context,
        slot,
        purpose,
        attempt,
    }
}

/// What stands behind the body of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    /// Nothing: too short for a task.
    Bare,
    /// A task in one sentence.
    Brief,
    /// A whole task.
    Full,
}

impl Layout {
    /// A task may take a third of a short document and a quarter of any other.
    pub(crate) fn of_words(words: usize) -> Self {
        if words >= 4 * TASK_WORDS {
            Self::Full
        } else if words >= 3 * SHORT_TASK_WORDS {
            Self::Brief
        } else {
            Self::Bare
        }
    }

    fn task_words(self) -> usize {
        match self {
            Self::Bare => 0,
            Self::Brief => SHORT_TASK_WORDS,
            Self::Full => TASK_WORDS,
        }
    }

    /// The fewest words a document of this layout may have: one, or the opening and the task.
    pub(crate) fn least_words(self) -> usize {
        match self {
            Self::Bare => 1,
            Self::Brief | Self::Full => self.task_words() + OPENING_WORDS,
        }
    }
}

/// The size of a document: words of body and task, and the padding between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) layout: Layout,
    /// Words of body and task together.
    pub(crate) words: usize,
    /// Short words behind the body.
    pub(crate) pads: usize,
    /// Single digits behind those, for vocabularies in which no word is one token.
    pub(crate) marks: usize,
}

impl Shape {
    pub(crate) fn of_words(words: usize) -> Self {
        Self {
            layout: Layout::of_words(words),
            words: words.max(1),
            pads: 0,
            marks: 0,
        }
    }
}

/// Words that are one token in nearly every vocabulary. No two neighbours are alike, since equal
/// neighbours are merged by some.
const PADS: [&str; 24] = [
    "a", "of", "in", "to", "it", "is", "on", "at", "as", "by", "we", "he", "so", "no", "or", "if",
    "an", "be", "do", "up", "my", "me", "go", "us",
];

const MARKS: [&str; 10] = ["7", "3", "8", "1", "5", "0", "9", "2", "6", "4"];

/// A prompt of a known number of words: everything that the server may keep in its prefix cache,
/// and the task behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    prefix: Arc<str>,
    words: usize,
    layout: Layout,
    task: Seed,
}

impl Document {
    pub(crate) fn compose(recipe: &Recipe, manuscript: &mut Manuscript, shape: Shape) -> Self {
        let body = shape.words.saturating_sub(shape.layout.task_words());
        let mut prefix = manuscript.cut(body).to_owned();
        for pad in PADS.iter().cycle().take(shape.pads) {
            prefix.push(' ');
            prefix.push_str(pad);
        }
        prefix.extend(MARKS.iter().copied().cycle().take(shape.marks));
        if shape.layout != Layout::Bare {
            prefix.push_str("\n\n");
        }
        Self {
            prefix: prefix.into(),
            words: shape.words + shape.pads,
            layout: shape.layout,
            task: recipe.task,
        }
    }

    /// The whole prompt with its first task.
    pub fn text(&self) -> String {
        self.restarted(0)
    }

    /// The prompt of restart number `restart` (0 is [`Document::text`]): the prefix byte for byte,
    /// so that the server finds it in its cache, and a new task. Documents too short for a task
    /// (under 60 words) have nothing that could change.
    pub fn restarted(&self, restart: u32) -> String {
        let task = match self.layout {
            Layout::Bare => String::new(),
            Layout::Brief => short_task(self.task, restart),
            Layout::Full => task(self.task, restart),
        };
        format!("{}{task}", self.prefix)
    }

    /// The same document with the tasks of another seed: the other streams of `--shared-context`.
    #[must_use]
    pub fn with_task(&self, task: Seed) -> Self {
        Self {
            task,
            ..self.clone()
        }
    }

    /// All before the task: the part that restarts share.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// Words of the whole prompt, between white space.
    pub fn words(&self) -> u64 {
        tokmark_units::float::len_u64(self.words)
    }
}

/// A prompt for context 0: an opening that no other prompt has, and a long task. `seed` is the
/// stream's; a restart changes the task only.
pub fn short_prompt(seed: Seed, restart: u32) -> String {
    format!("{}.\n\n{}", opening(seed), free_task(seed.part(1), restart))
}

/// A prompt of about 16 tokens, for the fixed part of a first-token time (methodology section 2).
pub fn probe(seed: Seed) -> String {
    format!("{}: what next?", opening(seed))
}
