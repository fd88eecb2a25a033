# report --claims: what is said of published tables, judged on what they print and on what the database has.
export POULA_SHARE="$SOURCE_ROOT"
cat >p.yaml <<'END'
published: x
tables:
- table: t
  unit: 0.01
  runs: 3
  columns: [{name: one, dataset: cifar10}, {name: two, dataset: cifar100}]
  rows:
  - {name: best, where: {optimizer: sgd}, cells: [{value: 94(0.1), lambda: 7}, {value: 93(0.1), lambda: 7}]}
  - {name: second, where: {optimizer: sgd}, rank: 2, cells: [{value: 93(0.1), lambda: 6}, {value: 90(0.1), lambda: 6}]}
  - {name: Adam, where: {optimizer: adam}, cells: [92(0.1), 93(0.1)]}
  - {name: RMSProp, where: {optimizer: rmsprop}, cells: [90, N/A]}
- table: lambda
  runs: 2
  columns: [{name: 0.1, lambda: 0.1}, {name: 0.2, lambda: 0.2}]
  rows: [{name: one, where: {dataset: cifar10}, cells: [1(0.1), 2(0.1)]}, {name: two, where: {dataset: cifar100}, cells: [2(0.1), 1(0.1)]}]
claims:
- {claim: best-of-all, sentence: "it is best", place: section 1, table: t, better: max, ahead: best, behind: others, except: second, note: A note.}
- {claim: second, sentence: it is second, table: t, better: max, ahead: second, behind: Adam, among: one}
- {claim: like, sentence: they are alike, table: t, alike: [best, Adam]}
- {claim: small, sentence: small is better, table: lambda, better: min, ahead: 0.1, behind: others}
- {claim: large, sentence: large is better, table: lambda, better: max, ahead: 0.2, behind: 0.1, among: one}
- {claim: across, sentence: above that of another table, table: lambda, better: max, ahead: t/best, behind: t/Adam}
END
says() { grep "^x,$1,.*[a-z],[0-9]*,[0-9]*,[0-9]*,[0-9]*,[0-9]*,[0-9]*,[0-9]*,[0-9]*$" out | cut -d, -f3-; }
expect 0 poula report --claims --compare p.yaml --format csv
[ ! -e results ] || fail "a report made results/"
equal "$(says best-of-all)" "undecided,no numbers,1,0,2,0,0,0,1,4" "94 against 92 and 90 (no deviation), 93 against 93 and N/A"
equal "$(says second)" "supported,no numbers,1,0,0,0,0,0,0,1" "second"
equal "$(says like)" "contradicted,no numbers,0,1,1,0,0,0,0,2" "like"
equal "$(says small)" "contradicted,no numbers,1,1,0,0,0,0,0,2" "columns in rows"
equal "$(says large)" "supported,no numbers,1,0,0,0,0,0,0,1" "one row"
equal "$(says across)" "undecided,no numbers,1,0,1,0,0,0,0,2" "rows of another table"
contains out "x,best,RMSProp,one,undecided (no deviation),no run,4,,,3,,,,,best-of-all"
contains out "x,best,RMSProp,two,not printed,no run,,,,,,,,,best-of-all"
expect 0 poula report --claims --compare p.yaml
contains out 'best-of-all: "it is best" (x, section 1)'
contains out "Printed numbers: contradicted. Of 2 pairs 0 supported, 1 contradicted, 1 undecided."
contains out "A note."
contains out "All are said to be alike. low and high"
for format in markdown latex json; do expect 0 poula report --claims --compare p.yaml --format $format; done
expect 2 poula report --claims --compare p.yaml --level 2
expect 1 poula report --claims --compare p.yaml --db nowhere.db # one that is named has to be there
contains err "there is no database nowhere.db"

# Ours: other settings than the printed ones, so the best and the second best of the search; a column that is missing; Adam in
# another study; one that diverged.
cat >print.sh <<'END'
awk -v mean="$1" -v std="$2" -v seed="$3" 'BEGIN { printf "epoch=1 test_accuracy=%.15g\n", (mean + (seed - 2) * std) / 100 }'
END
cat >ours.yaml <<'END'
study: search
seeds: [1, 2, 3]
settings: {dataset: cifar10, optimizer: sgd}
cases:
- {task: {command: [sh, print.sh, "80", "0.1", "{seed}"]}, settings: {lambda: 1}}
- {task: {command: [sh, print.sh, "90", "0.1", "{seed}"]}, settings: {lambda: 2}}
- {task: {command: [sh, print.sh, "85", "0.1", "{seed}"]}, settings: {lambda: 3}}
tables: [{value: best test_accuracy, published: t}]
END
cat >others.yaml <<'END'
study: others
seeds: [1, 2, 3]
settings: {dataset: cifar10}
cases:
- {task: {command: [sh, print.sh, "85", "0.2", "{seed}"]}, settings: {optimizer: adam}}
- {task: {command: [sh, -c, "echo epoch=1 loss=nan test_accuracy=nan"]}, settings: {optimizer: rmsprop}}
tables: [{value: best test_accuracy, published: t}]
END
expect 0 poula sweep ours.yaml --quiet
expect 0 poula sweep others.yaml --quiet
expect 0 poula report --claims --compare p.yaml --format csv
contains out "x,best,Adam,one,supported,supported,2,"
contains out "x,best,RMSProp,one,undecided (no deviation),supported (diverged),4,"
equal "$(says best-of-all)" "undecided,supported,1,0,2,2,0,0,1,2" "ours"
contains out "x,second,Adam,one,supported,undecided,1,"
equal "$(sed -n 's/^x,best,Adam,one,supported,supported,//p' out | cut -d, -f5,8 | head -n 1)" "5,3" "difference and n"
equal "$(says like | cut -d, -f2)" contradicted "alike"
expect 0 poula report --claims --compare p.yaml --study search --format csv
contains out "x,best,Adam,one,supported,no run,2,"

