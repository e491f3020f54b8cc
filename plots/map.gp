# ---- loss at every point of the sweep, one cell a point ---------------------------
set multiplot
LEFT = 95.0; RIGHT = 780.0; BOTTOM = TOP + 58 + ROW_PX * ROWS
set lmargin at screen PX(LEFT); set rmargin at screen PX(RIGHT)
set tmargin at screen PY(TOP+58); set bmargin at screen PY(BOTTOM)
set xrange [0.5:COLUMNS+0.5]; set yrange [0.5:ROWS+0.5]
unset grid; set border 0
set xtics scale 0; set ytics scale 0 ('' 1)
eval X_TICKS
do for [i=1:ROWS] { set ytics add (ROW[i] i) }
set xlabel 'Requested spacing ('.X_UNIT.')' tc rgb FG offset 0,X_UP
set label 9 'UDP payload (B)' at screen PX(25), PY((TOP+58+BOTTOM)/2) center rotate by 90 tc rgb FG
ZEROFILL = '#e8efe9'; ZERODOT = '#9fb3a4'; HATCH = '#b5b5b5'
EDGE = COLUMNS > 100 ? 0.0 : 1.5
# key of the cells, above them
KY = TOP + 30
set object 1 rect center screen PX(LEFT+9), PY(KY) size screen 18/W, 16/H fc rgb ZEROFILL fs solid noborder
set label 11 '' at screen PX(LEFT+9), PY(KY) point pt 7 ps 0.4 lc rgb ZERODOT
set label 12 '{/*0.9 no frame lost}' at screen PX(LEFT+25), PY(KY) left tc rgb FG
set object 2 rect center screen PX(LEFT+149), PY(KY) size screen 18/W, 16/H fc rgb HATCH fs pattern 4 border lc rgb HATCH
set label 13 '{/*0.9 not measured}' at screen PX(LEFT+165), PY(KY) left tc rgb FG
set label 14 '' at screen PX(LEFT+289), PY(KY) point pt 2 ps 1 lw 1.5 lc rgb FG
set label 15 '{/*0.9 failed}' at screen PX(LEFT+305), PY(KY) left tc rgb FG
if (DEGRADED) set label 17 '' at screen PX(LEFT+399), PY(KY) point pt 6 ps 0.9 lw 1.2 lc rgb FG; \
	set label 18 '{/*0.9 degraded}' at screen PX(LEFT+415), PY(KY) left tc rgb FG
set label 16 '{/*0.85 '.FLOOR_NOTE.'}' at screen PX(RIGHT), PY(KY) right tc rgb MUTED
set logscale cb; set cbrange [FLOOR < 100 ? FLOOR : 10:100]
set palette defined (0 '#FEE3B8', 0.35 '#F6A66B', 0.65 '#D9583B', 1 '#6B0F1A')
eval CB_TICKS
set colorbox user origin screen PX(RIGHT+22), screen PY(BOTTOM) size screen 13/W, screen (BOTTOM-TOP-58)/H
set cbtics scale 0.4
set label 10 'Lost (%)' at screen PX(RIGHT+22), PY(TOP+44) left tc rgb FG
if (EDGE > 0) { set style fill solid 1.0 border lc rgb '#ffffff' } else { set style fill solid 1.0 noborder }
plot @CELLS index CELLS_AT using 1:($5==0 ? $2 : NaN):(0.5):(0.5) with boxxyerror fc rgb HATCH fs pattern 4 noborder, \
     @CELLS index CELLS_AT using 1:($5==1 ? $2 : NaN):(0.5):(0.5) with boxxyerror fc rgb ZEROFILL lw 1.5, \
     @CELLS index CELLS_AT using 1:($5==2 ? $2 : NaN):(0.5):(0.5):($5==2 ? $6 : FLOOR) with boxxyerror fc palette lw 1.5, \
     @CELLS index CELLS_AT using 1:($5==1 && EDGE > 0 ? $2 : NaN) with points pt 7 ps 0.4 lc rgb ZERODOT, \
     @CELLS index CELLS_AT using 1:($5==3 ? $2 : NaN) with points pt 2 ps (EDGE > 0 ? 1 : 0.5) lw 1.5 lc rgb FG, \
     @CELLS index CELLS_AT using 1:($7>0 ? $2 : NaN) @HOLLOW ps (EDGE > 0 ? 1 : 0.4), \
     @CELLS index CELLS_AT using 1:($7>0 ? $2 : NaN) with points pt 6 ps (EDGE > 0 ? 0.9 : 0.4) lw 1.2 lc rgb FG
unset multiplot
set output
