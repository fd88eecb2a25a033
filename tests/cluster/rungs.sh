# A study that stops runs early: a rung is a wave of tasks, and the next one is submitted once it is over. What survives,
# where the others were stopped and every value are those of a sweep on one machine, attached or by one call after the other.
cluster --room 4000
cat >train.sh <<'END'
e=$(cat "$3/epoch" 2>/dev/null || echo 0)
while [ "$e" -lt "$2" ]; do
    e=$((e + 1))
    echo "epoch=$e valid_loss=$(echo "$1 $e" | awk '{ print ($1 - 0.3) ^ 2 + 1 / $2 }')"
    echo $e >"$3/epoch"
done
END
cat >rungs.yaml <<'END'
studies:
- study: nets
  task: {dataset: glyphs, train_images: 200, test_images: 60, valid: 60, batch: 20, epochs: 5, model: mlp}
  optimizer: {name: adam, lambda: {log: [1e-4, 1]}}
  search: {points: 6}
  stop: {by: valid_loss, keep: 1/3, at: [1, 2]}
- study: programs
  task: {command: [sh, train.sh, "{lr}", "{until}", "{run_folder}"]}
  settings: {lr: {uniform: [0, 1]}}
  epochs: 9
  search: {points: 6}
  stop: {by: valid_loss, keep: 1/3, at: [1, 3]}
END
outcomes() { sql "$1" "SELECT s.study, key, s.status, s.stopped_at FROM study_runs AS s JOIN runs USING (run) ORDER BY 1, 2"; }
expect 0 poula sweep rungs.yaml --db local.db --jobs 2
contains out "nets: 1 finished, 0 diverged, 0 failed, 5 stopped"
tail -n 4 out | grep epochs >saving

expect 0 on_slurm rungs.yaml attached.db
contains out "programs: 1 finished, 0 diverged, 0 failed, 5 stopped"
same_values local.db attached.db
settled attached.db
equal "$(outcomes attached.db)" "$(outcomes local.db)" outcomes
grep epochs out >saved
cmp saving saved || fail "other savings"
equal "$(sql attached.db "SELECT group_concat(runs) FROM submissions WHERE study = 'nets' ORDER BY submission")" "6,2,1" "runs of each wave"

# Nobody waits: the same command goes on where it was left.
detach rungs.yaml alone.db
contains err "nets stops runs early: once these tasks are over, the same command submits what goes on"
wait_for 60 no_tasks
for wave in 2 3; do
    detach rungs.yaml alone.db
    wait_for 60 no_tasks
done
expect 0 on_slurm rungs.yaml alone.db
same_values local.db alone.db
settled alone.db
equal "$(outcomes alone.db)" "$(outcomes local.db)" outcomes
