### The machines for a need.

title = 服务这么多人需要什么？
text = 目录中能以指定上下文和速度同时为这么多人提供模型服务的全部机器，按发售价从低到高排列。
machine = 机器
price = 价格
rent = 每小时租金
power = 功率
each = 每人 tok/s
total = 总 tok/s
ttft = TTFT
sure = 可靠程度
note-price = 价格：全部加速器的发售价，以美元计，不含整机；按此排序，无价格者列在最后。
note-rent = 租金：多数供应商对全部加速器的要价，以美元计；来源与日期见 JSON 文档。
note-power = 功率：解码时的功率，板卡另计主机 80 W；按设计功率的比例计算。
note-estimate = 估计没有该机器的测试作为依据：视为 10 个结果中有 9 个在 40% 以内。多加速器采用尚未与实测对照的公式。
no-machine = 目录中没有配置不超过 8 个加速器即可满足的机器。
need = { $model }，同时 { $people } 人，上下文 { $context } 个 token，每人 { $rate } tok/s
need-ttft = { $model }，同时 { $people } 人，上下文 { $context } 个 token，每人 { $rate } tok/s，首 token 在 { $time } 以内
found = 有 { $count } 种机器可以满足。
