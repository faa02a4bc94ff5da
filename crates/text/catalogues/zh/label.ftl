### Labels of what the run document and the calculator name by a word.


## Trust levels.

trust-self-reported = 自行申报
trust-imported = 已导入
trust-measured = 已测量

## Classes of hardware.

class-discrete-gpu = 独立 GPU
class-unified-memory = 统一内存
class-cpu = 仅 CPU
class-simulated = 模拟
class-unknown = 未知

## How prefill was measured.

prefill-warm-up = 在解码预热期间测量
prefill-standalone = 单独测量
prefill-off = 关闭

## Terms of a decode step.

term-dense = 线性层
term-head = 输出头
term-experts = 专家
term-state = 状态
term-cache = KV 缓存
term-parts = 内核启动
term-routing = 路由
term-recurrent = 循环层启动
term-sequences = 调度与采样
term-exchange = 加速器间通信
term-host = 主机内存
term-drafting = 草稿生成
