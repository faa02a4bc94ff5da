### The machines for a need.

title = この人数には何が必要か？
text = 指定の人数に同時に、指定のコンテキストと速度でモデルを提供できるカタログ内のすべてのマシン。発売時価格の安い順。
machine = マシン
price = 価格
rent = 1 時間のレンタル料
power = 電力
each = 各 tok/s
total = 合計 tok/s
ttft = TTFT
sure = 確かさ
note-price = 価格: 全アクセラレータの発売時価格（米ドル）。マシン本体は含みません。この順に並び、価格のないものは最後です。
note-rent = レンタル料: 全アクセラレータについて多くの事業者が示す料金（米ドル）。出典と日付は JSON 文書にあります。
note-power = 電力: デコード中の値。カードのホストに 80 W を含みます。設計電力に対する割合から計算。
note-estimate = 推定にはこのマシンの測定の裏付けがなく、結果の 10 件中 9 件が 40% 以内にあると見なします。複数アクセラレータは、実測と照合されていない式によります。
no-machine = アクセラレータ 8 基までで足りるマシンはカタログにありません。
need = { $model }、同時に { $people } 人、コンテキスト { $context } トークン、各 { $rate } tok/s
need-ttft = { $model }、同時に { $people } 人、コンテキスト { $context } トークン、各 { $rate } tok/s、最初のトークンまで { $time } 以内
found = { $count } 種のマシンで足ります。
