# ---- offset of the other clock, and its difference from one line --------------------------
set multiplot
LEFT = 95.0; RIGHT = 690.0
set lmargin at screen PX(LEFT); set rmargin at screen PX(RIGHT)
set xrange [X_LOW:X_HIGH]; eval X_BARE
set key at screen PX(RIGHT+14), PY(TOP+24) left top reverse Left samplen 1.6 spacing 1.3

# (a) offset
set tmargin at screen PY(TOP+24); set bmargin at screen PY(TOP+264)
set yrange [OFF_LOW:OFF_HIGH]; eval OFF_TICKS
set label 9 'Offset, less the first ('.OFF_UNIT.')' at screen PX(25), PY(TOP+144) center rotate by 90 tc rgb FG
set label 5 panel('a', 'offset') at screen PX(LEFT), PY(TOP+10) left tc rgb FG
set label 6 '{/*0.85 '.WANDERS.'}' at screen PX(RIGHT), PY(TOP+10) right tc rgb ALARM
plot @CLOCK using 2:($3/OFF_ONE) with points pt 7 ps (MANY ? 0.55 : 0.9) lc rgb CAT[1] title 'estimate', \
     @LINES using 2:($3/OFF_ONE) with lines lc rgb CAT[1] lw 1.3, \
     LINE_AT_0+LINE_SLOPE*x with lines lc rgb ALARM lw 1.1 dt (8,6) title LINE_NOTE
eval HEADLESS
unset label 6

# (b) residual
set tmargin at screen PY(TOP+310); set bmargin at screen PY(TOP+534)
eval X_TICKS; set xlabel 'Time since the first exchange (s)' tc rgb FG offset 0,X_UP
set yrange [RES_LOW:RES_HIGH]; eval RES_TICKS
set label 9 'Offset less the line ('.RES_UNIT.')' at screen PX(25), PY(TOP+422)
set label 5 panel('b', 'what the line leaves, with its error') at screen PX(LEFT), PY(TOP+296)
set key at screen PX(RIGHT+14), PY(TOP+310)
plot @LINES using 2:(($4-$6)/RES_ONE):(($4+$6)/RES_ONE) with filledcurves lc rgb '#E4EDF5', \
     0 with lines lc rgb ALARM lw 0.9, \
     @CLOCK using 2:(($4-$6)/RES_ONE):(0):(2*$6/RES_ONE) with vectors nohead lc rgb '#A9CBE3' lw 3 title 'any delays', \
     @CLOCK using 2:(($4-$5)/RES_ONE):(0):(2*$5/RES_ONE) with vectors nohead lc rgb '#3C78A8' lw 1.6 title 'equal delays', \
     @CLOCK using 2:($4/RES_ONE) with points pt 7 ps (MANY ? 0.55 : 0.9) lc rgb CAT[1] title 'estimate'
unset multiplot
set output
