# Thousands of short runs are tens of tasks, not thousands, whether somebody knows how long they take or not; and as few calls
# of sbatch as there are arrays.
cluster
stub sbatch <<'END'
[ "$1" = --version ] || echo "$*" >>submitted
exec "$real" "$@"
END
toy_spec toy.yaml 100
expect 0 poula sweep toy.yaml --on slurm --dry-run
tasks=$(sed -n 's/^toy: 2500 runs in \([0-9]*\) tasks, .*/\1/p' out)
[ "$tasks" -ge 1 ] && [ "$tasks" -le 99 ] || fail "2500 runs of milliseconds are $tasks tasks"
expect 0 on_slurm toy.yaml toy.db
contains out "toy: 2500 finished, 0 diverged, 0 failed"
equal "$(sql toy.db "SELECT count(*), max(starts), sum(runs) FROM tasks")" "$tasks|1|2500" "tasks, starts, runs"
equal "$(wc -l <submitted)" 1 "calls of sbatch"
settled toy.db

# Programs, of which nobody knows how long they take.
cat >programs.yaml <<'END'
study: programs
task: {command: ["true", "{seed}"]}
seeds: {from: 1, to: 3000}
END
expect 0 poula sweep programs.yaml --on slurm --dry-run --db programs.db
tasks=$(sed -n 's/^programs: 3000 runs in \([0-9]*\) tasks, .*/\1/p' out)
[ "$tasks" -ge 10 ] && [ "$tasks" -le 99 ] || fail "3000 programs are $tasks tasks"
# Some were timed: a task is worth some minutes.
code=0
timeout 600 "$POULA" sweep programs.yaml --db programs.db --limit 20 >out 2>err || code=$?
expect 0 poula sweep programs.yaml --on slurm --dry-run --db programs.db
timed=$(sed -n 's/^programs: 2980 runs in \([0-9]*\) tasks, .*/\1/p' out)
[ "$timed" -ge 1 ] && [ "$timed" -le "$tasks" ] || fail "2980 programs that take milliseconds are $timed tasks"
# Whoever wants it otherwise says so.
expect 0 poula sweep programs.yaml --on slurm --dry-run --db programs.db --runs-per-task 1
contains out "programs: 2980 runs in 2980 tasks"
