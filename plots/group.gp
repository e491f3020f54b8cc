# ---- senders of a group: rates, losses by location, begins; one row a sender --------------
set multiplot
LEFT = 160.0; WIDE = 205.0; APART = 28.0
UP = TOP + 70; BOTTOM = UP + ROW * N
set yrange [N+0.5:0.5]
set tmargin at screen PY(UP); set bmargin at screen PY(BOTTOM)
set ytics scale 0 ('' 1); set grid xtics noytics back
ytext(i) = '{/*'.(ROW < 20 ? '0.75' : '0.9').' '.NAME[i].'}'
do for [i=1:N] { set ytics add (ytext(i) i) }
HALF = ROW < 20 ? 0.42 : 0.36
set style fill solid 1 noborder
from(k) = LEFT + k * (WIDE + APART)

set lmargin at screen PX(from(0)); set rmargin at screen PX(from(0)+WIDE)
set xrange [X_LOW:X_HIGH]; eval X_TICKS
set xlabel 'On the wire ('.RATE_UNIT.')' tc rgb FG offset 0,X_UP
set label 5 panel('a', 'received; ring: sent') at screen PX(from(0)), PY(UP-14) left tc rgb FG
plot SENDERS index SENDERS_AT using ($3/RATE_ONE/2):1:($3/RATE_ONE/2):(HALF) with boxxyerror lc rgb CAT[1], \
     SENDERS index SENDERS_AT using ($2/RATE_ONE):1 with points pt 7 ps 1.1 lc rgb 'white', \
     SENDERS index SENDERS_AT using ($2/RATE_ONE):1 with points pt 6 ps 1 lw 1.6 lc rgb FG
eval HEADLESS
do for [i=1:N] { set ytics add ('' i) }

set lmargin at screen PX(from(1)); set rmargin at screen PX(from(1)+WIDE)
set xrange [LOSS_LOW:LOSS_HIGH]; eval LOSS_TICKS
set xlabel 'Frames lost (%)' tc rgb FG offset 0,X_UP
set label 5 panel('b', 'lost in') at screen PX(from(1)), PY(UP-14)
set label 6 '{/*0.85 '.LOSS_NOTE.'}' at screen PX(from(1)+WIDE), PY(UP-14) right tc rgb MUTED
array FILL[6]
FILL[1] = '#E69F00'; FILL[2] = '#CC79A7'; FILL[3] = '#56B4E9'; FILL[4] = '#009E73'; FILL[5] = '#0072B2'; FILL[6] = '#D55E00'
array KEYX[6] = [0, 76, 160, 264, 338, 462]
do for [k=1:6] {
	KX = from(1) - 118 + KEYX[k]
	set object k rect from screen PX(KX), screen PY(TOP+34) to screen PX(KX+14), screen PY(TOP+22) fc rgb FILL[k] fs solid noborder
	set label 20+k '{/*0.9 '.PLACE[k].'}' at screen PX(KX+20), PY(TOP+28) left tc rgb FG
}
plot for [k=1:6] SENDERS index SENDERS_AT using ((column(9+k)+column(10+k))/2):1:((column(10+k)-column(9+k))/2):(HALF) with boxxyerror lc rgb FILL[k]
unset label 6; unset object
do for [k=21:26] { unset label k }

set lmargin at screen PX(from(2)); set rmargin at screen PX(from(2)+WIDE)
set xrange [BEGIN_LOW:BEGIN_HIGH]; eval BEGIN_TICKS
set xlabel 'First frame after the begin ('.TIME_UNIT.')' tc rgb FG offset 0,X_UP
set label 5 panel('c', 'begin, with its error') at screen PX(from(2)), PY(UP-14)
plot SENDERS index SENDERS_AT using ($17/TIME_ONE):1:($18/TIME_ONE):($19/TIME_ONE) with xerrorbars pt 7 ps 0.8 lw 1.4 lc rgb CAT[2]
unset multiplot
set output
