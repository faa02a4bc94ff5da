//! Every fault in words: its name, what it does, its arguments.

use super::Fault;
use super::entry::{Argument, ArgumentKind, FaultEntry, Scope, Values};

const fn number(name: &'static str, default: u64, least: u64) -> Argument {
    let kind = ArgumentKind::Number {
        default,
        least,
        // Fits both the counts of 32 and of 64 bits.
        most: 4_294_967_295,
    };
    Argument { name, kind }
}

const fn entry(
    name: &'static str,
    scope: Scope,
    arguments: &'static [Argument],
    example: &'static str,
    text: &'static str,
    make: fn(&Values) -> Fault,
) -> FaultEntry {
    FaultEntry {
        name,
        text,
        scope,
        arguments,
        example,
        make,
    }
}

const NONE: &[Argument] = &[];
const AFTER: &[Argument] = &[number("TOKENS", 16, 0)];
const RETRY: &[Argument] = &[number("SECONDS", 1, 0)];

/// Every fault.
pub const FAULTS: &[FaultEntry] = &[
    entry(
        "role-chunk",
        Scope::Requests,
        NONE,
        "role-chunk",
        "A chunk with a role and no text comes as soon as the request is taken, before its prefill: \
         it is no first token.",
        |_| Fault::RoleChunk,
    ),
    entry(
        "reasoning-first",
        Scope::Requests,
        &[number("TOKENS", 64, 1)],
        "reasoning-first:0.5:200",
        "The first TOKENS tokens of a chat answer are reasoning, then its text follows.",
        |values| Fault::ReasoningFirst {
            tokens: values.short(0),
        },
    ),
    entry(
        "several-tokens",
        Scope::Requests,
        &[number("TOKENS", 4, 1)],
        "several-tokens:1:8",
        "An event carries TOKENS tokens and is sent when the last of them is there.",
        |values| Fault::SeveralTokens {
            per_event: values.short(0),
        },
    ),
    entry(
        "keep-alive",
        Scope::Requests,
        &[number("EVENTS", 8, 1)],
        "keep-alive:1:2",
        "SSE comments: one as soon as the request is taken, and one after every EVENTS events.",
        |values| Fault::KeepAlive {
            every: values.short(0),
        },
    ),
    entry(
        "crlf",
        Scope::Requests,
        NONE,
        "crlf",
        "Lines of the stream end with CR LF instead of LF.",
        |_| Fault::Crlf,
    ),
    entry(
        "no-space",
        Scope::Requests,
        NONE,
        "no-space",
        "No space stands between `data:` and the chunk.",
        |_| Fault::NoSpace,
    ),
    entry(
        "split-utf8",
        Scope::Requests,
        NONE,
        "split-utf8",
        "The text has letters of two bytes, and events are written in two halves that part one.",
        |_| Fault::SplitUtf8,
    ),
    entry(
        "error-in-stream",
        Scope::Requests,
        AFTER,
        "error-in-stream:0.05:100",
        "After TOKENS tokens the stream says an error object and `[DONE]`, with HTTP 200.",
        |values| Fault::ErrorInStream {
            after_tokens: values.short(0),
        },
    ),
    entry(
        "cut-stream",
        Scope::Requests,
        AFTER,
        "cut-stream:0.05:100",
        "After TOKENS tokens the connection closes without an end of the stream.",
        |values| Fault::CutStream {
            after_tokens: values.short(0),
        },
    ),
    entry(
        "stall",
        Scope::Requests,
        AFTER,
        "stall:0.01:100",
        "After TOKENS tokens nothing more is sent, and the connection stays open.",
        |values| Fault::Stall {
            after_tokens: values.short(0),
        },
    ),
    entry(
        "http-429",
        Scope::Requests,
        RETRY,
        "http-429:0.1:5",
        "HTTP 429 (too many requests) with `Retry-After: SECONDS`.",
        |values| Fault::TooManyRequests {
            retry_after_s: values.short(0),
        },
    ),
    entry(
        "http-503",
        Scope::Requests,
        RETRY,
        "http-503:..3:2",
        "HTTP 503 (unavailable) with `Retry-After: SECONDS`.",
        |values| Fault::Unavailable {
            retry_after_s: values.short(0),
        },
    ),
    entry(
        "slow-accept",
        Scope::Connections,
        &[number("MILLISECONDS", 500, 1)],
        "slow-accept:0.2:1000",
        "A new connection waits for MILLISECONDS before the server reads from it.",
        |values| Fault::SlowAccept {
            wait_ms: values.short(0),
        },
    ),
    entry(
        "buffering-proxy",
        Scope::Requests,
        &[number("EVENTS", 16, 1)],
        "buffering-proxy:1:32",
        "EVENTS events are held back and sent in one write, as a proxy that buffers does.",
        |values| Fault::BufferingProxy {
            events: values.short(0),
        },
    ),
    entry(
        "usage-absent",
        Scope::Requests,
        NONE,
        "usage-absent",
        "No usage is told, whatever was asked for.",
        |_| Fault::UsageAbsent,
    ),
    entry(
        "usage-null",
        Scope::Requests,
        NONE,
        "usage-null",
        "Every chunk says `\"usage\":null`, the last one too.",
        |_| Fault::UsageNull,
    ),
    entry(
        "usage-continuous",
        Scope::Requests,
        NONE,
        "usage-continuous",
        "Every chunk tells the usage so far, though nobody asked for it.",
        |_| Fault::UsageContinuous,
    ),
    entry(
        "early-end",
        Scope::Requests,
        &[number("TOKENS", 32, 1)],
        "early-end:0.5:100",
        "Answers end by themselves (`stop`) after TOKENS tokens, whatever length was asked for.",
        |values| Fault::EarlyEnd {
            after_tokens: values.short(0),
        },
    ),
    entry(
        "loop",
        Scope::Requests,
        &[number("TOKENS", 0, 0)],
        "loop:0.25:200",
        "After TOKENS tokens the answer repeats one sentence for ever.",
        |values| Fault::Loop {
            after_tokens: values.short(0),
        },
    ),
    entry(
        "wrong-usage",
        Scope::Requests,
        &[number("PERCENT", 150, 0)],
        "wrong-usage:1:50",
        "Usage tells PERCENT percent of the tokens that were generated.",
        |values| Fault::WrongUsage {
            percent: values.short(0),
        },
    ),
    entry(
        "truncated-prompt",
        Scope::Requests,
        &[number("TOKENS", 2_048, 1)],
        "truncated-prompt:1:4096",
        "A prompt longer than TOKENS is cut to its beginning without a word; usage tells what is left.",
        |values| Fault::TruncatedPrompt {
            tokens: values.short(0),
        },
    ),
    entry(
        "metrics-absent",
        Scope::Scrapes,
        NONE,
        "metrics-absent",
        "The metrics page is not there (HTTP 404).",
        |_| Fault::MetricsAbsent,
    ),
    entry(
        "metrics-renamed",
        Scope::Scrapes,
        NONE,
        "metrics-renamed",
        "Every family of the metrics page has another name, as after an upgrade.",
        |_| Fault::MetricsRenamed,
    ),
    entry(
        "metrics-one-rank",
        Scope::Scrapes,
        NONE,
        "metrics-one-rank",
        "The metrics page tells of the first data-parallel rank only.",
        |_| Fault::MetricsOneRank,
    ),
    entry(
        "restart",
        Scope::Server,
        &[
            number("TOKENS", 4_000, 1),
            number("MILLISECONDS", 10_000, 1),
        ],
        "restart:1:4000:30000",
        "After TOKENS tokens in all the server dies once, and comes back MILLISECONDS later with \
         empty caches and counters at zero.",
        |values| Fault::Restart {
            after_tokens: values.long(0),
            down_ms: values.short(1),
        },
    ),
    entry(
        "die",
        Scope::Server,
        &[number("TOKENS", 4_000, 1)],
        "die:1:100000",
        "After TOKENS tokens in all the server dies: connections break, the port closes.",
        |values| Fault::Die {
            after_tokens: values.long(0),
        },
    ),
    entry(
        "refuse-field",
        Scope::Requests,
        &[Argument {
            name: "FIELD",
            kind: ArgumentKind::Text,
        }],
        "refuse-field:1:stream_options.include_usage",
        "A request with this field is refused with HTTP 400. A dot reaches into an object.",
        |values| Fault::RefuseField {
            field: values.text.clone(),
        },
    ),
    entry(
        "html",
        Scope::HttpRequests,
        NONE,
        "html",
        "Every route answers with an HTML page and HTTP 200, as a captive portal does.",
        |_| Fault::Html,
    ),
    entry(
        "never-answer",
        Scope::Requests,
        NONE,
        "never-answer:0.01",
        "The request is taken and never answered.",
        |_| Fault::NeverAnswer,
    ),
    entry(
        "background-load",
        Scope::Server,
        &[number("SEQUENCES", 1, 1)],
        "background-load:1:3",
        "SEQUENCES sequences of other people always run beside.",
        |values| Fault::BackgroundLoad {
            sequences: values.short(0),
        },
    ),
];

