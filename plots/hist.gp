# ---- histograms with the same axes: boxes and outline, counts on a log axis ------
set multiplot
LEFT = 95.0; RIGHT = 878.0; BETWEEN_X = 34.0; BETWEEN_Y = 46.0
ROWS = (PANELS + COLS - 1) / COLS
PANEL_W = (RIGHT - LEFT - BETWEEN_X * (COLS - 1)) / COLS
left_of(i) = LEFT + ((i - 1) % COLS) * (PANEL_W + BETWEEN_X)
top_of(i) = TOP + 24 + ((i - 1) / COLS) * (PANEL_H + BETWEEN_Y)
FILL = '#8FB8D9'
set style fill solid 1.0 border lc rgb FILL
set xrange [X_LOW:X_HIGH]
set logscale y; set yrange [0.6:Y_TOP]
set label 9 Y_NAME at screen PX(25), PY(TOP+24+(ROWS*(PANEL_H+BETWEEN_Y)-BETWEEN_Y)/2) center rotate by 90 tc rgb FG
set label 8 X_NAME at screen PX((LEFT+RIGHT)/2), PY(TOP+24+ROWS*(PANEL_H+BETWEEN_Y)-BETWEEN_Y+42) center tc rgb FG
do for [i=1:PANELS] {
	set lmargin at screen PX(left_of(i)); set rmargin at screen PX(left_of(i)+PANEL_W)
	set tmargin at screen PY(top_of(i)); set bmargin at screen PY(top_of(i)+PANEL_H)
	if (i + COLS > PANELS) { eval X_TICKS } else { eval X_BARE }
	if ((i - 1) % COLS == 0) { eval Y_TICKS } else { eval Y_BARE }
	set label 5 panel(word('a b c d e f g h i j k l', i), NAME[i]) at screen PX(left_of(i)), PY(top_of(i)-12) left tc rgb FG
	set label 6 '{/*0.85 '.NOTE[i].'}' at screen PX(left_of(i)+PANEL_W), PY(top_of(i)-12) right tc rgb MUTED
	if (MARK[i] == MARK[i]) {
		set arrow 1 from first MARK[i], graph 0 to first MARK[i], graph 1 nohead lc rgb ALARM lw 1.1 dt (8,5) front
		if (i == MARK_AT) { set label 7 '{/*0.85 '.MARK_NAME.'}' at first MARK[i], graph 0.92 left offset 0.6,0 tc rgb ALARM front }
	}
	plot @BINS index BINS_AT+i-1 using 2:($3>0 ? $3 : 0.1):(BW) with boxes lc rgb FILL, \
	     @BINS index BINS_AT+i-1 using 2:($3>0 ? $3 : 0.6) with histeps lc rgb CAT[1] lw 1.1
	eval HEADLESS
	unset label 7; unset label 8; unset label 9; unset arrow 1
}
unset multiplot
set output
