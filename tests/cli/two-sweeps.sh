# Two sweeps on one new database share the grid: no run is lost and none is done twice.
toy_spec toy.yaml 80
for round in 1 2 3; do
    rm -rf results
    start one poula sweep toy.yaml --jobs 1; one=$started
    start two poula sweep toy.yaml --jobs 1; two=$started
    finish one 0 "$one"
    finish two 0 "$two"
    contains one.out "toy: 2000 finished, 0 diverged, 0 failed"
    contains two.out "toy: 2000 finished, 0 diverged, 0 failed"
    equal "$(sql results/poula.db 'SELECT count(*), max(number) FROM attempts')" "2000|1" attempts
    equal "$(sql results/poula.db 'SELECT count(*) FROM curves')" 80000 values
done

# The same with slow runs, which both must have had some of.
slow_spec slow.yaml 24 0.1
start one poula sweep slow.yaml --db slow.db --jobs 1; one=$started
start two poula sweep slow.yaml --db slow.db --jobs 1; two=$started
finish one 0 "$one"
finish two 0 "$two"
equal "$(sort -n ran | uniq | wc -l)" 24 "different runs"
equal "$(wc -l <ran)" 24 "runs trained"
equal "$(sql slow.db 'SELECT count(*) FROM attempts')" 24 attempts
equal "$(sql slow.db 'SELECT count(DISTINCT session) FROM attempts')" 2 "sessions that took part"

# One of the two dies: the other waits for its runs, takes them over and ends with everything done.
rm -f ran begun
start one poula sweep slow.yaml --db death.db --jobs 1; one=$started
wait_for 60 at_least death.db running 1
start two poula sweep slow.yaml --db death.db --jobs 1; two=$started
wait_for 60 has_lines ran 4
kill -9 "$one"
finish one 137 "$one"
finish two 0 "$two"
contains two.out "slow: 24 finished, 0 diverged, 0 failed"
equal "$(count death.db finished)" 24 finished

# The other does so with an idle worker, not only when its own long runs have ended.
cat >gate.yaml <<END
study: gate
task: {command: [sh, -c, "echo {seed} >>gate.begun; while [ ! -f release.{seed} ]; do sleep 0.05; done; echo loss=1"]}
seeds: [1, 2, 3]
END
start one poula sweep gate.yaml --db gate.db --jobs 1; one=$started
wait_for 60 has_lines gate.begun 1
start two poula sweep gate.yaml --db gate.db --jobs 2; two=$started
wait_for 60 has_lines gate.begun 2
kill -9 "$one"
finish one 137 "$one"
last=$(tail -n 1 gate.begun)
for seed in 1 2 3; do
    [ $seed = "$last" ] || touch release.$seed
done
wait_for 60 at_least gate.db finished 2
touch "release.$last"
finish two 0 "$two"
contains two.out "gate: 3 finished"

# One is told to stop: the other takes what it gives back.
rm -f ran begun
start one poula sweep slow.yaml --db stop.db --jobs 1; one=$started
start two poula sweep slow.yaml --db stop.db --jobs 1; two=$started
wait_for 60 has_lines ran 4
kill -INT "$one"
finish one 130 "$one"
finish two 0 "$two"
equal "$(wc -l <ran)" 24 "runs trained"
equal "$(count stop.db finished)" 24 finished

# S1: a run that is in other hands is dropped, and the sweep goes on: here it was given back behind its back and claimed anew.
rm -f ran begun pid.*
slow_spec taken.yaml 4 1
start taken poula sweep taken.yaml --db taken.db --jobs 2
wait_for 60 has_lines begun 2
sqlite3 -batch -cmd ".timeout 60000" taken.db "UPDATE run SET status = 5, session = NULL, token = token + 1 WHERE status = 1"
finish taken 0 "$started"
contains taken.out "slow: 4 finished, 0 diverged, 0 failed"
contains taken.err "in the hands of another sweep"
equal "$(sql taken.db 'SELECT count(*), max(number) FROM attempts')" "4|1" attempts

# S1: clocks that differ by ten minutes, and a sweep that cannot see the other's processes, take nothing from each other.
fake_clock=$(ls /usr/lib/*/faketime/libfaketime.so.1 2>/dev/null | head -n 1)
if [ "$SLOW" = 0 ] && [ -n "$fake_clock" ] && unshare --pid --fork --mount-proc true 2>/dev/null; then
    rm -f ran begun pid.*
    slow_spec apart.yaml 8 0.5
    start one poula sweep apart.yaml --db apart.db --jobs 1; one=$started
    wait_for 60 has_lines begun 1
    start two unshare --pid --fork --mount-proc env LD_PRELOAD="$fake_clock" FAKETIME=+10m "$POULA" sweep apart.yaml --db apart.db --jobs 1; two=$started
    finish one 0 "$one"
    finish two 0 "$two"
    contains one.out "slow: 8 finished, 0 diverged, 0 failed"
    contains two.out "slow: 8 finished, 0 diverged, 0 failed"
    equal "$(wc -l <ran)" 8 "runs trained"
    equal "$(sql apart.db 'SELECT count(*), max(number), count(DISTINCT session) FROM attempts')" "8|1|2" "attempts, of two"
else
    echo "no unshare or no libfaketime: two clocks are not tried" >&2
fi
