### The page of a run: lines with figures in them.

by = by { $name }
context = { $label } context
contexts =
    { $count } { $count ->
        [one] context
       *[other] contexts
    } ({ $range })
levels =
    { $count } { $count ->
        [one] concurrency level
       *[other] concurrency levels
    } ({ $range })
no-contexts = 0 contexts
no-levels = 0 concurrency levels
extent = { $contexts } × { $levels }
prefill-at = prefill at { $contexts }
at-cell =
    at { $requests } { $requests ->
        [one] request
       *[other] requests
    }, context { $context }
highest-at =
    highest total at { $requests } { $requests ->
        [one] request
       *[other] requests
    }, context { $context }
single-stream = decode, one request, context { $context }
prefill-figure = prefill, context { $context }
longest-figure =
    longest valid context, { $context }, { $requests } { $requests ->
        [one] request
       *[other] requests
    }
valid-cells =
    of { $all } { $all ->
        [one] cell
       *[other] cells
    } valid
capacity-expected = expected (prompts and expected output must fit)
capacity-reserve = reserve (context and longest output, for every request)
capacity-try = try (every cell is run)
fixed-duration = Fixed duration
fixed-requests = Fixed number of requests
repetitions = Repetitions of a test
budget-over = { $tokens } over { $ranks } ranks
budget-from = { $budget }, from { $source }
admission =
    { $limit } { $limit ->
        [one] request
       *[other] requests
    } at once
on = on
off = off
one-document = one document shared by all requests
prompts-shared = { $prompts }; one document shared by all requests
of-so-many = { $value } (n = { $n })
rate-with-interval = { $rate } tok/s, 95 % interval { $interval }
rate = { $rate } tok/s
because = { $place } ({ $reason })
energy-counter = the devices' counters
energy-trapezoid = power over time
energy-shared = { $method }, whole card, shared
per-output-token = { $joules } per output token
per-prompt-token = { $joules } per prompt token
energy = Energy of the accelerators: { $parts }.
energy-at-rest = Energy of the accelerators: { $parts }; the { $watts } at rest are part of it.
failure = { $count } × { $class }: { $sample }
failure-status = { $count } × { $class } { $status }: { $sample }
sample-first = first, not counted
sample-cold = cold
sample-unverified = cache unverified
sample-partly-cached = partly cached
sample-cached = { $share } cached
