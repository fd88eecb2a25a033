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
