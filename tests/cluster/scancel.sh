# scancel of one task by a person: its runs are missing again and are trained in another one; none has failed, and none of
# the others is touched. Slurm remembers one that ran for a while, and forgets one that waited at once.
cluster
cat >gate.yaml <<'END'
study: gate
task: {command: [sh, -c, "echo {seed} >>begun; while [ ! -e go ]; do sleep 0.05; done; echo loss={seed}"]}
seeds: {from: 1, to: 6}
END
touch go
expect 0 poula sweep gate.yaml --db local.db
rm -f go begun

# ---- while it runs: two runs to a task, one at a time ----
start attached poula sweep gate.yaml --on slurm --db ran.db --runs-per-task 2; attached=$started
wait_for 300 has_lines begun 3
wait_for 300 at_least ran.db running 3
expect 0 scancel "$(squeue -h -r -o %i | sort | head -n 1)"
wait_for 300 has_lines begun 4
touch go
finish attached 0 "$attached"
same_values local.db ran.db
settled ran.db
equal "$(sql ran.db "SELECT count(*), sum(outcome = 'interrupted'), sum(outcome = 'failed') FROM attempts")" "7|1|0" \
    "attempts, interrupted and failed ones"
equal "$(sql ran.db "SELECT reason FROM attempts WHERE outcome = 'interrupted'")" "its task was told to end" "the reason"
equal "$(sql ran.db "SELECT group_concat(tasks, ' ') FROM (SELECT * FROM submissions ORDER BY created)")" "3 1" \
    "tasks of each submission"
equal "$(sql ran.db "SELECT reason FROM tasks WHERE reason IS NOT NULL")" "it was told to end" "of the task"

# ---- while it waits: nobody has heard of it ever since ----
rm -f go begun
expect 0 scontrol update nodename=n1,n2 state=drain reason=test
detach gate.yaml waited.db --runs-per-task 2
wait_for 300 has_tasks PENDING 3
job=$(squeue -h -r -o %i | sort | tail -n 1)
expect 0 scancel "$job"
wait_for 300 sh -c "[ -z \"\$(squeue -h -r -t all -o %i -j ${job%_*} | grep -x $job)\" ]"
expect 0 scontrol update nodename=n1,n2 state=resume
touch go
fast_clock 20
expect 0 on_slurm gate.yaml waited.db
contains err "its task is no longer known to the batch system; 0 runs failed, 2 given back"
same_values local.db waited.db
settled waited.db
equal "$(sql waited.db "SELECT count(*), max(number), sum(outcome = 'finished') FROM attempts")" "6|1|6" attempts
