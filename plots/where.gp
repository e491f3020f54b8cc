# ---- loss locations: one bar a spacing --------------------------------------------------
set multiplot
LEFT = 95.0; RIGHT = 712.0
set lmargin at screen PX(LEFT); set rmargin at screen PX(RIGHT)
set xrange [0.5:COLUMNS+0.5]
eval X_BARE
set xtics scale 0.3
set grid noxtics ytics back
set style fill solid 1.0 noborder
HALF = COLUMNS > 60 ? 0.5 : 0.45
array FILL[6]
FILL[1] = '#E69F00'; FILL[2] = '#CC79A7'; FILL[3] = '#56B4E9'; FILL[4] = '#009E73'; FILL[5] = '#0072B2'; FILL[6] = '#D55E00'
set label 20 'Lost in' at screen PX(RIGHT+24), PY(TOP+30) left tc rgb FG
do for [k=1:6] {
	KY = TOP + 30 + 24 * k
	set object k rect from screen PX(RIGHT+24), screen PY(KY+6) to screen PX(RIGHT+42), screen PY(KY-6) fc rgb FILL[k] fs solid noborder
	set label 20+k PLACE[k] at screen PX(RIGHT+50), PY(KY) left tc rgb FG
}
set label 27 '{/*0.85 pale: likely, not proved}' at screen PX(RIGHT+24), PY(TOP+30+24*7) left tc rgb MUTED
if (DEGRADED) set label 28 '' at screen PX(RIGHT+33), PY(TOP+30+24*8) point pt 6 ps 0.8 lw 1.2 lc rgb FG; \
	set label 29 '{/*0.85 degraded}' at screen PX(RIGHT+50), PY(TOP+30+24*8) left tc rgb MUTED
do for [i=1:PANELS] {
	T = TOP + 24 + 186 * (i-1)
	set tmargin at screen PY(T); set bmargin at screen PY(T+140)
	set yrange [0:value(sprintf('Y%d_HIGH', i))]; eval value(sprintf('Y%d_TICKS', i))
	set label 5 panel(word('a b c', i), NAME[i].' B') at screen PX(LEFT), PY(T-14) left tc rgb FG
	set label 9 'Frames (%)' at screen PX(25), PY(T+70) center rotate by 90 tc rgb FG
	if (i == PANELS) { eval X_TICKS; set xlabel 'Requested spacing ('.X_UNIT.')' tc rgb FG offset 0,X_UP }
	plot for [k=1:6] WHERE index WHERE_AT+i-1 using 1:(column(10+k)):($1-HALF):($1+HALF):(column(9+k)):(column(9+k)+column(16+k)) with boxxyerror lc rgb FILL[k], \
	     for [k=1:6] WHERE index WHERE_AT+i-1 using 1:(column(10+k)):($1-HALF):($1+HALF):(column(9+k)+column(16+k)):(column(10+k)) with boxxyerror lc rgb FILL[k] fs solid 0.35, \
	     WHERE index WHERE_AT+i-1 using 1:($23>0 ? value(sprintf('Y%d_HIGH', i))*0.05 : NaN) @HOLLOW ps 1, \
	     WHERE index WHERE_AT+i-1 using 1:($23>0 ? value(sprintf('Y%d_HIGH', i))*0.05 : NaN) with points pt 6 ps 0.8 lw 1.2 lc rgb FG
	eval HEADLESS
	unset object
	do for [k=20:29] { unset label k }
}
unset multiplot
set output
