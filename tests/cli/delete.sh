# What is deleted takes along what belongs to it, whoever deletes it: other programs do not switch foreign keys on.
cat >spec.yaml <<'EOF'
studies:
  - study: toy
    task: {problem: theta30, iterations: 20, record: 10}
    optimizer: {name: [sgd, adam], lambda: [0.1, 0.01]}
    seeds: [1, 2]
  - study: part
    task: {problem: theta30, iterations: 20, record: 10}
    optimizer: {name: sgd, lambda: 0.1}
    seeds: [1, 2, 3]
EOF
expect 0 poula sweep spec.yaml --jobs 1
db=results/poula.db

whole() { # the database is sound
    rm -f copy.db
    expect 0 poula backup copy.db --check
}
refused() { # STATEMENT WORDS
    if sqlite3 -batch $db "$1" 2>refusal; then fail "'$1' was not refused"; fi
    contains refusal "$2"
}
sql $db "DELETE FROM run WHERE id = 1"
whole
equal "$(sql $db "SELECT count(*) FROM curves WHERE run = 1")" 0 "values of a deleted run"
equal "$(sql $db "SELECT runs FROM studies WHERE study = 'toy'")" 7 "runs of the study"
refused "DELETE FROM attempt" "an attempt goes with its run"
refused "DELETE FROM config" "there are runs of this configuration"
refused "DELETE FROM setting" "a setting goes with its configuration"
refused "DELETE FROM setting_key" "the columns of settings stay"
refused "DELETE FROM session" "there are attempts of this session"
refused "DELETE FROM series" "there are values of this metric"
refused "DELETE FROM meta" "tells the database from others"
sql $db "UPDATE run SET status = 1, session = 1 WHERE id = 2"
refused "DELETE FROM run" "a run that is at work"
sql $db "UPDATE run SET status = 3, session = NULL WHERE id = 2"
sql $db "DELETE FROM sweep WHERE study = 'part'"
whole
equal "$(sql $db "SELECT count(*) FROM sweep_run WHERE sweep NOT IN (SELECT id FROM sweep)")" 0 "places without a sweep"
expect 0 poula sweep spec.yaml --jobs 1 # what is missing is run again
contains out "toy: 4 finished, 4 diverged"
equal "$(sql $db "SELECT count(*) FROM runs WHERE study = 'toy, part'")" 2 "runs that both studies hold"
whole

# poula delete says how much, and does nothing unasked.
expect 2 poula delete
contains err "say which runs"
expect 2 poula delete lambda=0.1 --study toy
contains err "4 runs (4 with a result) and "
contains err " recorded values would be deleted; --yes does so"
equal "$(sql $db "SELECT runs FROM studies WHERE study = 'toy'")" 8 "runs after a question"
expect 2 poula delete lambda=7 --yes
expect 2 poula delete --study nothing --yes
expect 2 poula delete --tag nothing --yes
expect 0 poula delete optimizer=adam lambda=0.01 --study toy --yes
contains out "2 runs, "
equal "$(sql $db "SELECT runs, configs FROM studies WHERE study = 'toy'")" "6|3" "runs and configurations that are left"
equal "$(sql $db "SELECT count(*) FROM config WHERE id NOT IN (SELECT config FROM run)")" 0 "configurations without runs"
whole
# A study goes with the runs that no other one holds.
expect 0 poula delete --study toy --yes
contains out "4 runs, "
equal "$(sql $db "SELECT group_concat(study) FROM studies")" part "studies that are left"
equal "$(sql $db "SELECT count(*) FROM runs")" 3 "runs of the other study"
whole
last=$(sql $db "SELECT max(id) FROM run")
expect 0 poula delete "$last" --yes
expect 0 poula sweep spec.yaml --jobs 1
equal "$(sql $db "SELECT count(*) FROM run WHERE id = $last")" 0 "runs with the number of a deleted one"
whole

