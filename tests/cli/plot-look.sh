# How figures look in a paper: their size and letters, what their bands and lines are, and what they say of it.
command -v gnuplot >/dev/null || exit 77
cat >look.yaml <<'END'
study: look
task: {problem: theta30, iterations: 200, record: 20}
optimizer: {name: theopoula, lambda: [0.1, 0.01], epsilon: [0.1, .inf], beta: 1e6}
seeds: [1, 2, 3]
figures:
- {kind: curves, y: loss, lines: lambda, panels: epsilon, width: 3.25in, height: 11cm, font: "Times,9"}
- {kind: heatmap, x: lambda, y: epsilon, z: loss, width: 100mm}
END
expect 0 poula sweep look.yaml
pixels() { od -An -tu1 -j16 -N8 "$1" | awk '{ print $1 * 16777216 + $2 * 65536 + $3 * 256 + $4, $5 * 16777216 + $6 * 65536 + $7 * 256 + $8 }'; }

# Exactly as large as they are asked to be, in every format.
expect 0 poula plot --keep
equal "$(pixels plots/look-curves.png)" "650 866" "pixels of 3.25in x 11cm"
contains plots/look-curves.gp "font 'Times,9' fontscale 2.778 size 650,866"
equal "$(pixels plots/look-heatmap.png | cut -d' ' -f1)" 787 "pixels of 100mm"
expect 0 poula plot --figure look-curves --width 240pt --font 7 --format pdf
grep -aq "/MediaBox \[ 0 0 239" plots/look-curves.pdf || fail "the PDF is not 240pt wide"
expect 0 poula plot --figure look-curves --width 5in --font Helvetica --format svg --keep
contains plots/look-curves.svg 'width="480" height="416"'
contains plots/look-curves.gp "font 'Helvetica,10.6667' size 480,416"

# What cannot be said or drawn.
for wrong in "--width 5" "--width 0.5in" "--width 3in2" "--height 50in" "--font Times,2" "--font ," "--font x'y"; do
    expect 2 poula plot $wrong --out wrong
    contains err "must be a"
done
expect 2 poula plot --figure look-curves --width 1in --out wrong
contains err "leaves no room for its panels; it needs "
expect 2 poula plot --figure look-curves --height 1in --out wrong
contains err "high, which leaves no room for its panels"
[ ! -e wrong ] || fail "a refused figure left a folder"
expect 0 poula plot --kind curves --y loss --lines optimizer,lambda,epsilon,beta --width 1.6in
contains err "Names in the legend are cut"
for key in "width: 3" "width: [3in, 4in]" "height: 3 inches" 'font: "Times;9"'; do
    sed "s/width: 100mm/$key/" look.yaml >wrong.yaml
    expect 2 poula sweep wrong.yaml --dry-run
    contains err "wrong.yaml:7:"
done

# What bands and bars show: of 1, 2 and 4 (and ten times that) these are the ends, to be seen in the data.
cat >bands.yaml <<'END'
study: bands
task: {command: [sh, -c, "echo epoch=1 loss=$((1 << ({seed} - 1))) other={seed}; echo epoch=2 loss=$((10 << ({seed} - 1))) other=5"]}
settings: {a_1: [x, w]}
seeds: [1, 2, 3]
END
expect 0 poula sweep bands.yaml --db bands.db
row() { grep -m1 "^$1 " plots/$2.dat | awk '{ printf "%.4f %.4f %.4f\n", $2, $3, $4 }'; }
band() {
    expect 0 poula plot --db bands.db --kind curves --y loss --where a_1=x --band $1 --keep --name b --format svg
    equal "$(row 1 b)" "$2" "$1 of 1, 2 and 4"
    contains plots/b.svg "$3"
}
band std "2.3333 0.8058 3.8609" loss
band sem "2.3333 1.4514 3.2153" "Bands: the standard error of the mean."
band ci95 "2.3333 -1.4612 6.1279" "Bands: the 95% confidence interval of the mean."
band minmax "2.3333 1.0000 4.0000" "Bands: from the lowest to the highest run."
band quartiles "2.0000 1.5000 3.0000" "Bands: from quartile to quartile, around the median."
contains plots/b.dat "median over the runs"
expect 0 poula plot --db bands.db --kind sensitivity --x a_1 --y "last loss" --band minmax --keep --name s --format svg
equal "$(row 1 s)" "23.3333 10.0000 40.0000" "bars of a sensitivity figure"
contains plots/s.svg "Bars: from the lowest to the highest run."

# Names as the paper prints them, whatever stands in them; several metrics in a panel; a legend that tells them apart.
expect 0 poula plot --db bands.db --kind curves --y loss,other --lines a_1 --name m --format svg --keep \
    --labels "x=The {x}_1,loss=loss (%)" --labels "other=an^other,epoch=Epoch"
