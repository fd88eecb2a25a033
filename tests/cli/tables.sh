# Tables for a paper: cells with ±, percent, labels, captions; from a spec and from the command line.
cat >trainer.sh <<'E'
case $1 in sgd) base=70 ;; adam) base=80 ;; *) base=90 ;; esac
[ "$1-$2" != adam-2 ] || exit 3
echo "epoch=1 accuracy=0.$((base + $2)) loss=0.5"
echo "epoch=2 accuracy=0.$((base + $2 * 2)) loss=1.5"
E
cat >paper.yaml <<'E'
study: paper
task: {command: [sh, trainer.sh, "{method}", "{seed}"]}
settings: {method: [sgd, adam, theopoula], depth: [1, 2]}
seeds: [1, 2, 3]
tables:
- {rows: method, columns: depth, value: best accuracy, cell: mean ± ci95, unit: percent, label: tab:main,
   labels: {theopoula: TheoPouLa, method: Optimizer, depth: Depth, 2.0: two & more, accuracy: test accuracy}}
- {rows: method, value: last accuracy, where: {depth: 1}, cell: mean+-sem, caption: "50% of_it"}
scale:
  quick: {seeds: [1, 2]}
E
expect 1 poula sweep paper.yaml
expect 0 poula report --table
same out <<'END_OF_TABLES'
paper: best test accuracy (%), mean ± ci95 by Optimizer and Depth; higher is better

Optimizer                     Depth=1            Depth=two & more
---------  --------------------------  --------------------------
sgd                     74.00 ± 4.97                74.00 ± 4.97
adam       84.00 ± 25.41 n=2 fail 1/3  84.00 ± 25.41 n=2 fail 1/3
TheoPouLa               94.00 ± 4.97*               94.00 ± 4.97*

± is half of the 95% confidence interval of the mean (Student's t).
2 of 18 runs failed.

50% of_it

method                    last accuracy
---------  ----------------------------
sgd                    0.7400 ± 0.0115
adam       0.8400 ± 0.0200 n=2 fail 1/3
theopoula              0.9400 ± 0.0115*

Cells show last accuracy, mean ± sem.
± is the standard error of the mean, std / sqrt(n).
1 of 9 runs failed.
END_OF_TABLES

# Records keep what was recorded, and have a column for what ± is.
expect 0 poula report --format csv
contains out "failed,missing,best,ci95"
contains out "paper,accuracy,best,theopoula,2,0.94,0.019999999999999962,0.94,0.92,0.96,3,3,0,0,0,1,0.0496827542350065"
expect 0 poula report --format json
contains out '"ci95": 0.0496827542350065, "values": [0.92, 0.94, 0.96]'
expect 0 poula report --format markdown
contains out "| TheoPouLa |           **94.00 ± 4.97** |"
contains out '**50% of\_it**'
expect 0 poula report --format html --table
contains out '<caption>50% of_it</caption>'
contains out '<th scope="col" class="n">Depth=two &#38; more</th>'
contains out 'data-value="0.94"><b title="the best of its task">94.00 ± 4.97</b>'
expect 0 poula report --format latex
contains out '\caption{50\% of\_it}'
contains out '\label{tab:main}'
contains out 'TheoPouLa & \textbf{\boldmath $94.00 \pm 4.97$}'
contains out '% Cells show last accuracy, mean \ensuremath{\pm} sem.'

# The command line changes whatever is declared.
expect 0 poula report --table --cell "mean ± std" --unit plain --labels "theopoula=θ-Poula,0.5=half" --caption Mine --label t:1
contains out "θ-Poula              0.9400 ± 0.0200*"
contains out "Optimizer"
lacks out "50% of_it"
expect 0 poula report --format latex --label t:1
contains out '\label{t:1}'
contains out '\label{t:1-2}'
expect 0 poula report --rows method --columns depth --value accuracy --unit percent --labels accuracy="accuracy %"
contains out "paper: best accuracy %, mean(std)"
contains out "94.00(2.00)*"
expect 0 poula report --rows method --columns depth --value accuracy --test welch --labels sgd=SGD --pairs
contains out "SGD"

# What makes no sense is refused, and says what would.
refused() {
    expect 2 poula report "$@"
    [ ! -s out ] || fail "$* printed a table"
}
refused --value "last loss" --unit percent
contains err "unit: percent is for values in [0, 1], but loss of study paper has the value 1.5"
refused --value accuracy --unit percent --cell n
contains err "cells that show n have no unit"
refused --value epochs_to_target --target accuracy=0.5 --unit percent
contains err "not for epochs_to_target"
refused --unit promille
contains err "must be one of: plain percent"
refused --cell "mean ± sdt"
for wrong in x =x x= a=b,a=c 0.1=a,1e-1=b; do
    refused --labels "$wrong"
done
contains err "has said already what that name is shown as"
for wrong in "" "a b" "tab}" 'a\b'; do
    refused --label "$wrong"
done
contains err "such as tab:main"
refused --caption ""

# So it is in a spec; a scale says so in the caption and the label.
cat >bad.yaml <<'E'
study: bad
task: {problem: theta30, iterations: 10}
optimizer: {name: [sgd, adam], lambda: [0.1, 0.2]}
tables:
- {value: last loss, cell: mean±sdt}
- {value: last loss, unit: procent}
- {value: last loss, labels: [a, b]}
- {value: last loss, labels: {0.1: a, 1e-1: b, x: [1], y: ~}}
- {value: last loss, label: "a b", caption: ""}
- {value: last loss, label: a}
- {value: last loss, label: a, cell: n, unit: percent, labells: {}}
E
expect 2 poula sweep bad.yaml --dry-run
same err <<'E'
bad.yaml:5:28: cell cannot be "mean±sdt"; did you mean mean+-std?
bad.yaml:6:28: unit cannot be "procent"; did you mean percent?
bad.yaml:7:30: labels must be a mapping of at most 200 names, such as {theopoula: TheoPouLa, lambda: step size}
bad.yaml:8:39: labels says twice what 1e-1 is shown as
bad.yaml:8:51: a text of labels must be a text, not a list
bad.yaml:8:59: a text of labels has no value
bad.yaml:9:29: label cannot be "a b"; it must be letters, digits and : . _ - + /, such as tab:main
bad.yaml:9:45: caption has no value
bad.yaml:11:29: there is already a table with the label a
bad.yaml:11:47: cells that show n have no unit
bad.yaml:11:56: a table cannot have the key "labells"; did you mean labels?
E
expect 1 poula sweep paper.yaml --scale quick
expect 0 poula report --format latex
contains out '\label{tab:main-quick}'
contains out '\caption{50\% of\_it (quick)}'
