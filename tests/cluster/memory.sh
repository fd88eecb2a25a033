# A run that takes more memory than its task may have fails and says why, the others go on, and it is tried again with more: where
# control groups hold the limit, as on a cluster.
cluster --memory 3000
cat >hog.yaml <<'END'
study: hog
task: {command: [sh, -c, "[ {seed} != 2 ] || head -c 400000000 /dev/zero | tail >/dev/null || exit 9; echo loss={seed}"]}
seeds: {from: 1, to: 3}
resources: {memory: 150M}
END
if [ "$(cat slurm/memory)" != cgroups ]; then
    echo "no control groups can be made here, so Slurm holds no limit of memory: see ended-by-slurm" >&2
    exit 77
fi
expect 1 on_slurm hog.yaml there.db --runs-per-task 3
equal "$(sql there.db "SELECT group_concat(seed || status, ' ') FROM (SELECT * FROM runs ORDER BY seed)")" \
    "1finished 2failed 3finished" "runs"
expect 0 poula runs --status failed --db there.db
contains out "OUT_OF_MEMORY"
settled there.db
expect 0 on_slurm hog.yaml there.db --retry-failed --reason out_of_memory --memory 1G
contains err "hog: 1 run in 1 task of slurm; each task: 1 cpu, 1G"
equal "$(count there.db finished)" 3 "runs that finished"
equal "$(sql there.db "SELECT group_concat(outcome, ' ') FROM attempts WHERE run = 2")" "failed finished" "attempts of the hog"
