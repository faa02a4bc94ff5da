//! The two generation routes.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use http::request::Parts;
use http::{HeaderMap, HeaderValue, Response, header};
use tokio::sync::{mpsc, oneshot};
use tokmark_units::{Nanos, float};

use super::ask::Ask;
use super::body::{EventStream, Reply, Source};
use super::core::Command;
use super::dialect;
use super::direct;
use super::emitter::{Answer, Asked, Emitter};
use super::error::ApiError;
use super::feed::Feed;
use super::field;
use super::json;
use super::shape::{Chunks, Delta, Head, Shape, Step, Tally, Times};
use super::shared::{Shared, Taken, refused};
use super::ticket::Ticket;
use super::truth::{RequestTruth, Sent, Slot};
use super::usage;
use crate::config::TokenSource;
use crate::faults::{HttpRefusal, RequestFaults};
use crate::model::{Finish, Output, Request};
use crate::rng::{Rng, mix};
use crate::text::{LoopRule, TextStyle, Writer};
use crate::tokenizer::TokenId;

/// Answers a generation request. Some servers refuse within a stream that they have begun.
pub(super) async fn generate(
    shared: Arc<Shared>,
    shape: &'static dyn Shape,
    parts: &Parts,
    body: &[u8],
) -> Result<Response<Reply>, ApiError> {
    let error = match begin(shared, shape, parts, body).await {
        Ok(response) => return Ok(response),
        Err(error) => error,
    };
    let mut chunks = Chunks::default();
    if asks_for_stream(shape, body) && shape.refusal(&error, &mut chunks) {
        let framing = shape.framing();
        let bytes = chunks.0.iter().flat_map(|chunk| framing.frame(chunk));
        let reply = Reply::whole(bytes.collect::<Vec<_>>().into());
        return Ok(typed(reply, shape.stream_type()));
    }
    match shape.error(&error) {
        Some(refused) => Ok(error.response_as(refused)),
        None => Err(error),
    }
}

fn asks_for_stream(shape: &dyn Shape, body: &[u8]) -> bool {
    let fields = field::object(body).and_then(|fields| shape.fields(fields));
    fields.is_ok_and(|fields| field::boolean(&fields, "stream") == Ok(true))
}

async fn begin(
    shared: Arc<Shared>,
    shape: &'static dyn Shape,
    parts: &Parts,
    body: &[u8],
) -> Result<Response<Reply>, ApiError> {
    let number = shared.numbered.fetch_add(1, Ordering::Relaxed);
    let config = &shared.config;
    let faults = config.faults.for_request(number);
    refuse(&faults)?;
    if faults.never_answer {
        std::future::pending::<()>().await;
    }
    let fields = field::object(body)?;
    field::refuse(&fields, &faults.refuse_fields)?;
    let fields = shape.fields(fields)?;
    let accepts = dialect::of(config.dialect).accepts();
    let mut ask = Ask::read(&fields, shape.speech(), accepts, config, shared.tokenizer)?;
    if let Some(rank) = asked_rank(&parts.headers, accepts.rank_header)? {
        ask.rank = Some(rank);
    }
    if let Some(kept) = faults.prompt_limit {
        let kept = usize::try_from(kept).unwrap_or(usize::MAX);
        ask.prompt.truncate(kept);
    }
    let plan = Plan::new(&shared, &ask, number, faults);
    let head = shared.head(shape.speech(), ask.model.clone(), number);
    let job = Job {
        number,
        shape,
        head,
        plan,
        arrival: direct::arrival(&shared, parts),
    };
    if ask.stream && config.tokens != TokenSource::Engine {
        return Ok(without_engine(&shared, parts, job, ask));
    }
    let (outputs, received) = mpsc::unbounded_channel();
    let slot = open(&shared, &job, &ask);
    let request = Request {
        prompt: Arc::from(ask.prompt.as_slice()),
        output_tokens: job.plan.output_tokens,
        finish: job.plan.finish,
        writer: job.plan.writer.clone(),
        rank: ask.rank,
        cache_salt: ask.cache_salt,
    };
    let id = submit(&shared, request, outputs).await?.map_err(refused)?;
    let ticket = Ticket::new(Arc::clone(&shared), Some(id), &job.head.id, slot);
    if ask.stream {
        Ok(stream(&shared, job, ask, Source::Engine(received), ticket))
    } else {
        whole(&shared, job, ask, received, ticket).await
    }
}

