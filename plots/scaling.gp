# ---- several streams: rates against their number, loss of each -----------------------
set multiplot
LEFT = 95.0; RIGHT = 742.0
set lmargin at screen PX(LEFT); set rmargin at screen PX(RIGHT)
set xrange [X_LOW:X_HIGH]; eval X_TICKS
set xlabel WHOSE tc rgb FG offset 0,X_UP

set tmargin at screen PY(TOP+24); set bmargin at screen PY(TOP+244)
set yrange [RATE_LOW:RATE_HIGH]; eval RATE_TICKS
set label 9 'Received data ('.RATE_UNIT.')' at screen PX(25), PY(TOP+134) center rotate by 90 tc rgb FG
set label 5 panel('a', 'rate') at screen PX(LEFT), PY(TOP+10) left tc rgb FG
set key at screen PX(RIGHT+16), PY(TOP+24) left top reverse Left maxrows 12 samplen 2.2 spacing 1.25
plot SLOPE*x/RATE_ONE with lines lc rgb REF lw 0.9 dt (6,6) title 'linear', \
     @RATES index RATES_AT using 1:($2/RATE_ONE) with linespoints lc rgb CAT[1] lw 1.5 pt 7 ps 0.8 title 'all together', \
     @RATES index RATES_AT using 1:($4/RATE_ONE):($3/RATE_ONE):($5/RATE_ONE) with yerrorbars lc rgb CAT[2] lw 1.2 pt 9 ps 0.9 title 'one '.ONE, \
     @RATES index RATES_AT using 1:($7>0 ? $2/RATE_ONE : NaN) @HOLLOW ps 0.35, \
     @DEGRADED_KEY
eval HEADLESS
unset key

set tmargin at screen PY(TOP+325); set bmargin at screen PY(TOP+500)
set xrange [N_LOW:N_HIGH]; eval N_TICKS
set xlabel (ONE eq 'stream' ? 'Stream' : 'Connection') tc rgb FG offset 0,X_UP
set yrange [LOSS_LOW:LOSS_HIGH]; eval LOSS_TICKS
set label 9 LOST at screen PX(25), PY(TOP+412)
set label 5 panel('b', sprintf('%s each of %d %ss', LOST_OF, LAST, ONE)) at screen PX(LEFT), PY(TOP+311)
set label 6 '{/*0.85 '.LOSS_NOTE.'}' at screen PX(RIGHT), PY(TOP+311) right tc rgb MUTED
set boxwidth 0.7; set style fill solid 1 noborder
plot @LOSSES index LOSSES_AT using 1:2 with boxes lc rgb CAT[1]
unset multiplot
set output
