//! What holds for every catalogue: the same messages everywhere, and nothing left in English.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use fluent_syntax::ast::{
    Entry, Expression, InlineExpression, Pattern, PatternElement, VariantKey,
};
use fluent_syntax::parser;
use tokmark_text::Language;

/// Words in Latin letters that the field writes so in every language: units, names, formats, and
/// what is typed. `docs/translating.md` says how a word comes in here.
const TECHNICAL: &[&str] = &[
    // Units and figures.
    "tok", "s", "ms", "J", "W", "kWh", "GB", "GiB", "KiB", "K", "n", "p50", "p95", "p99", "x",
    // Terms.
    "KV", "TTFT", "GPU", "CPU", "VRAM", "OS", "token", "rank", "Holm",
    // Formats, names and what is typed.
    "JSON", "CSV", "HTML", "SVG", "PNG", "SNS", "zstd", "HOST", "PORT", "tokmark", "Qwen", "Qwen3",
    "14B", "AWQ", "RTX", "USD", "EUR", "expected", "reserve", "try", "low", "typical", "high",
    "max", "on", "5s", "500ms", "1G",
];

/// Stands for an argument in [`Message::text`].
const ARGUMENT: char = '\u{fffc}';

/// A message's text with every form of a plural, and the arguments.
#[derive(Debug, Default, PartialEq, Eq)]
struct Message {
    text: String,
    arguments: BTreeSet<String>,
}

fn folder(language: Language) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("catalogues")
        .join(language.as_str())
}

fn areas(language: Language) -> BTreeSet<String> {
    let entries = std::fs::read_dir(folder(language)).unwrap();
    entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect()
}

/// The messages of an area. A duplicate, a junk line or a term fails the test.
fn read(language: Language, area: &str) -> BTreeMap<String, Message> {
    let source = std::fs::read_to_string(folder(language).join(area)).unwrap();
    let place = format!("{}/{area}", language.as_str());
    let resource =
        parser::parse(source.as_str()).unwrap_or_else(|(_, errors)| panic!("{place}: {errors:?}"));
    let mut messages = BTreeMap::new();
    for entry in resource.body {
        match entry {
            Entry::Message(found) => {
                assert!(found.attributes.is_empty(), "{place}: {}", found.id.name);
                let mut message = Message::default();
                message.pattern(&found.value.unwrap());
                let before = messages.insert(found.id.name.to_owned(), message);
                assert_eq!(before, None, "{place}: `{}` stands twice", found.id.name);
            }
            Entry::Comment(_) | Entry::GroupComment(_) | Entry::ResourceComment(_) => {}
            Entry::Term(term) => panic!("{place}: `-{}` is a term", term.id.name),
            Entry::Junk { content } => panic!("{place}: {content}"),
        }
    }
    messages
}

impl Message {
    fn pattern(&mut self, pattern: &Pattern<&str>) {
        for element in &pattern.elements {
            match element {
                PatternElement::TextElement { value } => self.text.push_str(value),
                PatternElement::Placeable { expression } => self.expression(expression),
            }
        }
    }

    fn expression(&mut self, expression: &Expression<&str>) {
        match expression {
            Expression::Inline(InlineExpression::VariableReference { id }) => {
                self.arguments.insert(id.name.to_owned());
                self.text.push(ARGUMENT);
            }
            Expression::Inline(InlineExpression::StringLiteral { value }) => {
                self.text.push_str(value);
            }
            Expression::Select {
                selector: InlineExpression::VariableReference { id },
                variants,
            } => {
                self.arguments.insert(id.name.to_owned());
                for variant in variants {
                    if let VariantKey::Identifier { name } = variant.key {
                        let known = ["zero", "one", "two", "few", "many", "other"];
                        assert!(known.contains(&name), "`{name}` is no plural");
                    }
                    self.pattern(&variant.value);
                }
            }
            other => panic!("{other:?} is more than the functions offer"),
        }
    }

    /// Words of Latin letters and digits that begin with a letter, or hold one.
    fn latin_words(&self) -> impl Iterator<Item = &str> {
        let words = self.text.split(|c: char| !c.is_ascii_alphanumeric());
        words.filter(|word| word.contains(|c: char| c.is_ascii_alphabetic()))
    }
}