tr -d '\n' <plots/m.svg | sed 's/<[^>]*>//g' >words
for word in "The {x}_1, loss (%)" "The {x}_1, an^other" "w, loss (%)" "w, an^other" "loss (%), an^other" Epoch; do
    grep -qF -e "$word" words || fail "the figure lacks $word"
done
! grep -F "epoch" words || fail "the axis has another name"
equal "$(grep -c 'mean over the runs' plots/m.dat)" 4 "lines of two metrics and two settings"

# A loss by steps and a validation by epochs: x says which, what is not drawn is said, and tables have both.
cat >axes.yaml <<'END'
study: axes
task: {command: [sh, -c, "for e in 1 2; do echo step={by}$e loss=0.$e; [ {by} = 1 ] || echo epoch=$e loss=0.3$e; echo epoch=$e val_loss=0.$e; done; echo step=9 z=1"]}
settings: {by: [1, 2]}
figures:
- {kind: curves, y: [loss, val_loss], where: {by: 1}}
- {kind: curves, y: [loss, val_loss], where: {by: 1}, x: step}
- {kind: curves, y: z, x: epoch}
- {kind: curves, y: val_loss, x: step}
tables:
- {value: last loss}
END
expect 0 poula sweep axes.yaml --db axes.db
expect 0 poula plot --db axes.db --keep --format svg
contains err "loss of 1 run is not drawn: it was recorded by step there and not by epoch; see x."
contains err "No value was recorded along x, so nothing to draw: loss."
contains err "val_loss of 1 run is not drawn: it was recorded by epoch there and not by step; see x."
contains plots/axes-curves-2.dat "
11 0.1 "
contains plots/axes-curves-3.gp 'set xlabel "step"'
contains plots/axes-curves-4.gp 'set xlabel "epoch"'
expect 0 poula report --db axes.db --format csv
contains out "axes,loss,last,1,0.2,"
contains out "axes,loss,last,2,0.32,"
expect 2 poula report --db axes.db --where by=1 --value "best-valid z"
contains err "best-valid looks where val_loss is best, which was recorded by epoch and this metric by step"

# Smoothing is said, and what was measured stands beside it.
cat >smooth.yaml <<'END'
study: smooth
task: {command: [sh, -c, "for v in 0 0 {peak} nan 0 0; do e=$((e + 1)); echo epoch=$e m=$v; done"]}
settings: {peak: [6, 60]}
figures: [{kind: trajectories, y: m, panels: peak, smooth: 3, shared: [x, y]}]
metrics: {m: {direction: min, loss: false}}
END
expect 0 poula sweep smooth.yaml --db smooth.db
values() { sed -n "/\[$1\]/,/^\$/p" plots/smooth-trajectories.dat | sed '1d;/^$/d' | cut -d' ' -f2 | tr '\n' ' '; }
expect 0 poula plot --db smooth.db --keep --format svg
equal "$(values 1)" "0 2 3 NaN 0 0 " "running mean"
equal "$(values 2)" "0 0 6 NaN 0 0 " "what was measured"
contains plots/smooth-trajectories.svg "Every run is smoothed: running mean over 3 epochs."
equal "$(grep -o 'set yrange \[[^]]*' plots/smooth-trajectories.gp | sort -u | wc -l)" 1 "ranges of shared y axes"
# Rows that share x have its labels at the foot of each column, and stand closer.
cat >rows.yaml <<'END'
study: rows
task: {problem: rastrigin, iterations: 40, record: 10}
optimizer: {name: sgd, lambda: [0.1, 0.03, 0.01, 0.003, 0.001]}
figures: [{kind: curves, y: loss, panels: lambda, shared: x}]
END
expect 0 poula sweep rows.yaml --db rows.db
expect 0 poula plot --db rows.db --keep
equal "$(grep -c '^set xtics ("" ' plots/rows-curves.gp)" 2 "rows without labels of x"
equal "$(grep -c '^set xtics ("0"' plots/rows-curves.gp)" 3 "panels with labels of x"
height() { sed -n 's/^set terminal.* size [0-9]*,\([0-9]*\).*/\1/p' plots/rows-curves.gp; }
close=$(height)
sed 's/, shared: x//' rows.yaml >apart.yaml
expect 0 poula sweep apart.yaml --db rows.db
expect 0 poula plot --db rows.db --keep
equal "$(grep -c '^set xtics ("0"' plots/rows-curves.gp)" 5 "panels with labels of x"
[ "$close" -lt "$(height)" ] || fail "rows that share x take $close of $(height)"

