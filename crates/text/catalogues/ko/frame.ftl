### What surrounds each page, and pages of errors.

skip-to-content = 본문으로 건너뛰기
site-navigation = 사이트
language-switch = 언어
made-with = tokmark로 만들었습니다. K는 1,024 토큰입니다.
copy = 복사
copied = 복사했습니다
not-found = 페이지를 찾을 수 없습니다
not-found-text = 주소를 잘못 입력했거나, 여기에 있던 내용이 삭제되었습니다.
internal = 서버에서 문제가 발생했습니다. 내용은 기록되었습니다.
to-start = 시작 페이지로
decode-calculator = 디코드 계산기
matrix-runs = 매트릭스 측정
hardware = 하드웨어
