# ---- rate, loss and delay over time ------------------------------------------------------
set multiplot
LEFT = 95.0; RIGHT = 742.0
set lmargin at screen PX(LEFT); set rmargin at screen PX(RIGHT)
if (UTC) set xdata time
set timefmt '%s'
set xrange [T_LOW:T_HIGH]; set xtics T_STEP
set format x ''
at(t) = START + t

# (a) rate
set tmargin at screen PY(TOP+24); set bmargin at screen PY(TOP+214)
set yrange [0:RATE_HIGH]; eval RATE_TICKS
set label 9 'Received user data ('.RATE_UNIT.')' at screen PX(25), PY(TOP+119) center rotate by 90 tc rgb FG
set key at screen PX(RIGHT+14), PY(TOP+24) left top reverse Left samplen 1.6
set label 5 panel('a', 'rate') at screen PX(LEFT), PY(TOP+10) left tc rgb FG
plot @TIME using (at($1)):($2/RATE_ONE) with lines lc rgb CAT[1] lw 1.3, \
     @TIME using (at($1)):(POINTS ? $2/RATE_ONE : NaN) with points pt 7 ps 0.8 lc rgb CAT[1], \
     @TIME using (at($1)):($9>0 ? $2/RATE_ONE : NaN) @HOLLOW ps 0.35, \
     @DEGRADED_KEY
eval HEADLESS
unset key

# (b) loss: a shelf for exact zero
set tmargin at screen PY(TOP+260); set bmargin at screen PY(TOP+380)
set logscale y; set yrange [LOSS_LOW:LOSS_HIGH]
eval LOSS_TICKS
if (!HAS_DELAY) { set format x T_FORMAT; set xlabel (UTC ? 'Time (UTC)' : 'Time (s)') tc rgb FG offset 0,X_UP }
set label 9 'Frames lost (%)' at screen PX(25), PY(TOP+320)
set label 5 panel('b', 'loss') at screen PX(LEFT), PY(TOP+246)
set label 6 '{/*0.85 '.LOST_NOTE.'}' at screen PX(RIGHT), PY(TOP+246) right tc rgb MUTED
set arrow 2 from graph 0, first FLOOR*0.5 to graph 1, first FLOOR*0.5 nohead lc rgb REF lw 0.8 dt (3,4)
plot @TIME using (at($1)):($5>0 ? ZERO : NaN):(0):($5-ZERO) with vectors nohead lc rgb ALARM lw 1.2, \
     @TIME using (at($1)):($5>0 ? $5 : NaN) with points pt 7 ps 0.45 lc rgb ALARM, \
     @TIME using (at($1)):($5==0 ? ZERO : NaN) with points pt 7 ps 0.22 lc rgb CAT[1]
unset label 6; unset arrow 2

# (c) delay
if (HAS_DELAY) {
	set tmargin at screen PY(TOP+426); set bmargin at screen PY(TOP+604)
	set format x T_FORMAT; set xlabel (UTC ? 'Time (UTC)' : 'Time (s)') tc rgb FG offset 0,X_UP
	set yrange [OWD_LOW:OWD_HIGH]
	eval OWD_TICKS
	keep(v) = v < OWD_LOW ? OWD_LOW : v
	set label 9 'Delay above lowest (µs)' at screen PX(25), PY(TOP+515)
	set label 5 panel('c', 'one-way delay above its lowest') at screen PX(LEFT), PY(TOP+412)
	set key at screen PX(RIGHT+14), PY(TOP+426) left top reverse Left samplen 1.6 spacing 1.3
	if (!QUANTILES) {
		plot @TIME using (at($1)):(keep($8)) with linespoints pt 7 ps 0.4 lc rgb CAT[1] lw 1.3 title 'highest'
	} else { if (POINTS) {
		plot @TIME using (at($1)):(keep($7)):(0):(keep($8)-keep($7)) with vectors nohead lc rgb '#C3D8EA' lw 5 title 'p99 to highest', \
		     @TIME using (at($1)):(keep($6)):(0):(keep($7)-keep($6)) with vectors nohead lc rgb '#8FB8D9' lw 5 title 'median to p99', \
		     @TIME using (at($1)):(keep($6)) with points pt 7 ps 0.6 lc rgb CAT[1] title 'median'
	} else {
		plot @TIME using (at($1)):(keep($7)):(keep($8)) with filledcurves lc rgb '#D6E4F0' title 'p99 to highest', \
		     @TIME using (at($1)):(keep($6)):(keep($7)) with filledcurves lc rgb '#A9CBE3' title 'median to p99', \
		     @TIME using (at($1)):(keep($8)) with lines lc rgb '#8FB8D9' lw 0.7, \
		     @TIME using (at($1)):(keep($6)) with lines lc rgb CAT[1] lw 1.3 title 'median'
	} }
}
unset multiplot
set output
