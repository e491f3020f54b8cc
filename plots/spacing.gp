# ---- received rate, loss and order against spacing -----------------------------
set multiplot
LEFT = 95.0; RIGHT = 742.0
set lmargin at screen PX(LEFT); set rmargin at screen PX(RIGHT)
if (XLOG) set logscale x
set xrange [X_LOW:X_HIGH]
PI = -PI_EVERY
eval X_BARE

# (a) rate
set tmargin at screen PY(TOP+24); set bmargin at screen PY(TOP+374)
set yrange [RATE_LOW:RATE_HIGH]
if (RATE_LOG) set logscale y
eval RATE_TICKS
rate(v) = v > 0 ? v/RATE_ONE : v == 0 ? RATE_LOW : NaN
set label 9 'Received wire rate ('.RATE_UNIT.')' at screen PX(25), PY(TOP+199) center rotate by 90 tc rgb FG
set label 5 panel('a', RATE_LOG ? 'rate, logarithmic' : 'rate') at screen PX(LEFT), PY(TOP+10) left tc rgb FG
if (LINE_SHOWN) {
	set arrow 1 from graph 0, first LINE to graph 1, first LINE nohead lc rgb FG lw 0.8 dt (12,8) back
	set label 6 '{/*0.85 line rate}' at graph 0.995, first LINE offset 0,0.6 right tc rgb FG
}
if (strlen(LINE_NOTE) > 0) set label 6 '{/*0.85 '.LINE_NOTE.'}' at graph 0.995, graph 1 offset 0,0.4 right tc rgb MUTED
if (strlen(EMPTY) > 0) set label 7 EMPTY at graph 0.5, graph 0.5 center tc rgb MUTED
set key at screen PX(RIGHT+16), PY(TOP+24) left top reverse Left maxrows 12 samplen 2.2 spacing 1.25 title 'UDP payload (B)' left
plot for [i=1:NS] @OFFERED index OFFERED_AT+i-1 using 1:2 with lines lc rgb REF lw 0.7 dt (6,6), \
     for [i=NS:1:-1] @LINES index LINES_AT+i-1 using 1:2 with lines lc rgb COLOR[i] lw 1.5, \
     for [i=NS:1:-1] @POINTS index POINTS_AT+SHOWN[i]-1 using 3:(rate($4)):(rate($5)):(rate($6)) with yerrorbars lc rgb COLOR[i] lw 0.8 pt 7 ps 0, \
     for [i=NS:1:-1] @POINTS index POINTS_AT+SHOWN[i]-1 every PI_EVERY using 3:(rate($4)) with points lc rgb 'white' pt 7 ps 1.15, \
     for [i=NS:1:-1] for [h=0:2] @POINTS index POINTS_AT+SHOWN[i]-1 every PI_EVERY using 3:(h == 0 || $15>0 ? rate($4) : NaN) @MARKS ps 0.8, \
     for [i=NS:1:-1] NaN with linespoints lc rgb COLOR[i] lw 1.5 pt PT[i] ps 0.8 title LABEL[i], \
     NaN with lines lc rgb REF lw 0.9 dt (6,6) title 'offered', \
     @DEGRADED_KEY
eval HEADLESS
unset label 6; unset arrow 1; unset key; unset logscale y

# (b) loss: a shelf for exact zero; the lowest panel if no frames were reordered
x_axis = "eval X_TICKS; set xlabel 'Requested spacing ('.X_UNIT.')' tc rgb FG offset 0,X_UP"
if (ORDER_MOST == 0) {
	eval x_axis
	set label 10 '{/*0.85 no frame was reordered}' at screen PX(RIGHT+16), PY(TOP+420) left tc rgb MUTED
}
set tmargin at screen PY(TOP+420); set bmargin at screen PY(TOP+622)
set logscale y; set yrange [LOSS_LOW:LOSS_HIGH]
eval LOSS_TICKS
zero(i) = ZERO * ZERO_STEP**(i - (NS+1)/2.0)
set label 9 'Frames lost (%)' at screen PX(25), PY(TOP+521)
set label 5 panel('b', 'loss') at screen PX(LEFT), PY(TOP+406)
set arrow 2 from graph 0, first FLOOR*0.5 to graph 1, first FLOOR*0.5 nohead lc rgb REF lw 0.8 dt (3,4)
set label 6 '{/*0.85 '.FLOOR_NOTE.'}' at screen PX(RIGHT), PY(TOP+406) right tc rgb MUTED
plot for [i=NS:1:-1] @POINTS index POINTS_AT+SHOWN[i]-1 using (dodge($3, i)):($8>0 ? $8 : NaN):($9>0 ? $9 : zero(i)):($10>0 ? $10 : zero(i)) with yerrorbars lc rgb COLOR[i] lw 0.8 pt 7 ps 0, \
     for [i=NS:1:-1] @POINTS index POINTS_AT+SHOWN[i]-1 using (dodge($3, i)):($8>0 ? $8 : NaN) with lines lc rgb COLOR[i] lw 1.5, \
     for [i=NS:1:-1] for [h=0:2] @POINTS index POINTS_AT+SHOWN[i]-1 using (dodge($3, i)):($8>0 && (h == 0 || $15>0) ? $8 : NaN) @MARKS ps 0.75, \
     for [i=NS:1:-1] for [h=0:2] @POINTS index POINTS_AT+SHOWN[i]-1 using 3:($8==0 && (h == 0 || $15>0) ? zero(i) : NaN) @MARKS ps 0.55
unset label 6; unset arrow 2; unset logscale y

# (c) order: one row a size, dot area = frames
if (ORDER_MOST > 0) {
set tmargin at screen PY(TOP+668); set bmargin at screen PY(TOP+828)
set yrange [0.3:NS+0.7]; set ytics scale 0 ('' 1)
do for [i=1:NS] { set ytics add (LABEL[i] i) }
eval x_axis
set label 9 'Payload (B)' at screen PX(25), PY(TOP+748)
set label 5 panel('c', 'order: the area of a dot is the number of frames') at screen PX(LEFT), PY(TOP+654)
dot(v) = 0.28 + 1.5 * sqrt(v / ORDER_MOST) * (PI_EVERY > 1 ? 0.7 : 1)
set key at screen PX(RIGHT+16), PY(TOP+668) left top reverse Left maxrows 12 samplen 1.2 spacing 1.3 title 'Reordered frames' left
plot for [i=1:NS] @POINTS index POINTS_AT+SHOWN[i]-1 using 3:($11>0 ? i : NaN):(dot($11>0 ? $11 : 1)) with points pt 7 ps variable lc rgb COLOR[i], \
     for [k=1:ORDER_KEYS] NaN with points pt 7 ps dot(ORDER_KEY[k]) lc rgb MUTED title ORDER_NAME[k]
}
unset multiplot
set output
