### Words inside pictures of a run, and about its passes.

download-svg = 矩阵与曲线图（SVG）
download-card = 社交分享卡片，1200 x 630（PNG）
matrix = 所有请求的总 tok/s，行为上下文，列为并发请求数；下方为首 token 时间的中位数。
card = 持续解码，总 tok/s（行为上下文，列为并发请求数）
card-marked = 持续解码，总 tok/s（行为上下文，列为并发请求数）；带边框者需谨慎解读
on-machine = { $machine }
ttft = TTFT { $ttft }
status = { $label }：{ $meaning }
figure = { $what } { $value }
passes = 每个单元格最多测量 { $most } 轮，显示总量居中的一轮。
passes-spread = 每个单元格最多测量 { $most } 轮，显示总量居中的一轮。同一单元格各轮总量相差 { $median }（中位数），最多 { $largest }。
column-passes = 各轮，tok/s
column-spread = 各轮离散程度
column-drift = 各轮漂移
