# What all seeds came to, in boxes and as points.
command -v gnuplot >/dev/null || exit 77
cat >seeds.yaml <<'END'
study: seeds
task: {command: [sh, -c, 'set -- 1 2 3 4 5 20 {six}; shift $(({seed} - 1)); echo epoch=1 loss=$1 | sed s/none/nan/']}
settings: {six: [6, none], way: [wild, tame]}
exclude:
- {six: none, way: tame, seed: [3, 4, 5, 6]}
- {six: none, way: wild, seed: [1, 2, 3, 4, 5, 6]}
seeds: {from: 1, to: 7}
metrics: {loss: min}
figures:
- {kind: box, x: way, y: last loss, lines: six}
- {kind: strip, x: way, y: last loss, lines: six, log: y, shared: y, labels: {way: "The way", tame: Tame}}
END
expect 0 poula sweep seeds.yaml --quiet
expect 0 poula plot --keep --format svg
same out <<'END'
plots/seeds-box.svg
plots/seeds-strip.svg
END
# Of 1 2 3 4 5 6 20: the quartiles are 2.5 and 5.5, and 20 is beyond 5.5 + 1.5 * 3.
equal "$(sed -n '/\[1\]/{n;p;}' plots/seeds-box.dat)" "1 4 2.5 5.5 7 1 0.8 1 6" "a box of seven runs"
equal "$(sed -n '/single runs beyond/{n;p;q;}' plots/seeds-box.dat | cut -d' ' -f2)" 20 "the run beyond the whiskers"
tr "\n" " " <plots/seeds-box.svg | sed "s/<[^>]*>//g" | tr -s " \t" " " >foot
contains foot "interquartile ranges"
contains err "Diverged runs are not drawn; bars at the top say where some of several diverged: none (1 point)."
contains err "No box, but runs and their median: fewer than five values, or a target that some did not reach: none (1 point)."
for word in "every run diverged" "some runs diverged"; do
    contains plots/seeds-box.svg "$word"
    contains plots/seeds-strip.svg "$word"
done
contains plots/seeds-strip.svg "The way"
contains plots/seeds-strip.svg "Tame"
contains plots/seeds-strip.gp "set logscale y"
# Categories stand in the order of the grid, runs beside each other in the order of their seeds.
contains plots/seeds-strip.gp 'set xtics ("wild" 1, "Tame" 2)'
equal "$(sed -n '/single runs/{n;N;p;q;}' plots/seeds-strip.dat | cut -d' ' -f2 | tr '\n' ' ')" "1 2 " "runs of the first seeds"
equal "$(sed -n '/single runs/,/^$/p' plots/seeds-strip.dat | sed '1d;9,$d' | cut -d' ' -f7 | sort -n | uniq | wc -l)" 7 "places"
cp plots/seeds-strip.svg before.svg
expect 0 poula plot --figure seeds-strip --format svg
cmp before.svg plots/seeds-strip.svg || fail "points stand elsewhere when they are drawn again"

for kind in box strip; do
    expect 0 poula plot --kind $kind --x six --y "best loss" --panels way --y-range 0:10 --format pdf --name $kind
    contains err "Beyond the y axis, with marks at its end: wild (1 point), tame (1 point)."
    expect 0 poula plot --kind $kind --x way --y loss --lines six --terminal dumb
    contains out "wild"
    expect 0 poula plot --kind $kind --x way --y loss --lines six --format tikz --width 3in
    for wrong in "--y loss" "--x way --y loss --log x" "--x way --y loss --x-range 0:3" "--x way --y loss --band sem" \
        "--x way --y loss --fit" "--x way --y loss --z six" "--x way --y loss --smooth 3"; do
        expect 2 poula plot --kind $kind $wrong --out wrong
    done
done
expect 2 poula plot --kind box --x way --y loss --log x --out wrong
contains err "a figure of kind box has categories along x, which have neither scale nor range"
[ ! -e wrong ] || fail "a refused figure left a folder"

# A run that never reached a target is an arrow, and no box is made of the others.
expect 0 poula plot --kind box --x way --y epochs_to_target --target loss=5 --where six=6 --name never --format svg --keep
contains err "4 runs never reached the target and are arrows at the top."
contains err "No box, but runs and their median: fewer than five values, or a target that some did not reach: the line (2 points)."
equal "$(grep -c '^1 inf inf inf 1' plots/never.dat)" 6 "two infinite values, in the data, outside of a box, and marked"

page() { poula report --format html --out page.html; }
expect 0 page
contains page.html 'class="box"'
contains page.html 'class="middle"'
contains page.html "Points: single runs, in the order of their seeds"
grep -q '&#34;q1&#34;:\[2.5,' page.html || fail "the page has no quartiles"
