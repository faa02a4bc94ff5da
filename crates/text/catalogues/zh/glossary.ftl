### The numbers of a run page, defined in one sentence each.

total = 总 tok/s
total-text = 测量窗口内到达的 token 数除以窗口时长，所有请求合计。
per-request = 每请求 tok/s
per-request-text = 各请求在测量窗口内自身速率的中位数。
ttft = TTFT
ttft-text = 从发送请求到首 token 的时间：单元格中为同时发起的各请求的中位数；预填充中为单独一个请求，无任何缓存。
between-tokens = token 间隔时间
between-tokens-text = 1,000 除以每请求 tok/s，单位为毫秒。
average-active = 平均活跃请求数
average-active-text = 测量窗口内正在解码的请求数的平均值。
interval = 95% 区间
interval-text = 测量窗口内速率的稳定程度，并不说明与另一次测试会有多一致。
prefill = 预填充 tok/s
prefill-text = 空闲且无缓存的服务器上，单个请求的提示词 token 数除以 TTFT。
energy = 功率与能耗
energy-text = 指加速器，包含待机消耗。每输出 token 按单元格的测量窗口计算；每提示词 token 按从发送预填充提示词到首 token 的过程，除以未命中缓存的 token 数。
roofline = 屋顶线占比
roofline-text = 速率与上限之比：在该单元格的深度与请求数下，机器的内存带宽和算力对该模型允许的最高值。不计引擎自身的开销。
