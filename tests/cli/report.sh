# What `poula report` prints, from a sweep whose numbers are known.
empty() { [ ! -s "$1" ] || fail "$1 is not empty"; }
cat >trainer.sh <<'END'
# method seed: prints the accuracies and losses of three epochs, or does not get that far.
case $1-$2 in
tusla-*) echo "accuracy=10 loss=5"; echo "accuracy=10 loss=nan"; exit 0 ;;
sgd-3) echo "accuracy=71 loss=3"; echo "accuracy=70 loss=inf"; exit 0 ;;
adam-2) echo "no luck" >&2; exit 3 ;;
esac
case $1 in sgd) base=70 ;; adam) base=80 ;; *) base=90 ;; esac
echo "epoch=1 accuracy=$((base + $2)) valid_loss=0.2 loss=0.5"
echo "epoch=2 accuracy=$((base + $2 * 2)) valid_loss=0.3 loss=0.25"
echo "epoch=3 accuracy=$((base - $2)) valid_loss=0.4 loss=0.125"
END
cat >known.yaml <<'END'
study: known
task: {command: [sh, trainer.sh, "{method}", "{seed}"]}
settings: {method: [sgd, adam, theopoula, tusla], depth: [1, 2]}
seeds: [1, 2, 3]
tables:
- {title: Accuracy, rows: method, columns: depth, value: best accuracy}
- {rows: [method, depth], value: last loss, where: {depth: 1}, digits: 3}
END

# Nothing to report: no database, then no study.
expect 1 poula report
contains err "results/poula.db"
[ ! -e results ] || fail "report made results/"

expect 1 poula sweep known.yaml

# The declared tables. The value of a run is its best over the epochs; what diverged or failed is in no mean.
expect 0 poula report --table
same out <<'END'
Accuracy (known): best accuracy, mean(std) by method and depth; higher is better

method                      depth=1                   depth=2
---------  ------------------------  ------------------------
sgd         73.00(1.41) n=2 div 1/3   73.00(1.41) n=2 div 1/3
adam       84.00(2.83) n=2 fail 1/3  84.00(2.83) n=2 fail 1/3
theopoula              94.00(2.00)*              94.00(2.00)*
tusla                       div 3/3                   div 3/3

2 of 24 runs failed.

known: last loss, mean(std); lower is better

method     depth                   last loss
---------  -----  --------------------------
sgd        1        0.125(0.000) n=2 div 1/3
adam       1      0.125(0.000)* n=2 fail 1/3
theopoula  1                   0.125(0.000)*
tusla      1                         div 3/3

1 of 12 runs failed.
END
empty err

# Another value of the curve: the last, or that of the epoch with the best validation.
expect 0 poula report --select last
contains out "theopoula              88.00(1.00)*"
expect 0 poula report --select best-valid
contains out "theopoula              92.00(1.00)*"
expect 2 poula report --select worst

# A table of one's own never pools configurations: the setting that was left out comes back.
expect 0 poula report --rows method --value "best accuracy" --where method=sgd,theopoula
same out <<'END'
known: best accuracy, mean(std); higher is better

method     depth            best accuracy
---------  -----  -----------------------
sgd        1      73.00(1.41) n=2 div 1/3
sgd        2      73.00(1.41) n=2 div 1/3
theopoula  1                 94.00(2.00)*
theopoula  2                 94.00(2.00)*

Rows are split by depth, which varies but was not asked for.
END

expect 0 poula report --rows method --columns depth --value accuracy --where depth=1 --where method=adam,tusla --format markdown
same out <<'END'
**known: best accuracy, mean(std) by method and depth; higher is better**

| method |                      depth=1 |
| ------ | ---------------------------: |
| adam   | **84.00(2.83)** n=2 fail 1/3 |
| tusla  |                      div 3/3 |

- 1 of 6 runs failed.
END

expect 0 poula report --rows method --columns depth --value accuracy --where depth=1 --format latex --digits 1
same out <<'END'
% Needs \usepackage{amsmath,booktabs}.
\begin{table}[htbp]
\centering
\caption{known: best accuracy, mean(std) by method and depth; higher is better. 1 of 12 runs failed.}
\begin{tabular}{lr}
\toprule
method & \multicolumn{1}{c}{$\text{depth}=1$} \\
\midrule
sgd & $73.0(1.4)$ {\footnotesize n=2 div 1/3} \\
adam & $84.0(2.8)$ {\footnotesize n=2 fail 1/3} \\
theopoula & \textbf{\boldmath $94.0(2.0)$} \\
tusla & {\footnotesize div 3/3} \\
\bottomrule
\end{tabular}
\end{table}
END

