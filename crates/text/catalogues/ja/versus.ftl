### The decode calculator: another machine beside the chosen one.

title = もう一方のマシンとの比較
caption = もう一方のマシンのデコードが何倍速いか。その下は両方の全リクエストの tok/s
neither-fits = どちらにも収まらない
other-does-not-fit = もう一方には収まらない
only-other-fits = もう一方のみ
machines = { $first } と { $other }
times = × { $ratio }
beside = { $first } / { $other }
