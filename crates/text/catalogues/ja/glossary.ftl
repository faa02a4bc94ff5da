### The numbers of a run page, defined in one sentence each.

total = 合計 tok/s
total-text = 測定時間内に届いたトークン数を測定時間で割った値。全リクエストの合計。
per-request = リクエストあたり tok/s
per-request-text = 測定時間内の各リクエストの速度の、リクエスト間の中央値。
ttft = TTFT
ttft-text = リクエストの送信から最初のトークンまで。セルでは同時に開始する全リクエストの中央値、プリフィルでは何もキャッシュされていない単独のリクエスト。
between-tokens = トークン間隔
between-tokens-text = 1,000 をリクエストあたり tok/s で割った値。単位はミリ秒。
average-active = 平均アクティブリクエスト数
average-active-text = デコード中だったリクエスト数の、測定時間内の平均。
interval = 95% 区間
interval-text = 測定時間内で速度がどれだけ安定していたか。別の測定とどれだけ一致するかは示しません。
prefill = プリフィル tok/s
prefill-text = 何もキャッシュされていないアイドル状態のサーバーで、1 リクエストのプロンプトトークン数を TTFT で割った値。
energy = 電力とエネルギー
energy-text = アクセラレータの値で、待機時の消費を含みます。出力トークンあたりはセルの測定時間、プロンプトトークンあたりはプリフィルの送信から最初のトークンまでについて、キャッシュされていなかったトークン数で割ります。
roofline = ルーフライン比
roofline-text = セルの深さとリクエスト数で、マシンのメモリ帯域幅と演算性能がこのモデルに許す上限に対する速度の比。エンジン自身の処理は含みません。
