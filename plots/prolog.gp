# ---- the look of every figure ------------------------------------------------
# No `set encoding`: these terminals take UTF-8 anyway, and in the C locale it warns.
FG = '#222222'; MUTED = '#6b6b6b'; GRID = '#e3e3e3'; REF = '#9a9a9a'; ALARM = '#C2410C'
# unordered things: Okabe-Ito, the two pale ones for areas only
array CAT[6]
CAT[1] = '#0072B2'; CAT[2] = '#D55E00'; CAT[3] = '#009E73'
CAT[4] = '#CC79A7'; CAT[5] = '#56B4E9'; CAT[6] = '#E69F00'
# places in px from the left and from the top
PX(x) = x / W
PY(y) = 1 - y / H
set border 3 lc rgb FG lw 0.9
set tics out nomirror scale 0.6,0.35 textcolor rgb FG
set grid ytics xtics back lt 1 lc rgb GRID lw 0.7
set key noautotitle
set pointintervalbox 1.35
# svg sets the axis' name a line lower than the others, into the footer
X_UP = TERMINAL eq 'svg' ? 0.55 : 0.2
unset title
set errorbars small
# title, who and over what, footer: with the first panel; then: eval HEADLESS
HEADLESS = 'unset label 1; unset label 2; unset label 3; unset label 4'
set label 1 '{/:Bold '.TITLE.'}' at screen PX(27), PY(27) left font FONT.(TERMINAL eq 'svg' ? ',18' : ',15') tc rgb FG
set label 2 SUB1 at screen PX(27), PY(52) left tc rgb MUTED
set label 3 SUB2 at screen PX(27), PY(71) left tc rgb MUTED
set label 4 '{/*0.82 '.FOOTER.'}' at screen PX(27), PY(H-15) left tc rgb MUTED
# name of a panel, over its upper left corner
panel(letter, text) = '{/:Bold '.letter.'}  '.text
