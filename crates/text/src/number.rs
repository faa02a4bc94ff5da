//! Numbers, times and lists as a language writes them.
//!
//! The digits are those of `tokmark_units::format`, in every language: only separators, signs and
//! words around them differ. A page in Japanese shows the figure of the page in English.

use std::sync::LazyLock;

use fixed_decimal::Decimal;
use icu_decimal::DecimalFormatter;
use icu_decimal::options::DecimalFormatterOptions;
use icu_list::ListFormatter;
use icu_list::options::{ListFormatterOptions, ListLength};
use icu_locale_core::{Locale, locale};
use tokmark_units::{Nanos, Timestamp, format};

use crate::Language;
use crate::messages::number as words;

/// Writes numbers in one language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Numbers {
    language: Language,
}

struct Formatters {
    /// Absent where figures look as in English.
    decimal: Option<DecimalFormatter>,
    list: Option<ListFormatter>,
}

/// One for each language, in the order of [`Language::ALL`]. They are immutable and made of
/// compiled data only.
static FORMATTERS: LazyLock<[Formatters; 8]> =
    LazyLock::new(|| Language::ALL.map(|language| Formatters::of(&locale_of(language))));

impl Formatters {
    fn of(locale: &Locale) -> Self {
        let decimal =
            DecimalFormatter::try_new(locale.into(), DecimalFormatterOptions::default()).ok();
        // Most languages of the site: their figures need no second pass.
        let decimal = decimal.filter(|formatter| !writes_like_english(formatter));
        let length = ListFormatterOptions::default().with_length(ListLength::Wide);
        Self {
            decimal,
            list: ListFormatter::try_new_and(locale.into(), length).ok(),
        }
    }
}

/// Separators, groups and signs are the same, on two figures that hold them all.
fn writes_like_english(formatter: &DecimalFormatter) -> bool {
    [("-1234567.8", "-1,234,567.8"), ("1234.5", "1,234.5")]
        .into_iter()
        .all(|(plain, english)| {
            Decimal::try_from_str(plain)
                .is_ok_and(|number| formatter.format_to_string(&number) == english)
        })
}

/// English lists are written without the comma before `and`, as the texts are.
fn locale_of(language: Language) -> Locale {
    match language {
        Language::English => locale!("en-GB"),
        Language::Japanese => locale!("ja"),
        Language::Korean => locale!("ko"),
        Language::Chinese => locale!("zh"),
        Language::German => locale!("de"),
        Language::French => locale!("fr"),
        Language::Spanish => locale!("es"),
        Language::Portuguese => locale!("pt-BR"),
    }
}

impl Numbers {
    /// The numbers of a language.
    pub fn of(language: Language) -> Self {
        Self { language }
    }

    fn formatters(self) -> Option<&'static Formatters> {
        let mut all = Language::ALL.into_iter().zip(FORMATTERS.iter());
        all.find(|(language, _)| *language == self.language)
            .map(|(_, formatters)| formatters)
    }

    /// `12345` as `12,345`.
    pub fn count(self, value: u64) -> String {
        self.localized(&format::count(value))
    }

    /// A float with so many decimals, in groups of thousands.
    pub fn decimal(self, value: f64, decimals: usize) -> String {
        self.localized(&format::decimal(value, decimals))
    }

    /// The English figure `1,234.5` with the language's separators. What is no number, such as
    /// `inf`, stays as it is.
    fn localized(self, english: &str) -> String {
        let formatter = self.formatters().and_then(|all| all.decimal.as_ref());
        formatter
            .and_then(|formatter| {
                let number = Decimal::try_from_str(&english.replace(',', "")).ok()?;
                Some(formatter.format_to_string(&number))
            })
            .unwrap_or_else(|| english.to_owned())
    }

    /// The figure of an English text such as `12.5 ms` with the language's separators; the unit
    /// keeps its symbol, which is the same everywhere.
    fn with_unit(self, english: &str) -> String {
        match english.split_once(' ') {
            Some((figure, unit)) => format!("{} {unit}", self.localized(figure)),
            None => self.localized(english),
        }
    }

    /// A share in per cent with one decimal: `0.123` is `12.3 %`.
    pub fn percent(self, share: f64) -> String {
        words::percent(self.language, &self.decimal(share * 100.0, 1))
    }

    /// Tokens per second: one decimal, from 10,000 as `10.6K`.
    pub fn rate(self, tokens_per_s: f64) -> String {
        let english = format::rate(tokens_per_s);
        match english.strip_suffix('K') {
            Some(thousands) => format!("{}K", self.localized(thousands)),
            None => self.localized(&english),
        }
    }

    /// Prompt tokens per second on a prefill card: one decimal, none from 1,000.
    pub fn prefill_rate(self, tokens_per_s: f64) -> String {
        self.localized(&format::prefill_rate(tokens_per_s))
    }

    /// A first-token time in whole milliseconds: `1,234 ms`.
    pub fn ttft_ms(self, ms: f64) -> String {
        self.with_unit(&format::ttft_ms(ms))
    }

    /// A time between tokens or a gap: `7.8 ms`.
    pub fn gap_ms(self, ms: f64) -> String {
        self.with_unit(&format::gap_ms(ms))
    }

    /// A window's length: `30.0 s`.
    pub fn seconds(self, s: f64) -> String {
        self.with_unit(&format::seconds(s))
    }

    /// Power: `95 W`, `9.9 W`.
    pub fn watts(self, w: f64) -> String {
        self.with_unit(&format::watts(w))
    }

    /// Energy with three significant digits where it is small: `0.0351 J`.
    pub fn joules(self, j: f64) -> String {
        self.with_unit(&format::joules(j))
    }

    /// Bytes in binary units: `24 GiB`.
    pub fn bytes(self, value: u64) -> String {
        self.with_unit(&format::bytes(value))
    }

    /// A context's label, `16K`: the same in all languages, since it is also what is typed.
    pub fn context(self, tokens: u64) -> String {
        tokmark_units::Context(tokens).to_string()
    }

    /// A span as a person says it: `850 ms`, `12.5 s`, `3 min 20 s`, `1 h 5 min`.
    pub fn span(self, span: Nanos) -> String {
        let english = format::span(span);
        let parts: Vec<&str> = english.split(' ').collect();
        match parts.as_slice() {
            [minutes, "min", seconds, "s"] => words::minutes(self.language, minutes, seconds),
            [hours, "h", minutes, "min"] => words::hours(self.language, hours, minutes),
            _ => self.with_unit(&english),
        }
    }

    /// A moment to the minute: `2026-11-30 08:15 UTC`.
    pub fn moment(self, at: Timestamp) -> String {
        let english = at.minute();
        let (date, time) = english.split_once(' ').unwrap_or((&english, ""));
        let mut fields = date.rsplitn(3, '-');
        match (fields.next(), fields.next(), fields.next()) {
            (Some(day), Some(month), Some(year)) => {
                words::moment(self.language, year, month, day, time)
            }
            _ => english,
        }
    }

    /// `a, b and c`.
    pub fn list<'a>(self, items: impl IntoIterator<Item = &'a str>) -> String {
        let items: Vec<&str> = items.into_iter().collect();
        match self.formatters().and_then(|all| all.list.as_ref()) {
            Some(formatter) => formatter.format_to_string(items.iter()),
            None => items.join(", "),
        }
    }
}
