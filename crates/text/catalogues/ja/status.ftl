### Statuses: their names, and what each means.


## Names of decode statuses.

not-planned = 計画外
skipped = スキップ
over-length = 長すぎる
over-capacity = 容量超過
over-admission = 上限超過
busy-server = サーバービジー
not-ready = 開始せず
interrupted = 中断
failed = 失敗
looped = 反復
client-limited = クライアント側の限界
throttled = スロットリング
preempted = キャッシュ不足
queued = リクエスト待ち
restarts = 短い回答
buffered = バッファリング
valid = 有効
partly-cached = 一部キャッシュ済み

## What decode statuses mean.

not-planned-text = 時間が残っていなかったため、実行していません。
skipped-text = 手動で除外したため、実行していません。
over-length-text = コンテキストと短い回答がサーバーの最長リクエストを超えるため、実行していません。
busy-server-text = 他の利用者のリクエストでサーバーが混雑していたため、測定していません。
not-ready-text = 時間内に最初のトークンを出したリクエストがなかったため、測定していません。
interrupted-text = このセルの途中で測定が止められました。
failed-once-text = リクエストが失敗したため、数値がありません。
failed-text = 繰り返してもリクエストが失敗したため、数値がありません。
looped-text = モデルが同じ内容の繰り返しに陥りました。数値が表すべき処理とは異なります。
client-limited-text = 測定側のマシンが追いつけませんでした。サーバーは表示より速い可能性があります。
throttled-text = 熱または電力のため、アクセラレータがクロックを下げました。
preempted-text = キャッシュが一杯になり、サーバーがリクエストを戻しました。数値はそれを含みます。
queued-text = 同時にデコードされたリクエストは指定より少なく、残りはサーバーで待機していました。
restarts-text = 回答が早く終わり、新しい回答の開始が測定時間のかなりの割合を占めました。
buffered-text = トークンがまとめて届いたため、速度は正しく、トークンの間隔は正しくありません。
valid-text = すべてのリクエストが測定時間を通してデコードしました。
over-capacity-reserve-text = リクエスト数 ×（コンテキスト + 出力 { $longest } トークン）がサーバーの KV キャッシュを超えるため、実行していません（容量ルール: reserve）。
over-capacity-expected-text = プロンプトと、起動中および測定中に予想される出力がサーバーの KV キャッシュの 97% を超えるため、実行していません（容量ルール: expected）。
over-capacity-try-text = サーバーの KV キャッシュに収まらないため、実行していません。
over-admission-text = 事前確認でサーバーの上限は{ $admission }と分かったため、実行していません。
over-admission-seen-text = サーバーが同時に実行できたリクエスト数を超えるため、実行していません。

## What prefill statuses mean.

prefill-valid-text = 少なくとも 1 つのプロンプトが最初から計算されました。
prefill-partly-cached-text = 繰り返しても、プロンプトの一部がサーバーのキャッシュから来ました。
prefill-failed-text = すべてのリクエストが失敗しました。
prefill-over-length-text = コンテキストがサーバーの最長リクエストを超えるため、実行していません。
prefill-over-capacity-text = コンテキストがサーバーの KV キャッシュを超えるため、実行していません。
prefill-interrupted-text = 最初のサンプルの前に止められました。

## Notes below the legend.

imported-rules = ステータスは出典のもので、出典独自の規則によります。
ttft-warm = TTFT は、プロンプトがすでにサーバーのキャッシュにある状態で全リクエストを同時に開始して測定するため、プリフィルをほとんど含みません。
ttft-imported = TTFT は出典の報告値です。プロンプトがキャッシュにあったかどうかは記録されていません。
ttft-unknown = TTFT は全リクエストを同時に開始して測定します。サーバーは、プロンプトのどれだけがキャッシュから来たかを示しません。
ttft-recomputed = TTFT は全リクエストを同時に開始して測定します。開始時にプロンプトトークンの最大 { $share }% が再計算されたため、その分のプリフィルを含みます。
ttft-cold = TTFT は全リクエストを同時に開始して測定します。サーバーはプロンプトを再利用しないため、プリフィルを含みます。
