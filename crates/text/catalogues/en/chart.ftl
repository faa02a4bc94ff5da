### Titles, axes and legends of the charts.

total = Total rate by requests
per-request = Rate of one request by context
prefill = Prefill by context
gaps = Gaps between events, median and 99th percentile
between = Time between tokens by requests
requests-at-once = requests at once
context-tokens = context, tokens
total-tok-s = total tok/s
tok-s-per-request = tok/s per request
prompt-tok-s = prompt tok/s
ms = ms
context = Context
at-once = At once
rate = Rate
less-fixed = without the fixed part of TTFT
measured = median
percentile = { $context }, { $percentile }
point =
    context { $context }, { $requests } { $requests ->
        [one] request
       *[other] requests
    }: { $value }
