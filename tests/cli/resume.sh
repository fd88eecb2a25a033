# kill -9 of the supervisor at any moment: its workers die, nothing is lost, the next sweep runs exactly what is missing.

# Slow runs: the moment is in the middle of two of them.
slow_spec slow.yaml 8 0.2
start first poula sweep slow.yaml --jobs 2
wait_for 60 has_lines ran 3
kill -9 "$started"
finish first 137 "$started"
for file in pid.*; do
    wait_for 10 gone "$(cat "$file")" # the command of a killed worker does not go on by itself
done
finished=$(sql results/poula.db "SELECT group_concat(run) FROM runs WHERE status = 'finished'")
sql results/poula.db "SELECT * FROM runs WHERE status = 'finished' ORDER BY run" >runs.before
sql results/poula.db "SELECT run, number, outcome, started, seconds, worker FROM attempts WHERE outcome = 'finished' ORDER BY run" >attempts.before
[ "$(count results/poula.db running)" -gt 0 ] || fail "no run was left running: the test tests nothing"
expect 0 poula sweep slow.yaml --jobs 2
contains out "slow: 8 finished, 0 diverged, 0 failed"
contains err "of a sweep that died are given back"
equal "$(count results/poula.db finished)" 8 finished
sql results/poula.db "SELECT * FROM runs WHERE run IN ($finished) ORDER BY run" >runs.after
sql results/poula.db "SELECT run, number, outcome, started, seconds, worker FROM attempts WHERE outcome = 'finished' AND run IN ($finished) ORDER BY run" >attempts.after
cmp runs.before runs.after || fail "finished runs were touched"
cmp attempts.before attempts.after || fail "finished attempts were touched"
equal "$(sql results/poula.db "SELECT count(*) FROM attempts WHERE outcome = 'finished'")" 8 "finished attempts"
equal "$(sql results/poula.db 'SELECT count(*), sum(value) FROM curves')" "8|36.0" curves

# A run that would go on for long does not outlive its supervisor, nor does its worker.
cat >long.yaml <<END
study: long
task: {command: [sh, -c, "echo \$PPID >worker.pid; echo \$\$ >long.pid; sleep 1000"]}
END
start long poula sweep long.yaml --db long.db --jobs 1
wait_for 60 test -s long.pid
kill -9 "$started"
finish long 137 "$started"
wait_for 10 gone "$(cat worker.pid)"
wait_for 10 gone "$(cat long.pid)"

# Quick runs: many kills at odd moments, then the same rows as without any.
toy_spec toy.yaml 80
expect 0 poula sweep toy.yaml --db whole.db --jobs 2
for part in 1 100 400 900 1500; do
    start part poula sweep toy.yaml --db parts.db --jobs 2
    wait_for 60 at_least parts.db finished $part
    kill -9 "$started" 2>/dev/null || true
    wait "$started" || true
done
expect 0 poula sweep toy.yaml --db parts.db --jobs 2
equal "$(count parts.db finished)" 2000 finished
equal "$(sql parts.db "SELECT count(*) FROM attempts WHERE outcome = 'finished'")" 2000 "finished attempts"
for db in whole parts; do
    sql $db.db "SELECT key, metric, epoch, value, kind FROM curves JOIN runs USING (run) ORDER BY key, metric, epoch" >$db.curves
done
cmp whole.curves parts.curves || fail "curves differ after kills"
equal "$(sql parts.db "PRAGMA integrity_check")" ok integrity

# ---- programs that go on from their own checkpoints ----
#
# goes_on DIR STOP: six epochs, of which the second is the best; dies after epoch STOP of its first attempt.
cat >goes_on <<'EOF'
dir=$1; last=0; [ -f "$dir/ckpt" ] && last=$(cat "$dir/ckpt")
for e in 1 2 3 4 5 6; do
    [ $e -gt $last ] || continue
    case $e in 2) acc=0.9;; *) acc=0.5;; esac
    echo "${3:-epoch=$e }test_accuracy=$acc"
    echo $e >"$dir/ckpt"
    [ $e != "$2" ] || [ $last != 0 ] || { sleep "${4:-0}"; echo "out of memory" >&2; exit 1; }
done
EOF
program() { # NAME ARGUMENTS [MORE]
    printf 'study: %s\ntask: {command: [sh, goes_on, "{run_folder}", %s]}\n%s\n' "$1" "$2" "${3:-}" >"$1.yaml"
}
curve() { sql "$1" "SELECT group_concat(epoch || ':' || value, ' ') FROM curves WHERE metric = 'test_accuracy'"; }
whole="1:0.5 2:0.9 3:0.5 4:0.5 5:0.5 6:0.5"

# P1: after a failure, what came before the first epoch that the new attempt states is kept; the failed attempt's best is, too.
program failing 4
expect 1 poula sweep failing.yaml --db failing.db
contains err "exited with code 1: out of memory"
expect 0 poula sweep failing.yaml --db failing.db --retry-failed
equal "$(curve failing.db)" "$whole" "the curve of two attempts"
equal "$(sql failing.db "SELECT value, epoch FROM best WHERE metric = 'test_accuracy'")" "0.9|2" "best over both attempts"
equal "$(sql failing.db "SELECT number, highest, highest_epoch, last_epoch FROM attempt_result")" "1|0.9|2|4" \
    "what the first attempt came to"

