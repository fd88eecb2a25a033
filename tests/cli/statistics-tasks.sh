# Statistics over tasks: mean ranks, performance profiles, tuning curves, from values that are known.
cat >print.sh <<'END'
# method dataset: epochs until 0.9, or never
case $1-$2 in
a-*) n=2 ;; b-one) n=4 ;; b-two) n=3 ;; b-three) n=9 ;; c-one) n=2 ;; c-*) n=0 ;; d-two) exit 1 ;; d-*) n=8 ;;
e-one) echo "epoch=1 accuracy=0.99 loss=nan"; exit 0 ;; e-*) n=10 ;;
esac
for e in 1 2 3 4 5 6 7 8 9 10; do
    if [ $e = "$n" ]; then echo "epoch=$e accuracy=0.9 loss=$n seconds=2"; else echo "epoch=$e accuracy=0.$e loss=1 seconds=2"; fi
done | sed 's/0\.9 loss=1 /0.8 loss=1 /; s/0\.10/0.5/'
END
cat >tasks.yaml <<'END'
study: tasks
task: {command: [sh, print.sh, "{method}", "{dataset}"]}
settings: {method: [a, b, c, d, e], dataset: [one, two, three]}
target: {accuracy: 0.9}
tables: [{rows: method, columns: dataset, value: epochs_to_target}]
END
expect 1 poula sweep tasks.yaml --quiet
expect 0 poula report
contains out "e           div 1/1"
contains out "never 1/1"

# d failed on two, so there only one and three are ranked: a 1.5 1, b 3 3, c 1.5 5 (never), d 4 2, e 5 (diverged) 4.
expect 0 poula report --ranks
same out <<'END'
tasks: mean ranks by epochs_to_target (accuracy >= 0.9) over 2 tasks

method  verdict  mean_rank  behind  first
------  -------  ---------  ------  -----
a       first         1.25    0.00      2
b                     3.00    1.75      0
d                     3.00    1.75      0
c                     3.25    2.00      1
e                     4.50    3.25      0

Friedman's test: chi-square 4.41, p = 0.353, so the methods cannot be told apart.
Nemenyi's critical difference is 4.313 (level 0.05): mean ranks that are closer cannot be told apart.
1 task is left out: not every method has a result there.
2 results ranked last in their task: a run diverged, or never reached the target.
END
expect 0 poula report --ranks --where method=a,b,c
same out <<'END'
tasks: mean ranks by epochs_to_target (accuracy >= 0.9) over 3 tasks

method  verdict  mean_rank  behind  first
------  -------  ---------  ------  -----
a       first         1.17    0.00      3
b                     2.33    1.17      0
c                     2.50    1.33      1

Friedman's test: chi-square 3.455, p = 0.178, so the methods cannot be told apart.
Nemenyi's critical difference is 1.914 (level 0.05): mean ranks that are closer cannot be told apart.
2 results ranked last in their task: a run diverged, or never reached the target.
END
expect 0 poula report --ranks --where method=a,b,c --format csv
equal "$(head -1 out)" "study,method,verdict,mean_rank,behind,first,tasks,friedman,friedman_p,critical_difference" "heading"
equal "$(grep -c ',3,3.45454545' out)" 3 "(117.5 / 3 - 36) / (1 - 6 / 72), by hand"
expect 0 poula report --ranks --where method=a,b,c --format json
contains out '{"method": "a", "verdict": "first", "mean_rank": 1.1666666666666667, "behind": 0, "first": 3, "tasks": 3,'
expect 0 poula report --ranks --where method=a,b,c --format latex
contains out 'a & first & $1.17$ & $0.00$ & $3$ '
contains out '\begin{tabular}{llrrr}'
expect 2 poula report --ranks --where dataset=one
contains err "at least 2 are needed"
expect 2 poula report --ranks --where method=a
contains err "ranks need at least two"

# Profiles: of a, b, c the times are 2 4 2, 2 3 never, 2 9 never.
expect 0 poula report --profile --where method=a,b,c
same out <<'END'
tasks: performance profile by epochs_to_target (accuracy >= 0.9) over 3 tasks

method   score  fastest  within_2  solved
------  ------  -------  --------  ------
a       1.0000    1.000     1.000   1.000
b       0.5000    0.000     0.667   1.000
c       0.3333    0.333     0.333   0.333

score: the share of tasks solved within tau times the fastest method, averaged over tau from 1 to 4; fastest, within_2 and solved: that share at tau = 1, at 2, and at last.
2 results count as never: a run diverged, or never reached the target.
END
expect 0 poula report --profile --where method=a,b,c --format csv --tau-max 2
contains out "tasks,b,0.16666666666666666,0,0.6666666666666666,1,3,2" # (2 - 1.5) / 3
expect 2 poula report --profile --value "best accuracy" --rows method --columns dataset
contains err "a performance profile is of times to a target, such as value: epochs_to_target, and not of accuracy"

