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
