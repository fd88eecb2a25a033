# Files that `poula plot` writes, what it says, and what it refuses.
command -v gnuplot >/dev/null || exit 77
empty() { [ ! -s "$1" ] || fail "$1 is not empty"; }
cat >small.yaml <<'END'
study: small
task: {problem: theta30, iterations: 200, record: 20}
cases:
- optimizer: {name: theopoula, lambda: [0.1, 0.01], epsilon: [0.1, .inf], beta: 1e6}
- optimizer: {name: sgd, lambda: [0.1, 0.01]}
seeds: [1, 2, 3]
figures:
- {kind: curves, y: loss, lines: [optimizer, lambda], panels: epsilon}
- {kind: trajectories, name: "toy_theta", y: theta, lines: optimizer, panels: lambda, title: "100% {of} the_toy's"}
- {kind: sensitivity, x: lambda, y: loss, lines: epsilon, where: {optimizer: theopoula}}
- {kind: heatmap, x: lambda, y: epsilon, z: loss, where: {optimizer: theopoula}}
END
expect 1 poula plot
contains err "results/poula.db"
[ ! -e plots ] || fail "plot made plots/"
expect 0 poula sweep small.yaml

# Every declared figure, in every format, whole.
for format in png svg pdf; do
    expect 0 poula plot --format $format --out figures/$format
    same out <<END
figures/$format/small-curves.$format
figures/$format/toy_theta.$format
figures/$format/small-sensitivity.$format
figures/$format/small-heatmap.$format
END
    equal "$(ls figures/$format | wc -l)" 4 "files in figures/$format"
