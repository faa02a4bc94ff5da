### What is wrong with a question to the calculator.

share-range = 比例须大于 0 且不超过 1
two-rents = 已指定租金：请将其中一项留空
not-a-rent = `{ $word }` 不是 low、typical 或 high
zero-or-more = 须为 0 或更大
price-needs-lifetime = 指定价格时需要使用年限
price-needs-electricity = 指定价格时需要电价
no-currency = `{ $code }` 不是 USD 或 EUR 之类的货币代码
requests-range = 请求数须在 1 至 65536 之间
context-range = 上下文最多 1G 个 token
two-numbers = `{ $machine }` 与 { $given } 指定了两个加速器数量
max-unknown = 此模型的 `max` 未知；请指定最长请求
too-long = 过长
on-or-left-out = 须为 `on`，或省略
no-number = `{ $text }` 不是数字
above-zero = 须大于 0
no-whole-number = `{ $text }` 不是整数
no-field = 没有此字段
unanswerable = 无法回答此问题
say-how-many = 请指定数量
people-range = 人数须在 1 至 65536 之间
