# Databases of several machines, and of several versions, become one.
cat >a.yaml <<'END'
study: shared
task: {command: [sh, -c, "echo {seed} >{run_folder}/weights; echo epoch=1 loss={seed} seconds=$(date +%N | sed s/^0*//); echo epoch=2 loss=0.{depth}"]}
settings: {depth: [1, 2]}
seeds: [1, 2]
END
sed 's/study: shared/study: more/; s/seeds: \[1, 2\]/seeds: [2, 3]/; s/depth: \[1, 2\]/depth: [2, 3], width: [7]/' a.yaml >b.yaml
sed 's/study: shared/study: toy/; /^task/d; /^settings/d; s/seeds.*/seeds: [1]/' a.yaml >toy.yaml
cat >>toy.yaml <<'END'
task: {problem: theta30, iterations: 100, record: 10}
optimizer: {name: [sgd, adam], lambda: [0.1, 0.01]}
END
whole() { rm -f copy.db; expect 0 poula backup copy.db --check --db "$1"; }
# Everything but numbers, which are given anew, and times.
contents() {
    for view in "SELECT key, status, study, seed, attempts, bad_epoch, reason, host, tags, note, depth, width FROM runs ORDER BY key" \
        "SELECT r.key, c.metric, c.epoch, c.value, c.kind FROM curves AS c JOIN runs AS r USING (run) WHERE c.metric <> 'seconds' ORDER BY 1, 2, 3" \
        "SELECT r.key, b.metric, b.value, b.last FROM best AS b JOIN runs AS r USING (run) WHERE metric <> 'seconds' ORDER BY 1, 2" \
        "SELECT r.key, a.number, a.outcome, a.host, a.worker FROM attempts AS a JOIN runs AS r USING (run) ORDER BY 1, 2" \
        "SELECT study, runs, finished FROM studies ORDER BY 1" "SELECT r.key, p.cpu, p.version FROM provenance AS p JOIN runs AS r USING (run) ORDER BY 1"; do
        sql "$1" "$view"
    done
}
expect 0 poula sweep toy.yaml a.yaml --db one.db --jobs 1
expect 0 poula sweep b.yaml a.yaml --db two.db --jobs 1
expect 0 poula tag depth=1 --add base --note "from two" --db two.db
expect 2 poula merge
expect 1 poula merge none.db --db one.db
contains err "none.db"
expect 2 poula merge one.db --db one.db
contains err "is the database itself"
echo nonsense >text.db
expect 1 poula merge two.db text.db --db one.db
equal "$(sql one.db "SELECT count(*) FROM runs")" 8 "runs after a merge that was refused"

# The same runs with equal values are one; the file that is merged is not written.
sum=$(cat two.db | cksum)
expect 0 poula merge two.db --db one.db
contains out "two.db: 4 new runs, 4 equal, 0 ended there and not here, 0 newer there, 0 newer here; 1 new sweep, 4 folders"
equal "$(cat two.db | cksum)" "$sum" "the other file"
whole one.db
equal "$(sql one.db "SELECT count(*), sum(status = 'finished') FROM runs")" "12|10" "runs"
equal "$(sql one.db "SELECT group_concat(tags || note) FROM (SELECT * FROM runs WHERE depth = 1)")" "basefrom two,basefrom two" "tags and notes"
equal "$(sql one.db "SELECT width FROM runs WHERE depth = 3 LIMIT 1")" 7 "a setting that was not known"
for run in $(sql one.db "SELECT run FROM runs WHERE depth = 3"); do
    equal "$(cat one-runs/$run/weights)" "$(sql one.db "SELECT seed FROM runs WHERE run = $run")" "weights that came along"
