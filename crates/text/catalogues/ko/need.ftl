### The machines for a need.

title = 이만큼의 사람에게는 무엇이 필요한가요?
text = 지정한 인원에게 동시에, 지정한 컨텍스트와 속도로 모델을 서빙하는 카탈로그의 모든 머신. 출시 가격이 낮은 순입니다.
machine = 머신
price = 가격
rent = 시간당 임대료
power = 전력
each = 각 tok/s
total = 합계 tok/s
ttft = TTFT
sure = 확실성
note-price = 가격: 모든 가속기의 출시 가격(미국 달러), 나머지 머신은 제외. 이 순서로 정렬하며 가격이 없는 것은 마지막입니다.
note-rent = 임대료: 모든 가속기에 대해 대부분의 업체가 받는 금액(미국 달러). 출처와 날짜는 JSON 문서에 있습니다.
note-power = 전력: 디코드 중이며 카드의 호스트에 80 W를 더함. 설계 전력의 일정 비율입니다.
note-estimate = 추정은 이 머신의 측정에 근거하지 않으며, 결과 10개 중 9개가 40% 안에 있다고 봅니다. 여러 가속기는 실측과 대조되지 않은 식을 따릅니다.
no-machine = 가속기 8개까지로 충분한 머신이 카탈로그에 없습니다.
need = { $model }, 동시에 { $people }명, 컨텍스트 { $context } 토큰, 각 { $rate } tok/s
need-ttft = { $model }, 동시에 { $people }명, 컨텍스트 { $context } 토큰, 각 { $rate } tok/s, 첫 토큰까지 { $time } 이내
found = 머신 { $count }종이면 충분합니다.
