### The start page and lists of runs.

runs = 矩阵测试
runs-text = 每次测试针对一台机器上部署的一个模型，在上下文长度与并发请求数的每个单元格中测量。
no-runs = 还没有测试。
latest = 最新测试
all-runs = 全部测试
home-title = 语言模型服务器究竟有多快？
home-text = tokmark 在上下文长度与并发请求数的每个单元格中测量服务器：预填充速度、持续解码、首 token 时间。每个数值都有区间和原始数据，没有数值的单元格都有原因。
home-measure = 测量自己的服务器
home-measure-text = 第一条命令显示服务器信息和将要测量的内容，第二条命令进行测量。
home-show-text = 将结果生成一个可以发给任何人的页面：
one-request = 单个请求
highest-total = 最高总量
trust = 可信度
received = 测量或接收时间
matrix = 矩阵
run = 测试
