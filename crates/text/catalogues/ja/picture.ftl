### Words inside pictures of a run, and about its passes.

download-svg = マトリクスと曲線の画像（SVG）
download-card = SNS 用カード、1200 x 630（PNG）
matrix = 全リクエストの合計 tok/s。行はコンテキスト、列は同時リクエスト数。その下は最初のトークンまでの時間の中央値。
card = 持続デコード、合計 tok/s（行はコンテキスト、列は同時リクエスト数）
card-marked = 持続デコード、合計 tok/s（行はコンテキスト、列は同時リクエスト数）。枠付きは要注意
on-machine = { $machine }
ttft = TTFT { $ttft }
status = { $label }: { $meaning }
figure = { $what } { $value }
passes = 各セルを最大 { $most } 回測定し、合計が中央値のパスを表示しています。
passes-spread = 各セルを最大 { $most } 回測定し、合計が中央値のパスを表示しています。セル内のパスの合計の開きは { $median }（中央値）、最大 { $largest } です。
column-passes = パス、tok/s
column-spread = パスのばらつき
column-drift = パスのドリフト
