### Filters of the list of runs.

form = 목록 필터
search = 검색
search-hint = 모델, 하드웨어, 엔진, 메모
model = 모델
hardware = 하드웨어
class = 머신 종류
memory = 메모리
engine = 엔진
quantization = 양자화
trust = 신뢰도
order = 정렬
since = 시작일
until = 이 날짜 이전
newest = 최신순
single = 단일 요청이 빠른 순
total = 합계가 높은 순
any = 전체
show = 보기
all = 모든 측정 보기
nothing = 모든 필터에 맞는 측정이 없습니다.
more = 더 많은 측정
up-to = { $gib } GiB까지
