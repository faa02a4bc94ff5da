### Words around numbers, times and dates.

percent = { $figure }%
minutes = { $minutes } 分 { $seconds } 秒
hours = { $hours } 小时 { $minutes } 分
moment = { $year }年{ $month }月{ $day }日 { $time }
range = { $low } 至 { $high }
at-least = ≥ { $time }
of = { $part } / { $whole }
tokens = { $count } 个 token
requests = { $count } 个请求
cells = { $count } 个单元格
runs = { $count } 次测试
figures = { $count } 个数值
