//! The grammar of rules: docs/compare.md.

use tokmark_units::Context;

use super::metric::Metric;
use super::rule::{Aggregate, Filter, Rule};

/// Why a text is no list of rules, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message} (column {column})")]
pub struct RuleError {
    /// The character at which it goes wrong, from 1.
    pub column: usize,
    /// What is wrong, and what may stand there.
    pub message: String,
}

/// Reads rules with commas or semicolons between them.
pub fn parse(text: &str) -> Result<Vec<Rule>, RuleError> {
    let mut reader = Reader::of(text);
    let mut rules = Vec::new();
    loop {
        rules.push(rule(&mut reader)?);
        match reader.take() {
            None => return Ok(rules),
            Some(Token { text, .. }) if text == "," || text == ";" => {}
            Some(token) => return Err(token.fault("a comma or the end is expected after a rule")),
        }
    }
}

/// Letters with hyphens inside, digits with their suffix, or a single other character.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Token {
    text: String,
    column: usize,
}

impl Token {
    fn fault(&self, expected: &str) -> RuleError {
        RuleError {
            column: self.column,
            message: format!("`{}`: {expected}", self.text),
        }
    }
}

struct Reader {
    tokens: std::vec::IntoIter<Token>,
    end: usize,
}

impl Reader {
    fn of(text: &str) -> Self {
        let mut tokens: Vec<Token> = Vec::new();
        let mut glued = false;
        for (at, c) in text.chars().enumerate() {
            if c.is_whitespace() {
                glued = false;
                continue;
            }
            let is_word = c.is_alphanumeric() || c == '.';
            match tokens.last_mut().filter(|last| glued && last.takes(c)) {
                Some(last) => last.text.push(c),
                None => tokens.push(Token {
                    text: c.to_string(),
                    column: at + 1,
                }),
            }
            glued = is_word || c == '-';
        }
        Self {
            tokens: tokens.into_iter(),
            end: text.chars().count() + 1,
        }
    }

    fn take(&mut self) -> Option<Token> {
        self.tokens.next()
    }

    fn must(&mut self, expected: &str) -> Result<Token, RuleError> {
        let end = self.end;
        self.take().ok_or_else(|| RuleError {
            column: end,
            message: format!("{expected}, but the rule ends"),
        })
    }
}

impl Token {
    /// Whether a character goes on with it.
    fn takes(&self, c: char) -> bool {
        let starts_word = self.text.starts_with(char::is_alphabetic);
        let starts_number = self.text.starts_with(|c: char| c.is_ascii_digit());
        (starts_word || starts_number) && (c.is_alphanumeric() || c == '.')
            || starts_word && c == '-'
    }
}

fn rule(reader: &mut Reader) -> Result<Rule, RuleError> {
    let first = "a metric, `any`, `median`, `c=`, `context=` or `status` is expected";
    let mut word = reader.must(first)?;
    if word.text == "status" {
        return Ok(Rule::Status);
    }
    let aggregate = match word.text.as_str() {
        "any" => Aggregate::Any,
        "median" => Aggregate::Median,
        _ => Aggregate::Mean,
    };
    if aggregate != Aggregate::Mean {
        word = reader.must("a metric, `c=` or `context=` is expected")?;
    }
    let mut filters = Vec::new();
    while matches!(word.text.as_str(), "c" | "requests" | "context") {
        filters.push(filter(&word, reader)?);
        word = reader.must("a metric is expected")?;
    }
    let metric = Metric::of_word(&word.text).ok_or_else(|| {
        let words: Vec<&str> = Metric::ALL.iter().map(|metric| metric.as_str()).collect();
        word.fault(&format!("is no metric; there are {}", words.join(", ")))
    })?;
    Ok(Rule::Change {
        aggregate,
        filters,
        metric,
        limit: limit(metric, reader)?,
    })
}

fn filter(word: &Token, reader: &mut Reader) -> Result<Filter, RuleError> {
    let equals = reader.must("`=` is expected")?;
    if equals.text != "=" {
        return Err(equals.fault("`=` is expected"));
    }
    let value = reader.must("a number is expected")?;
    if word.text == "context" {
        let context = Context::parse(&value.text)
            .map_err(|_| value.fault("a context such as `16k` is expected"))?;
        return Ok(Filter::Context(context.0));
    }
    let requests = value.text.parse().ok().filter(|requests| *requests > 0);
    let requests = requests.ok_or_else(|| value.fault("a number of requests is expected"))?;
    Ok(Filter::Requests(requests))
}

