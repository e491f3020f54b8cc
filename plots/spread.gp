# ---- arrival gap less requested spacing, against spacing: one panel a size ----------
set multiplot
LEFT = 95.0; RIGHT = 730.0; BETWEEN_X = 34.0; BETWEEN_Y = 46.0
ROWS = (PANELS + COLS - 1) / COLS
PANEL_W = (RIGHT - LEFT - BETWEEN_X * (COLS - 1)) / COLS
left_of(i) = LEFT + ((i - 1) % COLS) * (PANEL_W + BETWEEN_X)
top_of(i) = TOP + 24 + ((i - 1) / COLS) * (PANEL_H + BETWEEN_Y)
# linear around 0, logarithmic beyond
place(v) = asinh(v / LINEAR)
if (XLOG) set logscale x
set xrange [X_LOW:X_HIGH]
set yrange [place(Y_LOW):place(Y_HIGH)]
set label 9 'Arrival gap less requested (µs)' at screen PX(25), PY(TOP+24+(ROWS*(PANEL_H+BETWEEN_Y)-BETWEEN_Y)/2) center rotate by 90 tc rgb FG
set label 8 'Requested spacing (µs)' at screen PX((LEFT+RIGHT)/2), PY(TOP+24+ROWS*(PANEL_H+BETWEEN_Y)-BETWEEN_Y+42) center tc rgb FG
set key at screen PX(RIGHT+14), PY(TOP+24) left top reverse Left samplen 1.8 spacing 1.3
do for [i=1:PANELS] {
	set lmargin at screen PX(left_of(i)); set rmargin at screen PX(left_of(i)+PANEL_W)
	set tmargin at screen PY(top_of(i)); set bmargin at screen PY(top_of(i)+PANEL_H)
	if (i + COLS > PANELS) { eval X_TICKS } else { eval X_BARE }
	if ((i - 1) % COLS == 0) { eval Y_TICKS } else { eval Y_BARE }
	set label 5 panel(word('a b c d e f', i), NAME[i]) at screen PX(left_of(i)), PY(top_of(i)-12) left tc rgb FG
	plot @SPREAD index SPREAD_AT+i-1 using 2:(place($5)):(place($7)) with filledcurves lc rgb '#D6E4F0' title (i == 1 ? 'p1 to p99' : ''), \
	     @SPREAD index SPREAD_AT+i-1 using 2:(place($5)):(0):(place($7)-place($5)) with vectors nohead lc rgb '#8FB8D9' lw 1, \
	     @SPREAD index SPREAD_AT+i-1 using 2:(place($9)) with lines lc rgb MUTED lw 1 dt (6,5) title (i == 1 ? 'as it was sent' : ''), \
	     @SPREAD index SPREAD_AT+i-1 using 2:(place($10)) with lines lc rgb MUTED lw 1 dt (6,5), \
	     @SPREAD index SPREAD_AT+i-1 using 2:(place($12)) with lines lc rgb FG lw 1 dt (1.5,3) title (i == 1 && LEFT_HOST ? 'as it left the host' : ''), \
	     @SPREAD index SPREAD_AT+i-1 using 2:(place($13)) with lines lc rgb FG lw 1 dt (1.5,3), \
	     0 with lines lc rgb ALARM lw 0.9 title (i == 1 ? 'requested' : ''), \
	     @SPREAD index SPREAD_AT+i-1 using 2:(place($6)) with linespoints lc rgb CAT[1] lw 1.5 pt 7 ps 0.8 pi -1 title (i == 1 ? 'median' : ''), \
	     @SPREAD index SPREAD_AT+i-1 using 2:($11>0 ? place($6) : NaN) @HOLLOW ps 0.35, \
	     @DEGRADED_KEY
	eval HEADLESS
	unset label 8; unset label 9; unset key
}
unset multiplot
set output