# The numbers of a heat map stay within its squares: smaller ones, without deviations, or none, and a note says so.
cat >heat.yaml <<'END'
study: heat
task: {problem: rastrigin, iterations: 40, record: 10}
optimizer: {name: theopoula, beta: 1e4, lambda: [0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.001, 0.0001], epsilon: [1, 0.1, 0.01]}
seeds: [1, 2]
figures: [{kind: heatmap, x: lambda, y: epsilon, z: last loss}]
END
expect 0 poula sweep heat.yaml --db heat.db
numbers() { grep -c "^set label .* at [1-8],[1-3] center .* font ',$1" plots/heat-heatmap.gp || true; }
expect 0 poula plot --db heat.db --keep
equal "$(numbers 9) $(numbers 7.02)" "24 24" "numbers and deviations"
expect 0 poula plot --db heat.db --keep --width 6in --height 1.6in
contains err "Squares have no room for the deviations."
equal "$(grep -c '^set label .* at [1-8],[1-3] center' plots/heat-heatmap.gp)" 24 "numbers alone"
expect 0 poula plot --db heat.db --keep --width 3.25in
contains err "Squares have no numbers, which would be larger than they are."
equal "$(grep -c '^set label .* at [1-8],[1-3] center' plots/heat-heatmap.gp || true)" 0 "numbers"

expect 0 poula plot --db smooth.db --keep --smooth "median 3" --format pdf
equal "$(values 1)" "0 0 3 NaN 0 0 " "running median"
sql smooth.db "DELETE FROM metric WHERE run = 1" || fail "the points of a run" # a run without any
expect 0 poula plot --db smooth.db --terminal dumb
contains out "running mean over 3 epochs"
page() { poula report --db smooth.db --format html --out page.html; }
expect 0 page
contains page.html "Every run is smoothed: running mean over 3 epochs."

expect 2 poula plot --db bands.db --kind curves --y loss,nothing
contains err "nothing"
expect 2 poula plot --db bands.db --kind sensitivity --x a_1 --y loss,other
for wrong in "--smooth 1" "--smooth cubic" "--shared z" "--band wide" "--kind curves --band ks" "--kind tuning --band sem" \
    "--kind heatmap --band std" "--labels x" "--kind sensitivity --x a_1 --smooth 3" "--kind heatmap --x a_1 --y a_1 --z loss --shared y"; do
    expect 2 poula plot --db bands.db $wrong --out wrong
done
[ ! -e wrong ] || fail "a refused figure left a folder"
for key in "smooth: 0" "smooth: mode 3" "shared: z" "band: ks" "labels: [a]" "labels: {a: b, a: c}" "y: [m, m]" "y: []"; do
    sed "s/smooth: 3/$key/; s/y: m, panels: peak, y:/panels: peak, y:/" smooth.yaml >wrong.yaml
    expect 2 poula sweep wrong.yaml --dry-run
    contains err "wrong.yaml:4:"
done

# What stands at the foot is within the figure: its lines are no longer than that is wide, by the letters of DejaVu Sans.
expect 0 poula plot --db bands.db --kind box --x a_1 --y "last loss" --width 6in --format svg --keep --name foot
longest=$(grep -o 'set label 1001 "[^"]*"' plots/foot.gp | sed 's/set label 1001 "//; s/"$//; s/\\012/\n/g' | awk '{ if (length > n) n = length } END { print n }')
[ "$longest" -gt 60 ] && [ "$longest" -lt 98 ] || fail "a line of $longest letters at the foot of 6 inches"

# Below long names of categories the axis has its own name, above what stands at the foot.
cat >slanted.yaml <<'END'
study: slanted
task: {command: [sh, -c, "echo epoch=1 loss={seed} {o}"]}
settings: {o: [a, a very long name of an optimizer that nobody wants]}
seeds: [1, 2, 3, 4, 5]
pattern: '^epoch=(?<epoch>\d+) loss=(?<loss>\d+)'
figures: [{kind: box, x: o, y: last loss, width: 3in}]
END
expect 0 poula sweep slanted.yaml --db slanted.db
expect 0 poula plot --db slanted.db --format svg --keep
foot=$(sed -n 's/^set label 1001 .*screen \([0-9.]*\) center font.*/\1/p' plots/slanted-box.gp)
name=$(sed -n 's/^set label 1002 "o" at graph 0.5, screen \([0-9.]*\) center$/\1/p' plots/slanted-box.gp)
axis=$(sed -n 's/^set bmargin at screen \([0-9.]*\)$/\1/p' plots/slanted-box.gp | head -n 1)
awk -v foot="$foot" -v name="$name" -v axis="$axis" 'BEGIN { exit !(foot + 0 > 0 && name > foot + 0.02 && axis > name + 0.2) }' ||
    fail "the name of the axis is at $name, the foot at $foot, the axis at $axis"
