# ---- two runs of round trips, and their ratio ----------------------------------------------
set multiplot
LEFT = 95.0; RIGHT = 742.0
set lmargin at screen PX(LEFT); set rmargin at screen PX(RIGHT)
set xrange [X_LOW:X_HIGH]; eval X_BARE

# (a) round trips
set tmargin at screen PY(TOP+24); set bmargin at screen PY(TOP+354)
set yrange [0:Y_HIGH]; eval Y_TICKS
set label 9 'Round-trip time (µs)' at screen PX(25), PY(TOP+189) center rotate by 90 tc rgb FG
set label 5 panel('a', 'median and minimum') at screen PX(LEFT), PY(TOP+10) left tc rgb FG
set key at screen PX(RIGHT+14), PY(TOP+24) left top reverse Left samplen 2 spacing 1.3
plot @LINES index LINES_AT using 2:4 with linespoints lc rgb CAT[1] lw 1.4 pt 7 ps 0.7 pi -1 title A.' median', \
     @LINES index LINES_AT using 2:3 with linespoints lc rgb CAT[1] lw 1 dt (7,5) pt 7 ps 0.45 title A.' minimum', \
     @LINES index LINES_AT+1 using 2:4 with linespoints lc rgb CAT[2] lw 1.4 pt 5 ps 0.7 pi -1 title B.' median', \
     @LINES index LINES_AT+1 using 2:3 with linespoints lc rgb CAT[2] lw 1 dt (7,5) pt 5 ps 0.45 title B.' minimum'
eval HEADLESS

# (b) ratio
set tmargin at screen PY(TOP+400); set bmargin at screen PY(TOP+580)
eval X_TICKS; set xlabel PAYLOAD tc rgb FG offset 0,X_UP
set yrange [RATIO_LOW:RATIO_HIGH]; eval RATIO_TICKS
set label 9 B.' / '.A at screen PX(25), PY(TOP+490)
set label 5 panel('b', 'ratio') at screen PX(LEFT), PY(TOP+386)
set key at screen PX(RIGHT+14), PY(TOP+400)
plot 1 with lines lc rgb ALARM lw 0.9, \
     @LINES index LINES_AT+2 using 2:3 with linespoints lc rgb CAT[3] lw 1.2 pt 11 ps 0.7 title 'minimum', \
     @LINES index LINES_AT+2 using 2:4 with linespoints lc rgb FG lw 1.4 pt 7 ps 0.7 pi -1 title 'median', \
     @LINES index LINES_AT+2 using 2:5 with linespoints lc rgb CAT[4] lw 1.2 pt 9 ps 0.7 title 'p99'
unset multiplot
set output