# The points of a search.
cat >tune.yaml <<'END'
study: tune
task: {command: [sh, -c, 'echo epoch=1 accuracy=$1', sh, "{q}"]}
settings: {q: {uniform: [0, 1]}}
search: {points: 5, method: random, seed: 3}
tables: [{value: last accuracy}]
END
expect 0 poula sweep tune.yaml --db tune.db --quiet
expect 0 poula report --db tune.db --value "last accuracy" --rows q --format csv
sed 1d out | cut -d, -f5 | sort -g >scores
equal "$(wc -l <scores)" 5 "points"
expect 0 poula report --db tune.db --tuning --value "last accuracy" --format csv
equal "$(head -1 out)" "study,k,median,low,high,mean,mean_v,points" "heading"
equal "$(sed -n 2p out | cut -d, -f3)" "$(sed -n 3p scores)" "the median of one point: the third of five"
equal "$(sed -n 6p out | cut -d, -f3)" "$(sed -n 5p scores)" "of five: the best, at 0.5^(1/5) = 0.87"
equal "$(sed -n 3p out | cut -d, -f3)" "$(sed -n 4p scores)" "of two: the fourth, at 0.71"
near() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a != "" && (a - b)^2 < 1e-20) }' || fail "$3: '$1', want $2"; }
near "$(sed -n 2p out | cut -d, -f6)" "$(awk '{ s += $1 } END { printf "%.15g", s / 5 }' scores)" "mean of one"
near "$(sed -n 3p out | cut -d, -f6)" "$(awk '{ s += $1 * (NR - 1) } END { printf "%.15g", s / 10 }' scores)" "mean of two"
near "$(sed -n 3p out | cut -d, -f7)" "$(awk '{ s += $1 * (2 * NR - 1) } END { printf "%.15g", s / 25 }' scores)" "with replacement"
median=$(sed -n 6p out | cut -d, -f3)
expect 0 poula report --db tune.db --tuning --value "last accuracy" --unit percent --digits 3
contains out "tune: last accuracy (%) of the best of k points"
equal "$(awk '$1 == 5 { print $2 }' out)" "$(awk -v m="$median" 'BEGIN { printf "%.3f", 100 * m }')" "the median in percent"
expect 0 poula report --db tune.db --tuning --value "last accuracy" --unit percent --format csv
equal "$(sed -n 6p out | cut -d, -f3)" "$median" "the median in a file, as it is"
expect 0 poula report --db tune.db --tuning --band dkw --level 0.5
contains out "low and high: the dkw band of the median, which holds at all k at once (50%)."
expect 0 poula report --tuning
contains out "There is no band: it needs points drawn with method: random, and those of study tasks are a grid."
expect 0 poula report --tuning --labels accuracy=Share,method=m,a=A --rows method --value "best accuracy"
contains out "tasks: best Share of the best of k points"
grep -q '^A, one  *1 ' out || fail "the label of a method in a tuning curve"
for useless in "--tuning --cell median" "--tuning --best 1 --over lambda" "--claims --digits 3" "--claims --unit percent" "--ranks --caption x" \
    "--pairs --label tab:x" "--profile --digits 1"; do
    expect 2 poula report $useless
    contains err "has no effect on"
done
expect 2 poula report --tuning --pairs
expect 2 poula report --band ks
expect 2 poula report --tau-max 3
expect 2 poula report --profile --level 0.9

# Points that are drawn again are one run, and count as often as they were drawn. With another setting beside it every point is
# a run, and q is drawn as before.
cat >again.yaml <<'END'
study: again
task: {command: [sh, -c, 'echo epoch=1 accuracy=$1', sh, "{q}", "{r}"]}
settings: {q: {choice: [0.25, 0.5, 0.75]}, r: {uniform: [0, 1]}}
search: {points: 20}
tables: [{value: last accuracy}]
END
expect 0 poula sweep again.yaml --db apart.db --quiet
sed 's/, "{r}"\]/]/; s/, r: {uniform: \[0, 1\]}//' again.yaml >together.yaml
expect 0 poula sweep together.yaml --db together.db --quiet
equal "$(sql apart.db "SELECT count(*) FROM runs") $(sql together.db "SELECT count(*) FROM runs")" "20 3" "runs"
expect 0 poula report --db apart.db --tuning --value "last accuracy" --format csv
cp out apart.csv
expect 0 poula report --db together.db --tuning --value "last accuracy" --format csv
same apart.csv <out
near "$(sed -n 2p out | cut -d, -f6)" "$(sql apart.db "SELECT avg(value) FROM best WHERE metric = 'accuracy'")" "mean of 20 draws"
equal "$(sed -n 2p out | cut -d, -f8)" 20 "points"

# Nobody is first where everybody diverged.
cat >lost.yaml <<'E'
study: lost
task: {command: [sh, -c, 'case $0$1 in easya) echo loss=1;; easyb) echo loss=2;; *) echo loss=nan; esac', "{dataset}", "{m}"]}
settings: {dataset: [easy, hard], m: [a, b]}
E
expect 0 poula sweep lost.yaml --db lost.db
expect 0 poula report --db lost.db --rows m --columns dataset --ranks --format csv
equal "$(cut -d , -f 2,6 out | paste -sd ' ')" "method,first a,1 b,0" "tasks in which a method is first"