/// Refuses what a fault refuses.
fn refuse(faults: &RequestFaults) -> Result<(), ApiError> {
    match faults.refusal {
        None => Ok(()),
        Some(HttpRefusal::TooManyRequests(retry_after_s)) => {
            Err(ApiError::RateLimited { retry_after_s })
        }
        Some(HttpRefusal::Unavailable(retry_after_s)) => {
            let retry_after_s = Some(retry_after_s);
            Err(ApiError::Gone { retry_after_s })
        }
    }
}

/// An answer that is to be given.
pub(super) struct Job {
    pub(super) number: u64,
    pub(super) shape: &'static dyn Shape,
    pub(super) head: Head,
    plan: Plan,
    pub(super) arrival: Nanos,
}

/// A stream whose tokens do not come from the engine.
fn without_engine(shared: &Arc<Shared>, parts: &Parts, job: Job, ask: Ask) -> Response<Reply> {
    let slot = open(shared, &job, &ask);
    if let Some(body) = direct::body(shared, parts, &job, &ask, slot) {
        return typed(body, job.shape.stream_type());
    }
    let pace = shared.config.tokens.pace();
    let end = match job.plan.faults.early_end {
        Some(_) => (job.plan.output_tokens, job.plan.finish),
        None => (ask.max_tokens, Finish::Length),
    };
    let feed = Feed::new(shared.clock, end, pace, job.arrival);
    let ticket = Ticket::new(Arc::clone(shared), None, &job.head.id, slot);
    stream(shared, job, ask, Source::Feed(feed), ticket)
}