/// `< -3%` of what is better when it is more, `> +10%` of what is worse then.
fn limit(metric: Metric, reader: &mut Reader) -> Result<f64, RuleError> {
    let (side, sign, loss) = if metric.more_is_better() {
        ("<", -1.0, "a loss of it is less: `< -3%`")
    } else {
        (">", 1.0, "a loss of it is more: `> +10%`")
    };
    let compare = reader.must("`<` or `>` is expected")?;
    if compare.text != "<" && compare.text != ">" {
        return Err(compare.fault("`<` or `>` is expected"));
    }
    if compare.text != side {
        return Err(compare.fault(loss));
    }
    let mut number = reader.must("a percentage is expected")?;
    let signed = match reader_sign(&number) {
        Some(sign) => {
            number = reader.must("a number is expected")?;
            sign
        }
        None => 1.0,
    };
    let value: f64 = number
        .text
        .parse()
        .ok()
        .filter(|value: &f64| value.is_finite())
        .ok_or_else(|| number.fault("a number is expected"))?;
    let unit = reader.must("`%` is expected")?;
    if unit.text != "%" {
        return Err(unit.fault("`%` is expected"));
    }
    let limit = signed * value / 100.0;
    // A rule that nothing but a gain breaks, or that a loss of all breaks at most, is a slip.
    if limit * sign < 0.0 || sign < 0.0 && limit <= -1.0 {
        return Err(number.fault(loss));
    }
    Ok(limit)
}

fn reader_sign(token: &Token) -> Option<f64> {
    match token.text.as_str() {
        "-" | "\u{2212}" => Some(-1.0),
        "+" => Some(1.0),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_read_and_written_back() {
        let check = |text: &str, expect: &[&str]| {
            let rules = parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            let written: Vec<String> = rules.iter().map(ToString::to_string).collect();
            assert_eq!(written, expect, "{text}");
            let again = parse(&written.join(", ")).unwrap();
            assert_eq!(again, rules, "{text}");
        };
        check("total<-3%", &["total < -3%"]);
        check("total < 0%", &["total < +0%"]);
        check(" any total < -5 % ; status", &["any total < -5%", "status"]);
        check("c=1 ttft > +10%", &["c=1 ttft > +10%"]);
        check(
            "requests=8 context=16k itl>2.5%",
            &["c=8 context=16K itl > +2.5%"],
        );
        check("median prefill < \u{2212}3%", &["median prefill < -3%"]);
        check(
            "any c=1 per-request<-1%,energy>5%",
            &["any c=1 per-request < -1%", "energy > +5%"],
        );
    }

    #[test]
    fn a_fault_has_its_column() {
        let check = |text: &str, column: usize, says: &str| {
            let error = parse(text).unwrap_err();
            assert_eq!(error.column, column, "{text}: {error}");
            assert!(error.message.contains(says), "{text}: {error}");
        };
        check("", 1, "a metric");
        check(
            "totl < -3%",
            1,
            "is no metric; there are total, per-request",
        );
        check("any any total < -3%", 5, "is no metric");
        check("total = -3%", 7, "`<` or `>` is expected");
        check("total > -3%", 7, "a loss of it is less");
        check("total < 3%", 9, "a loss of it is less");
        check("total < -100%", 10, "a loss of it is less");
        check("ttft > -1%", 9, "a loss of it is more");
        check("ttft < +10%", 6, "a loss of it is more");
        check("total < -3", 11, "`%` is expected, but the rule ends");
        check("total < -x%", 10, "a number is expected");
        check("total < -inf%", 10, "a number is expected");
        check("c=0 total < -3%", 3, "a number of requests");
        check("c 1 total < -3%", 3, "`=` is expected");
        check("context=foo total < -3%", 9, "a context such as");
        check("total < -3% any", 13, "a comma or the end");
        check("total < -3%,", 13, "but the rule ends");
        check("c=1 status", 5, "is no metric");
    }
}
