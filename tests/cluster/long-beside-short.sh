# Values of a long run reach the journal though short runs of its task end beside it all the time: a node that dies loses a moment.
cluster --room 4000
cat >train.sh <<'END'
[ "$1" = 0 ] || { sleep 0.02; echo loss=1; exit; }
i=0
while [ $i -lt 3000 ]; do
    i=$((i + 1))
    echo epoch=$i loss=1
    sleep 0.05
done
END
cat >beside.yaml <<'END'
study: beside
task: {command: [sh, train.sh, "{x}"]}
cases: [{settings: {x: 0}}, {settings: {x: {integer: [1, 1000000000]}}}]
search: {points: 2999}
END
detach beside.yaml beside.db --cpus 2 --runs-per-task 3000
contains err "3000 runs in 1 task of slurm"
recorded() { poula jobs --db beside.db; [ "$(sql beside.db "SELECT count(*) FROM metric WHERE run = (SELECT run FROM sweep_run WHERE position = 0)")" -ge "$1" ]; }
wait_for 100 recorded 10
[ "$(sql beside.db "SELECT count(*) FROM run WHERE status = 2")" -lt 2900 ] || fail "the short runs were over, and nothing is known"
expect 0 poula jobs --cancel-all --yes --db beside.db
wait_for 100 no_tasks
expect 0 poula jobs --db beside.db
recorded 10 || fail "values of the long run are lost"
