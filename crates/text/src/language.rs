//! The languages of the site, and which one a visitor gets.

use std::cmp::Ordering;

/// A language that visible text exists in, or is being prepared in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Language {
    /// English.
    #[default]
    English,
    /// 日本語.
    Japanese,
    /// 한국어.
    Korean,
    /// 简体中文.
    Chinese,
    /// Deutsch; prepared.
    German,
    /// Français; prepared.
    French,
    /// Español; prepared.
    Spanish,
    /// Português (Brasil); prepared.
    Portuguese,
}

/// Which way a language is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From left to right.
    LeftToRight,
    /// From right to left. No language of the site is, yet.
    RightToLeft,
}

impl Direction {
    /// The value of the `dir` attribute.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::LeftToRight => "ltr",
            Self::RightToLeft => "rtl",
        }
    }
}

impl Language {
    /// Languages whose catalogues are complete, in the order of the language switch.
    pub const OFFERED: [Self; 4] = [Self::English, Self::Japanese, Self::Korean, Self::Chinese];

    /// Every language, those that are not offered yet last.
    pub const ALL: [Self; 8] = [
        Self::English,
        Self::Japanese,
        Self::Korean,
        Self::Chinese,
        Self::German,
        Self::French,
        Self::Spanish,
        Self::Portuguese,
    ];

    /// The word in addresses and `lang` attributes: `ja`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Japanese => "ja",
            Self::Korean => "ko",
            Self::Chinese => "zh",
            Self::German => "de",
            Self::French => "fr",
            Self::Spanish => "es",
            Self::Portuguese => "pt-BR",
        }
    }

    /// The value of `hreflang`. Chinese names its script, since its path does not.
    pub fn hreflang(self) -> &'static str {
        match self {
            Self::Chinese => "zh-Hans",
            other => other.as_str(),
        }
    }

    /// What its speakers call it, for the language switch.
    pub fn own_name(self) -> &'static str {
        match self {
            Self::English => "English",
            Self::Japanese => "日本語",
            Self::Korean => "한국어",
            Self::Chinese => "简体中文",
            Self::German => "Deutsch",
            Self::French => "Français",
            Self::Spanish => "Español",
            Self::Portuguese => "Português (Brasil)",
        }
    }

    /// Which way it is written.
    pub fn direction(self) -> Direction {
        Direction::LeftToRight
    }

    /// Whether its catalogues are complete, so that visitors get it.
    pub fn is_offered(self) -> bool {
        Self::OFFERED.contains(&self)
    }

    /// The language of an address' first part, exactly as [`Self::as_str`] writes it: one page has
    /// one address.
    pub fn of_path(segment: &str) -> Option<Self> {
        let mut offered = Self::OFFERED.into_iter();
        offered.find(|language| language.as_str() == segment)
    }

    /// The offered language that a tag such as `zh-Hans-CN`, `ja_JP` or `EN-gb` asks for.
    ///
    /// Traditional Chinese asks for no language that there is: `zh-Hant` and the regions that
    /// write it are `None`.
    pub fn of_tag(tag: &str) -> Option<Self> {
        let mut parts = tag.trim().split(['-', '_']).map(str::to_ascii_lowercase);
        let primary = parts.next()?;
        let rest: Vec<String> = parts.collect();
        let language = Self::ALL
            .into_iter()
            .find(|language| language.primary() == primary)?;
        let is_simplified = rest.iter().any(|part| part == "hans");
        let is_traditional = rest
            .iter()
            .any(|part| ["hant", "tw", "hk", "mo"].contains(&part.as_str()));
        let other_script = language == Self::Chinese && is_traditional && !is_simplified;
        (language.is_offered() && !other_script).then_some(language)
    }

    fn primary(self) -> &'static str {
        let tag = self.as_str();
        tag.split_once('-').map_or(tag, |(primary, _)| primary)
    }

    /// The offered language that an `Accept-Language` header prefers (RFC 9110 section 12.5.4):
    /// the one with the highest weight, the first of equals. English where none is wanted.
    pub fn negotiate(accept_language: &str) -> Self {
        let mut best: Option<(f32, Self)> = None;
        let mut refused = Vec::new();
        let mut any = None;
        for range in accept_language.split(',') {
            let Some((tag, weight)) = weighted(range) else {
                continue;
            };
            if tag == "*" {
                any = Some(weight);
                continue;
            }
            let Some(language) = Self::of_tag(tag) else {
                continue;
            };
            if weight <= 0.0 {
                refused.push(language);
            } else if best.is_none_or(|(most, _)| weight.total_cmp(&most) == Ordering::Greater) {
                best = Some((weight, language));
            }
        }
        let named = best.map(|(_, language)| language);
        let left = || {
            let mut offered = Self::OFFERED.into_iter();
            offered.find(|language| !refused.contains(language))
        };
        let among_all = any.filter(|weight| *weight > 0.0).and_then(|_| left());
        named.or(among_all).unwrap_or_default()
    }
}

/// A range of the header with its weight, 1 where none is given; `None` where it cannot be read.
fn weighted(range: &str) -> Option<(&str, f32)> {
    let mut parts = range.split(';').map(str::trim);
    let tag = parts.next().filter(|tag| !tag.is_empty())?;
    let weight = match parts.next() {
        None => 1.0,
        Some(parameter) => {
            let (name, value) = parameter.split_once('=')?;
            let value: f32 = value.trim().parse().ok()?;
            let is_weight = name.trim().eq_ignore_ascii_case("q");
            (is_weight && (0.0..=1.0).contains(&value)).then_some(value)?
        }
    };
    Some((tag, weight))
}
