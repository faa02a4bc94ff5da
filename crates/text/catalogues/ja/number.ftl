### Words around numbers, times and dates.

percent = { $figure }%
minutes = { $minutes } 分 { $seconds } 秒
hours = { $hours } 時間 { $minutes } 分
moment = { $year }年{ $month }月{ $day }日 { $time }
range = { $low }～{ $high }
at-least = { $time } 以上
of = { $part } / { $whole }
tokens = { $count } トークン
requests = { $count } リクエスト
cells = { $count } セル
runs = { $count } 件の測定
figures = { $count } 個の値