impl Fault {
    /// The name used on the command line.
    pub fn name(&self) -> &'static str {
        match self {
            Self::RoleChunk => "role-chunk",
            Self::ReasoningFirst { .. } => "reasoning-first",
            Self::SeveralTokens { .. } => "several-tokens",
            Self::KeepAlive { .. } => "keep-alive",
            Self::Crlf => "crlf",
            Self::NoSpace => "no-space",
            Self::SplitUtf8 => "split-utf8",
            Self::ErrorInStream { .. } => "error-in-stream",
            Self::CutStream { .. } => "cut-stream",
            Self::Stall { .. } => "stall",
            Self::TooManyRequests { .. } => "http-429",
            Self::Unavailable { .. } => "http-503",
            Self::SlowAccept { .. } => "slow-accept",
            Self::BufferingProxy { .. } => "buffering-proxy",
            Self::UsageAbsent => "usage-absent",
            Self::UsageNull => "usage-null",
            Self::UsageContinuous => "usage-continuous",
            Self::EarlyEnd { .. } => "early-end",
            Self::Loop { .. } => "loop",
            Self::WrongUsage { .. } => "wrong-usage",
            Self::TruncatedPrompt { .. } => "truncated-prompt",
            Self::MetricsAbsent => "metrics-absent",
            Self::MetricsRenamed => "metrics-renamed",
            Self::MetricsOneRank => "metrics-one-rank",
            Self::Restart { .. } => "restart",
            Self::Die { .. } => "die",
            Self::RefuseField { .. } => "refuse-field",
            Self::Html => "html",
            Self::NeverAnswer => "never-answer",
            Self::BackgroundLoad { .. } => "background-load",
        }
    }
}
