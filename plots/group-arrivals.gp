# ---- a group: the order in which frames of different senders arrive -----------------------
set multiplot
LEFT = 160.0; RIGHT = 840.0
set lmargin at screen PX(LEFT); set rmargin at screen PX(RIGHT)
UP = TOP + 24; BOTTOM = UP + ROW * N
set tmargin at screen PY(UP); set bmargin at screen PY(BOTTOM)
set xrange [T_LOW:T_HIGH]; eval T_TICKS
set yrange [N+0.5:0.5]; set grid xtics noytics back
set ytics scale 0 ('' 1)
do for [i=1:N] { set ytics add ('{/*'.(ROW < 20 ? '0.75' : '0.9').' '.NAME[i].'}' i) }
set xlabel 'Time since the agreed begin ('.TIME_UNIT.')' tc rgb FG offset 0,X_UP
set label 5 panel('a', 'arrivals, one mark a frame') at screen PX(LEFT), PY(UP-14) left tc rgb FG
plot ARRIVALS index ARRIVALS_AT using ($1/TIME_ONE):($2-0.38):(0):(0.76) with vectors nohead lw 1 lc rgb CAT[1]
eval HEADLESS

set tmargin at screen PY(BOTTOM+92); set bmargin at screen PY(BOTTOM+222)
set xrange [0.4:RUNS_MOST+0.6]; set grid noxtics ytics back
set xtics scale 0.3 (sprintf('%d or more', RUNS_MOST) RUNS_MOST)
do for [i=1:RUNS_MOST-3] { set xtics add (sprintf('%d', i) i) }
set logscale y; set yrange [RUNS_LOW:RUNS_HIGH]; unset ytics; set ytics nomirror scale 0.6; eval RUNS_TICKS
set xlabel 'Frames of one sender in a row' tc rgb FG offset 0,X_UP
set label 9 'Times' at screen PX(LEFT-62), PY(BOTTOM+157) center rotate by 90 tc rgb FG
set label 5 panel('b', sprintf('frames of one sender in a row; the most: %d', LONGEST)) at screen PX(LEFT), PY(BOTTOM+78)
set key at screen PX(RIGHT), PY(BOTTOM+66) right top reverse Left samplen 1.6
set style fill solid 1 noborder; set boxwidth 0.7
plot RUNS index RUNS_AT using 1:($2>0 ? $2 : NaN) with boxes lc rgb CAT[1], \
     RUNS index RUNS_AT using 1:($3>RUNS_LOW ? $3 : NaN) with linespoints pt 7 ps 0.5 lc rgb FG lw 1 dt (5,3) title 'if the order were random'
unset multiplot
set output
