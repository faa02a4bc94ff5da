### Statuses: their names, and what each means.


## Names of decode statuses.

not-planned = 未列入计划
skipped = 已跳过
over-length = 过长
over-capacity = 超出容量
over-admission = 超出上限
busy-server = 服务器繁忙
not-ready = 未开始
interrupted = 已中断
failed = 失败
looped = 重复循环
client-limited = 受客户端限制
throttled = 已降频
preempted = 缓存耗尽
queued = 请求排队
restarts = 回答过短
buffered = 被缓冲
valid = 有效
partly-cached = 部分命中缓存

## What decode statuses mean.

not-planned-text = 因时间不足，未运行。
skipped-text = 由人工排除，未运行。
over-length-text = 上下文加上简短回答超过服务器接受的最长请求，未运行。
busy-server-text = 服务器忙于处理他人的请求，未测量。
not-ready-text = 没有请求及时产生首 token，未测量。
interrupted-text = 测量在此单元格内被停止。
failed-once-text = 有请求失败，因此没有数值。
failed-text = 有请求失败，重试后仍然失败，因此没有数值。
looped-text = 模型陷入自我重复，这不是数值所应代表的工作。
client-limited-text = 测量所用的机器跟不上；服务器可能比显示的更快。
throttled-text = 加速器因温度或功率降低了频率。
preempted-text = 缓存已满，服务器将请求退回；数值包含这一影响。
queued-text = 同时解码的请求少于要求的数量，其余在服务器中等待。
restarts-text = 回答过早结束，重新发起占用了测量窗口的明显部分。
buffered-text = token 成批到达，因此速率可靠，而 token 间隔不可靠。
valid-text = 所有请求在整个测量窗口内持续解码。
over-capacity-reserve-text = 请求数 ×（上下文 + { $longest } 个输出 token）超过服务器的 KV 缓存，未运行（容量规则：reserve）。
over-capacity-expected-text = 提示词与启动及测量窗口内的预期输出需要超过服务器 KV 缓存的 97%，未运行（容量规则：expected）。
over-capacity-try-text = 服务器的 KV 缓存容纳不下，未运行。
over-admission-text = 探测显示服务器最多{ $admission }，未运行。
over-admission-seen-text = 请求数超过观察到的服务器同时运行数，未运行。

## What prefill statuses mean.

prefill-valid-text = 至少有一个提示词从头计算。
prefill-partly-cached-text = 提示词的一部分来自服务器缓存，重试后仍然如此。
prefill-failed-text = 所有请求均失败。
prefill-over-length-text = 上下文超过服务器接受的最长请求，未运行。
prefill-over-capacity-text = 上下文超过服务器的 KV 缓存，未运行。
prefill-interrupted-text = 在首个样本之前停止。

## Notes below the legend.

imported-rules = 状态由来源给出，依据其自身规则判定。
ttft-warm = 测量 TTFT 时所有请求同时发起，且提示词已在服务器缓存中，因此基本不含预填充。
ttft-imported = TTFT 为来源报告的值；未记录提示词是否已在缓存中。
ttft-unknown = 测量 TTFT 时所有请求同时发起。服务器未说明提示词有多少来自缓存。
ttft-recomputed = 测量 TTFT 时所有请求同时发起。发起时最多有 { $share }% 的提示词 token 被重新计算，因此包含这部分预填充。
ttft-cold = 测量 TTFT 时所有请求同时发起。服务器不复用提示词，因此包含预填充。
