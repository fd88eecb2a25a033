# Tasks that Slurm takes from their nodes for more important ones (reframe 3608: PREEMPTED was taken for finished): where they are
# requeued they are on their way and go on later, as the same tasks; where they are cancelled their runs are missing and are
# trained in others. No run is finished by it, and none fails.
cluster --conf PreemptType=preempt/partition_prio --conf PreemptMode=REQUEUE \
    --conf 'PartitionName=low Nodes=ALL PriorityTier=1 PreemptMode=REQUEUE' \
    --conf 'PartitionName=lost Nodes=ALL PriorityTier=1 PreemptMode=CANCEL' \
    --conf 'PartitionName=high Nodes=ALL PriorityTier=10'
cat >gate.yaml <<'END'
study: gate
task: {command: [sh, -c, "echo {seed} >>begun; while [ ! -e go ]; do sleep 0.05; done; echo loss={seed}"]}
seeds: {from: 1, to: 8}
END
touch go
expect 0 poula sweep gate.yaml --db local.db --jobs 2
rm -f go begun
printf '#!/bin/sh\ntouch important; while [ ! -e go ]; do sleep 0.05; done\n' >important.sh

for partition in low lost; do
    db=$partition.db
    rm -f go begun important
    start attached poula sweep gate.yaml --on slurm --db $db --runs-per-task 2 --partition $partition; attached=$started
    wait_for 300 has_lines begun 4
    wait_for 300 at_least $db running 4
    expect 0 sbatch --partition=high --exclusive --output=/dev/null important.sh
    wait_for 300 test -e important
    # Nothing has come to an end by this.
    expect 0 poula runs --db $db
    equal "$(count $db finished) $(count $db failed)" "0 0" "runs that finished and failed when they were preempted"
    touch go
    finish attached 0 "$attached"
    same_values local.db $db
    settled $db
    equal "$(sql $db "SELECT sum(outcome = 'finished'), sum(outcome = 'failed'), sum(outcome = 'interrupted') BETWEEN 2 AND 4
        FROM attempts")" "8|0|1" "attempts that finished, that failed, and whether those of one node were interrupted"
    # Requeued ones are the same tasks; cancelled ones are submitted anew.
    case $partition in
    low) equal "$(sql $db "SELECT count(DISTINCT submission), count(*), max(starts) FROM tasks")" "1|4|2" "submissions, tasks, starts" ;;
    lost) equal "$(sql $db "SELECT count(DISTINCT submission) > 1, max(starts) FROM tasks")" "1|1" "submissions, starts" ;;
    esac
done
