# A node that dies takes its tasks with it without a warning. Slurm starts them again elsewhere: a network goes on from its last
# checkpoint, to the bit, a command from what it had kept, and what was trained before is not trained again.
cluster --room 4000 --conf SlurmdTimeout=4
cat >two.yaml <<'END'
studies:
- study: net
  task: {dataset: glyphs, train_images: 600, test_images: 60, valid: 60, batch: 24, epochs: 100, model: mlp, dropout: 0.2,
         record_batches: 40, checkpoint_minutes: 0.0005}
  optimizer: {name: theopoula, lambda: 0.1, epsilon: 0.1, beta: 1e8}
  seeds: [1]
- study: steps
  task: {command: [sh, steps.sh, "{run_folder}", "{seed}"]}
  seeds: [1, 2, 3]
END
# The second run stands still in its middle, until it may go on.
cat >steps.sh <<'END'
at=$(cat "$1/at" 2>/dev/null || echo 0)
echo "$2 behind $at" >>begun
while [ "$at" -lt 8 ]; do
    while [ "$2$at" = 24 ] && [ ! -e go ]; do sleep 0.05; done
    at=$((at + 1))
    echo "step=$at loss=$((100 * $2 - at))"
    echo $at >"$1/at"
done
END
touch go
expect 0 poula sweep two.yaml --db local.db --jobs 2
rm -rf go begun

start attached poula sweep two.yaml --on slurm --db there.db --runs-per-task 3; attached=$started
wait_for 300 sh -c "cat there-jobs/net-*/journal-0.1 | grep -q points"
hold net 0
wait_for 300 grep -qx '2 behind 0' begun
# What was printed in the last second before a node dies is lost.
has_steps() { [ "$(sql there.db "SELECT count(*) FROM curves JOIN runs USING (run) WHERE study = 'steps' AND seed = 2")" = 4 ]; }
wait_for 300 has_steps
wait_for 300 at_least there.db finished 1
# Both are on one node, or each on one: the nodes of both die, one is back later.
where=$(squeue -h -r -o %N | sort -u)
for name in $where; do node kill "$name"; done
touch go
for name in $where; do
    [ "$where" = n1 ] || [ "$where" = n2 ] || node revive "$name"
done
finish attached 0 "$attached"
same_values local.db there.db
settled there.db
equal "$(sort begun | tr '\n' ' ')" "1 behind 0 2 behind 0 2 behind 4 3 behind 0 " "what the program found"
equal "$(sql there.db "SELECT count(*) FROM submissions")" 2 submissions
equal "$(sql there.db "SELECT count(*), min(starts), max(starts) FROM tasks")" "2|2|2" "tasks, and their starts"
equal "$(sql there.db "SELECT count(*) FROM attempts WHERE outcome = 'interrupted'
    AND reason = 'its task was stopped without a warning, and was started again'")" 2 "attempts that were cut off"
equal "$(sql there.db "SELECT count(*) FROM attempts WHERE number = 2 AND log LIKE 'goes on from a checkpoint in epoch %'")" 1 \
    "networks that went on"
