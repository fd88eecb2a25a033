# Tables with select: what is chosen, by what, and that it is said in every format.
cat >trainer.sh <<'EOF'
# lam eps seed method: accuracies as a formula; lam=3 diverges with one seed, lam=4 with all.
loss=1
case $1-$3 in 3-2 | 4-*) loss=nan ;; esac
if [ "$4" = b ]; then valid=$((50 + 2 * $2)); else valid=$((60 - ($1 - 2) * ($1 - 2) - ($2 - 2) * ($2 - 2) + $3)); fi
echo "valid_accuracy=$valid test_accuracy=$((40 + 10 * $1 - $2)) loss=$loss"
EOF
cat >search.yaml <<'EOF'
study: search
task: {command: [sh, trainer.sh, "{lam}", "{eps}", "{seed}", "{method}"]}
settings: {method: [a, b], lam: [1, 2, 3, 4], eps: [1, 2, 3], eta: "=lam*2"}
seeds: [1, 2]
tables:
- {rows: method, value: best test_accuracy, select: {best: 2, over: [lam, eps]}}
- {columns: method, value: best test_accuracy, select: {over: [lam, eps], by: best test_accuracy}}
EOF
expect 0 poula sweep search.yaml

# Best and second best by validation, which is the default. b is equally good for every lam: the grid's first is taken.
# lam=3 and lam=4 are better on the test set, but diverged.
expect 0 poula report
same out <<'EOF'
search: best test_accuracy, mean(std); higher is better; selected on the validation set

method  rank  best test_accuracy
------  ----  ------------------
a       1           58.00(0.00)*
a       2           48.00(0.00)
b       1           47.00(0.00)
b       2           57.00(0.00)

The 2 best over lam, eps by the mean of best valid_accuracy, selected on the validation set:
method=a: 1. lam=2, eps=2 (61.50); 2. lam=1, eps=2 (60.50).
method=b: 1. lam=1, eps=3 (56.00); 2. lam=2, eps=3 (56.00).
12 of 24 configurations have runs that diverged; they rank below the others.

search: best test_accuracy, mean(std) by method; higher is better; selected on the test set

    method=a      method=b
------------  ------------
59.00(0.00)*  59.00(0.00)*

The best over lam, eps by the mean of best test_accuracy, selected on the test set:
method=a: 1. lam=2, eps=1 (59.00).
method=b: 1. lam=2, eps=1 (59.00).
12 of 24 configurations have runs that diverged; they rank below the others.
EOF
for format in text markdown latex; do
    expect 0 poula report --format $format
    contains out "selected on the test set"
    contains out "selected on the validation set"
done
expect 0 poula report --format csv
contains out "search,test_accuracy,best,a,2,1,2,best valid_accuracy,validation,60.5,48,0,48,48,48,2,2,0,0,0,0"
contains out "method,lam,eps,selected_by,selected_on,criterion,mean"
contains out "search,test_accuracy,best,a,2,1,best test_accuracy,test,59,59,0,"
expect 0 poula report --format json
contains out '"selection": {"best": 1, "by": "best test_accuracy", "on": "test", "over": ["lam", "eps"]}'
contains out '{"settings": {"method": "b", "rank": 2}, "selected": {"lam": 2, "eps": 3}, "criterion": 56, "mean": 57,'

# Configurations with a diverged seed come after all others, those without any value last. What varies beside rows,
# columns and over parts the groups.
expect 0 poula report --rows method,rank --value test_accuracy --best 4 --over lam --by "best test_accuracy" --where eps=3
same out <<'EOF'
search: best test_accuracy, mean(std); higher is better; selected on the test set

method  rank    best test_accuracy
------  ----  --------------------
a       1             57.00(0.00)*
a       2             47.00(0.00)
a       3     67.00(-) n=1 div 1/2
a       4                  div 2/2
b       1             57.00(0.00)*
b       2             47.00(0.00)
b       3     67.00(-) n=1 div 1/2
b       4                  div 2/2

