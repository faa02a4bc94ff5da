### What surrounds each page, and pages of errors.

skip-to-content = 跳到正文
site-navigation = 网站导航
language-switch = 语言
made-with = 由 tokmark 生成。K 表示 1,024 个 token。
copy = 复制
copied = 已复制
not-found = 找不到此页面
not-found-text = 地址可能有误，或者这里的内容已被删除。
internal = 服务器出现了问题，详情已记录。
to-start = 返回首页
decode-calculator = 解码计算器
matrix-runs = 矩阵测试
hardware = 硬件