done
contents one.db >before
expect 0 poula merge two.db --db one.db
contains out "0 new runs, 8 equal, 0 ended there and not here, 0 newer there, 0 newer here; 0 new sweeps, 0 folders"
contents one.db | cmp -s - before || fail "merging again changed something"
expect 0 poula sweep a.yaml b.yaml --db one.db # and the runs are known to sweeps
contains out "more: 4 finished"
equal "$(sql one.db "SELECT max(attempts) FROM runs")" 1 "attempts"
expect 0 poula report --study more --db one.db

# A study that both define, otherwise: both definitions are there, and that is said.
sed 's/\[1, 2\]/[1]/; s/study: shared/study: more/' a.yaml >defined.yaml
expect 0 poula sweep defined.yaml --db defining.db
cp one.db defined.db
expect 0 poula merge defining.db --db defined.db
contains err "poula merge: defined otherwise in defining.db: more; of a study that has several definitions"
expect 0 poula merge defining.db --db defined.db
lacks err "defined otherwise"

# Two merges at once take folders one after the other.
cp one.db twice.db
mkdir twice-runs
exec 5<twice-runs
flock 5
start waits poula merge two.db --db twice.db 5<&-
wait_for 20 test "$(sql twice.db "SELECT 1")"
sleep 0.5
equal "$(ls -A twice-runs)" "" "folders while another merge is at them"
kill -0 "$started" || fail "a merge did not wait for the folders"
exec 5<&-
finish waits 0 "$started"
[ "$(ls -A twice-runs)" ] || fail "no folders"

# Into nothing: all there is.
expect 0 poula merge one.db --db new.db
whole new.db
contents new.db | cmp -s - before || { contents new.db >out; diff before out >&2; fail "the copy differs"; }

# Different values: the newer counts, the other is a superseded attempt, in both directions, and again.
cp two.db other.db && cp -r two-runs other-runs
other_run=$(sql other.db "SELECT min(run) FROM runs WHERE study LIKE '%shared%'")
key=$(sql other.db "SELECT key FROM runs WHERE run = $other_run")
sql other.db "UPDATE metric SET value = 77 WHERE run = $other_run AND epoch = 2 AND series = (SELECT id FROM series WHERE name = 'loss');
    UPDATE result SET last = 77, highest = 77, highest_epoch = 2 WHERE run = $other_run AND series = (SELECT id FROM series WHERE name = 'loss');
    UPDATE attempt SET started = started + 1000 WHERE run = $other_run"
echo changed >"other-runs/$other_run/weights"
cp one.db first.db && cp -r one-runs first-runs
run=$(sql first.db "SELECT run FROM runs WHERE key = '$key'")
expect 0 poula merge other.db --db first.db
contains out "0 new runs, 7 equal, 0 ended there and not here, 1 newer there"
contains err "run $run"
whole first.db
equal "$(sql first.db "SELECT last FROM best WHERE metric = 'loss' AND run = $run")" 77.0 "the newer value"
equal "$(sql first.db "SELECT attempt, last FROM superseded WHERE metric = 'loss' AND run = $run")" "1|$(sql one.db "SELECT last FROM best WHERE metric = 'loss' AND run = $run")" "the older one"
equal "$(cat first-runs/$run/weights)" changed "weights of the newer one"
[ -f "first-runs/$run.attempt-1/weights" ] || fail "weights of the older one"
contents first.db >before
expect 0 poula merge other.db one.db --db first.db
contains out "other.db: 0 new runs, 8 equal"
contains out "one.db: 0 new runs, 12 equal"
contents first.db | cmp -s - before || fail "merging again changed something"
expect 0 poula merge one.db --db other.db
contains out "1 newer here"
contains err "which are superseded attempts: run $other_run"
whole other.db
equal "$(sql other.db "SELECT last FROM best WHERE metric = 'loss' AND run = $other_run")" 77.0 "the newer value, in the other database"
equal "$(sql other.db "SELECT attempts FROM runs WHERE run = $other_run")" 2 "attempts"
expect 0 poula merge one.db --db other.db
contains out "0 newer here"

