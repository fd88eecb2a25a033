# What stands on the axes of figures, and what they say of what does not.
command -v gnuplot >/dev/null || exit 77
table() { awk -v name="$2" '/^# \[/ { on = index($0, name) } !/^#/ && NF && on' "$1"; }

# On a logarithmic axis of x that was asked for, zero and what is below it stand apart, and are in no fit.
cat >apart.yaml <<'END'
study: apart
task: {command: [sh, -c, 'echo loss=$(($0 * $0))', "{v}"]}
settings: {v: [-10, -1, 0, 1, 10, 100]}
figures:
- {kind: sensitivity, x: v, y: best loss, log: [x, y], fit: [1, 100]}
- {kind: sensitivity, x: v, y: best loss, log: [x, y], fit: true, name: all}
- {kind: scatter, x: v, y: best loss, log: [x, y]}
END
expect 0 poula sweep apart.yaml --db apart.db
expect 0 poula plot --db apart.db --keep
equal "$(grep -c "slope 2.000, 95% interval \[2.000, 2.000\], 3 points" err)" 2 "fits of the positive values"
equal "$(grep -c "2 values of v below zero have no place on a logarithmic axis: they stand apart, before the dotted line." err)" 3 "notes"
for name in apart-sensitivity all apart-scatter; do
    contains plots/$name.gp "set logscale x"
    equal "$(table plots/$name.dat 'mean over' | awk '{ print $1 ":" $7 }' | head -n 6 | tr '\n' ' ')" \
        "-10:0.001 -1:0.01 0:0.1 1:1 10:10 100:100 " "places of $name"
    contains plots/$name.gp "set arrow from 0.31622776601683794, graph 0 to"
done
equal "$(table plots/apart-sensitivity.dat 'mean over' | wc -l)" 6 "points"
# Many share the room of some, in the order of their values; the rest of the axis has round numbers.
cat >many.yaml <<'END'
study: many
task: {command: [sh, -c, 'echo loss=$0', "{v}"]}
search: {points: 30}
settings: {v: {uniform: [-1, 1]}}
figures: [{kind: scatter, x: v, y: last loss, log: x}]
END
expect 0 poula sweep many.yaml --db many.db
expect 0 poula plot --db many.db --keep
contains err "16 values of v below zero have no place on a logarithmic axis"
table plots/many-scatter.dat 'mean over' | sort -g | awk '{ if (NR > 1 && $7 <= before) exit 1; if ($1 > 0 && $1 != $7) exit 1; before = $7; if (NR == 1) first = $7 } END { exit !(first > 1e-4) }' ||
    fail "the values do not stand in their order"
grep -q '^set xtics.*"0.2" 0.2.*"0.5" 0.5' plots/many-scatter.gp || fail "no round numbers"

# An end of a range that a logarithmic axis cannot have is told.
expect 0 poula plot --db apart.db --kind sensitivity --x v --y loss --log y --y-range=-5:2
contains err "The y axis is logarithmic and cannot begin at -5: it begins where its values do."
expect 0 poula plot --db apart.db --kind scatter --x v --y loss --log x --x-range=-20:0
contains err "The x axis is logarithmic and cannot begin at -20: it begins where its values do."
contains err "The x axis is logarithmic and cannot end at 0: it ends where its values do."

# A number of runs that changes more often than can be named: how often, and from which to which.
cat >often.yaml <<'END'
study: often
task: {command: [sh, -c, 'for e in 1 2 3 4 5 6 7 8 9 10 11 12; do [ $0 = 2 ] && [ $((e % 2)) = 0 ] && [ $e -le $1 ] || echo epoch=$e loss=$0; done', "{seed}", "{n}"]}
settings: {n: [4, 6, 12]}
seeds: [1, 2, 3]
END
expect 0 poula sweep often.yaml --db often.db
expect 0 poula plot --db often.db --kind curves --y loss
contains err "n = 4 (3 runs, 2 from epoch 2 on, 3 from epoch 3 on, 2 from epoch 4 on, 3 from epoch 5 on)"
contains err "n = 6 (6 times, between 2 and 3 runs), n = 12 (11 times, between 2 and 3 runs)."

