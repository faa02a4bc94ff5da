//! The functions: texts, arguments and plurals.

use tokmark_text::Language::{Chinese, English, German, Japanese, Korean};
use tokmark_text::messages::{answer, calculator, figure, frame, number, run, status};

#[test]
fn a_text_stands_in_each_language() {
    let of = |language| frame::skip_to_content(language);
    assert_eq!(
        [English, Japanese, Korean, Chinese].map(of),
        [
            "Skip to content",
            "本文へ移動",
            "본문으로 건너뛰기",
            "跳到正文"
        ]
    );
    assert_eq!(calculator::ttft(Japanese), "TTFT");
}

#[test]
fn a_language_in_preparation_is_shown_in_english() {
    assert_eq!(run::prefill(German), run::prefill(English));
    assert_eq!(figure::by(German, "ada"), "by ada");
}

#[test]
fn english_tells_one_from_several() {
    let check = |count: u64, expect: &str| {
        assert_eq!(number::requests(English, count), expect);
    };
    check(0, "0 requests");
    check(1, "1 request");
    check(2, "2 requests");
    check(12_345, "12,345 requests");
    let longest = figure::longest_figure(English, "136K", 1);
    assert_eq!(longest, "longest valid context, 136K, 1 request");
    let fits = answer::calibrated(English, 1, "vLLM", "9 of 10 within 4 %");
    assert_eq!(fits, "Calibrated by 1 run of vLLM: 9 of 10 within 4 %.");
}

#[test]
fn other_languages_need_no_plural() {
    assert_eq!(number::requests(Japanese, 1), "1 リクエスト");
    assert_eq!(number::requests(Korean, 12_345), "요청 12,345개");
    assert_eq!(number::requests(Chinese, 2), "2 个请求");
}

#[test]
fn arguments_stand_as_they_were_given() {
    let name = "<b>{ $x }</b> \u{202e}& 1,5";
    assert_eq!(figure::by(English, name), format!("by {name}"));
    assert_eq!(figure::by(Chinese, name), format!("提交者：{name}"));
    assert_eq!(figure::by(English, ""), "by ");
    let twice = status::over_admission_text(English, "21 requests at once");
    let expect = "not run; a probe showed that the server runs at most 21 requests at once.";
    assert_eq!(twice, expect);
}

#[test]
fn spaces_at_the_edge_are_kept_where_they_are_meant() {
    assert_eq!(run::subject_between(English), " on ");
}
