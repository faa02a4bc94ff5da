### Filters of the list of runs.

form = 一覧の絞り込み
search = 検索
search-hint = モデル、ハードウェア、エンジン、メモ
model = モデル
hardware = ハードウェア
class = マシンの種類
memory = メモリ
engine = エンジン
quantization = 量子化
trust = 信頼度
order = 並び順
since = 開始日
until = この日より前
newest = 新しい順
single = 1 リクエストが速い順
total = 合計が大きい順
any = 指定なし
show = 表示
all = すべての測定を表示
nothing = すべての条件に合う測定はありません。
more = 次の測定
up-to = { $gib } GiB まで
