### Labels of what the run document and the calculator name by a word.


## Trust levels.

trust-self-reported = 자체 보고
trust-imported = 가져옴
trust-measured = 측정됨

## Classes of hardware.

class-discrete-gpu = 외장 GPU
class-unified-memory = 통합 메모리
class-cpu = CPU 전용
class-simulated = 시뮬레이션
class-unknown = 알 수 없음

## How prefill was measured.

prefill-warm-up = 디코드 워밍업 중 측정
prefill-standalone = 단독
prefill-off = 꺼짐

## Terms of a decode step.

term-dense = 선형 레이어
term-head = 출력 헤드
term-experts = 전문가
term-state = 상태
term-cache = KV 캐시
term-parts = 커널 실행
term-routing = 라우팅
term-recurrent = 순환 레이어 실행
term-sequences = 스케줄링과 샘플링
term-exchange = 가속기 간 통신
term-host = 호스트 메모리
term-drafting = 드래프트 생성
