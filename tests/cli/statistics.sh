# Tests between the cells of a table, and all pairs of them, from values whose p can be computed by hand: of Welch's test
# with two freedoms 1 - t / sqrt(2 + t^2), of the paired one with one freedom 1 - 2 / pi atan(t).
cat >print.sh <<'END'
# task method seed
case $2-$3 in
best-1) v=12 ;; best-2) v=14 ;; near-1) v=11 ;; near-2) v=12 ;; far-1) v=1 ;; far-2) v=3 ;;
alone-1) v=10 ;; alone-2) exit 1 ;; lost-1) v=90 ;; lost-2) echo "accuracy=5 loss=nan"; exit 0 ;;
esac
[ "$1" = one ] || v=$((v + 100))
echo "epoch=1 accuracy=$v loss=1"
END
cat >tests.yaml <<'END'
study: tests
task: {command: [sh, print.sh, "{dataset}", "{optimizer}", "{seed}"]}
settings: {optimizer: [best, near, far, alone, lost], dataset: [one, two]}
seeds: [1, 2]
tables:
- {rows: optimizer, columns: dataset, value: best accuracy, compare: {to: best, test: welch}}
END
expect 1 poula sweep tests.yaml --quiet
near() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a != "" && (a - b)^2 < 1e-20) }' || fail "$3: '$1', want $2"; }
field() { sed -n "s/^tests,accuracy,best,$1,$2,//p" out | cut -d, -f"$3"; }

expect 0 poula report
same out <<'END'
tests: best accuracy, mean(std) by optimizer and dataset; higher is better

optimizer            dataset=one             dataset=two
---------  ---------------------  ----------------------
best                13.00(1.41)*           113.00(1.41)*
near                11.50(0.71)~           111.50(0.71)~
far                  2.00(1.41)            102.00(1.41)
alone      10.00(-) n=1 fail 1/2  110.00(-) n=1 fail 1/2
lost        90.00(-) n=1 div 1/2   190.00(-) n=1 div 1/2

Marked with ~ or underlined is what Welch's t test cannot tell from the best of its task (level 0.05, Holm's correction for up to 2 tests; n = 2).
With 2 runs each such a test finds with 80% probability a difference of 5.65 standard deviations, or of 8.01 where it must stand the correction for 2 tests; smaller ones mostly go unseen.
2 cells could not be tested: fewer than two values, or none that differ.
2 of 20 runs failed.
END
expect 0 poula report --format markdown
contains out "|       **13.00(1.41)** |"
contains out "|    <u>11.50(0.71)</u> |"
expect 0 poula report --format latex
contains out 'near & \underline{$11.50(0.71)$} & '
expect 0 poula report --format csv
equal "$(head -1 out)" "study,metric,select,optimizer,dataset,mean,std,median,min,max,n,planned,diverged,failed,missing,best,p,adjusted_p,alike" "heading"
equal "$(field best one 11-)" "1,,,0" "the best is not tested"
equal "$(field lost one 11-)" "0,,,0" "what diverged does not compete"
near "$(field far one 12)" 0.016130089900 "p of Welch: t = 11 / sqrt(2)"
near "$(field far two 13)" 0.032260179800 "Holm: twice the smaller of two"
equal "$(field far one 14)" 0 "differs"
equal "$(field near one 14)" 1 "alike"
expect 0 poula report --format json
contains out '"compare": {"to": "best", "test": "welch", "correct": "holm", "confidence": 0.95}'
contains out '"alike": true, "values": [11, 12]'

# The command line wins. Pairs are made by seed: 12 - 11 and 14 - 12; of far and alone there is nothing to test.
expect 0 poula report --test paired --format csv
near "$(field near one 12)" 0.204832764699 "p of the paired test: t = 3"
equal "$(field far one 12-)" ",,0" "differences that are all alike"
equal "$(field alone one 12-)" ",,0" "one pair"
expect 0 poula report --test paired --where optimizer=best,near
contains out "the paired t test cannot tell from the best of its task (level 0.05; n = 2)."
contains out "With 2 pairs such a test finds with 80% probability a difference of 11.5 standard deviations of the differences; smaller"
expect 0 poula report --test wilcoxon
contains out "With 2 pairs the smallest p of this test is 0.5, corrected for 2 tests 1: it cannot tell anything apart."
expect 0 poula report --test welch --correct none --level 0.99 --format csv
equal "$(field far one 12-14)" "0.01613008990009255,0.01613008990009255,1" "at another level"

