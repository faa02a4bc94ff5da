//! Catalogues in memory: each parsed once, when its language is first asked for.

use std::sync::OnceLock;

use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentResource, FluentValue};
use unic_langid::{LanguageIdentifier, langid};

use crate::{Language, Numbers};

/// One area's messages in every offered language. The generated functions know a message by its
/// place among the keys.
pub(crate) struct Area {
    keys: &'static [&'static str],
    english: Catalogue,
    japanese: Catalogue,
    korean: Catalogue,
    chinese: Catalogue,
}

struct Catalogue {
    language: Language,
    source: &'static str,
    parsed: OnceLock<Parsed>,
}

struct Parsed {
    bundle: FluentBundle<FluentResource>,
    /// Texts without arguments, at the places of their keys.
    plain: Vec<Option<String>>,
}

impl Catalogue {
    const fn new(language: Language, source: &'static str) -> Self {
        Self {
            language,
            source,
            parsed: OnceLock::new(),
        }
    }
}

impl Area {
    /// From the sources in the order of [`Language::OFFERED`].
    pub(crate) const fn new(keys: &'static [&'static str], sources: [&'static str; 4]) -> Self {
        let [english, japanese, korean, chinese] = sources;
        Self {
            keys,
            english: Catalogue::new(Language::English, english),
            japanese: Catalogue::new(Language::Japanese, japanese),
            korean: Catalogue::new(Language::Korean, korean),
            chinese: Catalogue::new(Language::Chinese, chinese),
        }
    }

    /// A message without arguments. A message that a language lacks is given in English, and one
    /// that English lacks is empty: tests keep both from happening.
    pub(crate) fn plain(&'static self, language: Language, place: usize) -> &'static str {
        let text = |catalogue: &'static Catalogue| {
            let plain = &self.parsed(catalogue).plain;
            plain.get(place).and_then(Option::as_deref)
        };
        text(self.catalogue(language))
            .or_else(|| text(&self.english))
            .unwrap_or_default()
    }

    /// A message with its arguments.
    pub(crate) fn filled(
        &'static self,
        language: Language,
        place: usize,
        arguments: &[(&'static str, FluentValue<'_>)],
    ) -> String {
        let Some(key) = self.keys.get(place) else {
            return String::new();
        };
        let arguments: FluentArgs<'_> = arguments.iter().cloned().collect();
        let text = |catalogue: &'static Catalogue| {
            let bundle = &self.parsed(catalogue).bundle;
            let pattern = bundle.get_message(key)?.value()?;
            let mut errors = Vec::new();
            let text = bundle.format_pattern(pattern, Some(&arguments), &mut errors);
            errors.is_empty().then(|| text.into_owned())
        };
        text(self.catalogue(language))
            .or_else(|| text(&self.english))
            .unwrap_or_default()
    }

    /// Languages in preparation are shown in English.
    fn catalogue(&'static self, language: Language) -> &'static Catalogue {
        match language {
            Language::Japanese => &self.japanese,
            Language::Korean => &self.korean,
            Language::Chinese => &self.chinese,
            Language::English
            | Language::German
            | Language::French
            | Language::Spanish
            | Language::Portuguese => &self.english,
        }
    }

    fn parsed(&self, catalogue: &'static Catalogue) -> &'static Parsed {
        catalogue
            .parsed
            .get_or_init(|| Parsed::new(self.keys, catalogue))
    }
}

impl Parsed {
    fn new(keys: &[&str], catalogue: &Catalogue) -> Self {
        // What can be read of a damaged catalogue is used; a test finds the damage.
        let resource = match FluentResource::try_new(catalogue.source.to_owned()) {
            Ok(resource) | Err((resource, _)) => resource,
        };
        let mut bundle = FluentBundle::new_concurrent(vec![identifier(catalogue.language)]);
        // Marks around arguments would stand in titles, commands and files, too.
        bundle.set_use_isolating(false);
        bundle.set_formatter(Some(match catalogue.language {
            Language::Japanese => |value, _| counted(value, Language::Japanese),
            Language::Korean => |value, _| counted(value, Language::Korean),
            Language::Chinese => |value, _| counted(value, Language::Chinese),
            _ => |value, _| counted(value, Language::English),
        }));
        bundle.add_resource_overriding(resource);
        let plain = keys.iter().map(|key| plain(&bundle, key)).collect();
        Self { bundle, plain }
    }
}

fn plain(bundle: &FluentBundle<FluentResource>, key: &str) -> Option<String> {
    let pattern = bundle.get_message(key)?.value()?;
    let mut errors = Vec::new();
    let text = bundle.format_pattern(pattern, None, &mut errors);
    errors.is_empty().then(|| text.into_owned())
}

fn identifier(language: Language) -> LanguageIdentifier {
    match language {
        Language::Japanese => langid!("ja"),
        Language::Korean => langid!("ko"),
        Language::Chinese => langid!("zh"),
        _ => langid!("en"),
    }
}

/// A count inside a message, in groups of thousands.
fn counted(value: &FluentValue<'_>, language: Language) -> Option<String> {
    match value {
        FluentValue::Number(number) => Some(Numbers::of(language).decimal(number.value, 0)),
        _ => None,
    }
}
