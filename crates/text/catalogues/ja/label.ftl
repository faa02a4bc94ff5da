### Labels of what the run document and the calculator name by a word.


## Trust levels.

trust-self-reported = 自己申告
trust-imported = インポート
trust-measured = 測定済み

## Classes of hardware.

class-discrete-gpu = 単体 GPU
class-unified-memory = ユニファイドメモリ
class-cpu = CPU のみ
class-simulated = シミュレーション
class-unknown = 不明

## How prefill was measured.

prefill-warm-up = デコードのウォームアップ中に測定
prefill-standalone = 単独
prefill-off = オフ

## Terms of a decode step.

term-dense = 線形層
term-head = 出力ヘッド
term-experts = エキスパート
term-state = 状態
term-cache = KV キャッシュ
term-parts = カーネル起動
term-routing = ルーティング
term-recurrent = 再帰層の起動
term-sequences = スケジューリングとサンプリング
term-exchange = アクセラレータ間の通信
term-host = ホストメモリ
term-drafting = ドラフト生成
