# ---- two runs of round trips, and their ratio ----------------------------------------------
set multiplot
LEFT = 95.0; RIGHT = 742.0
set lmargin at screen PX(LEFT); set rmargin at screen PX(RIGHT)
set xrange [X_LOW:X_HIGH]; set xtics 0, X_STEP; set mxtics 2; set format x ''

# (a) round trips
set tmargin at screen PY(TOP+24); set bmargin at screen PY(TOP+354)
set yrange [0:Y_HIGH]; set ytics 0, Y_STEP; set mytics 2
set label 9 'Round-trip time (µs)' at screen PX(25), PY(TOP+189) center rotate by 90 tc rgb FG
set label 5 panel('a', 'median and minimum') at screen PX(LEFT), PY(TOP+10) left tc rgb FG
set key at screen PX(RIGHT+14), PY(TOP+24) left top reverse Left samplen 2 spacing 1.3
plot @TRIPS using 1:4 with linespoints lc rgb CAT[1] lw 1.4 pt 7 ps 0.7 pi -1 title 'A median', \
     @TRIPS using 1:2 with linespoints lc rgb CAT[1] lw 1 dt (7,5) pt 6 ps 0.7 title 'A minimum', \
     @TRIPS using 1:5 with linespoints lc rgb CAT[2] lw 1.4 pt 5 ps 0.7 pi -1 title 'B median', \
     @TRIPS using 1:3 with linespoints lc rgb CAT[2] lw 1 dt (7,5) pt 4 ps 0.7 title 'B minimum'
eval HEADLESS

# (b) ratio
set tmargin at screen PY(TOP+400); set bmargin at screen PY(TOP+580)
set format x '%g'; set xlabel 'UDP payload (B)' tc rgb FG offset 0,X_UP
set yrange [RATIO_LOW:RATIO_HIGH]; set ytics RATIO_STEP; unset mytics
set label 9 'B / A' at screen PX(25), PY(TOP+490)
set label 5 panel('b', 'ratio') at screen PX(LEFT), PY(TOP+386)
set key at screen PX(RIGHT+14), PY(TOP+400)
plot 1 with lines lc rgb ALARM lw 0.9, \
     @TRIPS using 1:8 with linespoints lc rgb CAT[3] lw 1.2 pt 6 ps 0.7 title 'minimum', \
     @TRIPS using 1:9 with linespoints lc rgb FG lw 1.4 pt 7 ps 0.7 pi -1 title 'median', \
     @TRIPS using 1:10 with linespoints lc rgb CAT[4] lw 1.2 pt 9 ps 0.7 title 'p99'
unset multiplot
set output