The 4 best over lam by the mean of best test_accuracy, selected on the test set:
method=a: 1. lam=2 (57.00); 2. lam=1 (47.00); 3. lam=3 (67.00, 1 of 2 diverged); 4. lam=4 (2 of 2 diverged).
method=b: 1. lam=2 (57.00); 2. lam=1 (47.00); 3. lam=3 (67.00, 1 of 2 diverged); 4. lam=4 (2 of 2 diverged).
4 of 8 configurations have runs that diverged; they rank below the others.
EOF
expect 0 poula report --rows method --columns rank --value test_accuracy --best 2 --over lam --by test_accuracy
contains out "Rows are split by eps, which varies but was not asked for."
contains out "method=b, eps=3: 1. lam=2 (57.00); 2. lam=1 (47.00)."

# The criterion must say which way is better, and must be there.
for wrong in "--best 2" "--by loss" "--over lam --rows lam" "--over lamm" "--over lam --best 0" "--over lam --by nope" \
    "--over lam --by seconds"; do
    expect 2 poula report --value test_accuracy $wrong
    [ ! -s out ] || fail "$wrong prints"
done

# Runs that failed or have not finished: their configuration ranks below those that are complete.
some="SELECT run FROM runs WHERE lam = 2 AND eps = 2 AND seed = 2 AND method = 'a'"
sql results/poula.db "DELETE FROM result WHERE run IN ($some); UPDATE run SET status = 0 WHERE id IN ($some)"
expect 0 poula report --rows method --value test_accuracy --best 7 --over lam,eps --where method=a
contains out "5. lam=1, eps=3 (59.50); 6. lam=2, eps=2 (61.00, 1 of 2 unfinished); 7. lam=3, eps=2 (60.00, 1 of 2 diverged)."
contains out "1 of 12 configurations have runs that failed or have not finished; they rank below the others."

# Without validation it must be said what to choose by.
sed 's/valid_accuracy=$valid//' trainer.sh >plain.sh
sed -e 's/trainer/plain/' -e 's/study: search/study: plain/' search.yaml >plain.yaml
expect 0 poula sweep plain.yaml
expect 1 poula report
contains err "select chooses by validation, but no run of the study has recorded a metric such as valid_accuracy, val_loss or eval_f1; say what to choose by, as in by: best test_accuracy"
contains out "method=a: 1. lam=2, eps=1 (59.00)."
lacks out validation

# Figures choose as tables do: of four step sizes each the two best, told apart by their rank.
cat >figures.yaml <<'END'
study: figures
task: {problem: quadratic, iterations: 50, record: 10}
optimizer: {name: [sgd, adam], lambda: [0.3, 0.1, 0.01, 0.001]}
seeds: [1, 2]
tables: [{rows: [optimizer, rank], value: last loss, select: {best: 2, over: lambda, by: last loss}}]
figures:
- {kind: curves, y: loss, lines: [optimizer, rank], log: y, name: best-two, select: {best: 2, over: lambda, by: last loss}}
- {kind: curves, y: loss, panels: optimizer, name: best-one, select: {over: [lambda], by: last loss}}
- {kind: curves, y: loss, lines: [optimizer, lambda], name: all}
END
expect 0 poula sweep figures.yaml --quiet
expect 0 poula report
best=$(sed -n 's/.*optimizer=sgd: 1\. lambda=\([0-9.]*\) .*/\1/p' out)
[ -n "$best" ] || fail "the table does not say what it chose"
expect 0 poula plot --keep
contains err "Of 8 configurations 4 are drawn, the best by last loss over lambda."
contains err "Of 8 configurations 2 are drawn"
equal "$(grep -o 'title "[^"]*, rank = [12]"' plots/best-two.gp | sort -u | tr '\n' ' ')" \
    'title "adam, rank = 1" title "adam, rank = 2" title "sgd, rank = 1" title "sgd, rank = 2" ' "the lines"
# The first line is that of the configuration which the table has first.
sql results/poula.db "SELECT printf('%.10g', avg(value)) FROM curves JOIN runs USING (run) WHERE study = 'figures' AND metric = 'loss'
    AND optimizer = 'sgd' AND \"lambda\" = $best AND epoch = 50" >last
awk '$1 == 50 { printf "%.10g\n", $2; exit }' plots/best-two.dat >drawn
same drawn <last
equal "$(grep -c "^# panel" plots/best-one.gp)" 2 "panels"
expect 0 poula plot --figure best-two --where optimizer=adam --out adam
contains err "Of 4 configurations 2 are drawn"
