# ---- two runs against spacing: rate and ratio, loss and difference ----------------------
set multiplot
LEFT = 95.0; RIGHT = 742.0
set lmargin at screen PX(LEFT); set rmargin at screen PX(RIGHT)
if (XLOG) set logscale x
set xrange [X_LOW:X_HIGH]; unset mxtics
eval X_BARE

# (a) rate
set tmargin at screen PY(TOP+24); set bmargin at screen PY(TOP+324)
set yrange [RATE_LOW:RATE_HIGH]; set ytics 0, RATE_STEP; set mytics 2
set label 9 'Received wire rate ('.RATE_UNIT.')' at screen PX(25), PY(TOP+174) center rotate by 90 tc rgb FG
set label 5 panel('a', 'rate') at screen PX(LEFT), PY(TOP+10) left tc rgb FG
set key at screen PX(RIGHT+16), PY(TOP+24) left top reverse Left samplen 2.2 spacing 1.25 title 'UDP payload (B)' left
plot for [i=NS:1:-1] @PAIRS index PAIRS_AT+int(SHOWN[i]) using 3:($4/RATE_ONE) with lines lc rgb COLOR[i] lw 1.1 dt (7,5), \
     for [i=NS:1:-1] @PAIRS index PAIRS_AT+int(SHOWN[i]) using 3:($4/RATE_ONE) with points lc rgb COLOR[i] pt PT[i]-1 ps 0.7 lw 0.9, \
     for [i=NS:1:-1] @PAIRS index PAIRS_AT+int(SHOWN[i]) using 3:($5/RATE_ONE) with linespoints lc rgb COLOR[i] lw 1.5 pt PT[i] ps 0.7 pi -1 title LABEL[i], \
     NaN with linespoints lc rgb FG lw 1.1 dt (7,5) pt 6 ps 0.7 title 'A', \
     NaN with linespoints lc rgb FG lw 1.5 pt 7 ps 0.7 title 'B'
eval HEADLESS
unset key

# (b) ratio of rates
set tmargin at screen PY(TOP+370); set bmargin at screen PY(TOP+520)
set yrange [RATIO_LOW:RATIO_HIGH]; set ytics RATIO_STEP; unset mytics
set label 9 'Rate, B / A' at screen PX(25), PY(TOP+445)
set label 5 panel('b', 'ratio of the rates') at screen PX(LEFT), PY(TOP+356)
plot 1 with lines lc rgb ALARM lw 0.9, \
     for [i=NS:1:-1] @PAIRS index PAIRS_AT+int(SHOWN[i]) using 3:6 with linespoints lc rgb COLOR[i] lw 1.4 pt PT[i] ps 0.7 pi -1

# (c) loss: a shelf for exact zero
set tmargin at screen PY(TOP+566); set bmargin at screen PY(TOP+766)
set logscale y; set yrange [LOSS_LOW:LOSS_HIGH]
eval LOSS_TICKS
set label 9 'Frames lost (%)' at screen PX(25), PY(TOP+666)
set label 5 panel('c', 'loss') at screen PX(LEFT), PY(TOP+552)
set arrow 2 from graph 0, first FLOOR*0.5 to graph 1, first FLOOR*0.5 nohead lc rgb REF lw 0.8 dt (3,4)
plot for [i=NS:1:-1] @PAIRS index PAIRS_AT+int(SHOWN[i]) using 3:($7>0 ? $7 : NaN) with lines lc rgb COLOR[i] lw 1.1 dt (7,5), \
     for [i=NS:1:-1] @PAIRS index PAIRS_AT+int(SHOWN[i]) using 3:($7>0 ? $7 : NaN) with points lc rgb COLOR[i] pt PT[i]-1 ps 0.7 lw 0.9, \
     for [i=NS:1:-1] @PAIRS index PAIRS_AT+int(SHOWN[i]) using 3:($8>0 ? $8 : NaN) with linespoints lc rgb COLOR[i] lw 1.5 pt PT[i] ps 0.7 pi -1, \
     for [i=NS:1:-1] @PAIRS index PAIRS_AT+int(SHOWN[i]) using 3:($7==0 ? ZERO : NaN) with points lc rgb COLOR[i] pt PT[i]-1 ps 0.5 lw 0.9, \
     for [i=NS:1:-1] @PAIRS index PAIRS_AT+int(SHOWN[i]) using 3:($8==0 ? ZERO : NaN) with points lc rgb COLOR[i] pt PT[i] ps 0.3
unset arrow 2; unset logscale y

# (d) difference of losses
set tmargin at screen PY(TOP+812); set bmargin at screen PY(TOP+1042)
set yrange [DIFF_LOW:DIFF_HIGH]; set ytics DIFF_STEP
eval X_TICKS
set xlabel 'Requested packet spacing (µs)' tc rgb FG offset 0,X_UP
set label 9 'Loss, B less A (%)' at screen PX(25), PY(TOP+927)
set label 5 panel('d', 'difference of the losses, percentage points') at screen PX(LEFT), PY(TOP+798)
plot 0 with lines lc rgb ALARM lw 0.9, \
     for [i=NS:1:-1] @PAIRS index PAIRS_AT+int(SHOWN[i]) using 3:9 with linespoints lc rgb COLOR[i] lw 1.4 pt PT[i] ps 0.7 pi -1
unset multiplot
set output
