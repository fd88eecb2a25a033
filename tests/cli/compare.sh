# report --compare: a database made from the published numbers themselves has no difference anywhere; with other numbers
# the intervals are Welch's.
export POULA_SHARE="$SOURCE_ROOT"
published=$SOURCE_ROOT/experiments/paper/published.yaml

# cells: TABLE|RUNS|UNIT|MEAN(STD)|SETTINGS for every printed cell. The file keeps to one line for each of its mappings.
awk '
function inner(text) { sub(/^[^{]*\{/, "", text); sub(/\}[^}]*$/, "", text); return text }
function drop(text, key) { gsub("(^|, )" key ": [^,]*", "", text); sub(/^, /, "", text); return text }
function cell(value, own) {
    settings = where (where != "" ? ", " : "") column[n++]
    if (value != "N/A") print table "|" runs "|" unit "|" value "|" settings (own != "" ? ", " own : "")
}
/^- table: /     { table = $3; unit = 1; columns = 0; in_columns = 0 }
/^  unit: /      { unit = $2 }
/^  runs: /      { runs = $2 }
/^  columns:/    { in_columns = 1; next }
/^  rows:/       { in_columns = 0 }
in_columns       { column[columns++] = drop(inner($0), "name") }
/^  - name: /    { where = ""; n = 0 }
/^    where: /   { where = inner($0) }
/^    cells: \[/ { sub(/^[^[]*\[/, ""); sub(/\]$/, ""); k = split($0, list, ", "); for (i = 1; i <= k; i++) cell(list[i], "") }
/^    - \{value/ { text = inner($0); value = text; sub(/,.*/, "", value); sub(/value: /, "", value)
                   cell(value, drop(drop(text, "value"), "note")) }
' "$published" >cells
equal "$(wc -l <cells)" 153 "printed cells, N/A not counted"

# Three seeds with mean - std, mean, mean + std have that mean and that sample standard deviation.
cat >print.sh <<'END'
awk -v metric="$1" -v mean="$2" -v std="$3" -v unit="$4" -v seed="$5" \
    'BEGIN { for (i = 1; i <= 2; i++) printf "epoch=%d valid_loss=%d %s=%.15g\n", i, i, metric, (mean + (seed - 2) * std) * unit }'
END
spec() { # TABLE
    metric=test_accuracy select=best seeds='[1, 2, 3]'
    [ "$1" != table-language ] || { metric=test_perplexity; select=best-valid; }
    [ "$1" != table-r10 ] || seeds=2
    printf -- '---\nstudy: %s\nseeds: %s\ntables: [{value: %s %s, published: %s}]\ncases:\n' "$1" "$seeds" "$select" "$metric" "$1"
    grep "^$1|" cells | while IFS='|' read -r table runs unit value settings; do
        mean=${value%%(*} std=0
        [ "$mean" = "$value" ] || { std=${value#*(}; std=${std%)}; }
        printf -- '- {task: {command: [sh, print.sh, %s, "%s", "%s", "%s", "{seed}"]}, settings: {%s}}\n' \
            "$metric" "$mean" "$std" "$unit" "$settings"
    done
}
for table in main lambda epsilon beta r10 boosting language; do spec "table-$table"; done >own.yaml
expect 0 poula sweep own.yaml --quiet --jobs 4
equal "$(sql results/poula.db "SELECT count(*) FROM runs WHERE status != 'finished'")" 0 "runs that are not finished"

expect 0 poula report --compare published --format csv
grep '^table-' out >lines
equal "$(wc -l <lines)" 154 "cells"
equal "$(awk -F, '$13 != "" && $13 != 0' lines | wc -l)" 0 "differences"
equal "$(awk -F, '$13 == ""' lines | cut -d, -f5,6,18)" "SWATS,VGG CIFAR-100,not printed" "cells without a difference"
equal "$(awk -F, '$11 != "" && ($8 - $11)^2 > 1e-18' lines | wc -l)" 0 "deviations"
equal "$(awk -F, '{ print $18 }' lines | sort | uniq -c | awk '{ print $1 $2 $3 $4 $5 }' | tr '\n' ' ')" \
    "135alike 6n=1 12nodeviationprinted 1notprinted " "verdicts"
expect 0 poula report --compare "$published" --study table-lambda
contains out "VGG CIFAR-10: 100.0% of 6 pairs of columns stand in the printed order (Kendall's tau 1.000)."
contains out "Of 16 cells 16 were compared: 0 differ beyond chance, where 0.8 would be expected if none did."
contains out "VGG CIFAR-10      0.5     42.31(4.996)  42.31(4.996)        0.00  [-11.33, +11.33]"
expect 0 poula report --compare published --study table-lambda --format markdown
contains out "| VGG CIFAR-10"
expect 0 poula report --compare published --study table-lambda --format latex
contains out '\begin{tabular}{llrrrrl}'
expect 0 poula report --compare published --study table-r10 --format json
contains out '"verdict": "n = 1"'

# Claims come to the same on these numbers as on the printed ones, where those have deviations; three runs without any spread
# decide what is printed without a deviation.
expect 0 poula report --claims --format csv
awk -F, 'NF == 15 && $8 != "" && $8 != "low_printed"' out >pairs
equal "$(wc -l <pairs)" 202 "pairs of printed samples"
equal "$(awk -F, '$5 != $6 || ($7 - $11)^2 > 1e-16 || ($8 - $12)^2 > 1e-16 || ($9 - $13)^2 > 1e-16 || $10 != $14' pairs | wc -l)" \
    0 "pairs that are judged otherwise"
grep ',boosting-improves$' out | grep -qF "TheoPouLa without boosting,VGG CIFAR-10,undecided (no deviation),supported," || fail "no deviation"
contains out "TheoPouLa,TheoPouLa best,VGG CIFAR-10,undecided (n = 1),undecided (n = 1),"
cut -d, -f2-8 out >verdicts
contains verdicts "outperforms-all,undecided,undecided,48,0,11,48" # not over AdaBelief in four of six, SWATS nowhere
contains verdicts "second-best-outperforms,contradicted,contradicted,36,1,16,36"
contains verdicts "beta-large,contradicted,contradicted,6,1,9,6"
contains verdicts "boosting-improves,undecided,supported,0,0,6,6"
contains verdicts "tusla-below-sgld-on-text,no numbers,no numbers,0,0,0,0"
expect 0 poula report --claims
contains out "Printed numbers: undecided. Of 59 pairs the first is better in 59, 48 supported, 0 contradicted, 11 undecided; 1 without a number."
contains out "Printed numbers: contradicted. Of 53 pairs the first is better in 48, 36 supported, 1 contradicted, 16 undecided; 1 without a number."
contains out "The sentence cites the table of perplexities, which has no TUSLA."

# Intervals computed by hand (numeric integration of Student's density).
cat >other.yaml <<'END'
study: other
seeds: [1, 2, 3]
settings: {model: vgg11, dataset: cifar10}
cases:
- {task: {command: [sh, print.sh, test_accuracy, "92", "1", "0.01", "{seed}"]}, settings: {epsilon: 1}}
- {task: {command: [sh, print.sh, test_accuracy, "90", "0.1", "0.01", "{seed}"]}, settings: {epsilon: 0.01}, exclude: [{epsilon: 0.01, seed: 2}]}
- {task: {command: [sh, print.sh, test_accuracy, "26", "1", "0.01", "{seed}"]}, settings: {epsilon: 0.001}, exclude: [{epsilon: 0.001, seed: [1, 3]}]}
tables: [{value: best test_accuracy, published: table-epsilon}]
END
expect 0 poula sweep other.yaml --quiet
expect 0 poula report --compare published --format csv
line() { sed -n "s/^other,.*,VGG CIFAR-10,$1,//p" out; }
near() { awk -v a="$1" -v b="$2" 'BEGIN { exit !((a - b)^2 < 1e-12) }' || fail "$3: $1, want $2"; }
near "$(line 1 | cut -d, -f8)" -2.0936916677 "low"
near "$(line 1 | cut -d, -f9)" 2.4936916677 "high"
near "$(line 1 | cut -d, -f10)" 2.2732882660 "freedom"
equal "$(line 1 | cut -d, -f12)" alike "verdict"
equal "$(line 0.01 | cut -d, -f3,12)" 2,differs "two runs"
equal "$(line 0.001 | cut -d, -f3,12)" "1,n = 1" "one run"
equal "$(line 0.1 | cut -d, -f3,12)" "0,no run" "no run"
expect 0 poula report --compare published --level 0.8
contains out "[-0.87, +1.27]"
contains out "Of 16 cells 2 were compared: 1 differs beyond chance"

# The order of the settings: rows that say the task hold it, else columns do (ours 92, 90, 26 beside 91.80, 86.75, 26.03).
contains out "VGG CIFAR-10: 100.0% of 3 pairs of columns stand in the printed order (Kendall's tau 1.000)."
expect 0 poula report --compare published --study other --format markdown
contains out "- VGG CIFAR-10: 100.0% of 3 pairs of columns"
cat >order.yaml <<'END'
study: order
settings: {model: vgg11, dataset: cifar10}
cases:
- {task: {command: [sh, print.sh, test_accuracy, "95", "1", "0.01", "{seed}"]}, settings: {optimizer: adam}}
- {task: {command: [sh, print.sh, test_accuracy, "94", "1", "0.01", "{seed}"]}, settings: {optimizer: sgd}}
- {task: {command: [sh, print.sh, test_accuracy, "93", "1", "0.01", "{seed}"]}, settings: {optimizer: rmsprop}}
- {task: {command: [sh, print.sh, test_accuracy, "93", "1", "0.01", "{seed}"]}, settings: {optimizer: adamp}}
tables: [{value: best test_accuracy, published: t}]
END
cat >order-published.yaml <<'END'
published: x
tables:
- table: t
  unit: 0.01
  columns: [{name: VGG, model: vgg11, dataset: cifar10}, {name: other, model: vgg11, dataset: cifar100}]
  rows:
  - {name: Adam, where: {optimizer: adam}, cells: [94, 1]}
  - {name: SGD, where: {optimizer: sgd}, cells: [96, 2]}
  - {name: RMSProp, where: {optimizer: rmsprop}, cells: [92, 3]}
  - {name: AdamP, where: {optimizer: adamp}, cells: [91, 4]}
END
expect 0 poula sweep order.yaml --quiet
expect 0 poula report --compare order-published.yaml --study order
contains out "VGG: 80.0% of 5 pairs of rows stand in the printed order (Kendall's tau 0.548)." # 3 / sqrt(5 * 6)
lacks out "other: "
expect 0 poula report --compare order-published.yaml --study order --format csv
equal "$(sed -n 2p out | cut -d, -f18-20)" "n = 1,0.5477225575051661,0.8" "tau and share"
equal "$(sed -n 3p out | cut -d, -f18-20)" "no run,," "no order"
expect 0 poula report --compare order-published.yaml --study order --format json
contains out '{"column": "VGG", "cells": 4, "pairs": 5, "kendall": 0.5477225575051661, "same_order": 0.8}'
contains out '{"column": "other", "cells": 0, "pairs": 0, "kendall": null, "same_order": null}'

# The study in a scale: values that were renamed are found.
sed 's/cifar10/cifar10/; s/^study: other/study: renamed/' other.yaml >renamed.yaml
echo 'scale: {quick: {dataset: {cifar10: {dataset: glyphs, classes: 4}}, epsilon: {1: 0.5}, seeds: [1, 2, 3]}}' >>renamed.yaml
expect 0 poula sweep renamed.yaml --quiet --scale quick
expect 0 poula report --compare published --format csv
equal "$(sed -n "s/^renamed-quick,.*,VGG CIFAR-10,1,//p" out | cut -d, -f3,12)" 3,alike "a renamed cell"

# What is refused.
expect 2 poula report --compare nowhere.yaml
expect 2 poula report --compare published --rows lambda
expect 2 poula report --level 0.9
printf 'published: x\ntables:\n- {table: t, columns: [{name: a}], rows: [{name: b, cells: ["1(2"]}]}\n' >bad.yaml
expect 2 poula report --compare bad.yaml
contains err 'bad.yaml:3:61: a cell is "1(2", but must be a mean with its deviation, 92.30(0.055), a mean, or N/A'
printf 'published: x\ntables:\n- {table: t, columns: [{name: a}], rows: [{name: b, cells: [1]}]}\n' >few.yaml
expect 2 poula report --compare few.yaml
contains err "x has no table table-epsilon; it has: t"

# A printed best with settings of its own, and a search that found others: the best of ours stands there, and the second best.
cat >search.yaml <<'END'
study: search
settings: {model: vgg11, dataset: cifar10}
cases:
- {task: {command: [sh, print.sh, test_accuracy, "95", "1", "0.01", "{seed}"]}, settings: {optimizer: adam, lambda: 1}}
- {task: {command: [sh, print.sh, test_accuracy, "94", "1", "0.01", "{seed}"]}, settings: {optimizer: adam, lambda: 2}}
- {task: {command: [sh, print.sh, test_accuracy, "93", "1", "0.01", "{seed}"]}, settings: {optimizer: sgd, lambda: 1}}
tables: [{value: best test_accuracy, published: t}]
END
cat >search-published.yaml <<'END'
published: x
tables:
- table: t
  unit: 0.01
  columns: [{name: VGG, model: vgg11, dataset: cifar10}, {name: other, model: vgg11, dataset: cifar100}]
  rows:
  - {name: Adam, where: {optimizer: adam}, cells: [{value: 97, lambda: 3}, 1]}
  - {name: Adam again, where: {optimizer: adam}, rank: 2, cells: [{value: 96, lambda: 4}, 2]}
  - {name: SGD, where: {optimizer: sgd}, cells: [{value: 92, lambda: 1}, 3]}
END
expect 0 poula sweep search.yaml --quiet
expect 0 poula report --compare search-published.yaml --study search
contains out "Ours are the best of what was run, with other settings: Adam in VGG, Adam again in VGG."
contains out "VGG: 100.0% of 3 pairs of rows stand in the printed order"
expect 0 poula report --compare search-published.yaml --study search --format csv
equal "$(awk -F, '$6 == "VGG" { printf "%s %.0f %s; ", $5, $7, $21 }' out)" "Adam 94 true; Adam again 93 true; SGD 92 false; " "ours"
