# ---- rates against frame size ------------------------------------------------------
set multiplot
LEFT = 95.0; RIGHT = 742.0
set lmargin at screen PX(LEFT); set rmargin at screen PX(RIGHT)
set xrange [X_LOW:X_HIGH]
if (XLOG) set logscale x
eval X_BARE

set tmargin at screen PY(TOP+24); set bmargin at screen PY(TOP+304)
set yrange [RATE_LOW:RATE_HIGH]; eval RATE_TICKS
most(received, sent) = received > sent ? sent : received
set label 9 'Rate of user data ('.RATE_UNIT.')' at screen PX(25), PY(TOP+164) center rotate by 90 tc rgb FG
set label 5 panel('a', 'rate') at screen PX(LEFT), PY(TOP+10) left tc rgb FG
set key at screen PX(RIGHT+16), PY(TOP+24) left top reverse Left maxrows 12 samplen 2.2 spacing 1.25
if (strlen(LINE_NOTE) > 0) set label 6 '{/*0.85 '.LINE_NOTE.'}' at screen PX(RIGHT), PY(TOP+10) right tc rgb MUTED
plot @SIZES index SIZES_AT using 1:(LINE_SHOWN ? $7/RATE_ONE : NaN) with lines lc rgb REF lw 0.9 dt (6,6) title (LINE_SHOWN ? 'line allows' : ''), \
     @SIZES index SIZES_AT using 1:($3/RATE_ONE):($4/RATE_ONE):($5/RATE_ONE) with yerrorbars lc rgb CAT[1] lw 0.8 pt 7 ps 0, \
     @SIZES index SIZES_AT using 1:($6/RATE_ONE) with linespoints lc rgb CAT[2] lw 3.5 pt 9 ps 1.5 title 'sent', \
     @SIZES index SIZES_AT using 1:(most($3,$6)/RATE_ONE) with lines lc rgb CAT[1] lw 1.5, \
     @SIZES index SIZES_AT using 1:($3/RATE_ONE) with points lc rgb CAT[1] pt 7 ps 0.7, \
     NaN with linespoints lc rgb CAT[1] lw 1.5 pt 7 ps 0.7 title 'received', \
     @SIZES index SIZES_AT using 1:($14>0 ? $3/RATE_ONE : NaN) @HOLLOW ps 0.3, \
     @DEGRADED_KEY
eval HEADLESS
unset key; unset label 6

set tmargin at screen PY(TOP+350); set bmargin at screen PY(TOP+500)
if (!HAS_LINE) { eval X_TICKS; set xlabel 'UDP payload (B)' tc rgb FG offset 0,X_UP }
set logscale y; set yrange [FPS_LOW:FPS_HIGH]
eval FPS_TICKS
set label 9 'Frames ('.FPS_UNIT.')' at screen PX(25), PY(TOP+425)
set label 5 panel('b', 'frames received') at screen PX(LEFT), PY(TOP+336)
plot @SIZES index SIZES_AT using 1:(HAS_LINE ? $9/FPS_ONE : NaN) with lines lc rgb REF lw 0.9 dt (6,6), \
     @SIZES index SIZES_AT using 1:($8/FPS_ONE) with linespoints lc rgb CAT[1] lw 1.5 pt 7 ps 0.8 pi -1, \
     @SIZES index SIZES_AT using 1:($14>0 ? $8/FPS_ONE : NaN) @HOLLOW ps 0.35

unset logscale y
if (HAS_LINE) set tmargin at screen PY(TOP+546); \
	set bmargin at screen PY(TOP+696); \
	eval X_TICKS; set xlabel 'UDP payload (B)' tc rgb FG offset 0,X_UP; \
	set yrange [PERCENT_LOW:PERCENT_HIGH]; eval PERCENT_TICKS; \
	set label 9 'Of what the line allows (%)' at screen PX(25), PY(TOP+621); \
	set label 5 panel('c', 'efficiency') at screen PX(LEFT), PY(TOP+532); \
	plot @SIZES index SIZES_AT using 1:10 with linespoints lc rgb CAT[1] lw 1.5 pt 7 ps 0.8 pi -1, \
	     @SIZES index SIZES_AT using 1:($14>0 ? $10 : NaN) @HOLLOW ps 0.35
unset multiplot
set output
