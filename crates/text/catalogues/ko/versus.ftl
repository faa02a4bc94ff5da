### The decode calculator: another machine beside the chosen one.

title = 다른 머신과 비교
caption = 다른 머신의 디코드가 몇 배 빠른지, 그 아래는 두 머신의 전체 요청 tok/s
neither-fits = 둘 다 안 들어감
other-does-not-fit = 다른 쪽은 안 들어감
only-other-fits = 다른 쪽만
machines = { $first } 대 { $other }
times = × { $ratio }
beside = { $first } / { $other }
