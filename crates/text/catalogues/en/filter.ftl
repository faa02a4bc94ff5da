### Filters of the list of runs.

form = Filters of the list
search = Search
search-hint = model, hardware, engine, note
model = Model
hardware = Hardware
class = Kind of machine
memory = Memory
engine = Engine
quantization = Quantization
trust = Trust
order = Order
since = From
until = Before
newest = Newest first
single = Fastest single request first
total = Highest total first
any = any
show = Show
all = Show all runs
nothing = No run fits all of these filters.
more = More runs
up-to = up to { $gib } GiB