# Folders go with their runs; those of others, and of nobody, stay. vacuum finds what a kill left behind.
cat >weights.yaml <<'END'
study: files
task: {command: [sh, -c, "echo {seed} >{run_folder}/weights; for e in $(seq 1 101); do echo epoch=$e loss=0.$((900 - e * {seed} % 700)); done"]}
seeds: [1, 2, 3]
END
expect 0 poula sweep weights.yaml --db files.db --jobs 1
mkdir files-runs/77 && touch files-runs/77/mine
expect 0 poula delete 2 --db files.db --yes
contains out "1 run, 101 values and 1 folder deleted"
equal "$(ls files-runs | tr '\n' ' ')" "1 3 77 " "folders that are left"
sql files.db "DELETE FROM run WHERE id = 3"
expect 0 poula forget 1 --db files.db
expect 0 poula vacuum --db files.db
contains out "1 folder of "
equal "$(ls files-runs | tr '\n' ' ')" "1.attempt-1 77 " "folders after vacuum"
expect 0 poula vacuum --attempts --db files.db
equal "$(ls files-runs)" 77 "folders after vacuum --attempts"
expect 1 poula vacuum --db none.db
[ ! -e none.db ] || fail "vacuum made a database"

# Old curves are thinned: tables stay, and verify compares what is left.
expect 0 poula sweep weights.yaml --db files.db --jobs 1
expect 0 poula report --table --db files.db
cp out before
sql files.db "SELECT * FROM best" >best
expect 2 poula delete --study files --keep-curves 1 --db files.db --yes
expect 2 poula delete --study files --keep-curves 5 --db files.db
contains err "about 5 values of each curve of 3 runs that ended with a result would be kept"
expect 0 poula delete --study files --keep-curves 5 --db files.db --yes
contains out "of 3 runs deleted"
[ "$(sql files.db "SELECT max(n) BETWEEN 5 AND 8 FROM (SELECT count(*) AS n FROM curves GROUP BY run, metric)")" = 1 ] || fail "points that are left"
expect 0 poula report --table --db files.db
cmp -s out before || fail "tables have changed"
sql files.db "SELECT * FROM best" | cmp -s - best || fail "the best values have changed"
equal "$(sql files.db "SELECT DISTINCT thinned FROM runs")" 5 "points as runs say"
expect 0 poula verify --all --db files.db
expect 0 poula delete --study files --keep-curves 5 --db files.db --yes
contains out "0 values of 0 runs deleted"
sql files.db "UPDATE metric SET value = 7 WHERE run = (SELECT max(run) FROM metric) AND epoch = 1"
expect 1 poula verify --all --db files.db

# A kill at any moment leaves all or nothing.
cat >many.yaml <<'END'
study: many
task: {problem: theta30, iterations: 100, record: 1}
optimizer: {name: sgd, lambda: 0.0001}
seeds: {from: 1, to: 2000}
END
expect 0 poula sweep many.yaml --db many.db --quiet
sql many.db "PRAGMA wal_checkpoint(TRUNCATE)" >/dev/null
before=0 after=0
for wait in 0 0.01 0.02 0.03 0.05 0.08 0.12 0.2 0.3 none; do
    cp many.db cut.db
    start cut poula delete --study many --db cut.db --yes
    [ $wait = none ] || { sleep $wait; kill -9 "$started" 2>/dev/null || :; }
    wait "$started" || :
    case "$(sql cut.db "SELECT (SELECT count(*) FROM run) || ' ' || (SELECT count(*) FROM sweep) || ' ' || (SELECT count(*) FROM metric)")" in
    "2000 1 "*) before=$((before + 1)) ;;
    "0 0 0") after=$((after + 1)) ;;
    *) fail "half of a study was deleted" ;;
    esac
    rm -f copy.db
    expect 0 poula backup copy.db --check --db cut.db
    rm -f cut.db cut.db-wal cut.db-shm
done
[ $before -gt 0 ] && [ $after -gt 0 ] || fail "killed too late or too early: $before before, $after after"
