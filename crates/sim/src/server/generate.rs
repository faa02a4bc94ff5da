//! The two generation routes.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use bytes::Bytes;
use http::{HeaderMap, Response, header};
use tokio::sync::{mpsc, oneshot};
use tokmark_units::float;

use super::ask::Ask;
use super::body::{EventStream, Flood, Reply, Source};
use super::chunk::{Delta, Head, Route, Tally};
use super::core::Command;
use super::emitter::{Answer, Emitter, StreamFaults, Wishes};
use super::error::ApiError;
use super::field;
use super::shared::{Shared, Taken, refused};
use super::ticket::Ticket;
use super::truth::RequestTruth;
use crate::model::{Finish, Output, Request};
use crate::rng::{Rng, mix};
use crate::text::Writer;
use crate::tokenizer::TokenId;

/// Answers a generation request.
pub(super) async fn generate(
    shared: Arc<Shared>,
    route: Route,
    headers: &HeaderMap,
    body: &[u8],
) -> Result<Response<Reply>, ApiError> {
    let number = shared.numbered.fetch_add(1, Ordering::Relaxed);
    let config = &shared.config;
    if let Some(limit) = config.faults.rate_limit
        && number < limit.first_requests
    {
        return Err(ApiError::RateLimited {
            retry_after_s: limit.retry_after_s,
        });
    }
    if config.faults.never_answer {
        std::future::pending::<()>().await;
    }
    let fields = field::object(body)?;
    field::refuse(&fields, &config.faults.refuse_fields)?;
    let ask = Ask::read(&fields, route, config, shared.tokenizer)?;
    let rank = asked_rank(headers)?;
    let plan = Plan::new(&shared, &ask, number);
    let head = shared.head(route, ask.model.clone(), number);
    if ask.stream
        && let Some(per_event) = config.flood
    {
        let flood = Flood {
            per_event: per_event.get(),
            left: ask.max_tokens,
            first: true,
        };
        let ticket = Ticket::new(Arc::clone(&shared), None, open(&shared, &head, &ask));
        return Ok(stream(
            &shared,
            number,
            head,
            ask,
            plan,
            Source::Flood(flood),
            ticket,
        ));
    }
    let (outputs, received) = mpsc::unbounded_channel();
    let slot = open(&shared, &head, &ask);
    let request = Request {
        prompt: Arc::from(ask.prompt.as_slice()),
        output_tokens: plan.output_tokens,
        finish: plan.finish,
        writer: plan.writer.clone(),
        rank,
        cache_salt: ask.cache_salt,
    };
    let id = submit(&shared, request, outputs).await?.map_err(refused)?;
    let ticket = Ticket::new(Arc::clone(&shared), Some(id), slot);
    if ask.stream {
        let source = Source::Engine(received);
        Ok(stream(&shared, number, head, ask, plan, source, ticket))
    } else {
        whole(&shared, head, ask, plan, received, ticket).await
    }
}

fn open(shared: &Shared, head: &Head, ask: &Ask) -> super::truth::Slot {
    shared.recorder.open(RequestTruth {
        id: head.id.clone(),
        prompt_tokens: count(&ask.prompt),
        max_tokens: ask.max_tokens,
        arrival: shared.clock.now(),
        prefill_start: None,
        first_token: None,
        emissions: Vec::new(),
        cached_tokens: 0,
        preemptions: 0,
        rank: 0,
        ended: None,
    })
}

async fn submit(
    shared: &Shared,
    request: Request,
    outputs: mpsc::UnboundedSender<Output>,
) -> Result<Taken, ApiError> {
    let (reply, taken) = oneshot::channel();
    let command = Command::Submit {
        request,
        outputs,
        reply,
    };
    shared.commands.send(command).map_err(|_| ApiError::Gone)?;
    taken.await.map_err(|_| ApiError::Gone)
}

/// The text of an answer and its length, decided before it begins.
struct Plan {
    writer: Writer,
    output_tokens: u32,
    finish: Finish,
}

impl Plan {
    /// Requests with temperature 0 or a seed get the same answer each time; others get their own.
    fn new(shared: &Shared, ask: &Ask, number: u64) -> Self {
        let config = &shared.config;
        let prompt = ask.prompt.iter().fold(config.engine.seed, |hash, token| {
            mix(hash ^ u64::from(*token))
        });
        let own = ask.seed.unwrap_or(mix(!number));
        let seed = mix(prompt ^ own);
        let writer = Writer::new(seed, shared.tokenizer, &config.text, count(&ask.prompt));
        let natural = config.natural_output.filter(|_| !ask.ignore_eos);
        let natural = natural.map(|mean| natural_length(seed, mean).max(ask.min_tokens));
        let (output_tokens, finish) = match natural.filter(|length| *length <= ask.max_tokens) {
            Some(length) => (length, Finish::Stop),
            None => (ask.max_tokens, Finish::Length),
        };
        Self {
            writer,
            output_tokens,
            finish,
        }
    }
}

