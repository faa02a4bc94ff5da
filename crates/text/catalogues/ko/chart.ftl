### Titles, axes and legends of the charts.

total = 요청 수별 합계 속도
per-request = 컨텍스트별 요청 하나의 속도
prefill = 컨텍스트별 프리필
gaps = 이벤트 간격, 중앙값과 99번째 백분위수
between = 요청 수별 토큰 간 시간
requests-at-once = 동시 요청 수
context-tokens = 컨텍스트(토큰)
total-tok-s = 합계 tok/s
tok-s-per-request = 요청당 tok/s
prompt-tok-s = 프롬프트 tok/s
ms = ms
context = 컨텍스트
at-once = 동시
rate = 속도
less-fixed = TTFT의 고정 부분 제외
measured = 중앙값
percentile = { $context }, { $percentile }
point = 컨텍스트 { $context }, 요청 { $requests }개: { $value }
