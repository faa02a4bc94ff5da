### The start page and lists of runs.

runs = Matrix runs
runs-text = Every run is one served model on one machine, measured in each cell of context length and simultaneous requests.
no-runs = No runs yet.
latest = Latest runs
all-runs = All runs
home-title = How fast is a language-model server, really?
home-text = tokmark measures a server in every cell of context length and simultaneous requests: prefill speed, sustained decode, time to the first token. Each number has its interval and its evidence, each cell without a number its reason.
home-measure = Measure your own server
home-measure-text = The first command says what the server is and what would be measured; the second measures.
home-show-text = The result as one page that you can send to anybody:
one-request = One request
highest-total = Highest total
trust = Trust
received = Measured or received
matrix = Matrix
run = Run
