# Figures of searches and of methods over tasks.
command -v gnuplot >/dev/null || exit 77
cat >search.yaml <<'EOF'
study: search
task: {problem: [theta30, rastrigin], iterations: 60, record: 20}
cases:
- optimizer: {name: adam, lambda: {log: [1e-4, 1]}, beta1: {one_minus_log: [0.01, 0.5]}}
- optimizer: {name: sgd, lambda: {log: [1e-4, 1]}}
search: {points: 9, method: random, seed: 1}
target: {loss: 100}
figures:
- {kind: scatter, x: beta1, y: last loss, z: lambda, panels: problem, where: {optimizer: adam}}
- {kind: tuning, y: last loss, panels: problem, lines: optimizer, band: ks, statistic: both}
- {kind: profile, lines: optimizer}
- {kind: ranks, y: last loss, lines: optimizer}
EOF
expect 0 poula sweep search.yaml --quiet
expect 0 poula plot --keep --format svg
same out <<'EOF'
plots/search-scatter.svg
plots/search-tuning.svg
plots/search-profile.svg
plots/search-ranks.svg
EOF
contains err "Bands are the ks band of the median, which holds at all numbers of points at once (95%)."
contains err "The best over beta1, lambda by the mean of last loss:"
contains err "Nemenyi's critical difference is"
for word in 'β' 'λ' '0.9' 'rastrigin'; do
    tr -d '\n' <plots/search-scatter.svg | sed 's/<[^>]*>//g' | grep -qF -e "$word" || fail "the scatter lacks $word"
done
contains plots/search-scatter.gp "set logscale cb"
contains plots/search-scatter.gp "set logscale x"
contains plots/search-tuning.gp "the mean"
contains plots/search-profile.gp "with steps"
for word in adam sgd 'mean rank by last loss over 2 tasks' 'critical difference'; do
    tr -d '\n' <plots/search-ranks.svg | sed 's/<[^>]*>//g' | grep -qF -e "$word" || fail "the diagram lacks $word"
done

# The figure has what the listing has.
expect 0 poula report --tuning --rows optimizer --columns problem --value "last loss" --band ks --format csv
listed=$(grep '^search,"adam, theta30",9,' out | cut -d, -f5)
drawn=$(awk '/panel 1: theta30/ { on = 1 } on && /adam: the best of so many points/ { at = 1 } at && $1 == 9 { print $2; exit }' \
    plots/search-tuning.dat)
[ -n "$listed" ] || fail "nothing is listed"
equal "$drawn" "$listed" "the median of the best of nine"

# Of a sequence there is no band.
sed 's/method: random/method: sobol/; s/study: search/study: even/' search.yaml >even.yaml
expect 0 poula sweep even.yaml --quiet
expect 0 poula plot --figure search-tuning --figure even-tuning
contains err "There is no band: it needs points drawn with method: random, and those of study even are sobol."

