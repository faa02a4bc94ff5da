//! The task that owns the engine: it sleeps until something is due and hands tokens out.

use std::collections::{HashMap, HashSet};

use tokio::sync::{mpsc, oneshot};
use tokmark_units::Nanos;

use super::clock::Clock;
use crate::model::{Engine, Finish, Output, RankStats, Refusal, Request, RequestId};
use crate::text::{TextStyle, Writer};
use crate::tokenizer::Tokenizer;

/// What connections ask of the engine.
#[derive(Debug)]
pub(super) enum Command {
    /// Run a request; its outputs go to the channel.
    Submit {
        /// The request.
        request: Request,
        /// Where its tokens go.
        outputs: mpsc::UnboundedSender<Output>,
        /// Its number, or why it was not taken.
        reply: oneshot::Sender<Result<RequestId, Refusal>>,
    },
    /// Forget a request.
    Cancel(RequestId),
    /// Begin anew, as a process that was started again.
    Restart,
    /// End a request before its time; its client is told.
    Abort(RequestId),
    /// Empty the prefix cache if the engine is idle, and say whether it was.
    ClearCache(oneshot::Sender<bool>),
    /// Tell the counts.
    Stats(oneshot::Sender<Vec<RankStats>>),
}

/// Other people's sequences: one starts when another ends.
#[derive(Debug)]
pub(super) struct Background {
    pub(super) sequences: u32,
    pub(super) tokenizer: Tokenizer,
}

/// Prompt and output of each of them: an ordinary short exchange.
const BACKGROUND_PROMPT: u32 = 64;
const BACKGROUND_OUTPUT: u32 = 256;

impl Background {
    fn request(&self, number: u64) -> Request {
        let style = TextStyle::default();
        let mut writer = Writer::new(number, self.tokenizer, &style, BACKGROUND_PROMPT);
        let mut text = String::new();
        Request {
            prompt: (0..BACKGROUND_PROMPT)
                .map(|_| writer.write(&mut text))
                .collect(),
            output_tokens: BACKGROUND_OUTPUT,
            finish: Finish::Length,
            writer,
            rank: None,
            cache_salt: number,
        }
    }
}

struct Core {
    engine: Engine,
    clock: Clock,
    subscribers: HashMap<RequestId, mpsc::UnboundedSender<Output>>,
    background: Background,
    background_ids: HashSet<RequestId>,
    background_started: u64,
    out: Vec<Output>,
}

/// Runs until nobody can send commands any more.
pub(super) async fn run(
    engine: Engine,
    clock: Clock,
    background: Background,
    mut commands: mpsc::UnboundedReceiver<Command>,
) {
    let mut core = Core {
        engine,
        clock,
        subscribers: HashMap::new(),
        background,
        background_ids: HashSet::new(),
        background_started: 0,
        out: Vec::new(),
    };
    core.start_all_background();
    loop {
        let due = core.engine.next_due();
        let command = tokio::select! {
            command = commands.recv() => Some(command),
            () = sleep_until(clock, due) => None,
        };
        match command {
            Some(Some(command)) => core.handle(command),
            Some(None) => return,
            None => {}
        }
        // Everything that came at the same instant is taken before time moves on, so that it
        // shares a step.
        while let Ok(command) = commands.try_recv() {
            core.handle(command);
        }
        core.advance();
    }
}

async fn sleep_until(clock: Clock, due: Option<Nanos>) {
    match due {
        Some(due) => clock.until(due).await,
        None => std::future::pending().await,
    }
}

impl Core {
    fn handle(&mut self, command: Command) {
        let now = self.clock.now();
        match command {
            Command::Submit {
                request,
                outputs,
                reply,
            } => {
                let taken = self.engine.submit(now, request);
                if let Ok(id) = taken {
                    self.subscribers.insert(id, outputs);
                }
                // The connection may be gone; then its ticket was never made, so nobody else would
                // cancel the request.
                if let Err(Ok(id)) = reply.send(taken) {
                    self.cancel(now, id);
                }
            }
            Command::Cancel(id) => self.cancel(now, id),
            Command::Restart => {
                // Whoever waits for tokens sees its channel close.
                self.subscribers.clear();
                self.background_ids.clear();
                self.engine.restart(now);
                self.start_all_background();
            }
            Command::Abort(id) => {
                let last = self.engine.abort(now, id);
                if let (Some(output), Some(subscriber)) = (last, self.subscribers.remove(&id)) {
                    // A closed channel means that its client is gone anyway.
                    let _gone = subscriber.send(output);
                }
            }
            Command::ClearCache(reply) => {
                self.advance();
                let _gone = reply.send(self.engine.clear_cache());
            }
            Command::Stats(reply) => {
                // Counts at this moment, not at the last step's.
                self.advance();
                drop(reply.send(self.engine.stats()));
            }
        }
    }

    fn cancel(&mut self, now: Nanos, id: RequestId) {
        self.subscribers.remove(&id);
        self.engine.cancel(now, id);
    }

    fn advance(&mut self) {
        let now = self.clock.now();
        let mut out = std::mem::take(&mut self.out);
        self.engine.advance(now, &mut out);
        for output in out.drain(..) {
            let subscriber = self.subscribers.get(&output.id);
            // A closed channel means that the request's cancellation is on its way.
            let gone = subscriber.is_some_and(|s| s.send(output).is_err());
            if gone || output.finished.is_some() {
                self.subscribers.remove(&output.id);
                if self.background_ids.remove(&output.id) {
                    self.start_background(now);
                }
            }
        }
        self.out = out;
    }

    fn start_all_background(&mut self) {
        let now = self.clock.now();
        for _ in 0..self.background.sequences {
            self.start_background(now);
        }
    }

    fn start_background(&mut self, now: Nanos) {
        let request = self.background.request(self.background_started);
        self.background_started += 1;
        match self.engine.submit(now, request) {
            Ok(id) => {
                self.background_ids.insert(id);
            }
            Err(refusal) => tracing::warn!(%refusal, "background sequence not started"),
        }
    }
}
