use proptest::prelude::*;
use tokmark_engines::{Exposition, ExpositionError, Sample};

fn parse(text: &str) -> Exposition {
    Exposition::parse(text.as_bytes()).unwrap()
}

fn sample(name: &str, labels: &[(&str, &str)], value: f64) -> Sample {
    Sample {
        name: name.to_owned(),
        labels: labels
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect(),
        value,
    }
}

fn check(line: &str, expected: Option<Sample>) {
    let read = parse(line);
    if let Some(sample) = expected {
        assert_eq!(read.samples, [sample], "{line}");
        assert_eq!(read.malformed_lines, 0, "{line}");
    } else {
        assert!(read.is_empty(), "{line}: {:?}", read.samples);
        assert_eq!(read.malformed_lines, 1, "{line}");
        assert_eq!(read.malformed[0].line, 1);
    }
}

#[test]
fn lines_that_are_samples() {
    check("a 1", Some(sample("a", &[], 1.0)));
    check("a:b_c9\t2.5 ", Some(sample("a:b_c9", &[], 2.5)));
    check("a 4.728938496e+09", Some(sample("a", &[], 4_728_938_496.0)));
    check("a 1e-3 1700000000000", Some(sample("a", &[], 0.001)));
    check("a +Inf", Some(sample("a", &[], f64::INFINITY)));
    check("a -Inf", Some(sample("a", &[], f64::NEG_INFINITY)));
    check("a{} 1", Some(sample("a", &[], 1.0)));
    check("a {x=\"1\"} 1", Some(sample("a", &[("x", "1")], 1.0)));
    check(
        r#"a{x="1",y="}{,=", } 3"#,
        Some(sample("a", &[("x", "1"), ("y", "}{,=")], 3.0)),
    );
    check(
        r#"a{p="C:\\dir\"q\"\n\d"} 3"#,
        Some(sample("a", &[("p", "C:\\dir\"q\"\n\\d")], 3.0)),
    );
    check(
        r#"a_bucket{le="1"} 3 # {id="x"} 0.5 1.0"#,
        Some(sample("a_bucket", &[("le", "1")], 3.0)),
    );
    check("a{m=\"模型\"} 1", Some(sample("a", &[("m", "模型")], 1.0)));
}

#[test]
fn lines_that_are_not() {
    for line in [
        "oops",
        "a",
        "a b",
        "a 1 2 3",
        "a 1 x",
        "9a 1",
        "a{x=1} 1",
        "a{x=\"1} 1",
        "a{x=\"1\" y=\"2\"} 1",
        "a{=\"1\"} 1",
        "a{x=\"1\"}",
        "a-b 1",
        "{\"error\": 1}",
    ] {
        check(line, None);
    }
}

#[test]
fn not_a_number_is_read_and_left_out_later() {
    let read = parse("a NaN");
    assert!(read.samples[0].value.is_nan());
}

#[test]
fn one_broken_line_does_not_hide_the_rest() {
    let text = format!("# HELP a b\n\na 1\nbroken\n{}b 2\r\n", "x y z\n".repeat(9));
    let read = parse(&text);
    assert_eq!(read.samples.len(), 2);
    assert_eq!(read.malformed_lines, 10);
    assert_eq!(read.malformed.len(), 3);
    assert_eq!(
        read.complaint().unwrap(),
        "server metrics: 10 line(s) not understood, the first is line 4: `broken`"
    );
}

#[test]
fn names_are_matched_whole() {
    let read = parse("v:waiting 1\nv:waiting_by_reason{reason=\"x\"} 2\n");
    assert_eq!(read.series("v:waiting").count(), 1);
    assert_eq!(read.series("v:wait").count(), 0);
    assert!(read.has_prefix("v:"));
    assert_eq!(read.samples[1].label("reason"), Some("x"));
    assert_eq!(read.samples[1].label("none"), None);
}

#[test]
fn a_web_page_is_an_error_and_nothing_is_nothing() {
    for page in ["<!DOCTYPE html><p>", "\n <HTML>Sign in", "<head>"] {
        let error = Exposition::parse(page.as_bytes()).unwrap_err();
        assert!(matches!(error, ExpositionError::Html { .. }), "{page}");
    }
    assert_eq!(
        Exposition::parse(&[0xff, 0xfe]),
        Err(ExpositionError::NotText)
    );
    assert!(parse("").is_empty());
    assert!(parse("# TYPE a gauge\n# EOF\n").is_empty());
}

/// A sample as an exporter writes it.
fn written(sample: &Sample) -> String {
    let labels: Vec<String> = sample
        .labels
        .iter()
        .map(|(name, value)| {
            let value = value
                .replace('\\', r"\\")
                .replace('"', "\\\"")
                .replace('\n', r"\n");
            format!("{name}=\"{value}\"")
        })
        .collect();
    format!("{}{{{}}} {}", sample.name, labels.join(","), sample.value)
}

proptest! {
    #[test]
    fn what_an_exporter_writes_is_what_is_read(
        name in "[a-z_:][a-z0-9_:]{0,9}",
        labels in prop::collection::vec(("[a-z_][a-z0-9_]{0,5}", "[a-z{}\\\\\"\n,=# é]{0,9}"), 0..4),
        value in -1e12..1e12,
    ) {
        let sample = Sample { name, labels, value };
        let read = parse(&written(&sample));
        prop_assert_eq!(read.malformed_lines, 0);
        prop_assert_eq!(read.samples, vec![sample]);
    }

    #[test]
    fn no_text_breaks_the_reader(text in "(?s).{0,200}") {
        let lines = text.lines().count();
        if let Ok(read) = Exposition::parse(text.as_bytes()) {
            prop_assert!(read.samples.len() + read.malformed_lines <= lines);
        }
    }
}

/// Lines that metrics texts are made of, good and bad.
fn line() -> impl Strategy<Value = String> {
    let name = "[a-z_:]{1,4}";
    let label = (name, "[a-z\\\\\"\n,={} é]{0,5}").prop_map(|(name, value)| {
        let value = value
            .replace('\\', "\\\\")
            .replace('"', "\\\"")
            .replace('\n', "\\n");
        format!("{name}=\"{value}\"")
    });
    let value = prop_oneof![
        any::<f64>().prop_map(|value| value.to_string()),
        "[+-]?(Inf|NaN|[0-9]{1,3}(e[0-9]{1,2})?|x)",
    ];
    let sample = (
        name,
        prop::collection::vec(label, 0..3),
        value,
        "( [0-9]{1,3})?",
    )
        .prop_map(|(name, labels, value, time)| {
            format!("{name}{{{}}} {value}{time}", labels.join(","))
        });
    prop_oneof![
        5 => sample,
        1 => "# (TYPE|HELP) [a-z]{1,3} [a-z]{0,3}",
        1 => "[ -~]{0,12}",
    ]
}

proptest! {
    /// Where a text is cut into lines it is cut into readings; see the fuzz target `metrics`.
    #[test]
    fn a_text_is_the_sum_of_its_lines(
        lines in prop::collection::vec(line(), 0..10),
        end in prop_oneof![Just("\n"), Just("\r\n")],
    ) {
        crate::any_bytes::metrics(lines.join(end).as_bytes());
    }
}
