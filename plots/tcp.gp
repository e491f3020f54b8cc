# ---- TCP over time: goodput, windows, round trip, segments sent again ----------------------
set multiplot
LEFT = 95.0; RIGHT = 742.0
set lmargin at screen PX(LEFT); set rmargin at screen PX(RIGHT)
set xrange [X_LOW:X_HIGH]
color(i) = COLOURED ? CAT[i] : REF
wide = COLOURED ? 1.2 : 0.6
EACH = 'with lines lw wide'

set tmargin at screen PY(TOP+24); set bmargin at screen PY(TOP+204)
eval X_BARE
set yrange [RATE_LOW:RATE_HIGH]; eval RATE_TICKS
set label 9 'Goodput ('.RATE_UNIT.')' at screen PX(25), PY(TOP+114) center rotate by 90 tc rgb FG
set label 5 panel('a', 'goodput') at screen PX(LEFT), PY(TOP+10) left tc rgb FG
set key at screen PX(RIGHT+14), PY(TOP+24) left top reverse Left samplen 1.6 spacing 1.2
plot for [i=1:N] @RATES index RATES_AT+i-1 using 2:($3/RATE_ONE) @EACH lc rgb color(i) title (COLOURED && N>1 ? sprintf('connection %d', i-1) : i == 1 && N > 1 ? 'each' : ''), \
     @ALL index ALL_AT using 1:($2/RATE_ONE) with lines lc rgb (N>1 ? FG : CAT[1]) lw 1.8 title (N>1 ? 'all together' : '')
eval HEADLESS
unset key

set tmargin at screen PY(TOP+242); set bmargin at screen PY(TOP+402)
set yrange [KB_LOW:KB_HIGH]; eval KB_TICKS
set label 9 'Window ('.KB_UNIT.')' at screen PX(25), PY(TOP+322)
set label 5 panel('b', 'window') at screen PX(LEFT), PY(TOP+228)
set key at screen PX(RIGHT+14), PY(TOP+242) left top reverse Left samplen 1.6 spacing 1.2
plot for [i=1:N] @STATES index STATES_AT+i-1 using 2:($4/KB_ONE) with lines lc rgb REF lw wide dt (5,3) title (i == 1 ? 'receive window' : ''), \
     for [i=1:N] @STATES index STATES_AT+i-1 using 2:($3/KB_ONE) @EACH lc rgb color(i) title (i == 1 ? 'congestion' : '')
unset key

set tmargin at screen PY(TOP+440); set bmargin at screen PY(TOP+560)
set yrange [RTT_LOW:RTT_HIGH]; eval RTT_TICKS
set label 9 'Round trip (ms)' at screen PX(25), PY(TOP+500)
set label 5 panel('c', 'round trip, as TCP estimates it') at screen PX(LEFT), PY(TOP+426)
plot for [i=1:N] @STATES index STATES_AT+i-1 using 2:5 @EACH lc rgb color(i)

set tmargin at screen PY(TOP+598); set bmargin at screen PY(TOP+718)
eval X_TICKS
set xlabel 'Time since all connections were there (s)' tc rgb FG offset 0,X_UP
set yrange [AGAIN_LOW:AGAIN_HIGH]; eval AGAIN_TICKS
set label 9 'Segments' at screen PX(25), PY(TOP+658)
set label 5 panel('d', 'segments sent again in each interval') at screen PX(LEFT), PY(TOP+584)
set label 6 '{/*0.85 '.AGAIN_NOTE.'}' at screen PX(RIGHT), PY(TOP+584) right tc rgb MUTED
plot @ALL index ALL_AT using 1:3 with impulses lc rgb ALARM lw 2
unset multiplot
set output
