//! The tasks at the end of prompts: each asks for a very long text that has no reason to repeat
//! itself, so that streams neither end nor loop within a window (methodology sections 3 and 5).

use std::collections::HashSet;

use crate::inflection::article;
use crate::names;
use crate::phrase::Prose;
use crate::seed::Seed;

/// Words of every [`task`]. All tasks have the same, so that a restart, whose document stays and
/// whose task changes, has nearly the same length.
pub const TASK_WORDS: usize = 112;

/// Words of the task of a document too short for a whole one.
pub const SHORT_TASK_WORDS: usize = 20;

const FORMS: [&str; 16] = [
    "a novel in many chapters",
    "a chronicle of one century",
    "a traveller's journal",
    "a family history",
    "a handbook for beginners",
    "a series of lectures",
    "a play in many scenes",
    "an annotated catalogue",
    "a collection of linked stories",
    "an exchange of letters",
    "a field guide",
    "a memoir",
    "the minutes of a long inquiry",
    "a ship's log",
    "a biography of three generations",
    "an illustrated atlas in words",
];

const SHORT_FORMS: [&str; 8] = [
    "story",
    "chronicle",
    "history",
    "memoir",
    "journal",
    "handbook",
    "saga",
    "biography",
];

const NUMBERING: [&str; 6] = [
    "Number every paragraph, from one upwards.",
    "Give each chapter a number and a title of its own.",
    "Begin each section with its number and a new place.",
    "Put a date before every entry, each later than the last.",
    "Number the scenes, and open each with the weather.",
    "Head every part with its number and one new name.",
];

const DETAIL: [&str; 6] = [
    "Go into detail: sights, sounds, prices, tools, dates and reasons.",
    "Let every part bring new people, new places and new events.",
    "Explain each step so fully that a stranger could follow it.",
    "Follow one person at a time, and show what each of them wants.",
    "Mix description, speech, lists of figures and old records.",
    "Take up one question after another, and answer each from two sides.",
];

const NO_REPETITION: [&str; 6] = [
    "Never repeat a sentence, an image or an argument.",
    "Do not use the same opening words twice.",
    "Say nothing a second time; always move on to something new.",
    "Avoid set phrases, refrains and lists that return.",
    "Every paragraph must tell what no other has told.",
    "Do not come back to what has been said.",
];

const NO_END: [&str; 6] = [
    "Do not summarise, do not conclude, and do not stop early.",
    "Write no introduction and no summary; keep going until you are stopped.",
    "Leave the end open, and go on for as long as you can.",
    "Ask no questions back; begin at once and continue without a break.",
    "Do not shorten anything, and do not announce an ending.",
    "There is no upper limit; after the last part begin another.",
];

const THOUSANDS: [&str; 6] = ["ten", "twelve", "fifteen", "eighteen", "twenty", "thirty"];

/// The task at the end of a document. Differs with the seed (one per stream) and with every
/// restart; always [`TASK_WORDS`] words.
pub fn task(seed: Seed, restart: u32) -> String {
    written("Task: use the material above and write", seed, restart)
}

/// The same without a document before it.
pub(crate) fn free_task(seed: Seed, restart: u32) -> String {
    written("Write", seed, restart)
}

fn written(lead: &str, seed: Seed, restart: u32) -> String {
    let mut prose = Prose::new(seed.part(u64::from(restart)).generator());
    let subject = subject(&mut prose);
    let (town, hero) = (prose.town(), names::person(&mut prose.dice));
    let trade = prose.lexicon.people.pick(&mut prose.dice);
    let an = article(trade);
    let dice = &mut prose.dice;
    let (form, thousands) = (dice.pick(&FORMS), dice.pick(&THOUSANDS));
    let rules = [
        dice.pick(&NUMBERING),
        dice.pick(&DETAIL),
        dice.pick(&NO_REPETITION),
        dice.pick(&NO_END),
    ];
    let text = format!(
        "{lead} {form} of at least {thousands} thousand words about {subject}, set in {town} and \
         seen by {hero}, {an} {trade}. {} Bring in, in any order:",
        rules.join(" ")
    );
    let missing = TASK_WORDS.saturating_sub(text.split_whitespace().count());
    let mut taken = HashSet::new();
    let subjects: Vec<_> = std::iter::repeat_with(|| prose.noun())
        .filter(|noun| taken.insert(*noun))
        .take(missing)
        .collect();
    format!("{text} {}.", subjects.join(", "))
}

fn subject(prose: &mut Prose) -> String {
    let (first, second) = (prose.adjective(), prose.noun());
    let (third, fourth) = (prose.adjective(), prose.noun());
    format!("the {first} {second} and the {third} {fourth}")
}

/// A task for documents of a few dozen words; always [`SHORT_TASK_WORDS`] words.
pub(crate) fn short_task(seed: Seed, restart: u32) -> String {
    let mut prose = Prose::new(seed.part(u64::from(restart)).generator());
    let (adjective, noun, town) = (prose.adjective(), prose.noun(), prose.town());
    let (form, thousands) = (prose.dice.pick(&SHORT_FORMS), prose.dice.pick(&THOUSANDS));
    format!(
        "Write a very long {form} about the {adjective} {noun} of {town}: at least {thousands} \
         thousand words in new, numbered paragraphs."
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_have_their_words_and_leave_room_for_subjects() {
        for number in 0..400 {
            let seed = Seed::of_run("tasks").part(number);
            let text = task(seed, 3);
            assert_eq!(text.split_whitespace().count(), TASK_WORDS, "{text}");
            let (_, subjects) = text.rsplit_once(':').unwrap();
            assert!(subjects.split(',').count() >= 8, "{text}");
            let free = free_task(seed, 3);
            assert_eq!(free.split_whitespace().count(), TASK_WORDS, "{free}");
            let short = short_task(seed, 3);
            assert_eq!(
                short.split_whitespace().count(),
                SHORT_TASK_WORDS,
                "{short}"
            );
        }
    }

    #[test]
    fn tasks_differ_per_stream_and_restart() {
        let run = Seed::of_run("tasks");
        let mut seen = HashSet::new();
        for stream in 0..50 {
            for restart in 0..20 {
                assert!(seen.insert(task(run.part(stream), restart)));
                assert!(seen.insert(short_task(run.part(stream), restart)));
            }
        }
    }
}