# What had not ended here, and what is at work.
expect 0 poula forget 5 --db first.db
cp first.db late.db
sql late.db "DELETE FROM attempt_result WHERE run = 5; UPDATE run SET attempts = 0 WHERE id = 5; UPDATE attempt SET run = 99 WHERE run = 5; DELETE FROM attempt WHERE run = 99"
expect 0 poula merge one.db --db late.db
contains out "1 ended there and not here"
whole late.db
expect 0 poula merge one.db --db first.db # it was forgotten on purpose
contains out "0 ended there and not here"
equal "$(sql first.db "SELECT status FROM runs WHERE run = 5")" planned "a run that was forgotten"
slow_spec slow.yaml 3 30
start slow poula sweep slow.yaml --db slow.db --jobs 1
slow=$started
wait_for 60 has_lines begun 1
expect 0 poula merge slow.db --db busy.db
contains err "at work in slow.db; merge it again"
whole busy.db
equal "$(sql busy.db "SELECT status, count(*) FROM runs GROUP BY 1")" "planned|3" "runs at work elsewhere"
kill -INT $slow && kill -INT $slow || :
wait $slow || :

# Submissions to clusters stay where they are, and the command says so. (Clusters are tested in tests/cluster.)
expect 0 poula merge one.db --db from.db
lacks err "to a cluster"
cp one.db submitted.db
submission="INSERT INTO submission (session, sweep, state, threads, created, name, system, folder, user, resources)
    SELECT min(session.id), (SELECT min(id) FROM sweep), 1, 1, 1, 'x', 'slurm', '/nowhere', 'me', '' FROM session"
sql submitted.db "$submission"
expect 0 poula merge submitted.db --db from.db
contains err '1 submission to a cluster is not closed in submitted.db and stays there: "poula jobs --db submitted.db" takes'
sql submitted.db "UPDATE submission SET state = 2"
expect 0 poula merge submitted.db --db from.db
contains err "1 submission to a cluster, all closed, stays in submitted.db; their runs came along"
equal "$(sql from.db "SELECT count(*) FROM submission")" 0 "submissions that came along"
whole from.db
rm from.db

# Every schema there was.
for frozen in "$SOURCE_ROOT"/tests/db/v*.db; do
    cp "$frozen" old.db && chmod u+w old.db
    sum=$(cat old.db | cksum)
    expect 0 poula merge old.db --db from-old.db
    contains out "old.db: 14 new runs"
    whole from-old.db
    equal "$(cat old.db | cksum)" "$sum" "an older file"
    expect 0 poula merge old.db --db from-old.db
    contains out "old.db: 0 new runs, 13 equal"
    rm -f old.db from-old.db
done

# A kill at any moment leaves the file as before or after.
cat >many.yaml <<'END'
study: many
task: {problem: theta30, iterations: 100, record: 2}
optimizer: {name: sgd, lambda: 0.0001}
seeds: {from: 1, to: 2000}
END
expect 0 poula sweep many.yaml --db many.db --quiet
sql one.db "PRAGMA wal_checkpoint(TRUNCATE)" >/dev/null
before=0 after=0
for wait in 0 0.02 0.04 0.06 0.1 0.15 0.2 0.3 0.5 none; do
    cp one.db cut.db
    start cut poula merge many.db --db cut.db
    [ $wait = none ] || { sleep $wait; kill -9 "$started" 2>/dev/null || :; }
    wait "$started" || :
    case "$(sql cut.db "SELECT count(*), (SELECT count(*) FROM sweep) FROM run")" in
    "12|3") before=$((before + 1)) ;;
    "2012|4") after=$((after + 1)) ;;
    *) fail "half of a database was merged" ;;
    esac
    whole cut.db
    rm -f cut.db cut.db-wal cut.db-shm
done
[ $before -gt 0 ] && [ $after -gt 0 ] || fail "killed too late or too early: $before before, $after after"