# Terminals, one point, none, and what is refused.
expect 0 poula plot --study search --terminal dumb
contains out "points tried"
contains out "mean rank by last loss over 2 tasks"
expect 0 poula plot --study search --kind tuning --y "last loss" --where optimizer=sgd --where problem=rastrigin --where "lambda>0.5" --name few
expect 0 poula plot --study search --kind scatter --x lambda --y "last loss" --z beta1 --name grey
contains err "18 points have no beta1 and are grey."
expect 0 poula plot --study search --kind scatter --x lambda --y "last loss" --z optimizer --name words
# On a page mean ranks are drawn without gnuplot, with what stands under the pointer, and legible without eyes.
expect 0 poula report --study search --format html --out page.html
lacks page.html "data:image"
! grep -qE '<path[^>]* d="[^"]*[0-9]{5}' page.html || fail "a line is drawn far off the page"
grep -q '<title>[a-z]*: mean rank [0-9.]*</title>' page.html || fail "the diagram of ranks has nothing under the pointer"
contains page.html "<figcaption>mean rank by "
contains page.html "Mean ranks: "
contains page.html ">critical difference "
! grep -q ' style="' page.html || fail "a served page may have no style of its own: $(grep -o ' style="[^"]*"' page.html | head -1)"

# The scale of colours beside a scatter is that of its points: the least setting is the darkest, though a loss is minimised. Its
# ticks are the setting's, also where the scale is logarithmic in 1 - x.
cat >coloured.yaml <<'EOF'
study: coloured
task: {problem: theta30, iterations: 60, record: 20}
optimizer: {name: adam, lambda: {log: [1e-4, 1]}, beta1: {one_minus_log: [0.01, 0.5]}}
search: {points: 9, method: random, seed: 1}
figures:
- {kind: scatter, x: lambda, y: last loss, z: beta1}
EOF
expect 0 poula sweep coloured.yaml --quiet
expect 0 poula report --study coloured --format html --out page.html
grep -o '<rect[^>]*width="12"[^>]*fill="#[0-9A-F]*"' page.html | sed 's/.*fill="//' >scale
[ "$(wc -l <scale)" = 32 ] || fail "the scale has $(wc -l <scale) steps"
[ "$(sed -n '1s/^#4[0-9A-F]0.*/dark/p' scale)" = dark ] || fail "the scale begins with $(sed -n 1p scale)"
grep -o '<text class="tick" x="[0-9.]*" y="[0-9.]*">[^<]*' page.html | sed 's/.*>//' >ticks
grep -qx '0.9' ticks || fail "the scale of beta1 has no 0.9 but $(paste -sd ' ' ticks)"
! grep -qx '[1-9][0-9]*' ticks || fail "the scale of beta1 has $(paste -sd ' ' ticks)"

# Parallel coordinates: the settings that are drawn, in their order, or those that are named; the metric's axis is the scale of
# colours. What diverged is grey and has no end there, and a configuration without a setting is dotted across its axis.
expect 0 poula plot --study search --kind parallel --y "last loss" --panels problem --lines optimizer --name parallel --keep
contains err "18 configurations have not all of these settings: their lines are dotted across the axes of others."
contains plots/parallel.dat "adam: a line for each configuration: axis place value metric runs"
contains plots/parallel.gp "set logscale cb"
equal "$(grep -c '^set label "[0-9].* at 1,' plots/parallel.gp)" "$(grep -c 'at 1,.*boxed' plots/parallel.gp)" "ticks of the second axis"
drawn=$(awk '/adam: a line for each/ { on = 1 } on && $1 == 2 { last = $3 } on && /^$/ { if (++n > 20) exit } END { print last }' plots/parallel.dat)
[ -n "$drawn" ] || fail "there are no lines"
expect 0 poula plot --study coloured --kind parallel --x beta1,lr --y "last loss" --title "beta1 and the step size" --format svg
tr -d '\n' <plots/coloured-parallel.svg | sed 's/<[^>]*>//g' >words
for word in 'β' 'λ' '0.9' 'last loss' 'beta1 and the step size'; do
    grep -qF -e "$word" words || fail "the figure lacks $word"
done
# Each axis has its name, slanted where it has no room.
expect 0 poula plot --study coloured --kind parallel --x beta1,lambda --y "last loss" --labels "beta1=decay of the first moment" --width 3in --keep
contains plots/coloured-parallel.gp '"decay of the first moment" 0'
contains plots/coloured-parallel.gp 'set xtics rotate'
expect 0 poula plot --study search --kind parallel --y "last loss" --terminal dumb --where optimizer=adam
contains out "β1"
expect 2 poula plot --study search --kind parallel --x lambda,lamda
contains err 'has a setting "lamda"'
expect 2 poula plot --study search --kind parallel --y loss --log y
contains err "a figure of kind parallel chooses its scales itself: it has neither log nor ranges"
cat >still.yaml <<'EOF'
study: still
task: {problem: rastrigin, iterations: 10}
optimizer: {name: sgd, lambda: 0.001}
figures: [{kind: parallel, y: last loss}]
EOF
expect 0 poula sweep still.yaml --quiet
expect 2 poula plot --study still
contains err "name what a figure of kind parallel is to have along x"
expect 0 poula plot --study still --kind parallel --y "last loss" --x lambda
# More settings than there is room for are named as left out.
names=$(seq -f 'a%.0f' 13 | paste -sd ,)
cat >many.yaml <<EOF
study: many
task: {command: [sh, -c, "echo epoch=1 loss=1", "{args}"]}
zip: [[$names]]
settings: {$(seq -f 'a%.0f: [1, 2]' 13 | paste -sd ,)}
EOF
expect 0 poula sweep many.yaml --quiet
expect 0 poula plot --study many --kind parallel --y "last loss"
contains err "Of 13 settings the first 12 have an axis; choose with x."
# On a page each line says under the pointer what it stands for.
sed -i 's/^- {kind: scatter.*/- {kind: parallel, y: last loss, x: [lambda, beta1], lines: optimizer}/' coloured.yaml
expect 0 poula sweep coloured.yaml --quiet
expect 0 poula report --study coloured --format html --out page.html
contains page.html "<figcaption>last loss by λ and β₁</figcaption>"
equal "$(grep -c '<title>λ [-0-9.e]*, β₁ 0\.[0-9]*: last loss [-0-9.e+]*</title>' page.html)" 9 "the lines of the page"
contains page.html "adam: 9 configurations; the best has λ"
contains page.html '<label class="c0 d0 inked">' # colours are those of the scale
! grep -q ' style="' page.html || fail "a served page may have no style of its own: $(grep -o ' style="[^"]*"' page.html | head -1)"

expect 2 poula plot --study search --kind ranks --y "last loss" --where problem=rastrigin
contains err "at least 2 are needed"
expect 2 poula plot --study search --kind ranks --panels problem
contains err "a figure of kind ranks has no panels: what is solved (dataset, model, problem ...) are its tasks"
expect 2 poula plot --study search --kind profile --y loss
contains err "times to a target"
expect 2 poula plot --study search --kind tuning --x lambda
contains err "must be one of: points epochs"
expect 2 poula plot --study search --kind scatter --x lambda --z lamda
contains err "did you mean lambda?"
expect 2 poula plot --study search --kind tuning --level 2
expect 2 poula plot --study search --kind tuning --y loss --over lambda
contains err "shows all points and does not choose among them"
expect 0 poula plot --study search --kind curves --y loss --over lambda,beta1 --by "last loss" --name chosen
contains err "the best by last loss over lambda, beta1"
expect 0 poula plot --study search --kind profile --target loss=50 --tau-max 2 --name other --keep
grep -q "^2 " plots/other.dat || fail "the profile does not end at 2"
expect 0 poula plot --study search --kind profile --target loss=0 --name lost --log y
contains err "marks say where: "
lacks err "the line"
