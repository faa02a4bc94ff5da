### The share of the roofline.

title = 屋顶线占比
measured = 实测
catalogue = 目录所载
from-catalogue = 取自目录
memory = 内存
compute = 算力
the-model = 模型
the-machine = 机器
above = 高于 100%：有某处与上限的假设不符。共用提示词的请求由芯片自身的缓存提供，混合专家的 token 选用相同的专家，草稿 token 被接受，权重比预想的小，或内存更快
counts-tokens = 服务器使用草稿 token，每步得到多少个未知：占比按每步一个 token 计算
bandwidth = { $figure } GB/s
bandwidth-of = { $count } × { $figure } GB/s
of-memory = { $whose } { $bandwidth } 内存屋顶线 { $limit } tok/s 的 { $share }
of-compute = 目录所载算力屋顶线 { $limit } tok/s 的 { $share }
of-run = 屋顶线占比：{ $whose } { $bandwidth }（{ $name }）在各深度与请求数下所允许值的 { $span }；最高为 { $best }。
not-known = 屋顶线占比：未知。{ $reasons }。
nothing-to-compare = 没有单元格同时具有可与上限比较的速率和深度
because = { $what }：{ $reason }
machine = { $bandwidth }，{ $from }（{ $name }）
model = 权重 { $weights }，每 token 缓存 { $cache } KiB（来自 { $name }）
in-cell = 屋顶线 { $share }
