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
