### Filters of the list of runs.

form = 列表筛选
search = 搜索
search-hint = 模型、硬件、引擎、说明
model = 模型
hardware = 硬件
class = 机器类型
memory = 内存
engine = 引擎
quantization = 量化
trust = 可信度
order = 排序
since = 起始日期
until = 早于
newest = 从新到旧
single = 单个请求从快到慢
total = 总量从高到低
any = 不限
show = 显示
all = 显示全部测试
nothing = 没有符合全部筛选条件的测试。
more = 更多测试
up-to = 不超过 { $gib } GiB