done
equal "$(head -c 4 figures/png/small-curves.png | od -An -c | tr -d ' ')" '211PNG' "first bytes of a PNG"
equal "$(head -c 5 figures/pdf/small-heatmap.pdf)" %PDF- "first bytes of a PDF"
grep -q '</svg>' "figures/svg/toy_theta.svg" || fail "the SVG is cut"
! grep -E 'scale\(0(\.0*)?\)' figures/svg/*.svg || fail "librsvg draws nothing that is scaled to 0"
for word in "100% {of} the_toy's" 'iteration' 'θ' 'diverged'; do
    tr -d '\n' <"figures/svg/toy_theta.svg" | sed 's/<[^>]*>//g' | grep -qF -e "$word" || fail "the SVG lacks $word"
done

# One of them, and one of one's own; --keep leaves what gnuplot was given, and that draws the same file again.
expect 0 poula plot --figure small-heatmap
same out <<END
plots/small-heatmap.png
END
expect 0 poula plot --kind sensitivity --x epsilon --y "last loss" --lines lambda --where optimizer=theopoula --log y \
    --y-range 1e-12: --title "A title" --name own --format svg --keep
same out <<END
plots/own.svg
END
contains plots/own.gp 'set ylabel "last loss"'
contains plots/own.gp "set logscale y"
contains plots/own.gp '"∞"'
contains plots/own.dat "λ = 0.01"
mv plots/own.svg first.svg
expect 0 sh -c 'cd plots && gnuplot -d own.gp'
cmp first.svg plots/own.svg || fail "the kept script draws something else"

# What no text of XML may hold.
expect 0 poula plot --figure small-curves --title 'a ]]> b ]]]>' --format svg --out guard
! grep -qF ']]>' guard/small-curves.svg || fail "the SVG is no XML"
expect 0 poula plot --figure small-curves --labels 'sgd=a ]]> b' --format svg --out guard
! grep -qF ']]>' guard/small-curves.svg || fail "the SVG is no XML by the names of its lines"
expect 0 poula plot --figure small-curves --title 'a ]]> b' --terminal dumb
contains out 'a ]]> b'

# Letters without a font are numbers: Pango's box for them would cover the picture.
dejavu=$(fc-list "DejaVu Sans" file 2>/dev/null | head -n 1 | sed 's|/[^/]*$||')
if [ -n "$dejavu" ]; then
    printf '<?xml version="1.0"?>\n<fontconfig><dir>%s</dir><cachedir>%s/fonts</cachedir></fontconfig>\n' "$dejavu" "$PWD" >fonts.conf
    FONTCONFIG_FILE=$PWD/fonts.conf expect 0 poula plot --figure small-curves --title 'λ 中文 é a' --keep --out fonts
    contains fonts/small-curves.gp '4E2D U'
    contains err "No font on this machine has U+4E2D, U+6587: written as numbers"
    FONTCONFIG_FILE=$PWD/fonts.conf expect 0 poula plot --figure small-curves --title 'λ 中文' --format svg --out fonts
    contains fonts/small-curves.svg '中文'
    lacks err "No font"
fi

# In the terminal, as wide as it is.
COLUMNS=61 expect 0 poula plot --figure small-curves --terminal dumb
contains out "iteration"
contains out "theopoula, λ = 0.1"
[ "$(wc -L <out)" -le 60 ] || fail "wider than the terminal"
[ ! -e plots/small-curves.txt ] || fail "a terminal drawing left a file"

# A heat map's squares there: the mean, with a star at the best, and the deviation below it.
cat >ripples.yaml <<'END'
study: ripples
task: {problem: rastrigin, iterations: 200}
optimizer: {name: theopoula, lambda: [0.1, 0.01], epsilon: 0.1, beta: [0.1, 10]}
seeds: [1, 2, 3]
tables: [{rows: lambda, columns: beta, value: best loss, digits: 2}]
figures: [{kind: heatmap, x: lambda, y: beta, z: best loss}]
END
expect 0 poula sweep ripples.yaml --db ripples.db
COLUMNS=80 expect 0 poula plot --db ripples.db --terminal dumb
equal "$(grep -o '[0-9.]* *±[0-9.]*\|±[0-9.]*' out | wc -l)" 4 "deviations"
for cell in $(poula report --db ripples.db --format csv | awk -F, 'NR > 1 { printf "%.2f%s\n", $6, $NF ? "*" : "" }'); do
    contains out " $cell "
done
equal "$(grep -o '[*]' out | wc -l)" 1 "best squares"

# Settings that vary but were not asked for part the lines.
expect 0 poula plot --kind curves --lines lambda --out o
contains err "Lines are split by optimizer, which varies but was not asked for."

# The user's mistakes.
for wrong in "--figure nope" "--x lambda" "--kind pie" "--kind curves --y los" "--kind sensitivity" "--kind heatmap --x lambda" \
    "--kind curves --x lambda" "--kind curves --lines lamda" "--y-range 1" "--y-range 2:1" "--log z" \
    "--kind curves --figure small-curves" "--format gif"; do
    expect 2 poula plot $wrong --out wrong
    empty out
done
[ ! -e wrong ] || fail "a refused figure left a folder"
expect 2 poula plot --kind curves --where lambda=7 # as report does (B8)
contains err "has lambda=7; there "
expect 2 poula plot --where lambda=7

# Without gnuplot, and with one that fails, the error says so and no file is left.
mkdir bin
ln -s "$(command -v env)" bin/env
expect 1 env PATH="$PWD/bin" "$POULA" plot --out without
contains err "gnuplot"
contains err "apt-get install gnuplot-nox"
[ ! -e without ] || fail "without gnuplot there is a folder"
printf '#!/bin/sh\necho "line 7: nonsense" >&2\nexit 1\n' >bin/gnuplot
chmod +x bin/gnuplot
expect 1 env PATH="$PWD/bin:/bin:/usr/bin" "$POULA" plot --figure small-curves --out without
contains err "gnuplot could not draw small-curves: line 7: nonsense"
printf '#!/bin/sh\nexit 0\n' >bin/gnuplot
expect 1 env PATH="$PWD/bin:/bin:/usr/bin" "$POULA" plot --figure small-curves --out without
contains err "gnuplot drew nothing"

expect 2 poula plot --figure small-curves --out ""
contains err "--out is empty"

# A folder that cannot be written to.
echo x >file
expect 1 poula plot --figure small-curves --out file/sub
contains err "file"

# Nothing but failures: nothing to draw.
cat >none.yaml <<'END'
study: none
task: {problem: theta30, iterations: 50, record: 10}
optimizer: {name: sgd, lambda: [1, 10]}
seeds: [1, 2]
END
expect 0 poula sweep none.yaml --db none.db
expect 1 poula plot --db none.db --kind sensitivity --x lambda --y loss
contains err "nothing to draw"
empty out

# Curves against time: what the epochs took is added up, seed by seed; the mean of both is drawn.
cat >timed.yaml <<'END'
study: timed
task: {command: [sh, -c, "for e in 1 2 3; do echo epoch=$e loss=$(({slow} * 8 - e)) seconds=$(({seed} * {slow} * 10)); done"]}
settings: {slow: [1, 2]}
seeds: [1, 3]
figures:
- {kind: curves, x: seconds, y: loss, lines: slow, name: timed}
END
expect 0 poula sweep timed.yaml --db timed.db
expect 0 poula plot --db timed.db --keep --out timed
empty err
equal "$(sed -n '/^[0-9]/p' timed/timed.dat | cut -d' ' -f1,2,5 | tr '\n' ';')" \
    "20 7 2;40 6 2;60 5 2;40 15 2;80 14 2;120 13 2;" "mean seconds, mean loss, runs"
contains timed/timed.gp "seconds of training"
expect 2 poula plot --db none.db --kind curves --x seconds --y loss
contains err "has not recorded the seconds that its epochs took"
expect 2 poula plot --db none.db --kind curves --x lambda --y loss

# Steps and epochs are two axes: no figure shows one under the other's name.
cat >steps.yaml <<'END'
studies:
- study: by-step
  task: {command: [sh, -c, "echo step=100 loss=3; echo step=200 loss=2"]}
- study: by-both
  task: {command: [sh, -c, "echo step=100 loss=5; echo step=200 loss=4; echo epoch=1 loss=4.5"]}
END
expect 0 poula sweep steps.yaml --db steps.db
rows() { sed -n '/mean over the runs/,/^$/p' plots/rows.dat | sed '1d;/^$/d' | cut -d' ' -f1,2 | tr '\n' ';'; }
for case in "by-step/epoch/step/100 3;200 2;" "by-step/step/step/100 3;200 2;" "by-both/step/step/100 5;200 4;" \
    "by-both/epoch/epoch/1 4.5;"; do
    echo "$case" >case
    IFS=/ read -r study x label points_wanted <case
    expect 0 poula plot --db steps.db --study $study --kind curves --y loss --x $x --name rows --keep --format svg
    equal "$(rows)" "$points_wanted" "$study along $x"
    contains plots/rows.gp "set xlabel \"$label\""
done

expect 0 poula plot --db steps.db --study by-step --kind heatmap --x command --y command --z loss --name rows --keep
contains plots/rows.dat "1 1 2 NaN 1 0"

# Fits: said on standard error, drawn, and kept with the data.
expect 0 poula plot --kind curves --y loss --lines optimizer,lambda,epsilon --log x,y --fit --slopes 0.5,-1 --format svg \
    --keep --name fitted --out fits
contains err "mean loss against epoch, "
contains err "95% interval ["
grep -q "^# .*: fitted slope" fits/fitted.dat || fail "the fit is not in the data"
grep -q "slope −1\|slope -1" fits/fitted.svg || fail "the legend lacks a slope"
expect 2 poula plot --kind curves --y loss --slopes steep
contains err "--slopes is 'steep', but must be up to 5 finite numbers"
expect 2 poula plot --kind heatmap --x lambda --y epsilon --z loss --where optimizer=theopoula --fit
contains err "has no lines to fit"

# F11: a toy curve begins where the optimizer did, also one that overflows at once.
expect 0 poula plot --db none.db --kind curves --y theta --name start --keep
equal "$(sed -n '/mean over the runs/,/^$/p' plots/start.dat | grep -c '^0 5 ')" 2 "lines that begin at theta_0 = 5"

# F12: where seeds stop, the mean jumps though no run does: a mark and a sentence.
cat >early.yaml <<'END'
study: early
task: {command: [sh, -c, 'n=$(({seed} * 3)); e=1; while [ $e -le $n ]; do echo "epoch=$e loss=$(({seed} * 10))"; e=$((e+1)); done']}
settings: {a: 1}
seeds: [1, 2, 3]
END
expect 0 poula sweep early.yaml --db early.db
expect 0 poula plot --db early.db --format svg --keep
contains err "The number of runs behind a mean changes: the line (3 runs, 2 from epoch 4 on, 1 from epoch 7 on)."
grep -q "the number of runs changes" plots/early-curves.svg || fail "the legend does not say what the mark means"
equal "$(sed -n '/another number of runs/,/^$/p' plots/early-curves.dat | cut -d' ' -f1,2,5 | sed -n '2,3p' | tr '\n' ';')" \
    "4 25 2;7 30 1;" "where the number of runs changes"

# F6: whatever a text holds, gnuplot is given it as text, and runs nothing.
cat >texts.yaml <<'END'
study: texts
task: {command: [sh, -c, 'echo epoch=1 loss=1; echo epoch=2 loss=2']}
settings:
  name: ["'begins", "has '' in it", '"', "`touch ran`", "@m_x^{y}&~\\", "5%d %%", "a\nb\e[31m", "<b>&amp;", "$PATH"]
END
expect 0 poula sweep texts.yaml --db texts.db
for title in "'quoted' it''s" "''" '"' '\' 'ends in \' '`touch ran`' '@x %d 100%' '$(touch ran)' '{a}_{b}^{c}' '<|>'; do
    expect 0 poula plot --db texts.db --kind curves --y loss --lines name --title "$title" --name titled --format svg
    tr -d '\n' <plots/titled.svg | sed 's/<[^>]*>//g; s/&lt;/</g; s/&gt;/>/g; s/&quot;/"/g; s/&amp;/\&/g' >words
    for word in "$title" "'begins" "has '' in it" '`touch ran`' '@m_x^{y}&~\' '5%d %%' 'a␊b␛[31m' '<b>&amp;' '$PATH'; do
        grep -qF -e "$word" words || fail "the figure titled $title lacks $word"
    done
done
title="' \`touch ran\` \\ % @x"
expect 0 poula plot --db texts.db --kind sensitivity --x name --y loss --title "$title" --format pdf
expect 0 poula plot --db texts.db --kind heatmap --x name --y name --z loss --title "$title"
expect 0 poula plot --db texts.db --kind curves --y loss --lines name --title "$title" --terminal dumb
contains out "$title"
expect 2 poula plot --db texts.db --kind curves --y loss --lines name --name '<touch ran; #' --format svg
[ -z "$(find . -name ran)" ] || fail "a text was run as a command"

# F5: positions near 2^53, one apart, on either scale: an axis, and at once.
cat >big.yaml <<'END'
study: big
task: {command: [sh, -c, "echo epoch=9007199254740991 loss=0.1; echo epoch=9007199254740992 loss=1"]}
END
expect 0 poula sweep big.yaml --db big.db
for scale in x y x,y; do
    expect 0 timeout 20 "$POULA" plot --db big.db --kind curves --y loss --log $scale --format svg --name big --keep
    contains plots/big.gp '"9007199254740992" 9007199254740992'
    contains plots/big.dat "
9007199254740991 0.1 "
done

# F7: as large as numbers get, on either scale.
cat >huge.yaml <<'END'
study: huge
task: {command: [sh, -c, "echo epoch=1 m={low}; echo epoch=2 m={high}"]}
settings: {low: [-1e308, 1e-308, 1e307], high: [1, 1e308]}
metrics: {m: max}
END
expect 0 poula sweep huge.yaml --db huge.db
for scale in "" "--log y" "--log x,y"; do
    expect 0 poula plot --db huge.db --kind curves --y m --lines low,high $scale --format svg
    expect 0 poula plot --db huge.db --kind sensitivity --x low --y m --lines high $scale --format svg
done
# As wide an axis as can be asked for: the points are on it, not below its end, and it begins where it says.
expect 0 poula plot --db huge.db --kind curves --y m --lines low,high --log x,y --x-range 1e-300:1e300 --format svg --name wide --keep
contains plots/wide.gp "set xrange [1.0000000000000001e-250:"
contains plots/wide.gp '\060\175" 1e-100'
lacks err "Beyond the x axis"
sed 's/study: huge/study: steep/; $a figures: [{kind: curves, y: m, log: [x, y], slopes: [1e300, -1e300, 2]}, {kind: curves, y: m, slopes: 1e300}]' huge.yaml >steep.yaml
expect 0 poula sweep steep.yaml --db huge.db
expect 0 poula report --db huge.db --study steep --format html --out steep.html
! grep -oE ' (d|y)="[^"]*[0-9]{7}' steep.html || fail "a place far from the page"
expect 0 poula plot --db huge.db --kind heatmap --study huge --x low --y high --z m --format svg --keep
contains plots/huge-heatmap.dat "1 2 1e+308 NaN 1 0"

# F13: the curves of runs at work are drawn, and said to be so.
cat >work.yaml <<'END'
study: work
task: {command: [sh, -c, "for e in 1 2 3; do echo epoch=$e loss=$e.5; done; touch at.{seed}; [ {seed} = 1 ] || sleep 600"]}
seeds: [1, 2]
END
start work poula sweep work.yaml --db work.db --jobs 2
wait_for 60 test -f at.2
points() { [ "$(sql work.db "SELECT count(*) FROM curves WHERE metric = 'loss'")" = 6 ]; }
wait_for 60 points
wait_for 60 test "$(count work.db finished)" = 1
expect 0 poula plot --db work.db --keep --format svg
contains err "1 run is still at work and drawn as far as it has come."
contains plots/work-curves.svg "1/2 at work"
contains plots/work-curves.dat "3 3.5 3.5 3.5 2 3.5"
contains plots/work-curves.svg "not finished yet"
equal "$(sed -n '/: not finished yet\|\] not finished yet/,/^$/p' plots/work-curves.dat | sed -n 2p | cut -d' ' -f1,2)" "3 3.5" "where the run has come to"
poula report --db work.db --format html --out work.html >out 2>err || [ $? = 1 ]
contains work.html "◇ not finished yet"
expect 0 poula report --db work.db
contains out "1 of 2 runs have not finished yet (1 at work)."
expect 0 poula show "$(sql work.db "SELECT run FROM runs WHERE status = 'running'")" --db work.db
contains out running
kill -INT "$started"
kill -INT "$started"
finish work 130 "$started"
sql work.db "SELECT status, count(*) FROM runs GROUP BY 1" >statuses
expect 0 poula plot --db work.db --keep --format svg
contains err "1 run was interrupted and is drawn as far as it has come."
contains plots/work-curves.svg "1/2 interrupted"
