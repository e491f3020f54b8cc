# ---- time of the busiest core of each host, by use --------------------------------------
set multiplot
set yrange [0:100]
set xrange [0.5:COLUMNS+0.5]
set xtics scale 0.3
set grid noxtics ytics back
HALF = COLUMNS > 60 ? 0.5 : 0.45
SOFT = '#E69F00'; SYST = '#56B4E9'; USER = '#009E73'
set style fill solid 1.0 noborder
GAP = 40.0; WIDE = (W - 95 - 140 - GAP * (PANELS - 1)) / PANELS
# key of the four colours, to the right of the panels
do for [k=1:3] {
	KX = W - 122; KY = TOP + 24 + 22 * k
	set object k rect from screen PX(KX), screen PY(KY+6) to screen PX(KX+18), screen PY(KY-6) fc rgb word(SOFT.' '.SYST.' '.USER, 4-k) fs solid noborder
	set label 20+k word('softirq system user', 4-k) at screen PX(KX+26), PY(KY) left tc rgb FG
}
set label 20 'Core time' at screen PX(W-122), PY(TOP+24) left tc rgb FG
set label 24 '{/*0.9 (the rest is idle)}' at screen PX(W-122), PY(TOP+116) left tc rgb MUTED
if (DEGRADED) set label 25 '' at screen PX(W-113), PY(TOP+140) point pt 6 ps 0.8 lw 1.2 lc rgb FG; \
	set label 26 '{/*0.9 degraded}' at screen PX(W-96), PY(TOP+140) left tc rgb FG
do for [i=1:PANELS] {
	L = 95 + (i-1) * (WIDE + GAP)
	set lmargin at screen PX(L); set rmargin at screen PX(L+WIDE)
	if (i > 1) { set format y '' } else { set format y '%g' }
	eval X_BARE
	unset xlabel
	set tmargin at screen PY(TOP+24); set bmargin at screen PY(TOP+214)
	set label 5 panel(word('a b', i), NAME[i].' B, receiver') at screen PX(L), PY(TOP+10) left tc rgb FG
	set ytics 0, 20
	if (i == 1) { set label 9 'Busiest core (%)' at screen PX(25), PY(TOP+119) center rotate by 90 tc rgb FG } else { unset label 9 }
	plot LOAD index LOAD_AT+i-1 using 1:($4*0.5):($1-HALF):($1+HALF):(0):4 with boxxyerror lc rgb SOFT, \
	     LOAD index LOAD_AT+i-1 using 1:4:($1-HALF):($1+HALF):4:($4+$5) with boxxyerror lc rgb SYST, \
	     LOAD index LOAD_AT+i-1 using 1:4:($1-HALF):($1+HALF):($4+$5):($4+$5+$6) with boxxyerror lc rgb USER, \
	     LOAD index LOAD_AT+i-1 using 1:($10>0 && $4==$4 ? 4 : NaN) @HOLLOW ps 1, \
	     LOAD index LOAD_AT+i-1 using 1:($10>0 && $4==$4 ? 4 : NaN) with points pt 6 ps 0.8 lw 1.2 lc rgb FG
	eval HEADLESS
	unset object
	do for [k=20:26] { unset label k }
	set tmargin at screen PY(TOP+264); set bmargin at screen PY(TOP+454)
	set label 5 panel(word('b c d', PANELS + i - 1), NAME[i].' B, sender') at screen PX(L), PY(TOP+250)
	if (i == 1) { set label 9 'Busiest core (%)' at screen PX(25), PY(TOP+359) }
	eval X_TICKS
	set xlabel 'Requested spacing ('.X_UNIT.')' tc rgb FG offset 0,X_UP
	plot LOAD index LOAD_AT+i-1 using 1:($7*0.5):($1-HALF):($1+HALF):(0):7 with boxxyerror lc rgb SOFT, \
	     LOAD index LOAD_AT+i-1 using 1:7:($1-HALF):($1+HALF):7:($7+$8) with boxxyerror lc rgb SYST, \
	     LOAD index LOAD_AT+i-1 using 1:7:($1-HALF):($1+HALF):($7+$8):($7+$8+$9) with boxxyerror lc rgb USER, \
	     LOAD index LOAD_AT+i-1 using 1:($10>0 && $7==$7 ? 4 : NaN) @HOLLOW ps 1, \
	     LOAD index LOAD_AT+i-1 using 1:($10>0 && $7==$7 ? 4 : NaN) with points pt 6 ps 0.8 lw 1.2 lc rgb FG
}
unset multiplot
set output
