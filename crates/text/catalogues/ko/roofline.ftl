### The share of the roofline.

title = 루프라인 대비 비율
measured = 실측
catalogue = 카탈로그
from-catalogue = 카탈로그 값
memory = 메모리
compute = 연산
the-model = 모델
the-machine = 머신
above = 100% 초과: 한도의 가정과 다른 점이 있습니다. 프롬프트를 공유하는 요청이 칩의 캐시에서 처리되거나, 전문가 혼합의 토큰이 같은 전문가를 쓰거나, 드래프트 토큰이 수락되거나, 가중치가 생각보다 작거나, 메모리가 더 빠릅니다
counts-tokens = 서버가 토큰을 드래프트하며 한 단계에서 몇 개가 나오는지 알 수 없습니다. 비율은 단계당 토큰 하나를 기준으로 계산합니다
bandwidth = { $figure } GB/s
bandwidth-of = { $count } × { $figure } GB/s
of-memory = { $whose } { $bandwidth } 메모리 루프라인 { $limit } tok/s의 { $share }
of-compute = 카탈로그 연산 루프라인 { $limit } tok/s의 { $share }
of-run = 루프라인 대비 비율: { $whose } { $bandwidth }({ $name })가 각 깊이와 요청 수에서 허용하는 값의 { $span }. 최고는 { $best }.
not-known = 루프라인 대비 비율: 알 수 없음. { $reasons }.
nothing-to-compare = 한도와 비교할 속도와 깊이를 모두 가진 셀이 없습니다
because = { $what }: { $reason }
machine = { $bandwidth }, { $from }({ $name })
model = 가중치 { $weights }, 토큰당 캐시 { $cache } KiB(출처: { $name })
in-cell = 한도의 { $share }