# The same after kill -9.
program killed '4, "", 1000'
start killed poula sweep killed.yaml --db killed.db
four_recorded() { [ -f killed.db ] && [ "$(curve killed.db)" = "${whole%% 5*}" ]; }
wait_for 60 four_recorded
kill -9 "$started"
wait "$started" || true
expect 0 poula sweep killed.yaml --db killed.db
equal "$(curve killed.db)" "$whole" "the curve after kill -9"

# Lines without an epoch go on after the last one that is kept; without a run folder a program begins anew.
program counting '4, " "'
expect 1 poula sweep counting.yaml --db counting.db
expect 0 poula sweep counting.yaml --db counting.db --retry-failed
equal "$(curve counting.db)" "$whole" "the curve of lines without epochs"
cat >anew.yaml <<'EOF'
study: anew
task: {command: [sh, -c, "echo test_accuracy=0.1; echo test_accuracy=0.2; [ -f again ] || {{ echo test_accuracy=0.3; touch again; exit 1; }"]}
EOF
expect 1 poula sweep anew.yaml --db anew.db
expect 0 poula sweep anew.yaml --db anew.db --retry-failed
equal "$(curve anew.db)" "1:0.1 2:0.2" "the curve of a program that began anew"

# A program that finds itself done and reports nothing new is finished, if what is kept will do.
program done 6
expect 1 poula sweep done.yaml --db done.db
expect 0 poula sweep done.yaml --db done.db --retry-failed
equal "$(curve done.db)" "$whole" "what was kept"
equal "$(sql done.db "SELECT status, attempts FROM runs")" "finished|2" "a program that was done"

# L13: fewer epochs than are declared are not finished, whether counted from 0 or from 1; the key does not know.
cat >short.yaml <<'EOF'
study: short
task: {command: [sh, -c, "e=0; while [ $e -lt $0 ]; do e=$((e + 1)); echo epoch=$((e - $1)) loss=1; done", "{last}", "{base}"]}
settings: {last: [9, 10], base: [0, 1]}
EOF
expect 0 poula sweep short.yaml --db free.db
sed 's/^study: short/&\nepochs: 10/' short.yaml >declared.yaml
expect 1 poula sweep declared.yaml --db declared.db
contains out "short: 2 finished, 0 diverged, 2 failed"
equal "$(sql declared.db "SELECT DISTINCT setting_last, reason FROM runs WHERE status = 'failed'")" "9|exited 0 after epoch 9 of 10" "reason"
equal "$(sql declared.db "SELECT group_concat(key) FROM runs")" "$(sql free.db "SELECT group_concat(key) FROM runs")" keys
sed 's/^study: short/&\nepochs: "{last}"/' short.yaml >setting.yaml
expect 0 poula sweep setting.yaml --db setting.db
program resumed 4 "epochs: 7"
expect 1 poula sweep resumed.yaml --db resumed.db
expect 1 poula sweep resumed.yaml --db resumed.db --retry-failed
equal "$(sql resumed.db "SELECT reason FROM runs")" "exited 0 after epoch 6 of 7" "a resumed run that stops short"
expect 1 poula sweep resumed.yaml --db resumed.db --retry-failed # it finds itself done, which is not enough
equal "$(sql resumed.db "SELECT reason FROM runs")" "exited 0 after epoch 6 of 7" "a run that is done too early"
for bad in '{epochs: 3}' 0 '"{lost}"'; do
    sed "s/^study: short/&\nepochs: $bad/" short.yaml >bad.yaml
    expect 2 poula sweep bad.yaml --db bad.db
    contains err "epochs"
done

# P4: a folder belongs to one run of one database.
keeps() { # STUDY VALUE
    printf 'study: %s\ntask: {command: [sh, -c, "cat $0/ckpt; echo %s >>$0/ckpt; echo loss=1", "{run_folder}"]}\n' "$1" "$1" >"$1.yaml"
}
keeps one
keeps two
expect 0 poula sweep one.yaml --db p4.db
rm p4.db
expect 0 poula sweep two.yaml --db p4.db
contains err "p4-runs/1 has files of another database or run, so this run's are kept in p4-runs/1-2"
equal "$(cat p4-runs/1/ckpt)" one "the folder of the database that is gone"
equal "$(cat p4-runs/1-2/ckpt)" two "the folder of the new database"
expect 0 poula sweep one.yaml --db p4 # whose folders stand in the same place
equal "$(cat p4-runs/1-3/ckpt)" one "the folder of the other database"
sql p4.db "DELETE FROM result; UPDATE run SET status = 5"
expect 0 poula sweep two.yaml --db p4.db
equal "$(cat p4-runs/1-2/ckpt)" "two
two" "the folder that the run had before"
rm p4-runs/1-2/.poula p4-runs/1/.poula # left by an older poula: of a run that was begun it is the first
sql p4.db "DELETE FROM result; UPDATE run SET status = 5"
expect 0 poula sweep two.yaml --db p4.db
equal "$(cat p4-runs/1/ckpt)" "one
two" "the folder of an older poula"
