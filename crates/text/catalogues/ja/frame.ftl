### What surrounds each page, and pages of errors.

skip-to-content = 本文へ移動
site-navigation = サイト
language-switch = 言語
made-with = tokmark で作成。K は 1,024 トークンです。
copy = コピー
copied = コピーしました
not-found = ページが見つかりません
not-found-text = アドレスの入力に誤りがあるか、ここにあったものは削除されました。
internal = サーバーで問題が発生しました。内容は記録されています。
to-start = トップページへ
decode-calculator = デコード計算機
matrix-runs = マトリクス測定
hardware = ハードウェア
