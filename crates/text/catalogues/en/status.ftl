### Statuses: their names, and what each means.


## Names of decode statuses.

not-planned = Not planned
skipped = Skipped
over-length = Too long
over-capacity = Over capacity
over-admission = Over limit
busy-server = Server busy
not-ready = Did not start
interrupted = Interrupted
failed = Failed
looped = Looped
client-limited = Client limited
throttled = Throttled
preempted = Ran out of cache
queued = Requests queued
restarts = Short answers
buffered = Buffered
valid = Valid
partly-cached = Partly cached

## What decode statuses mean.

not-planned-text = not run, because no time was left for it.
skipped-text = not run; left out by hand.
over-length-text = not run; context and a short answer exceed the longest request that the server takes.
busy-server-text = not measured, because other people's requests kept the server busy.
not-ready-text = not measured, because no request produced its first token in time.
interrupted-text = the measurement was stopped inside this cell.
failed-once-text = a request failed, so there is no number.
failed-text = a request failed, also when repeated, so there is no number.
looped-text = the model fell into repeating itself, which is not the work that a number would stand for.
client-limited-text = the measuring machine could not keep up; the server may be faster than shown.
throttled-text = the accelerator lowered its clocks because of heat or power.
preempted-text = the cache filled up and the server put requests back; the number includes that.
queued-text = fewer requests than asked for were decoded at once; the others waited in the server.
restarts-text = answers ended so early that starting new ones took a noticeable share of the window.
buffered-text = tokens arrived in bursts, so the rate is sound and the gaps between tokens are not.
valid-text = every request decoded through the whole window.
over-capacity-reserve-text = not run; requests × (context + { $longest } output tokens) exceed the server's KV cache (capacity rule: reserve).
over-capacity-expected-text = not run; the prompts and the output expected during launch and window need more than 97 % of the server's KV cache (capacity rule: expected).
over-capacity-try-text = not run; it does not fit the server's KV cache.
over-admission-text = not run; a probe showed that the server runs at most { $admission }.
over-admission-seen-text = not run; more requests than the server was seen to run at once.

## What prefill statuses mean.

prefill-valid-text = at least one prompt was computed from the start.
prefill-partly-cached-text = part of the prompt came from the server's cache, also when repeated.
prefill-failed-text = every request failed.
prefill-over-length-text = not run; the context exceeds the longest request that the server takes.
prefill-over-capacity-text = not run; the context exceeds the server's KV cache.
prefill-interrupted-text = stopped before the first sample.

## Notes below the legend.

imported-rules = The statuses are the source's; it decided by its own rules.
ttft-warm = TTFT is measured with all requests launched at once and their prompts already in the server's cache, so it mostly excludes prefill.
ttft-imported = TTFT as reported by the source; whether the prompt cache was warm is not recorded.
ttft-unknown = TTFT is measured with all requests launched at once. The server does not say how much of the prompts came from its cache.
ttft-recomputed = TTFT is measured with all requests launched at once. Up to { $share } % of the prompt tokens were computed again at launch, so it includes that part of prefill.
ttft-cold = TTFT is measured with all requests launched at once. The server does not reuse prompts, so it includes prefill.