# A table of one's own.
expect 0 poula report --rows optimizer --columns dataset --value "last loss" --test welch
lacks out "~" # all are equal, so all are best
expect 2 poula report --test welch --cell median
contains err "tests compare means, so the cells must show a mean, as in mean(std), and not median"
expect 2 poula report --test student
expect 2 poula report --correct holm
contains err "--correct is for --test and --pairs"
expect 2 poula report --level 0.9
expect 2 poula report --compare published --pairs

# All pairs.
expect 0 poula report --pairs --where optimizer=best,near,far,lost
same out <<'END'
tests: differences of best accuracy between all pairs, Welch's t test

task  a     b     verdict  mean_a  mean_b  n  difference    low   high        p  adjusted_p
----  ----  ----  -------  ------  ------  -  ----------  -----  -----  -------  ----------
one   best  near            13.00   11.50  2        1.50  -5.42   8.42   0.3499      0.3499
one   best  far   differs   13.00    2.00  2       11.00   4.92  17.08  0.01613     0.04839
one   near  far             11.50    2.00  2        9.50   2.58  16.42  0.03166     0.06331
two   best  near           113.00  111.50  2        1.50  -5.42   8.42   0.3499      0.3499
two   best  far   differs  113.00  102.00  2       11.00   4.92  17.08  0.01613     0.04839
two   near  far            111.50  102.00  2        9.50   2.58  16.42  0.03166     0.06331

adjusted_p: Holm's correction for the pairs of a task, which are up to 3.
low and high are the ends of the 95% interval of one difference alone.
With 2 runs each such a test finds with 80% probability a difference of 5.65 standard deviations, or of 9.82 where it must stand the correction for 3 tests; smaller ones mostly go unseen.
2 cells are left out: without a value, or with a run that diverged.
END
expect 2 poula report --pairs --unit percent --where optimizer=best,near,far
contains err "unit: percent is for values in [0, 1]"
cat >shares.yaml <<'END'
study: shares
task: {command: [sh, -c, 'printf "epoch=1 accuracy=0.%d\n" $(($1 + $2))', sh, "{base}", "{seed}"]}
settings: {base: [50, 25]}
seeds: [1, 3]
END
expect 0 poula sweep shares.yaml --db shares.db --quiet
expect 0 poula report --pairs --db shares.db --unit percent
contains out "shares: differences of best accuracy (%) between all pairs, Welch's t test"
grep -Eq '^base=50 +base=25 +differs +52.00 +27.00 +2 +25.00 +18.92 +31.08 ' out || fail "pairs in percent"
expect 0 poula report --pairs --db shares.db --unit percent --format csv
contains out "shares,base=50,base=25,differs,0.52,0.27,2,0.25,"
expect 0 poula report --pairs --format csv --test paired --where optimizer=best,near,far
equal "$(head -1 out)" "study,task,a,b,verdict,mean_a,mean_b,n,difference,low,high,p,adjusted_p" "heading"
line() { sed -n "s/^tests,one,$1,$2,//p" out; }
near "$(line best near | cut -d, -f8)" 0.204832764699 "p"
near "$(line best near | cut -d, -f6)" -4.853102368 "low: 1.5 - 12.70620473617 / 2"
equal "$(line best far)" "no test,13,2,2,11,,,," "no variation"
expect 0 poula report --pairs --format json --where dataset=one
contains out '"listing": "pairs"'
contains out '"a": "best", "b": "near"'
expect 0 poula report --pairs --format latex --where dataset=one
contains out 'one & best & near &  & $13.00$ & $11.50$ & $2$ & $1.50$'
expect 0 poula report --pairs --format markdown --where dataset=one
contains out "| one  | best | near"
expect 2 poula report --pairs --where optimizer=best
contains err "has two cells with values to compare"

# What a spec may say.
bad() { # COMPARE MESSAGE
    printf 'study: bad\ntask: {problem: quartic}\noptimizer: {name: sgd, lambda: [0.1, 0.2]}\ntables: [{value: last loss, %s}]\n' "$1" >bad.yaml
    expect 2 poula sweep bad.yaml --dry-run
    contains err "$2"
}
bad 'compare: {to: best}' "bad.yaml:4:38: compare needs test: welch, paired or wilcoxon"
bad 'compare: {test: student}' 'test cannot be "student"'
bad 'compare: {test: welch, to: worst}' 'to cannot be "worst"'
bad 'compare: {test: welch, correct: bonferroni}' 'correct cannot be "bonferroni"'
bad 'compare: {test: welch, confidence: 1.5}' "confidence"
bad 'compare: {test: welch, level: 0.05}' 'compare cannot have the key "level"'
bad 'compare: welch' "compare must be a mapping"
bad 'cell: median, compare: {test: welch}' "compare tests means, so the cells must show a mean, as in mean(std), and not median"

