# More tasks than MaxArraySize (submitit 1624, rslurm 73): they are several arrays, none of which is refused. 2,500 tasks where 100
# may be in one array are all in the queue, each once; a tenth of them is trained to the end, all of them with SLOW=1.
cluster --array-max 101 --cpus 16 --nodes 2
toy_spec toy.yaml 100
expect 0 poula sweep toy.yaml --on slurm --dry-run --runs-per-task 1
contains out "toy: 2500 runs in 2500 tasks, 1 at a time in each, 25 arrays"
expect 0 scontrol update nodename=n1,n2 state=drain reason=test
detach toy.yaml there.db --runs-per-task 1
equal "$(tasks PENDING)" 2500 "tasks in the queue"
equal "$(squeue -h -r -o %F | sort | uniq -c | sort -n | sed -n 's/^ *\([0-9]*\) .*/\1/p' | sort -nu | tr "\n" " ")" "76 101 " \
    "sizes of arrays"
equal "$(sql there.db "SELECT count(*), count(DISTINCT job), sum(runs) FROM tasks")" "2500|2500|2500" "tasks, jobs, runs"
expect 0 poula jobs --db there.db --format csv
equal "$(awk -F , 'NR > 1 { sum += $3 } END { print sum }' out)" 2500 "tasks that poula jobs shows"
if [ "$SLOW" = 1 ]; then
    expect 0 scontrol update nodename=n1,n2 state=resume
    timeout 850 "$POULA" sweep toy.yaml --on slurm --db there.db >out 2>err || fail "the sweep ended with $?"
    expect 0 poula sweep toy.yaml --db local.db --jobs 2
    same_content local.db there.db
    settled there.db
else
    expect 0 poula jobs --cancel toy --db there.db
    wait_for 300 no_tasks
    settled there.db
    equal "$(sql there.db "SELECT status, count(*), sum(attempts) FROM runs")" "planned|2500|0" "runs that never began"
fi

# Ten arrays to the end.
rm -f there.db
expect 0 scontrol update nodename=n1,n2 state=resume
toy_spec toy.yaml 10
expect 0 poula sweep toy.yaml --db small-local.db
stub scontrol <<'END'
"$real" "$@" | sed 's/^\(MaxArraySize  *= \).*/\126/'
END
expect 0 on_slurm toy.yaml small.db --runs-per-task 1 --cpus 1
same_content small-local.db small.db
settled small.db
equal "$(sql small.db "SELECT count(*), count(DISTINCT job) FROM tasks")" "250|250" "tasks, and their jobs"
equal "$(sql small.db "SELECT count(*) FROM submission_array")" 10 arrays
