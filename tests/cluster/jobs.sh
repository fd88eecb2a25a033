# What a user does with a submission: a dry run, --detach, looking at it, attaching again, leaving by Ctrl-C, cancelling; and reports
# that take in what has come, unless the database is locked for longer than a second, or --no-collect says so.
cluster
cat >gate.yaml <<'END'
study: gate
task: {command: [sh, -c, "echo seed {seed} waits; while [ ! -e go{seed} ]; do sleep 0.05; done; echo loss={seed}"]}
seeds: {from: 1, to: 4}
tables: [{rows: seed, value: last loss}]
END
sed -i '/^tables/d' gate.yaml
touch go1 go2 go3 go4
expect 0 poula sweep gate.yaml --db local.db --jobs 2
rm go?
export POULA_DB=$PWD/there.db

# ---- the dry run submits and writes nothing ----
stub sbatch <<'END'
[ "$1" = --version ] || echo "$*" >>submitted
exec "$real" "$@"
END
expect 0 poula sweep gate.yaml --on slurm --dry-run --runs-per-task 1 --time 30m --memory 2G
contains out "gate: 4 runs in 4 tasks, 1 at a time in each, 1 array; each task: 1 cpu, 2G, 30m"
contains out "#SBATCH --array=0-3"
contains out "#SBATCH --time=0-00:30:00"
contains out "worker --orders"
[ ! -e submitted ] && [ ! -e there.db ] && [ ! -e there-jobs ] || fail "a dry run has left something"

# ---- detach, look, attach ----
expect 0 timeout 600 "$POULA" sweep gate.yaml --on slurm --detach --runs-per-task 1
contains err "gate: 4 runs in 4 tasks of slurm; each task: 1 cpu"
wait_for 300 has_tasks RUNNING 4
expect 0 poula jobs
contains out "running"
contains out "n1,n2"
expect 0 poula jobs --tasks --format csv
equal "$(grep -c '^gate-[0-9a-f]*,[0-3],1_[0-3],running,1,0,n[12],' out)" 4 "lines of tasks: $(cat out)"
equal "$(wc -l <submitted)" 1 "calls of sbatch"
said_so_far() { "$POULA" show 3 >out 2>err </dev/null && grep -q "^seed 3 waits$" out; }
wait_for 300 said_so_far
contains out "log so far"
touch go1
collected() { "$POULA" report >out 2>err </dev/null && at_least there.db finished "$1"; }
wait_for 300 collected 1
equal "$(count there.db finished)" 1 "runs that a report has taken in"

# ---- a database that somebody else writes: the report comes without, within some seconds, and says so ----
touch go2
wait_for 300 sh -c "cat there-jobs/*/journal-* | grep -q '\"event\":\"end\",\"outcome\":\"finished\".*' && [ \$(cat there-jobs/*/journal-* | grep -c '\"over\":\"done\"') = 2 ]"
mkfifo hold
sqlite3 -batch there.db <hold >/dev/null &
locker=$!
exec 7>hold
printf '%s\n' '.timeout 60000' 'BEGIN IMMEDIATE; SELECT 1;' >&7 # patient, as locked() looks for it by locking
locked() { ! sqlite3 -batch there.db 'BEGIN IMMEDIATE; ROLLBACK;'; }
wait_for 300 locked
moment=$(date +%s)
for command in report runs 'query SELECT+1' jobs; do
    expect 0 poula $(echo "$command" | sed 's/ SELECT+1//') $(echo "$command" | grep -q query && echo 'SELECT(1)')
    case $command in
    jobs) contains err "what is shown may be old" ;;
    *) contains err "what tasks have reported since is not in this" ;;
    esac
done
expect 0 poula report --no-collect
lacks err "what tasks have reported"
[ $(($(date +%s) - moment)) -lt 60 ] || fail "a locked database keeps readers for too long"
echo 'ROLLBACK;' >&7
exec 7>&-
wait "$locker"
expect 0 poula report --no-collect
equal "$(count there.db finished)" 1 "runs finished after --no-collect"
expect 0 poula runs
equal "$(count there.db finished)" 2 "runs finished after a collection"

# ---- attach, and leave by Ctrl-C: the tasks go on ----
start attached poula sweep gate.yaml --on slurm --db there.db
wait_for 300 grep -q 'attached to 1 submission that is open' attached.err
kill -INT "$started"
finish attached 130 "$started"
contains attached.err "detached; 2 tasks go on"
equal "$(tasks RUNNING)" 2 "tasks that go on"
touch go3 go4
expect 0 timeout 600 "$POULA" sweep gate.yaml --on slurm
unset POULA_DB
same_content local.db there.db
settled there.db
equal "$(wc -l <submitted)" 1 "calls of sbatch"
expect 0 poula jobs --closed --db there.db
contains out "closed"

# ---- cancelling one study, and all ----
rm go? 
sed 's/study: gate/study: other/; s/go{seed}/go{seed} -a ! -e {seed}/' gate.yaml >other.yaml
detach gate.yaml cancelled.db --runs-per-task 1
detach other.yaml cancelled.db --runs-per-task 1
expect 2 poula jobs --cancel nothing --db cancelled.db
contains err 'no submission of "nothing" is open'
expect 0 poula jobs --cancel gate --db cancelled.db
contains err "is cancelled"
equal "$(sql cancelled.db "SELECT group_concat(study || ' ' || state, ', ') FROM (SELECT * FROM submissions ORDER BY study)")" \
    "gate closed, other open" submissions
only_other() { [ "$(squeue -h -o %j | sed 's/-.*//' | sort -u)" = other ]; }
wait_for 300 only_other
expect 2 poula jobs --cancel-all --db cancelled.db
contains err "--yes says that all are meant"
expect 0 poula jobs --cancel-all --yes --db cancelled.db
wait_for 300 no_tasks
settled cancelled.db
equal "$(count cancelled.db finished) $(count cancelled.db failed)" "0 0" "runs finished and failed"
touch go1 go2 go3 go4
expect 0 on_slurm gate.yaml cancelled.db
equal "$(count cancelled.db finished)" 4 "runs finished after they were cancelled"

# ---- a task that starts although its submission was cancelled does nothing ----
expect 0 scontrol update nodename=n1,n2 state=drain reason=test
echo 'echo loss={seed}' >/dev/null
cat >late.yaml <<'END'
study: late
task: {command: [sh, -c, "echo {seed} >>late; echo loss={seed}"]}
seeds: [1, 2]
END
detach late.yaml late.db --runs-per-task 2
stub scancel <<'END'
exit 0
END
cp -r late-jobs kept
expect 0 poula jobs --cancel late --db late.db
expect 0 scontrol update nodename=n1,n2 state=resume
wait_for 300 no_tasks
[ ! -e late ] || fail "a cancelled task has trained"
