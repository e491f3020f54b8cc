# ---- counters of the hosts, against spacing ----------------------------------------------
set multiplot
LEFT = 95.0; RIGHT = 742.0
set lmargin at screen PX(LEFT); set rmargin at screen PX(RIGHT)
if (XLOG) set logscale x
set xrange [X_LOW:X_HIGH]
eval X_BARE
# The key is drawn here, because gnuplot would reduce its columns in a low panel.
set label 30 'UDP payload (B)' at screen PX(RIGHT+20), PY(TOP+30) left tc rgb FG
do for [i=1:NS] {
	KY = TOP + 34 + 21 * (NS - i + 1)
	set label 30+i LABEL[i] at screen PX(RIGHT+30), PY(KY) left offset 1.6,0 tc rgb FG point pt PT[i] ps 0.9 lc rgb COLOR[i]
}
if (DEGRADED) set label 39 'degraded' at screen PX(RIGHT+30), PY(TOP+34+21*(NS+1)) left offset 1.6,0 tc rgb FG point pt 6 ps 0.8 lw 1.2 lc rgb MUTED
do for [k=1:PANELS] {
	T = TOP + 24 + 176 * (k-1)
	set tmargin at screen PY(T); set bmargin at screen PY(T+130)
	set yrange [0:value(sprintf('Y%d_HIGH', k))]; eval value(sprintf('Y%d_TICKS', k))
	set label 5 panel(word('a b c d e', k), NAME[k]) at screen PX(LEFT), PY(T-14) left tc rgb FG
	set label 9 AXIS[k] at screen PX(25), PY(T+65) center rotate by 90 tc rgb FG
	if (k == PANELS) { eval X_TICKS; set xlabel 'Requested spacing ('.X_UNIT.')' tc rgb FG offset 0,X_UP }
	plot for [i=NS:1:-1] COUNTS index COUNTS_AT+SHOWN[i]-1 using 3:(column(4+k)/ONE[k]) with lines lc rgb COLOR[i] lw 1.5, \
	     for [i=NS:1:-1] for [h=0:2] COUNTS index COUNTS_AT+SHOWN[i]-1 every PI_EVERY using 3:(h == 0 || $4>0 ? column(4+k)/ONE[k] : NaN) @MARKS ps 0.8
	eval HEADLESS
	do for [i=30:30+NS] { unset label i }
	unset label 39
}
unset multiplot
set output
