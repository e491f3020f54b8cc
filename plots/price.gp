# ---- core time and loss against frame size -------------------------------------------
set multiplot
LEFT = 95.0; RIGHT = 742.0
set lmargin at screen PX(LEFT); set rmargin at screen PX(RIGHT)
set xrange [X_LOW:X_HIGH]
if (XLOG) set logscale x
eval X_BARE

set tmargin at screen PY(TOP+24); set bmargin at screen PY(TOP+239)
set yrange [0:108]; set ytics 0, 20
set label 9 'Time of the busiest core (%)' at screen PX(25), PY(TOP+131) center rotate by 90 tc rgb FG
set label 5 panel('a', 'core time') at screen PX(LEFT), PY(TOP+10) left tc rgb FG
set key at screen PX(RIGHT+16), PY(TOP+24) left top reverse Left maxrows 12 samplen 2.2 spacing 1.25
plot @SIZES index SIZES_AT using 1:13 with linespoints lc rgb CAT[2] lw 3.5 pt 9 ps 1.5 title 'sender', \
     @SIZES index SIZES_AT using 1:12 with linespoints lc rgb CAT[1] lw 1.5 pt 7 ps 0.7 title 'receiver', \
     @SIZES index SIZES_AT using 1:($14>0 ? $12 : NaN) @HOLLOW ps 0.3, \
     @DEGRADED_KEY
eval HEADLESS
unset key

set tmargin at screen PY(TOP+285); set bmargin at screen PY(TOP+500)
eval X_TICKS; set xlabel 'UDP payload (B)' tc rgb FG offset 0,X_UP
set logscale y; set yrange [LOSS_LOW:LOSS_HIGH]
eval LOSS_TICKS
set label 9 'Frames lost (%)' at screen PX(25), PY(TOP+392)
set label 5 panel('b', 'loss') at screen PX(LEFT), PY(TOP+271)
set arrow 2 from graph 0, first FLOOR*0.5 to graph 1, first FLOOR*0.5 nohead lc rgb REF lw 0.8 dt (3,4)
plot @SIZES index SIZES_AT using 1:($11>0 ? $11 : NaN) with linespoints lc rgb CAT[1] lw 1.5 pt 7 ps 0.8 pi -1, \
     @SIZES index SIZES_AT using 1:($11>0 ? NaN : $11==0 ? ZERO : NaN) with points lc rgb CAT[1] pt 7 ps 0.5, \
     @SIZES index SIZES_AT using 1:($14>0 && $11>0 ? $11 : NaN) @HOLLOW ps 0.35, \
     @SIZES index SIZES_AT using 1:($14>0 && $11==0 ? ZERO : NaN) @HOLLOW ps 0.22
unset multiplot
set output
