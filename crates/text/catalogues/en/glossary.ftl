### The numbers of a run page, defined in one sentence each.

total = Total tok/s
total-text = tokens that arrived inside the window, over the window's length, all requests together.
per-request = Per request tok/s
per-request-text = the median over requests of each one's own rate inside the window.
ttft = TTFT
ttft-text = from sending a request to its first token: the median over the requests of a cell, which all start at once; in prefill one request alone, with nothing cached.
between-tokens = Time between tokens
between-tokens-text = 1,000 divided by per request tok/s, in milliseconds.
average-active = Average active requests
average-active-text = how many requests were decoding, averaged over the window.
interval = 95 % interval
interval-text = how steady the rate was inside the window. It does not say how well another run would agree.
prefill = Prefill tok/s
prefill-text = prompt tokens over TTFT of one request on an idle server, nothing cached.
energy = Power and energy
energy-text = of the accelerators, what they draw at rest included. Per output token over the window of a cell; per prompt token from sending a prefill's prompt to its first token, over the tokens that were not cached.
roofline = Share of the roofline
roofline-text = the rate over what the machine's memory bandwidth and arithmetic allow this model at most, at the cell's own depth and number of requests. Nothing is counted for the engine's own work.
