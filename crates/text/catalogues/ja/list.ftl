### The start page and lists of runs.

runs = マトリクス測定
runs-text = 各測定は、1 台のマシンで提供される 1 つのモデルを、コンテキスト長と同時リクエスト数のすべてのセルで測ったものです。
no-runs = 測定はまだありません。
latest = 最新の測定
all-runs = すべての測定
home-title = 言語モデルサーバーは実際どれだけ速いのか？
home-text = tokmark は、コンテキスト長と同時リクエスト数のすべてのセルでサーバーを測定します。プリフィル速度、持続デコード、最初のトークンまでの時間です。どの数値にも区間と根拠データがあり、数値のないセルには理由があります。
home-measure = 自分のサーバーを測る
home-measure-text = 1 つ目のコマンドはサーバーの情報と測定予定の内容を表示し、2 つ目が測定を実行します。
home-show-text = 結果を、誰にでも送れる 1 つのページにする:
one-request = 1 リクエスト
highest-total = 最大の合計
trust = 信頼度
received = 測定日時または受信日時
matrix = マトリクス
run = 測定