expect 0 poula report --rows method --columns depth --value accuracy --where depth=1 --format csv
same out <<'END'
study,metric,select,method,depth,mean,std,median,min,max,n,planned,diverged,failed,missing,best
known,accuracy,best,sgd,1,73,1.4142135623730951,73,72,74,2,3,1,0,0,0
known,accuracy,best,adam,1,84,2.8284271247461903,84,82,86,2,3,0,1,0,0
known,accuracy,best,theopoula,1,94,2,94,92,96,3,3,0,0,0,1
known,accuracy,best,tusla,1,,,,,,0,3,3,0,0,0
END

expect 0 poula report --format json --where method=theopoula --where depth=2 --out out.d/sub/known.json
empty out
contains err "no configuration of study known meets the conditions"
contains out.d/sub/known.json '{"settings": {"method": "theopoula", "depth": 2}, "mean": 94, "std": 2, "median": 94, "min": 92, "max": 96, "n": 3, "planned": 3, "diverged": 0, "failed": 0, "missing": 0, "best": false, "values": [92, 94, 96]}'

# Wrong words are the user's mistake, and nothing is printed.
for wrong in "--rows metod" "--columns depht" "--value acuracy" "--where depht=1" "--where depth" "--digits x" \
    "--format docx" "--cell mode" "--rows seed" "--rows method --columns method"; do
    expect 2 poula report $wrong
    empty out
done
expect 2 poula report --value "worst loss"
expect 0 poula report --value "best loss" --cell n
lacks out "is better"
expect 0 poula report --value "best loss"
contains out "lower is better"
expect 2 poula report --study nope
contains err nope
expect 2 poula report --value loss --where method=lion

# A failed run that is tried again counts once.
sed -i 's/^adam-2.*$/adam-9) ;;/' trainer.sh
expect 0 poula sweep known.yaml --retry-failed --accept changed
expect 0 poula report
contains out "adam                  84.00(2.00)"
lacks out "fail"

# What has not run yet is missing, not zero.
unrun="SELECT run FROM runs WHERE method = 'theopoula' AND depth = 1 AND seed > 1"
sql results/poula.db "DELETE FROM result WHERE run IN ($unrun); UPDATE run SET status = 0 WHERE id IN ($unrun)"
expect 0 poula report
contains out "theopoula             92.00(-) n=1"
contains out "2 of 24 runs have not finished yet."

# A spec that this version cannot read does not hide the results.
sql results/poula.db "UPDATE sweep SET spec = 'not a spec: ['"
expect 0 poula report
contains out "known: best accuracy, mean(std); higher is better"

# What is typed in --where must be found in some study of the launch, not in each of them (B8).
cat >two.yaml <<'END'
studies:
- study: near
  task: {problem: theta30, iterations: 20, record: 2}
  optimizer: {name: theopoula, lambda: [0.1, 0.2], r: [0, 1], eta: 0.1}
- study: far
  task: {problem: theta30, iterations: 20, record: 2}
  optimizer: {name: sgd, lambda: [0.2, 0.3], dampening: [0, 0.1]}
END
expect 0 poula sweep two.yaml --db two.db
expect 0 poula report --db two.db --rows lambda --value "last theta" --where lambda=0.1,0.3
lacks err "has lambda"
equal "$(grep -c "^0.[123]" out)" 4 "B8: rows of both studies"
expect 0 poula report --db two.db --rows lambda --value "last theta" --where lambda=0.3
contains err "no configuration of study near meets the conditions"
expect 0 poula report --db two.db --rows lambda --value "last theta" --where r=1
contains err "no run of study far has a setting 'r'"
expect 2 poula report --db two.db --rows lambda --value "last theta" --where lambda=0.1,0.4
contains err "no run of study near has lambda=0.4; there are: 0.1, 0.2"
empty out
expect 2 poula report --db two.db --rows lambda --value "last theta" --where q=1
expect 2 poula report --db two.db --where lambda=0.1 --where r=2
expect 2 poula plot --db two.db --kind curves --y theta --where lambda=0.4 --out none
[ ! -e none ] || fail "B8: a figure of nothing left a folder"
expect 1 poula report --db nowhere.db --where lambda=0.1
