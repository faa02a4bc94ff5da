### The share of the roofline.

title = ルーフライン比
measured = 実測の
catalogue = カタログの
from-catalogue = カタログ値
memory = メモリ
compute = 演算
the-model = モデル
the-machine = マシン
above = 100% 超: 上限の前提と異なる点があります。プロンプトを共有するリクエストがチップのキャッシュから処理される、混合エキスパートのトークンが同じエキスパートを使う、ドラフトトークンが受理される、重みが想定より小さい、またはメモリがより速い、のいずれかです
counts-tokens = サーバーはトークンをドラフトし、1 ステップで得られる数は不明です。比は 1 ステップ 1 トークンとして計算しています
bandwidth = { $figure } GB/s
bandwidth-of = { $count } × { $figure } GB/s
of-memory = { $whose } { $bandwidth } によるメモリルーフライン { $limit } tok/s の { $share }
of-compute = カタログの演算ルーフライン { $limit } tok/s の { $share }
of-run = ルーフライン比: { $whose } { $bandwidth }（{ $name }）が各深さとリクエスト数で許す上限の { $span }。最大は { $best }。
not-known = ルーフライン比: 不明。{ $reasons }。
nothing-to-compare = 上限と比べられる速度と深さの両方を持つセルがありません
because = { $what }: { $reason }
machine = { $bandwidth }、{ $from }（{ $name }）
model = 重み { $weights }、トークンあたりキャッシュ { $cache } KiB（出典: { $name }）
in-cell = 上限の { $share }
