### The decode calculator: another machine beside the chosen one.

title = 与另一台机器对比
caption = 另一台机器的解码速度倍数；下方为两者所有请求的 tok/s
neither-fits = 两者均无法容纳
other-does-not-fit = 另一台无法容纳
only-other-fits = 仅另一台可容纳
machines = { $first } 与 { $other }
times = × { $ratio }
beside = { $first } / { $other }
