### Labels of what the run document and the calculator name by a word.


## Trust levels.

trust-self-reported = Self-reported
trust-imported = Imported
trust-measured = Measured

## Classes of hardware.

class-discrete-gpu = Discrete GPU
class-unified-memory = Unified memory
class-cpu = CPU only
class-simulated = Simulated
class-unknown = Unknown

## How prefill was measured.

prefill-warm-up = Measured during decode warm-up
prefill-standalone = Standalone
prefill-off = Off

## Terms of a decode step.

term-dense = linear layers
term-head = output head
term-experts = experts
term-state = states
term-cache = KV cache
term-parts = kernel launches
term-routing = routing
term-recurrent = launches of recurrent layers
term-sequences = scheduling and sampling
term-exchange = exchange between accelerators
term-host = host's memory
term-drafting = drafting
