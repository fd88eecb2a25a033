# A sweep of 200 runs on two nodes leaves what the local one leaves, to the bit, in every table: problems, some of which
# diverge, programs that print and log, and some that fail.
cluster
cat >mixed.yaml <<'END'
studies:
- study: toy
  task: {problem: theta30, iterations: 200, record: 20}
  optimizer: {name: [theopoula, sgld], lambda: [0.5, 0.1, 0.05, 0.01, 0.001]}
  seeds: {from: 1, to: 16}
- study: wild
  task: {problem: quartic, iterations: 100, record: 10}
  optimizer: {name: sgld, lambda: 1}
  seeds: {from: 1, to: 10}
- study: programs
  task:
    command: [sh, -c, "echo 'begins with {seed}' >&2; for e in 1 2 3; do echo epoch=$e loss={seed}.$e; done; [ {seed} != 13 ] || exit 3"]
  seeds: {from: 1, to: 30}
END
left=0
timeout 600 "$POULA" sweep mixed.yaml --db local.db --jobs 2 >local.out 2>local.err || left=$?
equal "$(sql local.db "SELECT count(*), sum(status = 'diverged') > 0, sum(status = 'failed') FROM runs")" "200|1|1" "local runs"
expect $left on_slurm mixed.yaml there.db --runs-per-task 9
contains err "toy: 160 runs in 18 tasks of slurm; each task: 1 cpu"
same_content local.db there.db
settled there.db
equal "$(sql there.db "SELECT count(*), count(DISTINCT job), count(DISTINCT node), max(starts) FROM tasks")" "24|24|2|1" \
    "tasks, their jobs, their nodes and starts"
for study in toy wild programs; do
    expect 0 poula report --study $study --db local.db
    mv out local.report
    expect 0 poula report --study $study --db there.db
    cmp out local.report || fail "the reports on $study differ"
done
[ ! -e there-jobs ] || fail "folders are left: $(ls there-jobs)"

# All is there, and nothing is asked of Slurm again.
stub sbatch <<'END'
[ "$1" = --version ] && exec "$real" "$@"
echo called >>called
END
expect $left on_slurm mixed.yaml there.db
[ ! -e called ] || fail "sbatch was called though nothing is missing"
