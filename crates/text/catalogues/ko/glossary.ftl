### The numbers of a run page, defined in one sentence each.

total = 합계 tok/s
total-text = 측정 시간 안에 도착한 토큰 수를 측정 시간으로 나눈 값이며, 모든 요청을 합친 것.
per-request = 요청당 tok/s
per-request-text = 측정 시간 안의 각 요청 속도의 중앙값.
ttft = TTFT
ttft-text = 요청을 보낸 때부터 첫 토큰까지. 셀에서는 동시에 시작하는 요청들의 중앙값이고, 프리필에서는 아무것도 캐시되지 않은 단독 요청.
between-tokens = 토큰 간 시간
between-tokens-text = 1,000을 요청당 tok/s로 나눈 값, 밀리초 단위.
average-active = 평균 활성 요청 수
average-active-text = 디코드 중이던 요청 수의 측정 시간 평균.
interval = 95% 구간
interval-text = 측정 시간 안에서 속도가 얼마나 고른지를 나타냅니다. 다른 측정과 얼마나 일치할지는 나타내지 않습니다.
prefill = 프리필 tok/s
prefill-text = 아무것도 캐시되지 않은 유휴 서버에서 요청 하나의 프롬프트 토큰 수를 TTFT로 나눈 값.
energy = 전력과 에너지
energy-text = 가속기의 값이며 유휴 시 소비를 포함합니다. 출력 토큰당은 셀의 측정 시간에 대해, 프롬프트 토큰당은 프리필 프롬프트를 보낸 때부터 첫 토큰까지를 캐시되지 않은 토큰 수로 나눈 값입니다.
roofline = 루프라인 대비 비율
roofline-text = 셀의 깊이와 요청 수에서 머신의 메모리 대역폭과 연산 성능이 이 모델에 허용하는 최대치에 대한 속도의 비율. 엔진 자체의 작업은 계산하지 않습니다.
