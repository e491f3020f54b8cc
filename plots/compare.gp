# ---- two runs against spacing: rate and ratio, loss and difference ----------------------
set multiplot
LEFT = 95.0; RIGHT = 742.0
set lmargin at screen PX(LEFT); set rmargin at screen PX(RIGHT)
if (XLOG) set logscale x
set xrange [X_LOW:X_HIGH]
eval X_BARE

# (a) rate
set tmargin at screen PY(TOP+24); set bmargin at screen PY(TOP+324)
set yrange [RATE_LOW:RATE_HIGH]
if (RATE_LOG) set logscale y
eval RATE_TICKS
rate(v) = v > 0 ? v/RATE_ONE : v == 0 ? RATE_LOW : NaN
size(b) = b ? 0.8 : 0.5
set label 9 'Received wire rate ('.RATE_UNIT.')' at screen PX(25), PY(TOP+174) center rotate by 90 tc rgb FG
set label 5 panel('a', RATE_LOG ? 'rate, logarithmic' : 'rate') at screen PX(LEFT), PY(TOP+10) left tc rgb FG
set key at screen PX(RIGHT+16), PY(TOP+24) left top reverse Left samplen 2.2 spacing 1.25 title 'UDP payload (B)' left
plot for [i=NS:1:-1] @PAIRS index PAIRS_AT+int(SHOWN[i]) using 3:($2>0 ? rate($4) : NaN) with lines lc rgb COLOR[i] lw 1.1 dt (7,5), \
     for [i=NS:1:-1] @PAIRS index PAIRS_AT+int(SHOWN[i]) using 3:($2>0 ? rate($5) : NaN) with lines lc rgb COLOR[i] lw 1.5, \
     for [i=NS:1:-1] for [b=0:1] for [h=0:2] @PAIRS index PAIRS_AT+int(SHOWN[i]) using 3:(h == 0 || column(10+b)>0 ? rate(column(4+b)) : NaN) @MARKS ps size(b), \
     for [i=NS:1:-1] NaN with linespoints lc rgb COLOR[i] lw 1.5 pt PT[i] ps 0.8 title LABEL[i], \
     NaN with linespoints lc rgb FG lw 1.1 dt (7,5) pt 7 ps 0.45 title 'A', \
     NaN with linespoints lc rgb FG lw 1.5 pt 7 ps 0.8 title 'B', \
     @DEGRADED_KEY
eval HEADLESS
unset key; unset logscale y

# (b) ratio of rates
set tmargin at screen PY(TOP+370); set bmargin at screen PY(TOP+520)
set yrange [RATIO_LOW:RATIO_HIGH]; eval RATIO_TICKS
set label 9 'Rate, B / A' at screen PX(25), PY(TOP+445)
set label 5 panel('b', 'ratio of the rates') at screen PX(LEFT), PY(TOP+356)
plot 1 with lines lc rgb ALARM lw 0.9, \
     for [i=NS:1:-1] @PAIRS index PAIRS_AT+int(SHOWN[i]) using (dodge($3, i)):6 with lines lc rgb COLOR[i] lw 1.4, \
     for [i=NS:1:-1] for [h=0:2] @PAIRS index PAIRS_AT+int(SHOWN[i]) using (dodge($3, i)):(h == 0 || $10+$11>0 ? $6 : NaN) @MARKS ps 0.7

# (c) loss: a shelf for exact zero
set tmargin at screen PY(TOP+566); set bmargin at screen PY(TOP+766)
set logscale y; set yrange [LOSS_LOW:LOSS_HIGH]
eval LOSS_TICKS
zero(i) = ZERO * ZERO_STEP**(i - (NS+1)/2.0)
set label 9 'Frames lost (%)' at screen PX(25), PY(TOP+666)
set label 5 panel('c', 'loss') at screen PX(LEFT), PY(TOP+552)
set arrow 2 from graph 0, first FLOOR*0.5 to graph 1, first FLOOR*0.5 nohead lc rgb REF lw 0.8 dt (3,4)
plot for [i=NS:1:-1] @PAIRS index PAIRS_AT+int(SHOWN[i]) using 3:($7>0 ? $7 : NaN) with lines lc rgb COLOR[i] lw 1.1 dt (7,5), \
     for [i=NS:1:-1] @PAIRS index PAIRS_AT+int(SHOWN[i]) using 3:($8>0 ? $8 : NaN) with lines lc rgb COLOR[i] lw 1.5, \
     for [i=NS:1:-1] for [b=0:1] for [h=0:2] @PAIRS index PAIRS_AT+int(SHOWN[i]) using 3:(column(7+b)>0 && (h == 0 || column(10+b)>0) ? column(7+b) : NaN) @MARKS ps size(b), \
     for [i=NS:1:-1] for [b=0:1] for [h=0:2] @PAIRS index PAIRS_AT+int(SHOWN[i]) using 3:(column(7+b)==0 && (h == 0 || column(10+b)>0) ? zero(i-0.2+0.4*b) : NaN) @MARKS ps 0.75*size(b)
unset arrow 2; unset logscale y

# (d) difference of losses
set tmargin at screen PY(TOP+812); set bmargin at screen PY(TOP+1042)
set yrange [DIFF_LOW:DIFF_HIGH]; eval DIFF_TICKS
eval X_TICKS
set xlabel 'Requested spacing (µs)' tc rgb FG offset 0,X_UP
set label 9 'Loss, B less A (%)' at screen PX(25), PY(TOP+927)
set label 5 panel('d', 'difference of the losses, percentage points') at screen PX(LEFT), PY(TOP+798)
plot 0 with lines lc rgb ALARM lw 0.9, \
     for [i=NS:1:-1] @PAIRS index PAIRS_AT+int(SHOWN[i]) using (dodge($3, i)):9 with lines lc rgb COLOR[i] lw 1.4, \
     for [i=NS:1:-1] for [h=0:2] @PAIRS index PAIRS_AT+int(SHOWN[i]) using (dodge($3, i)):(h == 0 || $10+$11>0 ? $9 : NaN) @MARKS ps 0.7
unset multiplot
set output
