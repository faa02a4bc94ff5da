### What is wrong with a question to the calculator.

share-range = 割合は 0 より大きく 1 以下です
two-rents = レンタル料が二重に指定されています。どちらかを空にしてください
not-a-rent = `{ $word }` は low、typical、high のいずれでもありません
zero-or-more = 0 以上を指定してください
price-needs-lifetime = 価格には使用年数が必要です
price-needs-electricity = 価格には電気代が必要です
no-currency = `{ $code }` は USD や EUR のような通貨コードではありません
requests-range = リクエスト数は 1～65536 です
context-range = コンテキストは最大 1G トークンです
two-numbers = `{ $machine }` と { $given } はアクセラレータ数が異なります
max-unknown = このモデルの `max` は不明です。最長リクエストを指定してください
too-long = 長すぎます
on-or-left-out = `on` を指定するか、省略してください
no-number = `{ $text }` は数値ではありません
above-zero = 0 より大きい必要があります
no-whole-number = `{ $text }` は整数ではありません
no-field = そのような項目はありません
unanswerable = この条件では計算できません
say-how-many = 数を指定してください
people-range = 人数は 1～65536 です
