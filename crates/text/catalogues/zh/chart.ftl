### Titles, axes and legends of the charts.

total = 总速率与请求数
per-request = 单请求速率与上下文
prefill = 预填充与上下文
gaps = 事件间隔，中位数与第 99 百分位数
between = token 间隔时间与请求数
requests-at-once = 并发请求数
context-tokens = 上下文（token）
total-tok-s = 总 tok/s
tok-s-per-request = 每请求 tok/s
prompt-tok-s = 提示词 tok/s
ms = ms
context = 上下文
at-once = 并发
rate = 速率
less-fixed = 不含 TTFT 的固定部分
measured = 中位数
percentile = { $context }，{ $percentile }
point = 上下文 { $context }，{ $requests } 个请求：{ $value }
