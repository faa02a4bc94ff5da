### Words around numbers, times and dates.

percent = { $figure }%
minutes = { $minutes }분 { $seconds }초
hours = { $hours }시간 { $minutes }분
moment = { $year }년 { $month }월 { $day }일 { $time }
range = { $low }~{ $high }
at-least = { $time } 이상
of = { $part } / { $whole }
tokens = { $count } 토큰
requests = 요청 { $count }개
cells = 셀 { $count }개
runs = 측정 { $count }건
figures = 수치 { $count }개
