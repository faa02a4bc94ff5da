### What is wrong with a question to the calculator.

share-range = 비율은 0보다 크고 1 이하입니다
two-rents = 임대료가 이미 있습니다. 둘 중 하나를 비워 두세요
not-a-rent = `{ $word }`: low, typical, high 중 하나가 아닙니다
zero-or-more = 0 이상이어야 합니다
price-needs-lifetime = 가격에는 사용 연수가 필요합니다
price-needs-electricity = 가격에는 전기 요금이 필요합니다
no-currency = `{ $code }`: USD나 EUR 같은 통화 코드가 아닙니다
requests-range = 요청 수는 1~65536입니다
context-range = 컨텍스트는 최대 1G 토큰입니다
two-numbers = `{ $machine }`, { $given }: 가속기 수가 서로 다릅니다
max-unknown = 이 모델의 `max`를 알 수 없습니다. 최대 요청 길이를 지정하세요
too-long = 너무 깁니다
on-or-left-out = `on`을 지정하거나 생략하세요
no-number = `{ $text }`: 숫자가 아닙니다
above-zero = 0보다 커야 합니다
no-whole-number = `{ $text }`: 정수가 아닙니다
no-field = 그런 항목이 없습니다
unanswerable = 이 질문에 답할 수 없습니다
say-how-many = 수를 지정하세요
people-range = 인원은 1~65536입니다
