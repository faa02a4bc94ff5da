//! Numbers by language. The digits are the same in all of them.

use proptest::prelude::*;
use tokmark_text::{Language, Numbers};
use tokmark_units::{Nanos, Timestamp, format};

const FIGURES: [f64; 18] = [
    0.0,
    -0.01,
    0.035_12,
    0.999_9,
    1.0,
    -12.25,
    9.95,
    126.6,
    999.49,
    999.5,
    1_075.9,
    -1_234.5,
    9_999.94,
    9_999.95,
    10_600.0,
    317_551.0,
    1_234_567.891,
    1e15,
];

#[test]
fn english_is_what_the_units_write() {
    let english = Numbers::of(Language::English);
    for value in FIGURES {
        for decimals in 0..4 {
            assert_eq!(
                english.decimal(value, decimals),
                format::decimal(value, decimals)
            );
        }
        assert_eq!(english.percent(value), format::percent(value));
        assert_eq!(english.rate(value), format::rate(value));
        assert_eq!(english.prefill_rate(value), format::prefill_rate(value));
        assert_eq!(english.ttft_ms(value), format::ttft_ms(value));
        assert_eq!(english.gap_ms(value), format::gap_ms(value));
        assert_eq!(english.seconds(value), format::seconds(value));
        assert_eq!(english.watts(value), format::watts(value));
        assert_eq!(english.joules(value), format::joules(value));
    }
    for value in [0, 7, 999, 1_000, 12_345, 1_572_864, 24 << 30, u64::MAX] {
        assert_eq!(english.count(value), format::count(value));
        assert_eq!(english.bytes(value), format::bytes(value));
        assert_eq!(
            english.span(Nanos::from_millis(value.min(1 << 40))),
            format::span(Nanos::from_millis(value.min(1 << 40)))
        );
    }
    let at = Timestamp::from_unix_millis(1_796_026_500_000).unwrap();
    assert_eq!(english.moment(at), at.minute());
    assert_eq!(english.decimal(f64::INFINITY, 1), "inf");
}

#[test]
fn each_language_has_its_separators() {
    let check = |language: Language, expect: [&str; 4]| {
        let numbers = Numbers::of(language);
        let written = [
            numbers.count(1_234_567),
            numbers.decimal(-1_234.5, 1),
            numbers.percent(0.123),
            numbers.rate(10_600.0),
        ];
        assert_eq!(written, expect, "{language:?}");
    };
    check(
        Language::English,
        ["1,234,567", "-1,234.5", "12.3 %", "10.6K"],
    );
    for language in [Language::Japanese, Language::Korean, Language::Chinese] {
        check(language, ["1,234,567", "-1,234.5", "12.3%", "10.6K"]);
    }
    check(
        Language::German,
        ["1.234.567", "-1.234,5", "12,3 %", "10,6K"],
    );
    check(
        Language::French,
        [
            "1\u{202f}234\u{202f}567",
            "-1\u{202f}234,5",
            "12,3 %",
            "10,6K",
        ],
    );
    check(
        Language::Spanish,
        ["1.234.567", "-1234,5", "12,3 %", "10,6K"],
    );
    check(
        Language::Portuguese,
        ["1.234.567", "-1.234,5", "12,3 %", "10,6K"],
    );
}

#[test]
fn times_and_spans_are_said_in_each_language() {
    let at = Timestamp::from_unix_millis(1_796_026_500_000).unwrap();
    let check = |language: Language, expect: [&str; 5]| {
        let numbers = Numbers::of(language);
        let written = [
            numbers.span(Nanos::from_millis(850)),
            numbers.span(Nanos::from_secs(200)),
            numbers.span(Nanos::from_secs(3_900)),
            numbers.moment(at),
            numbers.seconds(30.0),
        ];
        assert_eq!(written, expect, "{language:?}");
    };
    check(
        Language::English,
        [
            "850 ms",
            "3 min 20 s",
            "1 h 5 min",
            "2026-11-30 08:15 UTC",
            "30.0 s",
        ],
    );
    check(
        Language::Japanese,
        [
            "850 ms",
            "3 分 20 秒",
            "1 時間 5 分",
            "2026年11月30日 08:15 UTC",
            "30.0 s",
        ],
    );
    check(
        Language::Korean,
        [
            "850 ms",
            "3분 20초",
            "1시간 5분",
            "2026년 11월 30일 08:15 UTC",
            "30.0 s",
        ],
    );
    check(
        Language::Chinese,
        [
            "850 ms",
            "3 分 20 秒",
            "1 小时 5 分",
            "2026年11月30日 08:15 UTC",
            "30.0 s",
        ],
    );
}

#[test]
fn lists_end_as_each_language_ends_them() {
    let check = |language: Language, items: &[&str], expect: &str| {
        let written = Numbers::of(language).list(items.iter().copied());
        assert_eq!(written, expect, "{language:?}");
    };
    check(Language::English, &[], "");
    check(Language::English, &["a"], "a");
    check(Language::English, &["a", "b"], "a and b");
    check(Language::English, &["a", "b", "c"], "a, b and c");
    check(Language::Japanese, &["a", "b", "c"], "a、b、c");
    check(Language::Korean, &["a", "b", "c"], "a, b 및 c");
    check(Language::Chinese, &["a", "b", "c"], "a、b和c");
    check(Language::German, &["a", "b", "c"], "a, b und c");
}

#[test]
fn labels_of_contexts_are_what_is_typed() {
    for language in Language::ALL {
        let numbers = Numbers::of(language);
        assert_eq!(numbers.context(16_384), "16K");
        assert_eq!(numbers.context(1_000), "1000");
    }
}

proptest! {
    #[test]
    fn no_language_changes_a_digit(value in -1e12..1e12_f64, decimals in 0_usize..5) {
        let digits = |text: &str| -> String { text.chars().filter(char::is_ascii_digit).collect() };
        let expect = digits(&format::decimal(value, decimals));
        for language in Language::ALL {
            let written = Numbers::of(language).decimal(value, decimals);
            prop_assert_eq!(digits(&written), expect.clone(), "{:?}: {}", language, written);
        }
    }
}
