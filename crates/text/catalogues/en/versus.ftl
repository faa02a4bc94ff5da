### The decode calculator: another machine beside the chosen one.

title = Beside the other machine
caption = how many times as fast the other machine decodes; below it tok/s of all requests on both
neither-fits = fits on neither
other-does-not-fit = not on the other
only-other-fits = only on the other
machines = { $first }, and { $other }
times = × { $ratio }
beside = { $first } / { $other }
