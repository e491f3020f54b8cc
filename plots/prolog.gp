# ---- the look of every figure ------------------------------------------------
# No `set encoding`: these terminals accept UTF-8 without it, and it warns in the C locale.
FG = '#222222'; MUTED = '#6b6b6b'; GRID = '#e3e3e3'; REF = '#9a9a9a'; ALARM = '#C2410C'
# colours without an order: Okabe-Ito; the two pale ones only for areas
array CAT[6]
CAT[1] = '#0072B2'; CAT[2] = '#D55E00'; CAT[3] = '#009E73'
CAT[4] = '#CC79A7'; CAT[5] = '#56B4E9'; CAT[6] = '#E69F00'
# positions in px from the left and from the top
PX(x) = x / W
PY(y) = 1 - y / H
set border 3 lc rgb FG lw 0.9
set tics out nomirror scale 0.6,0.35 textcolor rgb FG
unset mxtics; unset mytics
set grid ytics xtics back lt 1 lc rgb GRID lw 0.7
set key noautotitle
set pointintervalbox 1.35
# the svg terminal puts the axis' name one line lower than the others, into the footer
X_UP = TERMINAL eq 'svg' ? 0.55 : 0.2
unset title
set errorbars small
# a hollow mark means degraded, in every figure
HOLLOW = "with points pt 7 lc rgb 'white'"
# marks of line i: h = 0 draws the marks, 1 and 2 make them hollow; drawn line by line, to
# keep the other lines' marks intact
MARKS = "with points lw 1.3 lc rgb (h == 1 ? 'white' : COLOR[i]) pt (h == 0 ? PT[i] : (PT[i] == 3 ? 7 : PT[i]) - (h == 2))"
DEGRADED_KEY = "for [d=1:DEGRADED] NaN with points pt 6 ps 0.8 lw 1.2 lc rgb MUTED title 'degraded'"
# title, subtitle and footer belong to the first panel; after it: eval HEADLESS
HEADLESS = 'unset label 1; unset label 2; unset label 3; unset label 4'
set label 1 '{/:Bold '.TITLE.'}' at screen PX(27), PY(27) left font FONT.(TERMINAL eq 'svg' ? ',18' : ',15') tc rgb FG
set label 2 SUB1 at screen PX(27), PY(52) left tc rgb MUTED
set label 3 SUB2 at screen PX(27), PY(71) left tc rgb MUTED
set label 4 '{/*0.82 '.FOOTER.'}' at screen PX(27), PY(H-15) left tc rgb MUTED
# shift lines that would hide each other
dodge(x, i) = XLOG ? x * (X_HIGH/X_LOW)**(DODGE*(i - (NS+1)/2.0)) : x + DODGE*(X_HIGH-X_LOW)*(i - (NS+1)/2.0)
# name of a panel, above its upper left corner
panel(letter, text) = '{/:Bold '.letter.'}  '.text
