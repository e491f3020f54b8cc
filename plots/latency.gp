# ---- round trip against size, the line through the minima, and its residuals --------
set multiplot
LEFT = 95.0; RIGHT = 690.0
set lmargin at screen PX(LEFT); set rmargin at screen PX(RIGHT)
set xrange [X_LOW:X_HIGH]
cut(v) = v > Y_HIGH ? Y_HIGH : v

# (a) round trip
set tmargin at screen PY(TOP+24); set bmargin at screen PY(TOP+414)
if (FIT) { eval X_BARE } else { eval X_TICKS; set xlabel PAYLOAD tc rgb FG offset 0,X_UP }
set yrange [0:Y_HIGH]; eval Y_TICKS
set label 9 'Round-trip time (µs)' at screen PX(25), PY(TOP+219) center rotate by 90 tc rgb FG
set label 5 panel('a', 'round trip') at screen PX(LEFT), PY(TOP+10) left tc rgb FG
set label 6 '{/*0.85 '.CUT_NOTE.'}' at screen PX(RIGHT), PY(TOP+10) right tc rgb MUTED
if (FIT) {
	set label 21 'Fit to the minimum' at screen PX(RIGHT+18), PY(TOP+180) left tc rgb ALARM
	set label 22 '{/*0.85 '.FIT_LINE1.'}' at screen PX(RIGHT+18), PY(TOP+201) left tc rgb FG
	set label 23 '{/*0.85 '.FIT_LINE2.'}' at screen PX(RIGHT+18), PY(TOP+219) left tc rgb FG
	set label 24 '{/*0.85 '.FIT_LINE3.'}' at screen PX(RIGHT+18), PY(TOP+237) left tc rgb FG
}
if (WIRE) {
	set label 25 'Bytes on the line alone' at screen PX(RIGHT+18), PY(TOP+270) left tc rgb MUTED
	set label 26 '{/*0.85 '.WIRE_LINE.'}' at screen PX(RIGHT+18), PY(TOP+291) left tc rgb FG
}
set key at screen PX(RIGHT+12), PY(TOP+24) left top reverse Left samplen 1.8 spacing 1.3
if (TRIPS_ROWS > 1) {
	plot @TRIPS using 1:4:(cut(column(BAND))) with filledcurves lc rgb '#D6E4F0' title BAND_NAME, \
	     @TRIPS using 1:($5 <= Y_HIGH ? $5 : NaN) with points pt 7 ps 0.6 lc rgb CAT[1] title 'median', \
	     @TRIPS using 1:4 with points pt 11 ps 0.75 lc rgb CAT[1] title 'minimum', \
	     (FIT ? FIT_AT_0+FIT_SLOPE*x : NaN) with lines lc rgb ALARM lw 1.5 title (FIT ? 'fit' : ''), \
	     (WIRE ? FIT_AT_0+WIRE_SLOPE*x : NaN) with lines lc rgb MUTED lw 1 dt (8,6) title (WIRE ? 'line alone' : '')
} else {
	plot @TRIPS using 1:4:(0):(cut(column(BAND))-$4) with vectors nohead lc rgb '#8FB8D9' lw 6 title BAND_NAME, \
	     @TRIPS using 1:($5 <= Y_HIGH ? $5 : NaN) with points pt 7 ps 0.8 lc rgb CAT[1] title 'median', \
	     @TRIPS using 1:4 with points pt 11 ps 0.9 lc rgb CAT[1] title 'minimum'
}
eval HEADLESS
unset label 6; unset key
do for [i=21:26] { unset label i }

# (b) residuals of the line
if (FIT) {
	set tmargin at screen PY(TOP+460); set bmargin at screen PY(TOP+580)
	eval X_TICKS; set xlabel PAYLOAD tc rgb FG offset 0,X_UP
	set yrange [RES_LOW:RES_HIGH]; eval RES_TICKS
	set label 9 'Residual (µs)' at screen PX(25), PY(TOP+520)
	set label 5 panel('b', 'minimum less fit') at screen PX(LEFT), PY(TOP+446)
	set xzeroaxis lt 1 lc rgb REF lw 0.9
	plot @TRIPS using 1:9:(0):(-$9) with vectors nohead lc rgb '#8FB8D9' lw 1.2, \
	     @TRIPS using 1:9 with points pt 11 ps 0.75 lc rgb CAT[1]
}
unset multiplot
set output
