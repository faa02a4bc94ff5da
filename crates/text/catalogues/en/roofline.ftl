### The share of the roofline.

title = Share of the roofline
measured = measured
catalogue = catalogue's
from-catalogue = from the catalogue
memory = memory
compute = compute
the-model = the model
the-machine = the machine
above = above 100 %: something is not as the limit assumes. Requests that share a prompt are served from the chip's own cache, tokens of a mixture take the same experts, drafted tokens are accepted, the weights are smaller than thought, or the memory is faster
counts-tokens = the server drafts tokens, and how many a step gives is not known: the share counts tokens against steps of one token
bandwidth = { $figure } GB/s
bandwidth-of = { $count } × { $figure } GB/s
of-memory = { $share } of the { $whose } { $bandwidth } memory roofline, { $limit } tok/s
of-compute = { $share } of the catalogue's compute roofline, { $limit } tok/s
of-run = Share of the roofline: { $span } of what the { $whose } { $bandwidth } ({ $name }) allow at each depth and number of requests; the highest { $best }.
not-known = Share of the roofline: not known. { $reasons }.
nothing-to-compare = no cell has both a rate and a depth to compare with the limit
because = { $what }: { $reason }
machine = { $bandwidth }, { $from } ({ $name })
model = { $weights } of weights, { $cache } KiB of cache a token (from { $name })
in-cell = { $share } roof
