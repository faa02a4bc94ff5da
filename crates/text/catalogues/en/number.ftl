### Words around numbers, times and dates.

percent = { $figure } %
minutes = { $minutes } min { $seconds } s
hours = { $hours } h { $minutes } min
moment = { $year }-{ $month }-{ $day } { $time }
range = { $low } to { $high }
at-least = ≥ { $time }
of = { $part } of { $whole }
tokens =
    { $count } { $count ->
        [one] token
       *[other] tokens
    }
requests =
    { $count } { $count ->
        [one] request
       *[other] requests
    }
cells =
    { $count } { $count ->
        [one] cell
       *[other] cells
    }
runs =
    { $count } { $count ->
        [one] run
       *[other] runs
    }
figures =
    { $count } { $count ->
        [one] figure
       *[other] figures
    }
