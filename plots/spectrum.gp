# ---- percentiles against 1 / (1 - p), one line a size or spacing ------------------------
set multiplot
LEFT = 95.0; RIGHT = 742.0; PANEL_H = 330.0; BETWEEN = 46.0
set lmargin at screen PX(LEFT); set rmargin at screen PX(RIGHT)
set logscale xy; set xrange [1:X_HIGH]
set key at screen PX(RIGHT+16), PY(TOP+24) left top reverse Left samplen 2 spacing 1.25
do for [i=1:PANELS] {
	top = TOP + 24 + (i - 1) * (PANEL_H + BETWEEN)
	set tmargin at screen PY(top); set bmargin at screen PY(top+PANEL_H)
	set yrange [value(sprintf('Y%d_LOW', i)):value(sprintf('Y%d_HIGH', i))]
	eval value(sprintf('Y%d_TICKS', i))
	if (i < PANELS) { eval X_BARE } else { eval X_TICKS; set xlabel 'Percentile' tc rgb FG offset 0,X_UP }
	set label 5 panel(word('a b', i), value(sprintf('WHAT%d', i))) at screen PX(LEFT), PY(top-12) left tc rgb FG
	set label 9 value(sprintf('AXIS%d', i)) at screen PX(25), PY(top+PANEL_H/2) center rotate by 90 tc rgb FG
	plot for [k=NS:1:-1] @SPECTRUM index SPECTRUM_AT+(i-1)*NS+k-1 using 3:5 with linespoints lc rgb COLOR[k] lw 1.6 pt PT[k] ps 0.75 pi -20 title LABEL[k]
	eval HEADLESS
	unset key
}
unset multiplot
set output
