### Words inside pictures of a run, and about its passes.

download-svg = Picture of matrix and curves (SVG)
download-card = Social card, 1200 x 630 (PNG)
matrix = Total tok/s of all requests, by context (rows) and requests at once (columns); below it the median time to first token.
card = Sustained decode, total tok/s by context (rows) and requests at once (columns)
card-marked = Sustained decode, total tok/s by context (rows) and requests at once (columns); an edge: to be read with care
on-machine = on { $machine }
ttft = { $ttft } TTFT
status = { $label }: { $meaning }
figure = { $value } { $what }
passes = Every cell was measured in up to { $most } passes and shows the one with the median total.
passes-spread = Every cell was measured in up to { $most } passes and shows the one with the median total. The totals of a cell's passes lie { $median } apart (median), at most { $largest }.
column-passes = Passes, tok/s
column-spread = Spread of the passes
column-drift = Drift of the passes
