# A study that takes its settings from the table of another one: search, choice and final runs in one file.
cat >trainer.sh <<'EOF'
# lam eps seed method eta: accuracies as a formula; lam=3 diverges with one seed.
[ ! -f broken ] || [ "$1-$2-$3-$4" != 2-2-2-a ] || exit 3
loss=1
[ "$1-$3" != 3-2 ] || loss=nan
if [ "$4" = b ]; then valid=$((50 + 2 * $2)); else valid=$((60 - ($1 - 2) * ($1 - 2) - ($2 - 2) * ($2 - 2) + $3)); fi
echo "valid_accuracy=$valid test_accuracy=$((40 + 10 * $1 - $2)) loss=$loss"
EOF
cat >pipeline.yaml <<'EOF'
defaults:
  task: {command: [sh, trainer.sh, "{lam}", "{eps}", "{seed}", "{method}", "{eta}"]}
  settings: {method: [a, b], eta: "=lam*2"}
studies:
- study: final
  settings:
    lam: [{from: search, best: 1}, {from: search, best: 2}]
    eps: [{from: search, best: 1}, {from: search, best: 2}]
  zip: [lam, eps]
  seeds: [11, 12, 13]
- study: search
  settings: {lam: [1, 2, 3], eps: [1, 2, 3]}
  seeds: [1, 2]
  tables:
  - {rows: method, value: best test_accuracy, select: {best: 2, over: [lam, eps]}}
EOF
finals() { sql results/poula.db "SELECT group_concat(method || lam || eps || eta, ' ') FROM (SELECT DISTINCT method, lam, eps, eta
    FROM runs WHERE study = 'final' ORDER BY method, lam, eps)"; }

# Before the search has finished the final runs are counted, not listed.
expect 0 poula sweep pipeline.yaml --dry-run
lacks out "final missing"
contains out "search missing method=a lam=1 eps=1 seed=1"
equal "$(tail -n 3 out)" "search: 36 runs, 36 missing
final: 12 runs wait for search
36 runs, 36 missing, 12 wait" "dry run"

# Half a search: nothing is chosen from it, and that is said.
expect 0 poula sweep pipeline.yaml --limit 5
contains out "final: 12 waiting"
equal "$(sql results/poula.db "SELECT count(*) FROM runs WHERE study = 'final'")" 0 "runs of half a choice"

# A failed run holds the final study up until it has been tried again.
touch broken
expect 1 poula sweep pipeline.yaml
contains err "nothing of final was started: it takes settings from search, of which 1 run failed"
equal "$(count results/poula.db finished)" 29 "finished runs"
rm broken
expect 0 poula sweep pipeline.yaml --retry-failed
contains out "final: 12 finished, 0 diverged, 0 failed"
contains err "final takes method=a lam=2 eps=2"
contains err "final takes method=b lam=2 eps=3"
equal "$(finals)" "a122.0 a224.0 b132.0 b234.0" "chosen settings"

# Again: the choice is known, nothing is missing, and the runs can be listed.
expect 0 poula sweep pipeline.yaml --quiet
[ ! -s err ] || fail "--quiet is not quiet"
expect 0 poula sweep pipeline.yaml --dry-run
contains out "final finished method=b lam=1 eps=3 seed=13"
equal "$(tail -n 1 out)" "48 runs, 0 missing" "dry run afterwards"
sed 's/seeds: .11, 12, 13./seeds: [11, 12]/' pipeline.yaml >fewer.yaml
expect 0 poula sweep fewer.yaml --dry-run # a spec that was not swept yet
contains out "final: 8 runs wait for the sweep to choose from search, of which nothing is missing"
expect 0 poula report --study final --rows method --columns lam --value test_accuracy
contains out "b       57.00(0.00)   47.00(0.00)"

# Another choice from the same runs: what the study held before goes out of it.
sql results/poula.db "UPDATE result SET highest = 99 WHERE run IN (SELECT run FROM runs WHERE method = 'a' AND lam = 1 AND eps = 1)
    AND series = (SELECT id FROM series WHERE name = 'valid_accuracy')"
expect 0 poula sweep pipeline.yaml
equal "$(sql results/poula.db "SELECT count(*) FROM study_runs WHERE study = 'final'")" 12 "runs of the new choice"
contains err "final takes method=a lam=1 eps=1"

# In one go, with jobs that end in another order; a chain of three studies.
cat >>pipeline.yaml <<'EOF'
  - {title: test, rows: method, value: test_accuracy, select: {over: [lam, eps], by: test_accuracy}}
- study: last
  settings: {lam: {from: middle}, eps: 1}
- study: middle
  settings: {lam: {from: search, table: test}, eps: [5, 6]}
  tables:
  - {rows: method, value: loss, select: {over: lam, by: valid_accuracy}, where: {eps: 6}}
EOF
expect 2 poula sweep pipeline.yaml
contains err "from: 2 tables of study search choose over lam; say which, as in table: TITLE"
sed -i 's/best: [12]}/best: 1, table: test}/g' pipeline.yaml
expect 2 poula sweep pipeline.yaml
contains err "lam (zipped): this value was already given"
sed -i 's/\[\({from: search, best: 1, table: test}\), {[^}]*}\]/\1/; /^  zip:/d' pipeline.yaml
expect 0 poula sweep pipeline.yaml --jobs 3 --db fresh.db
contains out "final: 6 finished"
contains out "middle: 4 finished"
contains out "last: 2 finished"
equal "$(sql fresh.db "SELECT group_concat(DISTINCT lam) FROM runs JOIN study_runs AS s USING (run) WHERE s.study = 'last'")" 2 "a choice of a choice"

# What a table cannot give ends the sweep before anything of the study begins.
sed 's/valid_accuracy=$valid//' trainer.sh >plain.sh
sed -e 's/trainer/plain/' -e 's/, by: [a-z_]*}/}/' pipeline.yaml >plain.yaml
expect 1 poula sweep plain.yaml --db plain.db
contains err "plain.yaml:7:10: lam: "
contains err "select chooses by validation, but no run of the study has recorded a metric such as valid_accuracy"
equal "$(sql plain.db "SELECT count(*) FROM runs WHERE study <> 'search'")" 0 "runs without a choice"
cat >diverges.yaml <<'EOF'
studies:
- study: search
  task: {command: [sh, -c, "echo loss=nan test_accuracy=1"]}
  settings: {lam: [1, 2]}
  tables: {value: loss, select: {over: lam, by: loss}}
- study: final
  task: {command: [sh, -c, "echo loss=1"]}
  settings: {lam: {from: search}}
EOF
expect 1 poula sweep diverges.yaml --db diverges.db
contains err "diverges.yaml:8:19: lam: place 1 of the table of study search has no value of loss"
expect 2 poula run diverges.yaml --study final
contains err "study final takes settings from another study's table; poula sweep runs it"