fn open(shared: &Shared, job: &Job, ask: &Ask) -> Slot {
    shared.recorder.open(RequestTruth {
        id: job.head.id.clone(),
        prompt_tokens: count(&ask.prompt),
        max_tokens: ask.max_tokens,
        arrival: job.arrival,
        prefill_start: None,
        first_token: None,
        sent: Sent::default(),
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
    shared.commands.send(command).map_err(|_| ApiError::Gone {
        retry_after_s: None,
    })?;
    taken.await.map_err(|_| ApiError::Gone {
        retry_after_s: None,
    })
}

/// The text of an answer and its length, decided before it begins.
struct Plan {
    writer: Writer,
    output_tokens: u32,
    finish: Finish,
    faults: RequestFaults,
}

impl Plan {
    /// Requests with temperature 0 or a seed get the same answer each time; others get their own.
    fn new(shared: &Shared, ask: &Ask, number: u64, faults: RequestFaults) -> Self {
        let config = &shared.config;
        let prompt = ask.prompt.iter().fold(config.engine.seed, |hash, token| {
            mix(hash ^ u64::from(*token))
        });
        let own = ask.seed.unwrap_or(mix(!number));
        let seed = mix(prompt ^ own);
        let style = match faults.loop_after {
            Some(after_tokens) => &TextStyle {
                loops: Some(LoopRule {
                    prompt_tokens: 0..=u32::MAX,
                    after_tokens,
                    share: 1.0,
                }),
                ..config.text.clone()
            },
            None => &config.text,
        };
        let writer = Writer::new(seed, shared.tokenizer, style, count(&ask.prompt));
        let natural = config.natural_output.filter(|_| !ask.ignore_eos);
        let natural = natural.map(|mean| natural_length(seed, mean).max(ask.min_tokens));
        let natural = faults.early_end.or(natural);
        let (output_tokens, finish) = match natural.filter(|length| *length <= ask.max_tokens) {
            Some(length) => (length, Finish::Stop),
            None => (ask.max_tokens, Finish::Length),
        };
        Self {
            writer,
            output_tokens,
            finish,
            faults,
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

/// Some servers let a client choose the data-parallel rank by a header.
fn asked_rank(headers: &HeaderMap, name: Option<&str>) -> Result<Option<u32>, ApiError> {
    let Some(header) = name.and_then(|name| headers.get(name)) else {
        return Ok(None);
    };
    let text = String::from_utf8_lossy(header.as_bytes());
    text.trim().parse().map(Some).map_err(|_| {
        let message = "data_parallel_rank must be a whole number.";
        ApiError::parameter("data_parallel_rank", message, text)
    })
}

fn stream(shared: &Shared, job: Job, ask: Ask, source: Source, ticket: Ticket) -> Response<Reply> {
    let mut faults = job.plan.faults;
    let per_write = shared.config.tokens.events_per_write();
    faults.buffer_events = faults.buffer_events.or(per_write);
    let (speech, reasoning) = (job.shape.speech(), shared.config.text.reasoning);
    let answer = Answer::new(job.plan.writer, reasoning, speech, &faults);
    let asked = Asked {
        wishes: ask.wishes,
        prompt: ask.prompt,
        arrival: job.arrival,
    };
    let emitter = Emitter::new(job.head, job.shape, answer, faults, asked);
    let stream = EventStream::new(source, emitter, ticket);
    typed(Reply::Stream(Box::new(stream)), job.shape.stream_type())
}

/// Collects an answer that was not asked for as a stream; it counts as sent when it is complete.
async fn whole(
    shared: &Shared,
    job: Job,
    ask: Ask,
    mut outputs: mpsc::UnboundedReceiver<Output>,
    mut ticket: Ticket,
) -> Result<Response<Reply>, ApiError> {
    let speech = job.shape.speech();
    let faults = &job.plan.faults;
    let reasoning = shared.config.text.reasoning;
    let mut answer = Answer::new(job.plan.writer, reasoning, speech, faults);
    let mut times = Times {
        arrival: job.arrival,
        ..Times::default()
    };
    let mut delta = Delta::default();
    let mut produced = Vec::new();
    let (finish, cached) = loop {
        let output = outputs.recv().await.ok_or(ApiError::Gone {
            retry_after_s: None,
        })?;
        ticket.produced(&output);
        times.take(&output);
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
    let step = Step {
        delta: &delta,
        first: true,
        finish: Some(finish),
        tally: Tally {
            prompt: count(&ask.prompt),
            completion: faults.told(count(&delta.ids)),
            cached,
        },
        wishes: ask.wishes,
        times,
        prompt_ids: &ask.prompt,
        so_far: &delta.content,
    };
    let mut body = Vec::new();
    json::object(&mut body, |out| job.shape.whole(&job.head, &step, out));
    if let Some(fault) = faults.usage {
        usage::mend(fault, &mut body);
    }
    ticket.emitted(&produced);
    ticket.finish(finish.into());
    let mut response = typed(Reply::whole(body.into()), "application/json");
    for (name, value) in job.shape.headers(&step) {
        if let Ok(value) = HeaderValue::try_from(value) {
            response.headers_mut().insert(name, value);
        }
    }
    Ok(response)
}

fn append(text: &mut Option<String>, more: Option<String>) {
    match (text.as_mut(), more) {
        (Some(text), Some(more)) => text.push_str(&more),
        (None, more) => *text = more,
        (Some(_), None) => {}
    }
}

/// HTTP 200 with a body of a type.
fn typed(reply: Reply, kind: &'static str) -> Response<Reply> {
    let mut response = Response::new(reply);
    let kind = HeaderValue::from_static(kind);
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    response
}
