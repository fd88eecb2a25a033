# A task that is requeued in the middle of its runs goes on with them: a network from its checkpoint, to the bit; a command
# from what it keeps in its folder. Each is the same run, with one more attempt, in the same submission. (fairchem 803: a
# restarted task was a second run, and its log was written over.)
cluster --room 4000
cat >net.yaml <<'END'
study: net
task: {dataset: glyphs, train_images: 600, test_images: 60, valid: 60, batch: 24, epochs: 100, model: mlp, dropout: 0.2,
       record_batches: 40, checkpoint_minutes: 100}
optimizer: {name: theopoula, lambda: 0.1, epsilon: 0.1, beta: 1e8, average: patience, average_after: 1}
seeds: [1, 2]
END
# Twelve steps, each when it is let; what was done is kept. It ends by the signal that Slurm sends to all.
cat >step.sh <<'END'
at=$(cat "$1/at" 2>/dev/null || echo 0)
echo "goes on behind $at" | tee -a begun >&2
while [ "$at" -lt 12 ]; do
    while [ "$at" = 6 ] && [ ! -e go ]; do sleep 0.05; done
    at=$((at + 1))
    echo "step=$at loss=$((100 - at))"
    echo $at >"$1/at"
done
END
cat >command.yaml <<'END'
study: command
task: {command: [sh, step.sh, "{run_folder}"]}
seeds: [1, 2]
END

touch go
expect 0 poula sweep net.yaml --db net-local.db --jobs 2
expect 0 poula sweep command.yaml --db command-local.db
rm -rf go begun

# ---- the command: both runs of one task, at the same time ----
detach command.yaml command.db --cpus 2 --runs-per-task 2
contains err "command: 2 runs in 1 task of slurm; each task: 2 cpus"
wait_for 300 has_lines begun 2
wait_for 300 sh -c 'grep -q 6 command-runs/*1/at && grep -q 6 command-runs/*2/at'
start attached poula sweep command.yaml --on slurm --db command.db; attached=$started
wait_for 300 at_least command.db running 2
job=$(squeue -h -r -o %i)
expect 0 scontrol requeue "$job"
wait_for 300 has_lines begun 4
touch go
finish attached 0 "$attached"
equal "$(sort begun | uniq -c | tr -s ' \n' ' ')" " 2 goes on behind 0 2 goes on behind 6 " "what the program found"
same_values command-local.db command.db
settled command.db
equal "$(sql command.db "SELECT group_concat(number || outcome, ' ') FROM (SELECT * FROM attempts ORDER BY number)")" \
    "1interrupted 1interrupted 2finished 2finished" attempts
equal "$(sql command.db "SELECT count(*), max(starts) FROM tasks")" "1|2" "tasks, and starts"
equal "$(sql command.db "SELECT count(*) FROM runs")" 2 runs
equal "$(sql command.db "SELECT count(*) FROM attempts WHERE log LIKE '%goes on behind 0%' AND number = 1
    OR log LIKE '%goes on behind 6%' AND number = 2")" 4 "attempts with a log of their own"

# ---- the network: while somebody is attached, and while nobody is ----
for way in attached alone; do
    db=net-$way.db
    detach net.yaml $db --runs-per-task 1
    wait_for 300 has_tasks RUNNING 2
    for task in 0 1; do # a task that has not opened its journal has nothing to say of its end
        wait_for 300 sh -c "[ \$(cat net-$way-jobs/*/journal-$task.1 | grep -c points) -ge 3 ]"
        hold net $task
    done
    if [ $way = attached ]; then
        start attached poula sweep net.yaml --on slurm --db $db; attached=$started
        wait_for 300 at_least $db running 1
    fi
    for job in $(squeue -h -r -t RUNNING -o %i); do
        expect 0 scontrol requeue "$job"
    done
    wait_for 300 sh -c "[ \$(cat net-$way-jobs/*/journal-*.1 | grep -c '\"over\":\"again\"') = 2 ]"
    contains "$(ls -d net-$way-jobs/*)/task-0.out" "it was taken from its node, and is started again"
    if [ $way = attached ]; then
        finish attached 0 "$attached"
    else
        wait_for 300 no_tasks
        # What the task printed is kept, attempt behind attempt.
        equal "$(grep -c '^poula worker: task 0' "$(ls -d net-$way-jobs/*)/task-0.out")" 2 "attempts that printed"
        expect 0 on_slurm net.yaml $db
    fi
    same_values net-local.db $db
    settled $db
    equal "$(sql $db "SELECT count(*), sum(starts) FROM tasks")" "2|4" "tasks, and starts"
    equal "$(sql $db "SELECT count(*) FROM attempts WHERE outcome = 'interrupted' AND reason LIKE 'stopped in epoch %'")" 2 \
        "attempts that were stopped"
    equal "$(sql $db "SELECT count(*) FROM attempts WHERE number = 2 AND log LIKE 'goes on from a checkpoint in epoch %'")" 2 \
        "attempts that went on"
done
