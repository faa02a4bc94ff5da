### The machines for a need.

title = What do I need for so many people?
text = Every machine of the catalogue that serves a model to so many people at once, at such a context and speed, the cheapest at launch first.
machine = Machine
price = Price
rent = Rent an hour
power = Power
each = tok/s each
total = Total tok/s
ttft = TTFT
sure = How sure
note-price = Price: all accelerators at launch, in US dollars, without a machine around them; sorted by it, those without a price last.
note-rent = Rent: what most providers ask for all accelerators, in US dollars; sources and dates are in the JSON document.
note-power = Power: while decoding, with 80 W for the host of a card; a share of the design power.
note-estimate = An estimate has no run of this machine behind it: 9 of 10 results are taken to lie within 40 %. Several accelerators follow formulas that were not held against measurements.
no-machine = No machine of the catalogue is enough with up to 8 accelerators.
need = { $model } for { $people } at once at { $context } tokens of context, { $rate } tok/s each
need-ttft = { $model } for { $people } at once at { $context } tokens of context, { $rate } tok/s each, first token within { $time }
found =
    { $count } { $count ->
        [one] machine is
       *[other] machines are
    } enough.