# Bands have their width whatever the size of the values.
cat >size.yaml <<'END'
study: size
task: {command: [sh, -c, 'case $0$1 in a1) echo loss=1e-170;; a2) echo loss=3e-170;; b1) echo loss=1e160;; *) echo loss=3e160; esac', "{m}", "{seed}"]}
settings: {m: [a, b]}
seeds: [1, 2]
END
expect 0 poula sweep size.yaml --db size.db
for kind in "curves --lines m" "sensitivity --x m"; do
    expect 0 poula plot --db size.db --kind $kind --y loss --keep
    table plots/size-${kind%% *}.dat 'mean over' | awk '{ print $2, $3, $4 }' >bands
    grep -q "^2e-170 5.85[0-9]*e-171 3.41[0-9]*e-170$" bands || fail "$kind: the band of 1e-170"
    grep -q "^2e+160 5.85[0-9]*e+159 3.41[0-9]*e+160$" bands || fail "$kind: the band of 1e160"
done
cat >steep.yaml <<'END'
study: steep
task: {command: [sh, -c, 'echo loss=$(($0 * $0 % 7))e160', "{v}"]}
settings: {v: [1, 2, 3]}
END
expect 0 poula sweep steep.yaml --db steep.db
expect 0 poula plot --db steep.db --kind sensitivity --x v --y loss --fit
contains err "slope 5e+159, 95% interval [-1.784e+161, 1.884e+161], 3 points."

# Runs that never reach a target: the mean is infinite, and so it is said, in every kind.
cat >target.yaml <<'END'
study: target
task: {command: [sh, -c, 'case $0$1 in a*|b[123]) v=0.9;; *) v=0.1; esac; echo epoch=1 acc=0; echo epoch=$((2+$1)) acc=$v', "{m}", "{seed}", "{k}"]}
settings: {m: [a, b, c], k: 1}
seeds: [1, 2, 3, 4]
target: {acc: 0.5}
END
expect 0 poula sweep target.yaml --db target.db
for kind in "sensitivity --x m" "scatter --x m" "parallel --x m,k"; do
    expect 0 poula plot --db target.db --kind $kind --y epochs_to_target --keep
    contains err "5 runs never reached the target: their means are infinite, and arrows at the top."
    lacks err "No finite value"
    lacks err "in no mean"
    equal "$(table plots/target-${kind%% *}.dat 'above the axis' | wc -l)" 2 "arrows of $kind"
    contains plots/target-${kind%% *}.gp "title 'above the axis'"
done
equal "$(table plots/target-sensitivity.dat 'mean over' | cut -d' ' -f1-6 | tr '\n' ';')" \
    "1 4.5 3.209005551264194 5.790994448735805 4 3;2 inf inf inf 4 3;3 inf inf inf 4 inf;" "means"
expect 0 poula plot --db target.db --kind sensitivity --x m --y epochs_to_target --keep --band quartiles
contains err "5 runs never reached the target and count as infinite; medians that are have arrows."
equal "$(table plots/target-sensitivity.dat 'median over' | cut -d' ' -f1-6 | tr '\n' ';')" "1 4.5 3.75 5.25 4 3;2 4.5 3.75 inf 4 3;3 inf inf inf 4 inf;" "medians"
expect 0 poula plot --db target.db --kind strip --x m --y epochs_to_target --keep
equal "$(table plots/target-strip.dat 'median over' | cut -d' ' -f1-6 | tr '\n' ';')" "1 4.5 3.75 5.25 4 3;2 4.5 3.75 inf 4 3;3 inf inf inf 4 inf;" "medians of the strip"
expect 0 poula plot --db target.db --kind heatmap --x m --y k --z epochs_to_target --keep --format svg
contains err "5 runs never reached the target: means of their squares are infinite."
sed 's/<[^>]*>//g' plots/target-heatmap.svg | sed 's/^[ \t]*//' >shown
equal "$(grep -x 'never\|never 1/4\|∞' shown | tr '\n' ' ')" "∞ never 1/4 never " "what squares say"
equal "$(grep -c "empty border lc rgb '#000000'" plots/target-heatmap.gp)" 1 "best squares"
equal "$(table plots/target-heatmap.dat 'column row' | tr '\n' ';')" "1 1 4.5 1.2909944487358058 4 0;2 1 inf NaN 4 0;3 1 inf NaN 4 0;" "squares"