# Time to target: quick is there at 2, late at 3, never not in one of its seeds; bad diverges.
cat >curve.sh <<'END'
# method seed
case $1-$2 in
quick-*) v="0.5 0.9 0.7 0.9" ;; late-1) v="0.5 0.6 0.8 0.95" ;; late-*) v="0.5 0.6 0.7 0.8" ;;
never-2) v="0.1 0.2 0.3 0.79999" ;; never-*) v="0.8 0.8 0.8 0.8" ;; bad-*) v="0.9 nan" ;;
esac
e=0
for a in $v; do
    e=$((e + 1)) loss=1
    [ "$a" != nan ] || { a=0.1 loss=nan; }
    echo "epoch=$e accuracy=$a seconds=$((e * 10)) loss=$loss"
done
END
cat >time.yaml <<'END'
study: time
task: {command: [sh, curve.sh, "{method}", "{seed}"]}
settings: {method: [quick, late, never, bad]}
seeds: [1, 2, 3]
target: {accuracy: 0.8}
tables:
- {rows: method, value: epochs_to_target}
- {rows: method, value: seconds_to_target, cell: median}
END
expect 0 poula sweep time.yaml --quiet --db time.db
expect 0 poula report --db time.db
same out <<'END'
time: epochs_to_target (accuracy >= 0.8), mean(std); lower is better

method  epochs_to_target
------  ----------------
quick      2.000(0.000)*
late       3.667(0.577)
never          never 1/3
bad              div 3/3

time: seconds_to_target (accuracy >= 0.8), median; lower is better

method  seconds_to_target
------  -----------------
quick              30.00
late              100.00
never    10.00* never 1/3
bad               div 3/3
END
expect 0 poula report --db time.db --format csv --where method=late,never
contains out "time,epochs_to_target,best,late,3.6666666666666665,0.5773502691896258,4,3,4,3,3,0,0,0,1,0"
contains out "time,epochs_to_target,best,never,,,1,1,,2,3,0,0,0,0,1"
expect 0 poula report --db time.db --format json
contains out '"target": {"accuracy": 0.8},'
contains out '"never": 1, "values": [1, 1]}'
expect 0 poula report --db time.db --target accuracy=0.9
contains out "epochs_to_target (accuracy >= 0.9)"
contains out "never          never 3/3"
contains out "late           never 2/3"
expect 0 poula report --db time.db --target loss=1 --value epochs_to_target
contains out "epochs_to_target (loss <= 1)"
expect 0 poula report --db time.db --value epochs_to_target --over method --best 4 --by epochs_to_target --format csv
equal "$(sed -n '2,$p' out | grep -o 'quick\|late\|never\|bad' | tr '\n' ' ')" "quick late never bad " "places"
expect 0 poula report --db time.db --pairs --where method=quick,late,never --value epochs_to_target --rows method
contains out "1 cell is left out"
expect 2 poula report --db time.db --target accuracy=x
expect 2 poula report --db time.db --target acuracy=0.8
contains err "accuracy"
expect 2 poula report --value epochs_to_target
contains err "study tests has no target, and so no epochs_to_target; say which in its spec, as in target: {test_accuracy: 0.9}, or with --target"
expect 2 poula plot --db time.db --kind curves --y epochs_to_target --out none
contains err "a figure over time shows what was recorded, and epochs_to_target is not"
expect 0 poula plot --db time.db --kind sensitivity --x method --y epochs_to_target --out figures
sed 's/^target.*/target: {accuracy: 0.8, loss: 1}/' time.yaml >two.yaml
expect 2 poula sweep two.yaml --dry-run
contains err "target must be one metric with a number, such as {test_accuracy: 0.9}"
sed 's/^target.*/target: {accuracy: "seed"}/' time.yaml >two.yaml
expect 2 poula sweep two.yaml --dry-run
sed 's/^target.*/target: {epochs_to_target: 3}/' time.yaml >two.yaml
expect 2 poula sweep two.yaml --dry-run
contains err "target cannot be a time to a target itself"
