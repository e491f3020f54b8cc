# ---- delay and arrival against frame number, losses as a rug below 0 --------------------
set multiplot
LEFT = 95.0; RIGHT = 742.0
set lmargin at screen PX(LEFT); set rmargin at screen PX(RIGHT)
set xrange [X_LOW:X_HIGH]
eval X_TICKS
BAND = '#A9CBE3'

# (a) one-way delay; the strip below 0 shows lost frames
STRIP = OWD_HIGH * 0.10
cut(v) = v > OWD_HIGH ? OWD_HIGH : v
set tmargin at screen PY(TOP+24); set bmargin at screen PY(TOP+384)
set yrange [-STRIP:OWD_HIGH]; eval OWD_TICKS
if (PANELS > 1) { eval X_BARE } else { set xlabel 'Frame number' tc rgb FG offset 0,X_UP }
set label 9 OWD_AXIS at screen PX(25), PY(TOP+204) center rotate by 90 tc rgb FG
set label 5 panel('a', 'one-way delay above its lowest; '.(HAS_LOSS ? 'lost frames below 0' : 'none lost')) at screen PX(LEFT), PY(TOP+10) left tc rgb FG
set label 6 '{/*0.85 '.OWD_NOTE.'}' at screen PX(RIGHT), PY(TOP+10) right tc rgb MUTED
set arrow 1 from graph 0, first 0 to graph 1, first 0 nohead lc rgb REF lw 0.8 back
set key at screen PX(RIGHT+14), PY(TOP+24) left top reverse Left samplen 1.4 spacing 1.3
if (SINGLE) {
	plot @FRAMES index FRAMES_AT using 8:($6 > OWD_HIGH ? NaN : $6) with points pt 7 ps (FRAMES_ROWS < 400 ? 0.6 : 0.3) lc rgb CAT[1] title 'frame', \
	     @FRAMES index FRAMES_AT using 8:($6 > OWD_HIGH ? OWD_HIGH*0.985 : NaN) with points pt 9 ps 0.7 lc rgb CAT[1], \
	     @FRAMES index FRAMES_AT using 8:($7 > 0 ? -0.9*STRIP : NaN):(0):(0.7*STRIP) with vectors nohead lc rgb ALARM lw 1 title LOST_NAME
} else {
	plot @FRAMES index FRAMES_AT using 8:(cut($4)):(0):(cut($6)-cut($4)) with vectors nohead lc rgb BAND lw 1 title 'min to max', \
	     @FRAMES index FRAMES_AT using 8:($6 > OWD_HIGH ? OWD_HIGH*0.985 : NaN) with points pt 9 ps 0.7 lc rgb CAT[1], \
	     @FRAMES index FRAMES_AT using 8:($5 > OWD_HIGH ? NaN : $5) with points pt 7 ps 0.25 lc rgb CAT[1] title 'median', \
	     @FRAMES index FRAMES_AT using 8:($7 > 0 ? -0.9*STRIP : NaN):(0):(0.7*STRIP) with vectors nohead lc rgb ALARM lw 1 title LOST_NAME
}
eval HEADLESS
unset label 6; unset arrow 1; unset key

# (b) arrival against the schedule
if (PANELS > 1) {
	set tmargin at screen PY(TOP+430); set bmargin at screen PY(TOP+652)
	eval X_TICKS; set xlabel 'Frame number' tc rgb FG offset 0,X_UP
	set yrange [LATE_LOW:LATE_HIGH]; eval LATE_TICKS
	set label 9 LATE_AXIS at screen PX(25), PY(TOP+541)
	set label 5 panel('b', 'arrival less expected from the first one and the requested spacing') at screen PX(LEFT), PY(TOP+416)
	set xzeroaxis lt 1 lc rgb REF lw 0.8
	if (SINGLE) {
		plot @FRAMES index FRAMES_AT+1 using 8:6 with points pt 7 ps (FRAMES_ROWS < 400 ? 0.6 : 0.3) lc rgb CAT[1]
	} else {
		plot @FRAMES index FRAMES_AT+1 using 8:4:(0):($6-$4) with vectors nohead lc rgb BAND lw 1, \
		     @FRAMES index FRAMES_AT+1 using 8:5 with points pt 7 ps 0.25 lc rgb CAT[1]
	}
}
unset multiplot
set output
