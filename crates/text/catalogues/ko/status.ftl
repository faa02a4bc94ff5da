### Statuses: their names, and what each means.


## Names of decode statuses.

not-planned = 계획 외
skipped = 건너뜀
over-length = 너무 김
over-capacity = 용량 초과
over-admission = 한도 초과
busy-server = 서버 사용 중
not-ready = 시작 안 됨
interrupted = 중단됨
failed = 실패
looped = 반복됨
client-limited = 클라이언트 한계
throttled = 스로틀링
preempted = 캐시 부족
queued = 요청 대기
restarts = 짧은 답변
buffered = 버퍼링
valid = 유효
partly-cached = 일부 캐시됨

## What decode statuses mean.

not-planned-text = 남은 시간이 없어 실행하지 않았습니다.
skipped-text = 사용자가 제외하여 실행하지 않았습니다.
over-length-text = 컨텍스트와 짧은 답변이 서버가 받는 최대 요청 길이를 넘어 실행하지 않았습니다.
busy-server-text = 다른 사람의 요청으로 서버가 바빠 측정하지 않았습니다.
not-ready-text = 제시간에 첫 토큰을 낸 요청이 없어 측정하지 않았습니다.
interrupted-text = 이 셀 도중에 측정이 중단되었습니다.
failed-once-text = 요청이 실패하여 수치가 없습니다.
failed-text = 다시 해도 요청이 실패하여 수치가 없습니다.
looped-text = 모델이 같은 내용을 반복했으며, 이는 수치가 나타내야 할 작업이 아닙니다.
client-limited-text = 측정하는 머신이 따라가지 못했습니다. 서버는 표시된 것보다 빠를 수 있습니다.
throttled-text = 발열이나 전력 때문에 가속기가 클럭을 낮췄습니다.
preempted-text = 캐시가 가득 차 서버가 요청을 되돌렸으며, 수치에는 그 시간이 포함됩니다.
queued-text = 요청한 수보다 적은 요청이 동시에 디코드되었고, 나머지는 서버에서 기다렸습니다.
restarts-text = 답변이 너무 일찍 끝나 새 답변을 시작하는 데 측정 시간의 상당 부분이 들었습니다.
buffered-text = 토큰이 한꺼번에 도착하여 속도는 믿을 수 있지만 토큰 간격은 그렇지 않습니다.
valid-text = 모든 요청이 측정 시간 내내 디코드했습니다.
over-capacity-reserve-text = 요청 수 × (컨텍스트 + 출력 토큰 { $longest }개)가 서버의 KV 캐시를 넘어 실행하지 않았습니다(용량 규칙: reserve).
over-capacity-expected-text = 프롬프트와, 시작과 측정 동안 예상되는 출력에 서버 KV 캐시의 97%보다 많이 필요하여 실행하지 않았습니다(용량 규칙: expected).
over-capacity-try-text = 서버의 KV 캐시에 들어가지 않아 실행하지 않았습니다.
over-admission-text = 사전 확인 결과 서버의 한도가 { $admission }이므로 실행하지 않았습니다.
over-admission-seen-text = 서버가 동시에 실행한 것으로 확인된 요청 수를 넘어 실행하지 않았습니다.

## What prefill statuses mean.

prefill-valid-text = 적어도 한 프롬프트가 처음부터 계산되었습니다.
prefill-partly-cached-text = 다시 해도 프롬프트 일부가 서버의 캐시에서 왔습니다.
prefill-failed-text = 모든 요청이 실패했습니다.
prefill-over-length-text = 컨텍스트가 서버가 받는 최대 요청 길이를 넘어 실행하지 않았습니다.
prefill-over-capacity-text = 컨텍스트가 서버의 KV 캐시를 넘어 실행하지 않았습니다.
prefill-interrupted-text = 첫 샘플 전에 중단되었습니다.

## Notes below the legend.

imported-rules = 상태는 출처의 것이며, 출처 자체의 규칙에 따릅니다.
ttft-warm = TTFT는 프롬프트가 이미 서버 캐시에 있는 상태에서 모든 요청을 동시에 시작해 측정하므로 프리필이 거의 포함되지 않습니다.
ttft-imported = TTFT는 출처가 보고한 값입니다. 프롬프트가 캐시에 있었는지는 기록되지 않았습니다.
ttft-unknown = TTFT는 모든 요청을 동시에 시작해 측정합니다. 서버는 프롬프트 중 얼마가 캐시에서 왔는지 알려 주지 않습니다.
ttft-recomputed = TTFT는 모든 요청을 동시에 시작해 측정합니다. 시작할 때 프롬프트 토큰의 최대 { $share }%가 다시 계산되어 그만큼의 프리필이 포함됩니다.
ttft-cold = TTFT는 모든 요청을 동시에 시작해 측정합니다. 서버가 프롬프트를 재사용하지 않으므로 프리필이 포함됩니다.
