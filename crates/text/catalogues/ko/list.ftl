### The start page and lists of runs.

runs = 매트릭스 측정
runs-text = 각 측정은 한 머신에서 서빙하는 한 모델을 컨텍스트 길이와 동시 요청 수의 모든 셀에서 잰 것입니다.
no-runs = 아직 측정이 없습니다.
latest = 최근 측정
all-runs = 모든 측정
home-title = 언어 모델 서버는 실제로 얼마나 빠를까요?
home-text = tokmark는 컨텍스트 길이와 동시 요청 수의 모든 셀에서 서버를 측정합니다. 프리필 속도, 지속 디코드, 첫 토큰까지의 시간입니다. 모든 수치에는 구간과 근거 데이터가 있고, 수치가 없는 셀에는 그 이유가 있습니다.
home-measure = 내 서버 측정하기
home-measure-text = 첫 번째 명령은 서버가 무엇이고 무엇을 측정할지 알려 주고, 두 번째 명령이 측정합니다.
home-show-text = 결과를 누구에게나 보낼 수 있는 한 페이지로 만들기:
one-request = 요청 1개
highest-total = 최고 합계
trust = 신뢰도
received = 측정 또는 수신 시각
matrix = 매트릭스
run = 측정
