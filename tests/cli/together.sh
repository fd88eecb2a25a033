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
contains out "study,metric,select,study,lambda,"
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
contains out "There is no band where several studies stand beside each other."
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
contains err "holds no study named nothing"
expect 2 poula report --study ,

# Figures are files of their own.
expect 0 poula plot --study a,b --out plots --format svg
[ -e plots/a+b-curves.svg ] && [ -e plots/a+b-sens.svg ] || fail "the figures of two studies have other names"
contains err "Lines are split by study, which varies but was not asked for."
expect 0 poula plot --study a,b --kind sensitivity --x lambda --y "last loss" --lines study --panels optimizer --format svg --out plots --name own
[ -s plots/own.svg ] || fail "there is no figure by study"
lacks err "split by study"