/// Lengths of answers are spread exponentially around their mean, within a tenth and five times.
fn natural_length(seed: u64, mean: u32) -> u32 {
    let unit = Rng::new(seed).split(1).unit();
    let mean = f64::from(mean);
    let length = -mean * (1.0 - unit).ln();
    let length = float::round_to_u64(length.clamp(mean / 10.0, mean * 5.0));
    u32::try_from(length).unwrap_or(u32::MAX).max(1)
}

fn count(tokens: &[TokenId]) -> u32 {
    u32::try_from(tokens.len()).unwrap_or(u32::MAX)
}

/// vLLM lets a client choose the data-parallel rank by a header.
fn asked_rank(headers: &HeaderMap) -> Result<Option<u32>, ApiError> {
    let Some(header) = headers.get("x-data-parallel-rank") else {
        return Ok(None);
    };
    let text = String::from_utf8_lossy(header.as_bytes());
    text.trim().parse().map(Some).map_err(|_| {
        let message = "data_parallel_rank must be a whole number.";
        ApiError::parameter("data_parallel_rank", message, text)
    })
}

fn stream(
    shared: &Shared,
    number: u64,
    head: Head,
    ask: Ask,
    plan: Plan,
    source: Source,
    ticket: Ticket,
) -> Response<Reply> {
    let faults = &shared.config.faults;
    let wishes = Wishes {
        usage: ask.usage,
        token_ids: ask.return_token_ids,
        cached_tokens: shared.config.prompt_tokens_details,
    };
    let stream_faults = StreamFaults {
        fault: faults.stream.filter(|fault| fault.hits(number)),
        buffer_events: faults.buffer_events,
        comment_every: faults.comment_every,
    };
    let answer = Answer::new(plan.writer, shared.config.text.reasoning, ask.route);
    let emitter = Emitter::new(head, answer, wishes, stream_faults, ask.prompt);
    let stream = EventStream::new(source, emitter, ticket);
    let mut response = Response::new(Reply::Stream(Box::new(stream)));
    let kind = http::HeaderValue::from_static("text/event-stream; charset=utf-8");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    response
}

/// Collects an answer that was not asked for as a stream; it counts as sent when it is complete.
async fn whole(
    shared: &Shared,
    head: Head,
    ask: Ask,
    plan: Plan,
    mut outputs: mpsc::UnboundedReceiver<Output>,
    mut ticket: Ticket,
) -> Result<Response<Reply>, ApiError> {
    let mut answer = Answer::new(plan.writer, shared.config.text.reasoning, ask.route);
    let mut delta = Delta::default();
    let mut produced = Vec::new();
    let last = loop {
        let output = outputs.recv().await.ok_or(ApiError::Gone)?;
        ticket.produced(&output);
        produced.push((output.at, output.tokens));
        let more = answer.take(output.tokens, output.finished);
        delta.content.push_str(&more.content);
        delta.ids.extend(more.ids);
        append(&mut delta.reasoning, more.reasoning);
        append(&mut delta.reasoning_content, more.reasoning_content);
        if let Some(finish) = output.finished {
            break (finish, output.cached_tokens);
        }
    };
    let (finish, cached) = last;
    let tally = Tally {
        prompt: count(&ask.prompt),
        completion: count(&delta.ids),
        cached: shared.config.prompt_tokens_details.then_some(cached),
    };
    let ids = ask.return_token_ids.then_some(ask.prompt.as_slice());
    let json = head.whole(&delta, finish, tally, ids);
    ticket.emitted(&produced);
    ticket.finish(finish.into());
    Ok(json_response(json))
}

fn append(text: &mut Option<String>, more: Option<String>) {
    match (text.as_mut(), more) {
        (Some(text), Some(more)) => text.push_str(&more),
        (None, more) => *text = more,
        (Some(_), None) => {}
    }
}

/// HTTP 200 with a JSON body.
pub(super) fn json_response(json: String) -> Response<Reply> {
    let mut response = Response::new(Reply::whole(Bytes::from(json)));
    let kind = http::HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    response
}
