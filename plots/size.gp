# ---- rates against frame size ------------------------------------------------------
set multiplot
LEFT = 95.0; RIGHT = 742.0
set lmargin at screen PX(LEFT); set rmargin at screen PX(RIGHT)
set xrange [X_LOW:X_HIGH]; unset mxtics
if (XLOG) set logscale x
eval X_BARE

set tmargin at screen PY(TOP+24); set bmargin at screen PY(TOP+304)
set yrange [RATE_LOW:RATE_HIGH]; set ytics 0, RATE_STEP; set mytics 2
set label 9 'Rate of user data ('.RATE_UNIT.')' at screen PX(25), PY(TOP+164) center rotate by 90 tc rgb FG
set label 5 panel('a', 'rate') at screen PX(LEFT), PY(TOP+10) left tc rgb FG
set key at screen PX(RIGHT+16), PY(TOP+24) left top reverse Left maxrows 12 samplen 2.2 spacing 1.25
plot @SIZES index SIZES_AT using 1:(HAS_LINE ? $7/RATE_ONE : NaN) with lines lc rgb REF lw 0.9 dt (6,6) title (HAS_LINE ? 'line allows' : ''), \
     @SIZES index SIZES_AT using 1:($6/RATE_ONE) with linespoints lc rgb CAT[2] lw 1.5 pt 9 ps 0.85 pi -1 title 'sent', \
     @SIZES index SIZES_AT using 1:($3/RATE_ONE):($4/RATE_ONE):($5/RATE_ONE) with yerrorbars lc rgb CAT[1] lw 0.8 pt 7 ps 0, \
     @SIZES index SIZES_AT using 1:($3/RATE_ONE) with linespoints lc rgb CAT[1] lw 1.5 pt 7 ps 0.8 pi -1 title 'received'
eval HEADLESS
unset key

set tmargin at screen PY(TOP+350); set bmargin at screen PY(TOP+500)
if (!HAS_LINE) { eval X_TICKS; set xlabel 'UDP payload (B)' tc rgb FG offset 0,X_UP }
set logscale y; set yrange [FPS_LOW:FPS_HIGH]; unset mytics
eval FPS_TICKS
set label 9 'Frames/s' at screen PX(25), PY(TOP+425)
set label 5 panel('b', 'frames received') at screen PX(LEFT), PY(TOP+336)
plot @SIZES index SIZES_AT using 1:(HAS_LINE ? $9 : NaN) with lines lc rgb REF lw 0.9 dt (6,6), \
     @SIZES index SIZES_AT using 1:($8) with linespoints lc rgb CAT[1] lw 1.5 pt 7 ps 0.8 pi -1

unset logscale y; set mytics 2
if (HAS_LINE) set tmargin at screen PY(TOP+546); \
	set bmargin at screen PY(TOP+696); \
	eval X_TICKS; set xlabel 'UDP payload (B)' tc rgb FG offset 0,X_UP; \
	set yrange [PERCENT_LOW:PERCENT_HIGH]; set ytics 0, PERCENT_STEP; \
	set label 9 'Of what the line allows (%)' at screen PX(25), PY(TOP+621); \
	set label 5 panel('c', 'efficiency') at screen PX(LEFT), PY(TOP+532); \
	plot @SIZES index SIZES_AT using 1:10 with linespoints lc rgb CAT[1] lw 1.5 pt 7 ps 0.8 pi -1
unset multiplot
set output
