# ---- a group over time: rate and loss of each sender --------------------------------------
set multiplot
LEFT = 95.0; RIGHT = 722.0
set lmargin at screen PX(LEFT); set rmargin at screen PX(RIGHT)
set xrange [X_LOW:X_HIGH]
color(i) = COLOURED ? CAT[i] : i == WORST ? ALARM : REF
wide(i) = COLOURED || i == WORST ? 1.4 : 0.7
named(i) = COLOURED || i == WORST ? '{/*0.9 '.NAME[i].'}' : ''

set tmargin at screen PY(TOP+24); set bmargin at screen PY(TOP+224)
eval X_BARE
set yrange [RATE_LOW:RATE_HIGH]; eval RATE_TICKS
set label 9 'Received data ('.RATE_UNIT.')' at screen PX(25), PY(TOP+124) center rotate by 90 tc rgb FG
set label 5 panel('a', 'rate') at screen PX(LEFT), PY(TOP+10) left tc rgb FG
set key at screen PX(RIGHT+14), PY(TOP+24) left top reverse Left samplen 1.6 spacing 1.2
plot for [i=1:N] TIME index TIME_AT+i-1 using 2:($3/RATE_ONE) with lines lc rgb color(i) lw wide(i) title named(i), \
     TOTAL index TOTAL_AT using 1:($2/RATE_ONE) with lines lc rgb FG lw 2 title 'all together'
eval HEADLESS
unset key

set tmargin at screen PY(TOP+270); set bmargin at screen PY(TOP+400)
eval X_TICKS
set xlabel 'Time since the agreed begin (s)' tc rgb FG offset 0,X_UP
set yrange [LOSS_LOW:LOSS_HIGH]; eval LOSS_TICKS
set label 9 'Frames lost (%)' at screen PX(25), PY(TOP+335)
set label 5 panel('b', 'loss') at screen PX(LEFT), PY(TOP+256)
set label 6 '{/*0.85 '.LOSS_NOTE.'}' at screen PX(RIGHT), PY(TOP+256) right tc rgb MUTED
plot for [i=1:N] TIME index TIME_AT+i-1 using 2:4 with lines lc rgb color(i) lw wide(i)
unset multiplot
set output
