# poula show study: a study at a glance, as text and as json.
cat >search.yaml <<'END'
study: search
description: "what is searched\\nhere"
task: {problem: [theta30, rastrigin], iterations: 20}
cases:
- optimizer: {name: [adam, adamw], lambda: {log: [1e-4, 1]}, beta1: {one_minus_log: [0.01, 0.5]}}
- optimizer: {name: sgd, lambda: {log: [1e-3, 10]}, momentum: {choice: [0, 0.9]}}
search: {points: 4, method: sobol, seed: 3}
target: {loss: 0.5}
tables: [{title: a table, value: last loss}]
figures: [{kind: tuning, y: last loss}]
END
expect 0 poula sweep search.yaml --limit 3
expect 0 poula show study search
contains out "21 missing"
expect 0 poula sweep search.yaml
expect 0 poula show study search
contains out 'description what is searched'
contains out "spec        search.yaml"
contains out "search      4 points for each combination of the axes, sobol, seed 3"
contains out "target      loss 0.5"
contains out "  problem            theta30, rastrigin"
contains out "  lambda             log            0.0001 to 1: adam, adamw"
contains out "  lambda             log            0.001 to 10: sgd"
contains out "  beta1              one_minus_log  0.01 to 0.5: adam, adamw"
contains out "  momentum           choice         0, 0.9: sgd"
contains out "best by best loss"
contains out "  a table"
contains out "  search-tuning                  tuning"
equal "$(grep -c '^    1\. ' out)" 6 "best points"

# The best are those that a table with select shows.
best=$(sed -n '/problem=rastrigin, optimizer=adam$/,/2\./s/^    1\. [^ ]* *//p' out)
expect 0 poula report --rows optimizer,rank --columns problem --value "best loss" --best 1 --over lambda,beta1,momentum --by "best loss"
contains out "problem=rastrigin: 1. ${best#*, }"
[ -n "$best" ] || fail "no best point"

expect 0 poula show study search --format json
cp out page.json
json() { sql results/poula.db "SELECT json_extract(readfile('page.json'), '$1')"; }
equal "$(json '$.study') $(json '$.runs.all') $(json '$.search.points') $(json '$.search.method')" "search 24 4 sobol" json
equal "$(sql results/poula.db "SELECT count(*) FROM json_each(readfile('page.json'), '\$.best')
    WHERE json_extract(value, '\$.place') = 1")" 6 "best points in json"
equal "$(sql results/poula.db "SELECT json_array_length(value, '\$.values') FROM json_each(readfile('page.json'), '\$.search.drawn')
    WHERE json_extract(value, '\$.setting') = 'momentum'")" 2 choices
equal "$(json '$.figures[0].kind') $(json '$.tables[0].title')" "tuning a table" declared

# A table of the study that chooses says what is best.
cat >grid.yaml <<'END'
study: grid
task: {problem: theta30, iterations: 20}
optimizer: {name: [adam, sgd], lambda: [0.1, 0.01, 0.001]}
tables: [{rows: optimizer, value: last loss, select: {over: lambda, by: last loss}}]
END
expect 0 poula sweep grid.yaml
expect 0 poula show study grid
contains out "best by last loss"
contains out "  lambda             0.1, 0.01, 0.001"
lacks out "drawn"
expect 2 poula show study
contains err "study needs a name"
expect 2 poula show study nope
contains err "no study named \"nope\"; it has: "
expect 2 poula show 1 --format json
contains err "--format is for show study"
