### Titles, axes and legends of the charts.

total = リクエスト数ごとの合計速度
per-request = コンテキストごとの 1 リクエストの速度
prefill = コンテキストごとのプリフィル
gaps = イベントの間隔、中央値と 99 パーセンタイル
between = リクエスト数ごとのトークン間隔
requests-at-once = 同時リクエスト数
context-tokens = コンテキスト（トークン）
total-tok-s = 合計 tok/s
tok-s-per-request = リクエストあたり tok/s
prompt-tok-s = プロンプト tok/s
ms = ms
context = コンテキスト
at-once = 同時数
rate = 速度
less-fixed = TTFT の固定部分を除く
measured = 中央値
percentile = { $context }、{ $percentile }
point = コンテキスト { $context }、{ $requests } リクエスト: { $value }
