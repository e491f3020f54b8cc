# ---- loss in the network, and loss in the hosts ----------------------------------
set multiplot
LEFT = 95.0; RIGHT = 742.0
set lmargin at screen PX(LEFT); set rmargin at screen PX(RIGHT)
if (XLOG) set logscale x
set xrange [X_LOW:X_HIGH]
set logscale y; set yrange [LOSS_LOW:LOSS_HIGH]
eval LOSS_TICKS
zero(i) = ZERO * ZERO_STEP**(i - (NS+1)/2.0)
eval X_BARE
set arrow 2 from graph 0, first FLOOR*0.5 to graph 1, first FLOOR*0.5 nohead lc rgb REF lw 0.8 dt (3,4)
set label 6 '{/*0.85 '.FLOOR_NOTE.'}' at screen PX(RIGHT), PY(TOP+10) right tc rgb MUTED

set tmargin at screen PY(TOP+24); set bmargin at screen PY(TOP+239)
set label 9 'Lost in the network (%)' at screen PX(25), PY(TOP+131) center rotate by 90 tc rgb FG
set label 5 panel('a', 'network: frames that neither host counted') at screen PX(LEFT), PY(TOP+10) left tc rgb FG
set key at screen PX(RIGHT+16), PY(TOP+24) left top reverse Left maxrows 12 samplen 2.2 spacing 1.25 title 'UDP payload (B)' left
plot for [i=NS:1:-1] @POINTS index POINTS_AT+SHOWN[i]-1 using (dodge($3, i)):($6>$5 ? ($4>0 ? $4 : zero(i)) : NaN):($5>0 ? $5 : zero(i)):($6>0 ? $6 : zero(i)) with yerrorbars lc rgb COLOR[i] lw 0.8 pt 7 ps 0, \
     for [i=NS:1:-1] @POINTS index POINTS_AT+SHOWN[i]-1 using (dodge($3, i)):($4>0 ? $4 : NaN) with lines lc rgb COLOR[i] lw 1.5, \
     for [i=NS:1:-1] for [h=0:2] @POINTS index POINTS_AT+SHOWN[i]-1 using (dodge($3, i)):($4>0 && (h == 0 || $10>0) ? $4 : NaN) @MARKS ps 0.75, \
     for [i=NS:1:-1] for [h=0:2] @POINTS index POINTS_AT+SHOWN[i]-1 using (dodge($3, i)):($4==0 && (h == 0 || $10>0) ? zero(i) : NaN) @MARKS ps 0.55, \
     for [i=NS:1:-1] NaN with linespoints lc rgb COLOR[i] lw 1.5 pt PT[i] ps 0.75 title LABEL[i], \
     @DEGRADED_KEY
eval HEADLESS
unset label 6; unset key

set tmargin at screen PY(TOP+285); set bmargin at screen PY(TOP+500)
eval X_TICKS
set xlabel 'Requested spacing ('.X_UNIT.')' tc rgb FG offset 0,X_UP
set label 9 'Lost in the hosts (%)' at screen PX(25), PY(TOP+392)
set label 5 panel('b', 'hosts: sockets, queues, rings') at screen PX(LEFT), PY(TOP+271)
plot for [i=NS:1:-1] @POINTS index POINTS_AT+SHOWN[i]-1 using (dodge($3, i)):($9>$8 ? ($7>0 ? $7 : zero(i)) : NaN):($8>0 ? $8 : zero(i)):($9>0 ? $9 : zero(i)) with yerrorbars lc rgb COLOR[i] lw 0.8 pt 7 ps 0, \
     for [i=NS:1:-1] @POINTS index POINTS_AT+SHOWN[i]-1 using (dodge($3, i)):($7>0 ? $7 : NaN) with lines lc rgb COLOR[i] lw 1.5, \
     for [i=NS:1:-1] for [h=0:2] @POINTS index POINTS_AT+SHOWN[i]-1 using (dodge($3, i)):($7>0 && (h == 0 || $10>0) ? $7 : NaN) @MARKS ps 0.75, \
     for [i=NS:1:-1] for [h=0:2] @POINTS index POINTS_AT+SHOWN[i]-1 using (dodge($3, i)):($7==0 && (h == 0 || $10>0) ? zero(i) : NaN) @MARKS ps 0.55
unset multiplot
set output
