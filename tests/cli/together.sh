# Several studies in one table and in one figure: poula report --study a,b, poula plot --study a,b.
cat >two.yaml <<'E'
studies:
- study: a
  task: {problem: theta30, iterations: 300}
  optimizer: {name: [theopoula, sgd], lambda: [0.5, 0.1]}
  seeds: [1, 2]
  tables:
  - {rows: optimizer, columns: lambda, value: last loss}
  figures:
  - {kind: curves, y: loss, lines: optimizer, panels: lambda, log: y}
  - {kind: sensitivity, x: lambda, y: last loss, lines: optimizer, name: sens}
- study: b
  task: {problem: theta30, iterations: 300}
  optimizer: {name: [theopoula], lambda: [0.5, 0.1, 0.01]}
  seeds: [1, 2]
- study: c
  task: {problem: theta30, iterations: 300}
  optimizer: {name: theopoula, lambda: 0.5}
  metrics: {loss: max}
E
expect 0 poula sweep two.yaml

# The tables are those of the first; runs that both have count in each; rows are split by study where nobody asks.
expect 0 poula report --study a,b
same out <<'END_OF_TABLE'
a+b: last loss, mean(std) by optimizer, study and lambda; lower is better

optimizer  study        lambda=0.5          lambda=0.1          lambda=0.01
---------  -----  ----------------  ------------------  -------------------
theopoula  a      0.1086(0.005573)  6.449e-4(1.510e-5)
theopoula  b      0.1086(0.005573)  6.449e-4(1.510e-5)  4.551e-7(3.249e-8)*
sgd        a               div 2/2             div 2/2

Rows are split by study, which varies but was not asked for.
END_OF_TABLE
expect 0 poula report --study b,a --value "last loss" --format csv --where optimizer=theopoula
contains out "study,metric,select,setting_study,lambda,"
contains out "b+a,loss,last,b,0.01,"
equal "$(grep -c '^b+a,loss,last,[ab],0.5,' out)" 2 "studies with lambda 0.5"
expect 0 poula report --study a,b --rows lambda --columns study --value "last loss" --where "study=a,b" --where optimizer=theopoula
contains out "study=a"
contains out "study=b"
lacks out "split"
expect 0 poula report --study a,b --rows study --over lambda --by "last loss" --value "last loss" --where optimizer=theopoula
contains out "study=b: 1. lambda=0.01"
expect 0 poula report --study a,b --where study=b --format json
lacks out '"study": "a"'
expect 0 poula report --study a,b --format html
contains out '<caption>a+b: last loss'
expect 0 poula report --study a,b --tuning --rows optimizer --value "last loss"
contains out "theopoula, b  3"
contains out "There is no band: it needs points drawn with method: random, and those of study a are a grid."
# One alone is as ever.
expect 0 poula report --study a
cp out alone
lacks alone "study "

# What they think of otherwise has no best value, and no cell is best by its last one.
expect 2 poula report --study a,c --value loss
contains err "loss is better lower in study a and is better higher in study c, so it has no best value for both: take the last one"
expect 0 poula report --study a,c --value "last loss"
contains out "so none of its values is best."
lacks out "*"
lacks out "higher is better"

# Nonsense.
expect 2 poula report --study a,a
contains err "study a is named twice"
expect 2 poula report --study a,nothing
contains err "holds no study named \"nothing\"; it has: "
expect 2 poula report --study ,

# Figures are files of their own.
expect 0 poula plot --study a,b --out plots --format svg
[ -e plots/a+b-curves.svg ] && [ -e plots/a+b-sens.svg ] || fail "the figures of two studies have other names"
contains err "Lines are split by study, which varies but was not asked for."
expect 0 poula plot --study a,b --kind sensitivity --x lambda --y "last loss" --lines study --panels optimizer --format svg --out plots --name own
[ -s plots/own.svg ] || fail "there is no figure by study"
lacks err "split by study"

# Tuning curves are those of each study alone: equal points count as often as they were drawn, and each has the band
# that its own search allows.
search() { # STUDY METHOD PROBLEM...
    printf 'study: %s\ntask: {problem: %s, iterations: 20}\noptimizer: {name: sgd, lambda: {choice: [0.1, 0.05, 0.02]}}\n' "$1" "$3"
    printf 'search: {points: 12, method: %s}\nseeds: 1\n' "$2"
}
search drawn random double_well >drawn.yaml
search even sobol double_well >even.yaml
search other random quartic >other.yaml
expect 0 poula sweep drawn.yaml even.yaml other.yaml --quiet
for study in drawn even other; do
    expect 0 poula report --study $study --tuning --value "last loss" --format csv
    tail -n +2 out | sed "s/^$study,//" >"$study.alone"
done
expect 0 poula report --study drawn,even,other --tuning --value "last loss" --format csv
for study in drawn even other; do
    grep "^drawn+even+other,$study," out | cut -d , -f 3- | diff - $study.alone || fail "the tuning curve of $study beside others is another one"
done
equal "$(cut -d , -f 7 drawn.alone | sort -u)" 12 "points of a search of three settings that drew twelve times"
grep -q '^1,[^,]*,[^,]' drawn.alone || fail "a random search has no band"
expect 0 poula report --study drawn,even,other --tuning --value "last loss"
contains out "those of study even are sobol"

# Studies of a file that say one name, or whose name is another's of itself: no figure and no \label replaces another.
cat >alike.yaml <<'E2'
defaults:
  figures: [{kind: curves, y: loss, name: learning}, {kind: curves, y: loss, name: two-curves}]
  tables: [{value: best loss, label: "tab:main"}]
studies:
- {study: one, task: {command: [sh, -c, "echo loss=$0", "{k}"]}, settings: {k: [1, 2]}}
- {study: two, task: {command: [sh, -c, "echo loss=$0", "{k}"]}, settings: {k: [3, 4]}}
E2
expect 0 poula sweep alike.yaml --db alike.db
expect 0 poula plot --db alike.db --out alike
contains err "another study has drawn a figure learning: that of two is two-learning"
equal "$(sort out | paste -sd ' ')" "alike/learning.png alike/two-curves.png alike/two-learning.png alike/two-two-curves.png" "figures of one name"
for file in $(cat out); do [ -s "$file" ] || fail "$file is not there"; done
expect 0 poula plot --db alike.db --out alike --kind curves --y loss --name mine
equal "$(paste -sd ' ' out)" "alike/mine.png alike/two-mine.png" "figures of one --name"
expect 0 poula report --db alike.db --format latex
equal "$(grep -o 'label{.*' out | paste -sd ' ')" "label{tab:main} label{tab:main-2}" "labels of two studies"