# What is refused.
expect 2 poula report --claims --ranks
contains err "exclude each other"
expect 2 poula report --claims --rows optimizer
expect 2 poula report --claims --test welch
sed '/^claims:/,$d' p.yaml >none.yaml
expect 2 poula report --claims --compare none.yaml
contains err "none.yaml has no claims"
refuse() { # CLAIM COMPLAINT
    { cat none.yaml; printf 'claims:\n- {claim: c, sentence: s, %s}\n' "$1"; } >bad.yaml
    expect 2 poula report --claims --compare bad.yaml
    contains err "$2"
}
refuse 'table: t, better: max, ahead: best, behind: Adm' "bad.yaml:17:71: t has no row and no column Adm"
refuse 'table: u, better: max, ahead: best, behind: Adam' "there is no table u"
refuse 'table: t, ahead: best, behind: Adam' "a claim must have better"
refuse 'table: t, better: up, ahead: best, behind: Adam' "better must be max or min"
refuse 'table: t, better: max, ahead: best' "claim c must have ahead: and behind:"
refuse 'table: t, better: max, ahead: best, behind: one' "claim c must have ahead: and behind:"
refuse 'table: t, better: max, ahead: [best, one], behind: Adam' "ahead has rows as well as columns"
refuse 'table: t, better: max, ahead: [best, best], behind: Adam' "ahead has this twice"
refuse 'table: t, better: max, ahead: best, behind: Adam, among: three' "t has no column three"
refuse 'table: t, alike: best' "claim c must have"
refuse 'table: t, alike: [best, Adam], ahaed: best' "a claim cannot have the key ahaed"
refuse 'table: t, alike: [best, Adam]}
- {claim: c, sentence: s, table: t, alike: [best, Adam]' "there is already a claim c"
{ cat none.yaml; echo 'claims: {}'; } >bad.yaml
expect 2 poula report --claims --compare bad.yaml
contains err "claims must be a list of claims"

# Networks of two widths: neither a number of the one nor its divergence says anything of the other.
for width in 8 64; do
    cat >width-$width.yaml <<END
study: width-$width
settings: {dataset: cifar10, width: $width}
cases:
$([ $width = 64 ] || echo '- {task: {command: [sh, -c, "echo epoch=1 test_accuracy=0.9"]}, settings: {optimizer: sgd}}')
$([ $width = 8 ] || echo '- {task: {command: [sh, -c, "echo epoch=1 test_accuracy=0.8"]}, settings: {optimizer: adam}}')
$([ $width = 8 ] || echo '- {task: {command: [sh, -c, "echo epoch=1 loss=nan test_accuracy=nan"]}, settings: {optimizer: rmsprop}}')
tables: [{value: best test_accuracy, published: t}]
END
done
expect 0 poula sweep width-8.yaml width-64.yaml --quiet --db widths.db
expect 0 poula report --claims --compare p.yaml --db widths.db --format csv
contains out "x,best,Adam,one,supported,trained otherwise,"
contains out "x,best,RMSProp,one,undecided (no deviation),trained otherwise,"
sed 's/width: 64/width: 8/; s/width-64/width-two/' width-64.yaml >width-two.yaml
expect 0 poula sweep width-two.yaml --quiet --db widths.db
expect 0 poula report --claims --compare p.yaml --db widths.db --format csv
lacks out "trained otherwise"
contains out "x,best,RMSProp,one,undecided (no deviation),supported (diverged),"

# What README shows of the database that comes along.
cp "$SOURCE_ROOT/results/replication.db" .
expect 0 poula report --claims --db replication.db
sed -n '/^\(Printed numbers\|Ours\): /p' "$SOURCE_ROOT/README.md" >shown
equal "$(wc -l <shown)" 2 "lines of README"
while read -r line; do contains out "$line"; done <shown
# Two of its studies have trained networks for different numbers of epochs: numbers of both are no pair.
contains out "trained otherwise"
expect 2 poula report --claims --db replication.db --study nosuch
[ ! -s out ] || fail "claims of a study that is not there"
