# A time limit shorter than the training: the task is warned (a TERM for the batch script alone, which is sent here by
# scancel, as Slurm sends it), is queued again, and the training goes on until it ends, with the bits of one that was never
# disturbed; but not more often than --requeues allows. With SLOW=1 also by a real limit of a minute.
cluster --room 4000
net() { # FILE EPOCHS
    cat >"$1" <<END
study: net
task: {dataset: glyphs, train_images: 600, test_images: 60, valid: 60, batch: 24, epochs: $2, model: mlp, dropout: 0.2,
       record_batches: 40, checkpoint_minutes: 100}
optimizer: {name: theopoula, lambda: 0.1, epsilon: 0.1, beta: 1e8, average: patience, average_after: 1}
END
}
warn() { scancel --signal=TERM --batch "$(squeue -h -r -o %i)"; }
reports() { cat there-jobs/*/journal-0."$1" 2>/dev/null | grep -q points; }

net net.yaml 300
expect 0 poula sweep net.yaml --db local.db
start attached poula sweep net.yaml --on slurm --db there.db --time 10m; attached=$started
for attempt in 1 2; do
    wait_for 300 reports $attempt
    hold net 0
    expect 0 warn
    sleep 1
    kill -CONT $held
    wait_for 300 sh -c "grep -q '\"over\":\"again\",\"reason\":\"its time was up; it is started again\"' there-jobs/*/journal-0.$attempt"
done
finish attached 0 "$attached"
same_values local.db there.db
settled there.db
equal "$(sql there.db "SELECT count(*), max(starts), count(DISTINCT submission) FROM tasks")" "1|3|1" "tasks, starts, submissions"
equal "$(sql there.db "SELECT group_concat(outcome, ' ') FROM (SELECT * FROM attempts ORDER BY number)")" \
    "interrupted interrupted finished" attempts
equal "$(sql there.db "SELECT count(DISTINCT key) FROM runs")" 1 runs

# A program is told as well, and has most of the time of the warning to write its checkpoint.
cat >told.yaml <<'END'
study: told
task:
  command:
  - sh
  - -c
  - |
    trap 'sleep 1; echo kept >{run_folder}/kept; exit 0' TERM
    if [ -e {run_folder}/kept ]; then echo loss=1; exit; fi
    echo begun >begun
    while :; do sleep 0.05; done
END
start attached poula sweep told.yaml --on slurm --db told.db --time 10m; attached=$started
wait_for 300 has_lines begun 1
expect 0 warn
finish attached 0 "$attached"
equal "$(sql told.db "SELECT group_concat(number || outcome || ' ' || coalesce(reason, ''), ', ') FROM attempts")" \
    "1interrupted the command was stopped, 2finished " attempts

# Not for ever: a program that gets nowhere is given up after as many starts.
rm begun
sed 's/study: told/study: stuck/; s/echo kept/echo no/; s/.run_folder..kept; exit/dev\/null; exit/' told.yaml >stuck.yaml
start attached poula sweep stuck.yaml --on slurm --db stuck.db --time 10m --requeues 0; attached=$started
wait_for 300 has_lines begun 1
expect 0 warn
finish attached 1 "$attached"
contains attached.err "runs were given back by their tasks 1 times, which is what --requeues allows"
settled stuck.db
equal "$(sql stuck.db "SELECT reason FROM tasks")" "the task was started 1 times, which is what --requeues allows" "the task's reason"
equal "$(sql stuck.db "SELECT status FROM runs")" interrupted "the run's status"

if [ "$SLOW" = 1 ]; then
    net long.yaml 2000
    expect 0 poula sweep long.yaml --db long-local.db
    timeout 800 "$POULA" sweep long.yaml --on slurm --db long.db --time 1m >out 2>err || fail "the long one ended with $?"
    same_values long-local.db long.db
    settled long.db
    [ "$(sql long.db "SELECT max(starts) FROM tasks")" -gt 1 ] || fail "the training was shorter than its limit"
fi
