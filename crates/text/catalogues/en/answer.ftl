### The decode calculator: sentences with figures in them.

about = { $model } on { $machine }
about-unlocked = { $model } on { $machine }, its maker's limits taken off
each = { $rate } each
range = { $low } to { $high }
nine-of-ten = 9 of 10 within { $range }
bands = { $median } tok/s; half of the results within { $fifty }, 9 of 10 within { $ninety }
time-bands = { $median }; half of the results within { $fifty }, 9 of 10 within { $ninety }
limited = limited by { $term }; { $share } of the roofline
milliseconds = { $text } ms
speed-one = 1 request at { $context } tokens of context decodes { $each } tok/s.
speed = { $count } requests at { $context } tokens of context decode { $each } tok/s each, { $total } together.
first-token = The first token of a new prompt comes after { $time }.
asked = { $count } × { $context } tokens of context are more than there is room for.
most-none = Not one request of { $context } fits.
most = Up to { $surely } fit at once at this context.
most-perhaps = Up to { $surely } fit at once at this context, perhaps { $perhaps }.
most-at = requests that fit at once at { $context }
limit = Most of a step goes to { $term } ({ $share }); the rate is { $roofline } of the roofline.
weights-too-large = { $weights } of weights and { $overhead } beside them are more than the server may take.
edges = { $low } and { $high }
within = 9 of 10 results within { $decode }
within-both = 9 of 10 results within { $decode } (decode), { $prefill } (prefill)
calibrated =
    Calibrated by { $runs } { $runs ->
        [one] run
       *[other] runs
    } of { $family }: { $band }.
estimate = An estimate from datasheets and published kernels: no run of { $family } with these kernels and this cache is known; { $band }.
memory-of = { $size } for each copy of the model
no-room = The server may take { $allowed }, the mark: no room for a cache.
holds = The cache holds { $tokens } tokens, { $low } to { $high } with 0.5 GB less or more.
holds-states = The cache holds { $tokens } tokens, { $low } to { $high } with 0.5 GB less or more; states for { $most } sequences.
budget = The cache holds { $tokens } tokens, as the server says.
weights-and-cache = Weights of { $bits } bits ({ $kernels } kernels); cache { $cache }, { $token } a token.
weights-cache-states = Weights of { $bits } bits ({ $kernels } kernels); cache { $cache }, { $token } a token, states of { $states } a sequence.
rented = rented at { $amount } { $currency } an hour
bought = bought for { $amount } { $currency }
cost-way = Way
cost-output = Output tokens, { $currency }
cost-input = Input tokens, { $currency }
per-million = { $currency } a million out, { $way }
at-work = It works { $share } of the hours. Input tokens: one prompt at a time, not cached.
rent-source = Rent: { $source }.
owned = Bought: lasts { $years } years; electricity at { $electricity } { $currency } a kWh, at { $watts } W while decoding.
owned-unknown = Bought: lasts { $years } years; electricity at { $electricity } { $currency } a kWh, its power is not known, so neither is its price.
kwh = A million output tokens take { $amount } kWh.
break-even = Buying has cost less than renting after { $hours } hours ({ $years } years), idle ones included.
