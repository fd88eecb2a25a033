# Nodes never open the database (atuin 2356, optuna 6036: SQLite written from many nodes over NFS is destroyed). While tasks work it is
# not there at all, and no process of a task, from the program up to Slurm, has a file of SQLite open.
cluster
cat >look.yaml <<'END'
study: look
task: {command: [sh, look.sh, "{seed}"]}
seeds: {from: 1, to: 4}
END
cat >look.sh <<'END'
[ -z "$SLURM_JOB_ID" ] || {
    at=$$
    while [ "$at" -gt 1 ]; do
        read -r name <"/proc/$at/comm"
        echo "$name" >>ancestors
        ls -l "/proc/$at/fd" 2>/dev/null | grep -E '\.db(-wal|-shm|-journal)?( |$)' >>opened
        case $name in slurmstepd*) break ;; esac
        at=$(sed -n 's/^PPid:[[:space:]]*//p' "/proc/$at/status")
    done
}
echo "loss=$1"
END
expect 0 poula sweep look.yaml --db local.db
detach look.yaml there.db --runs-per-task 2
mkdir elsewhere
mv there.db* elsewhere
wait_for 300 sh -c "[ \$(cat there-jobs/*/journal-*.1 | grep -c '\"over\":\"done\"') = 2 ]"
equal "$(ls | grep 'db$')" local.db "databases that tasks have made"
equal "$(grep -c . opened 2>/dev/null || true)" 0 "databases that were open: $(cat opened 2>/dev/null)"
equal "$(grep -c slurmstepd ancestors) $(grep -c poula ancestors)" "4 8" "processes that were looked at"
mv elsewhere/* .
expect 0 on_slurm look.yaml there.db
same_content local.db there.db
settled there.db
