# Runs that are still at work: in tables, in lists and by themselves, marked as such and mixed into nothing.
cat >trainer.sh <<'E'
# METHOD SEED: the third seed waits before its third epoch; one fails first where it is told to
[ ! -e "fail-$1-$2" ] || { rm "fail-$1-$2"; echo "no luck" >&2; exit 3; }
for e in 1 2 3 4; do
    if [ "$2" = 3 ] && [ $e = 3 ]; then while [ ! -e go ]; do sleep 0.05; [ ! -e say ] || { rm say; echo so far so good >&2; }; done; fi
    echo "epoch=$e accuracy=0.$((6 - e))$2 loss=$(echo "$1 $e" | awk '{ print $1 / $2 }')"
done
E
cat >live.yaml <<'E'
study: live
task: {command: [sh, trainer.sh, "{m}", "{seed}"]}
settings: {m: [1, 2]}
epochs: 4
seeds: [1, 2, 3]
tables:
- {rows: m, value: best accuracy, unit: percent, labels: {accuracy: acc}}
- {rows: m, value: last loss}
E
at_epoch_two() { [ "$(sql results/poula.db "SELECT count(*) FROM runs WHERE status = 'running' AND at_epoch = 2")" = "$1" ]; }

# ---- a run by itself, at its second attempt ----
touch fail-2-3 go
expect 1 poula sweep live.yaml --jobs 6
rm go
start retry poula sweep live.yaml --retry-failed --jobs 1
retry=$started
wait_for 60 at_epoch_two 1
expect 0 poula show 6
contains out "status      running"
grep -q '^started     20' out || fail "poula show does not say since when"
grep -q '^seconds     [0-9.e-]* so far$' out || fail "poula show does not say for how long"
grep -q '^host        .' out || fail "poula show does not say where"
contains out "epoch       2 so far"
grep -q '^accuracy *0.43 *0.53 *0.43 *2$' out || fail "poula show does not say what it has come to"
contains out "log of the attempt before"
contains out "no luck"
lacks out "exit code"
lacks out "reason"
touch say
says() { "$POULA" show 6 >out 2>err && grep -q "^so far so good$" out; }
wait_for 60 says
contains out "log so far"
lacks out "no luck"
start serve poula serve
serve=$started
wait_for 10 grep -q http serve.out
curl -s -g -o page "$(cat serve.out)run?id=6"
contains page '<details open><summary>Last lines of the log so far</summary><pre>so far so good'
contains page '<details><summary>Last lines of the log of attempt 1</summary><pre>no luck'
kill -TERM "$serve"

# ---- in tables: marked, in no mean, with what they have come to ----
expect 0 poula report
grep -q '^1  *52.00(1.00)\*$' out || fail "a cell whose runs have finished is another one"
grep -q '^2  *51.50(0.71) n=2 running 1/3$' out || fail "a cell does not say that a run is at work"
contains out "1 of 6 runs have not finished yet (1 at work)."
contains out "So far, in no cell: m=2, seed 3 acc 53.00 by epoch 2."
contains out "So far, in no cell: m=2, seed 3 loss 1.0000 by epoch 2."
expect 0 poula report --format csv
contains out "missing,best,running"
contains out "live,loss,last,2,0.5,0,0.5,0.5,0.5,2,3,0,0,1,0,1"
expect 0 poula report --format json
contains out '"missing": 1, "best": false, "running": 1'
expect 0 poula report --format latex
contains out 'n=2 running 1/3'

# ---- in lists ----
expect 0 poula runs
grep -q '^run .* started  *host  *at_epoch$' out || fail "poula runs does not say since when and where"
grep -q '^  6 .* running .*  2$' out || fail "poula runs does not say how far"
expect 0 poula show study live
contains out "1 at work"
grep -q '^  6     3  running  20.*  2$' out || fail "poula show study does not say who is at work"
touch go
finish retry 0 $retry
expect 0 poula runs
lacks out "started"
lacks out "at_epoch"
expect 0 poula show 6
contains out "at_best_valid"
lacks out "log so far"
contains out "so far so good"
[ ! -e results/poula-runs ] || fail "a log was left behind"
expect 0 poula report
lacks out "running"
lacks out "So far"
expect 0 poula report --format csv
lacks out "running"

# ---- nothing has finished yet; a table names ten of those at work ----
rm go
sed 's/study: live/study: many/; s/m: .1, 2./m: [3]/; s/seeds: .*/seeds: [3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]/' live.yaml >many.yaml
sed -i 's/"$2" = 3/"$2" -ge 3/' trainer.sh
start many poula sweep many.yaml --jobs 12 --accept changed
many=$started
wait_for 60 at_epoch_two 12
expect 0 poula report
grep -q 'running 1[23]/13' out || fail "a cell does not say that its runs are at work"
contains out "; and 2 others."
touch go
finish many 0 $many

# ---- values of a long run are written though short ones end all the time beside it, and survive a kill ----
cat >beside.yaml <<'E2'
studies:
- study: long
  task: {command: [sh, -c, "i=0; while [ $i -lt 3000 ]; do i=$((i + 1)); echo epoch=$i loss=1; sleep 0.05; done"]}
- study: short
  task: {command: [sh, -c, "sleep 0.02; echo loss=1 x=$0", "{x}"]}
  settings: {x: {uniform: [0, 1]}}
  search: {points: 3000}
E2
recorded() { [ "$(sql beside.db "SELECT count(*) FROM metric WHERE run = 1")" -ge "$1" ]; }
ended() { [ "$(sql beside.db "SELECT count(*) FROM run WHERE status = 2")" -ge "$1" ]; }
start beside poula sweep beside.yaml --jobs 2 --db beside.db
beside=$started
wait_for 60 ended 20
wait_for 30 recorded 10
[ "$(sql beside.db "SELECT count(*) FROM run WHERE status = 2")" -lt 2900 ] || fail "the short runs were over, and nothing is known"
kill -KILL "$beside"
finish beside 137 "$beside"
recorded 10 || fail "values of the long run are lost"
