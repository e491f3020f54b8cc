# ---- a number of all ordered pairs of a mesh: rows send, columns receive ---------------
set multiplot
LEFT = 150.0; RIGHT = LEFT + CELL * N; UP = TOP + 58; BOTTOM = UP + CELL * N
set lmargin at screen PX(LEFT); set rmargin at screen PX(RIGHT)
set tmargin at screen PY(UP); set bmargin at screen PY(BOTTOM)
set xrange [0.5:N+0.5]; set yrange [N+0.5:0.5]
unset grid; set border 0
set xtics scale 0 ('' 1) offset 0,-0.5; set ytics scale 0 ('' 1) offset -1,0
SMALL = CELL < 16 ? 0.6 : CELL < 20 ? 0.75 : 0.9
do for [i=1:N] { set ytics add (sprintf('{/*%.2f ', SMALL).NAME[i].'}' i) }
if (NUMBERED) { do for [i=1:N] { set xtics add (sprintf('{/*%.2f ', SMALL).NAME[i].'}' i) } }
if (!NUMBERED) { do for [i=1:N] { if (i % (CELL < 20 ? 5 : 1) == 0 || i == 1) { set xtics add (sprintf('{/*%.2f %d}', SMALL, i) i) } } }
if (NUMBERED) set xtics rotate by 30 right offset 0,-0.5
ZEROFILL = '#e8efe9'; ZERODOT = '#9fb3a4'; HATCH = '#b5b5b5'
KY = TOP + 30
set object 1 rect center screen PX(LEFT+9), PY(KY) size screen 18/W, 16/H fc rgb HATCH fs pattern 4 border lc rgb HATCH
set label 12 '{/*0.9 no document}' at screen PX(LEFT+25), PY(KY) left tc rgb FG
set label 14 '' at screen PX(LEFT+120), PY(KY) point pt 2 ps 1 lw 1.5 lc rgb FG
set label 15 '{/*0.9 failed}' at screen PX(LEFT+136), PY(KY) left tc rgb FG
set label 16 '' at screen PX(LEFT+196), PY(KY) point pt 6 ps 1.1 lw 2 lc rgb '#000000'
set label 17 '{/*0.9 bad pair}' at screen PX(LEFT+212), PY(KY) left tc rgb FG
set object 3 rect center screen PX(LEFT+286), PY(KY) size screen 5/W, 16/H fc rgb ALARM fs solid noborder
set label 18 '{/*0.9 bad host}' at screen PX(LEFT+297), PY(KY) left tc rgb FG
set object 4 rect center screen PX(LEFT+377), PY(KY) size screen 18/W, 16/H fc rgb (CB_KIND==0 ? ZEROFILL : '#ffffff') fs solid border lc rgb HATCH
set label 19 '{/*0.9 '.BLANK.'}' at screen PX(LEFT+393), PY(KY) left tc rgb FG
if (CB_LOG) set logscale cb
set cbrange [CB_LOW:CB_HIGH]
if (CB_KIND==0 || CB_KIND==3) set palette defined (0 '#FEE3B8', 0.35 '#F6A66B', 0.65 '#D9583B', 1 '#6B0F1A')
if (CB_KIND==1) set palette defined (0 '#6B0F1A', 0.35 '#D9583B', 0.65 '#F6A66B', 1 '#FEE3B8')
if (CB_KIND==2) set palette defined (0 '#0B3C7A', 0.25 '#6FA3D4', 0.5 '#F7F7F7', 0.75 '#E3A04F', 1 '#7A3B00')
eval CB_TICKS
set colorbox user origin screen PX(RIGHT+22), screen PY(BOTTOM) size screen 13/W, screen (BOTTOM-UP)/H
set cbtics scale 0.4
set label 10 CB_NAME at screen PX(RIGHT+22), PY(BOTTOM+16) left tc rgb FG
EDGE = CELL >= 18 ? 1.5 : 0.3
set style fill solid 1.0 border lc rgb '#ffffff'
SIZE = CELL / 54.0
RING = NUMBERED ? 4.2 : CELL >= 18 ? 1.3 : 0.9
clip(v) = v < CB_LOW ? CB_LOW : v
# a colour that is read on the cell: dark cells have white numbers
POS(v) = CB_LOG ? log(clip(v)/CB_LOW)/log(CB_HIGH/CB_LOW) : (v-CB_LOW)/(CB_HIGH-CB_LOW)
DARK(v) = CB_KIND==0 || CB_KIND==3 ? POS(v) > 0.55 : CB_KIND==1 ? POS(v) < 0.45 : abs(POS(v)-0.5) > 0.33
TEXT(s, v) = s == 1 ? '0' : s != 2 ? '' : abs(v) >= 1000 ? sprintf('%.0f', v) : abs(v) < 1e-9 ? '0' : sprintf('%.3g', v)
plot @CELLS index CELLS_AT using 1:($3==0 ? $2 : NaN):(0.5):(0.5) with boxxyerror fc rgb HATCH fs pattern 4 noborder, \
     @CELLS index CELLS_AT using 1:($3==1 ? $2 : NaN):(0.5):(0.5) with boxxyerror fc rgb ZEROFILL lw EDGE, \
     @CELLS index CELLS_AT using 1:($3==2 ? $2 : NaN):(0.5):(0.5):($3==2 ? clip($4) : CB_HIGH) with boxxyerror fc palette lw EDGE, \
     @CELLS index CELLS_AT using 1:($3==4 ? $2 : NaN):(0.44):(0.44) with boxxyerror fc rgb '#ffffff' fs solid border lc rgb HATCH lw 1, \
     @CELLS index CELLS_AT using 1:($3==3 ? $2 : NaN) with points pt 2 ps 1.2*SIZE lw 1.5 lc rgb FG, \
     @CELLS index CELLS_AT using 1:(NUMBERED && ($3==1 || ($3==2 && !DARK($4))) ? $2 : NaN):(TEXT($3,$4)) with labels font FONT.',9' tc rgb FG, \
     @CELLS index CELLS_AT using 1:(NUMBERED && $3==2 && DARK($4) ? $2 : NaN):(TEXT($3,$4)) with labels font FONT.',9' tc rgb 'white', \
     @CELLS index CELLS_AT using 1:($5>0 ? $2 : NaN) with points pt 6 ps RING lw 5 lc rgb 'white', \
     @CELLS index CELLS_AT using 1:($5>0 ? $2 : NaN) with points pt 6 ps RING lw 2 lc rgb '#000000'
# bars at the names of hosts that differ: below the column, left of the row
BAR = 4.0 / CELL
if (HOSTS_ROWS > 0) {
	unset xtics; unset ytics; unset colorbox; eval HEADLESS
	do for [i=10:19] { unset label i }
	do for [i=1:4] { unset object i }
	set lmargin at screen PX(LEFT-7); set bmargin at screen PY(BOTTOM+7)
	set xrange [0.5-7.0/CELL:N+0.5]; set yrange [N+0.5+7.0/CELL:0.5]
	plot @HOSTS index HOSTS_AT using ($2==0 ? 0.5-5.0/CELL : $1):($2==0 ? $1 : N+0.5+5.0/CELL):($2==0 ? BAR/2 : 0.45):($2==0 ? 0.45 : BAR/2) with boxxyerror fc rgb ALARM fs solid noborder
}
unset multiplot
set output