/// Calls `check` for each message of each offered language but English.
fn translated(mut check: impl FnMut(Language, &str, &str, &Message)) {
    for language in Language::OFFERED {
        if language == Language::English {
            continue;
        }
        for area in areas(Language::English) {
            for (key, message) in read(language, &area) {
                check(language, &area, &key, &message);
            }
        }
    }
}

#[test]
fn every_language_has_the_messages_of_english_and_no_others() {
    let english = areas(Language::English);
    assert!(english.len() >= 15, "{english:?}");
    for language in Language::OFFERED {
        assert_eq!(areas(language), english, "{language:?}");
        for area in &english {
            let (of, expect) = (read(language, area), read(Language::English, area));
            let keys: Vec<&String> = of.keys().collect();
            let expected: Vec<&String> = expect.keys().collect();
            assert_eq!(keys, expected, "{language:?} {area}");
            for (key, message) in &of {
                let place = format!("{language:?} {area} `{key}`");
                assert_eq!(message.arguments, expect[key].arguments, "{place}");
            }
        }
    }
}

#[test]
fn every_message_has_its_function_and_every_function_its_message() {
    for area in areas(Language::English) {
        let name = area.trim_end_matches(".ftl");
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("src/messages/{name}.rs"));
        let source = std::fs::read_to_string(&path).unwrap();
        let functions: BTreeSet<String> = source
            .split("pub fn ")
            .skip(1)
            .map(|rest| rest[..rest.find('(').unwrap()].to_owned())
            .collect();
        let keys = read(Language::English, &area).into_keys();
        let keys: BTreeSet<String> = keys.map(|key| key.replace('-', "_")).collect();
        assert_eq!(functions, keys, "{area}: run `cargo xtask text`");
    }
}

#[test]
fn nothing_is_left_in_english() {
    let allowed: BTreeSet<&str> = TECHNICAL.iter().copied().collect();
    let mut left = Vec::new();
    translated(|language, area, key, message| {
        for word in message.latin_words().filter(|word| !allowed.contains(word)) {
            left.push(format!("{} {area} {key}: {word}", language.as_str()));
        }
    });
    assert!(left.is_empty(), "{}", left.join("\n"));
}

#[test]
fn the_allowed_words_are_all_needed() {
    let mut unused: BTreeSet<&str> = TECHNICAL.iter().copied().collect();
    translated(|_, _, _, message| {
        for word in message.latin_words() {
            unused.remove(word);
        }
    });
    assert!(unused.is_empty(), "{unused:?}");
}

#[test]
fn brackets_are_closed_and_nothing_is_markup() {
    for language in Language::OFFERED {
        for area in areas(Language::English) {
            for (key, message) in read(language, &area) {
                let place = format!("{} {area} `{key}`: {}", language.as_str(), message.text);
                let count = |one: char| message.text.matches(one).count();
                for (open, close) in [('(', ')'), ('（', '）'), ('「', '」'), ('“', '”')] {
                    assert_eq!(count(open), count(close), "{place}");
                }
                assert_eq!(count('`') % 2, 0, "{place}");
                for no in ["<", ">", "&", "  ", "\t", "\u{2068}", "{", "}"] {
                    assert!(!message.text.contains(no), "{place} holds {no:?}");
                }
            }
        }
    }
}

#[test]
fn each_language_is_written_in_its_script() {
    let is_kana = |c: char| ('\u{3041}'..='\u{30ff}').contains(&c) && c != '・' && c != 'ー';
    let is_hangul = |c: char| ('\u{ac00}'..='\u{d7a3}').contains(&c);
    translated(|language, area, key, message| {
        let has = |is: &dyn Fn(char) -> bool| message.text.chars().any(is);
        let strange = match language {
            Language::Japanese => has(&is_hangul),
            Language::Korean => has(&is_kana),
            _ => has(&is_kana) || has(&is_hangul),
        };
        let place = format!("{} {area} `{key}`", language.as_str());
        assert!(!strange, "{place}: {}", message.text);
    });
}
