### Words inside pictures of a run, and about its passes.

download-svg = 매트릭스와 곡선 그림(SVG)
download-card = 소셜 카드, 1200 x 630(PNG)
matrix = 전체 요청의 합계 tok/s. 행은 컨텍스트, 열은 동시 요청 수. 그 아래는 첫 토큰까지의 시간 중앙값.
card = 지속 디코드, 합계 tok/s(행은 컨텍스트, 열은 동시 요청 수)
card-marked = 지속 디코드, 합계 tok/s(행은 컨텍스트, 열은 동시 요청 수). 테두리는 주의해서 읽을 값
on-machine = { $machine }
ttft = TTFT { $ttft }
status = { $label }: { $meaning }
figure = { $what } { $value }
passes = 셀마다 최대 { $most }회 측정하여 합계가 중앙값인 패스를 보여 줍니다.
passes-spread = 셀마다 최대 { $most }회 측정하여 합계가 중앙값인 패스를 보여 줍니다. 한 셀의 패스 합계 차이는 { $median }(중앙값), 최대 { $largest }입니다.
column-passes = 패스, tok/s
column-spread = 패스 간 편차
column-drift = 패스의 드리프트
