# ---- loss patterns: lengths of losses, and distances between them -------------------------
set multiplot
LEFT = 95.0; RIGHT = 878.0; BETWEEN_X = 90.0; PANEL_H = 230.0; BETWEEN_Y = 62.0
PANEL_W = (RIGHT - LEFT - BETWEEN_X) / 2
do for [i=1:STREAMS] {
	top = TOP + 24 + (i - 1) * (PANEL_H + BETWEEN_Y)
	set tmargin at screen PY(top); set bmargin at screen PY(top+PANEL_H)
	# lengths
	set lmargin at screen PX(LEFT); set rmargin at screen PX(LEFT+PANEL_W)
	set logscale xy; set xrange [RUN_LOW:RUN_HIGH]; set yrange [0.6:TIMES_HIGH]
	eval TIMES_TICKS
	if (i < STREAMS) { eval RUN_BARE; unset xlabel } else { eval RUN_TICKS; set xlabel 'Frames lost in a row' tc rgb FG offset 0,X_UP }
	set label 5 panel(word('a c e', i), NAME[i]) at screen PX(LEFT), PY(top-12) left tc rgb FG
	set label 6 '{/*0.85 '.NOTE[i].'}' at screen PX(RIGHT), PY(top-12) right tc rgb MUTED
	set label 9 'Times' at screen PX(25), PY(top+PANEL_H/2) center rotate by 90 tc rgb FG
	plot @CURVE index CURVE_AT+2*i-1 using 2:3 with lines lc rgb ALARM lw 1.2 dt (8,6), \
	     @RUNS index RUNS_AT+i-1 using 2:(0.6):(0):($3-0.6) with vectors nohead lc rgb '#8FB8D9' lw 1.4, \
	     @RUNS index RUNS_AT+i-1 using 2:3 with points pt 7 ps 0.6 lc rgb CAT[1]
	eval HEADLESS
	unset label 5; unset label 6
	# distances
	set lmargin at screen PX(LEFT+PANEL_W+BETWEEN_X); set rmargin at screen PX(RIGHT)
	set xrange [value(sprintf('FAR%d_LOW', i)):value(sprintf('FAR%d_HIGH', i))]
	eval value(sprintf('FAR%d_TICKS', i))
	set yrange [value(sprintf('SHARE%d_LOW', i)):value(sprintf('SHARE%d_HIGH', i))]
	eval value(sprintf('SHARE%d_TICKS', i))
	if (i < STREAMS) { unset xlabel } else { set xlabel 'Frames from one lost to the next' tc rgb FG offset 0,X_UP }
	set label 9 'Share at least as far' at screen PX(LEFT+PANEL_W+BETWEEN_X-62), PY(top+PANEL_H/2)
	set label 5 panel(word('b d f', i), '') at screen PX(LEFT+PANEL_W+BETWEEN_X), PY(top-12) left tc rgb FG
	plot @CURVE index CURVE_AT+2*i-2 using 2:3 with lines lc rgb ALARM lw 1.2 dt (8,6), \
	     @GAPS index GAPS_AT+i-1 using 2:3 with fsteps lc rgb CAT[1] lw 1.5, \
	     @GAPS index GAPS_AT+i-1 using 2:3 every ::0::0 with points pt 7 ps 0.6 lc rgb CAT[1]
}
unset multiplot
set output
