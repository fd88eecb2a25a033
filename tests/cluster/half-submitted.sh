# The submit limit is reached after half of the sweep was queued (submitit 1624): the rest is submitted when there is room again, by whoever
# is attached or comes later; nothing is submitted twice, and nothing fails.
cluster --array-max 5
toy_spec toy.yaml 2
expect 0 poula sweep toy.yaml --db local.db
# As a cluster that lets a user have ten tasks at a time, with the words of Slurm.
stub sbatch <<'END'
[ "$1" = --version ] && exec "$real" "$@"
echo "$*" >>asked
if [ "$(squeue -h -r -o %i | wc -l)" -gt "$(cat room)" ]; then
    echo 'sbatch: error: QOSMaxSubmitJobPerUserLimit' >&2
    echo "sbatch: error: Batch job submission failed: Job violates accounting/QOS policy (job submit limit, user's size and/or time limits)" >&2
    exit 1
fi
echo "$*" >>submitted
exec "$real" "$@"
END

# ---- attached ----
echo 5 >room
fast_clock 20
expect 0 on_slurm toy.yaml there.db --runs-per-task 2
contains err "tasks are submitted later: sbatch: error: QOSMaxSubmitJobPerUserLimit"
same_content local.db there.db
settled there.db
equal "$(sort submitted | uniq -c | grep -c '^ *1 ')" 5 "arrays that were submitted, each once"
[ "$(wc -l <asked)" -gt 5 ] || fail "the limit was never reached"

# ---- detached: what is not submitted is left to whoever attaches ----
rm -f submitted asked
expect 0 scontrol update nodename=n1,n2 state=drain reason=test
detach toy.yaml later.db --runs-per-task 2
contains err "not all tasks could be submitted yet; the same command goes on with them"
equal "$(wc -l <submitted) $(tasks PENDING)" "2 10" "arrays and tasks that there was room for"
equal "$(sql later.db "SELECT count(*) FROM tasks WHERE state = 'not submitted' AND reason LIKE '%QOSMaxSubmitJobPerUserLimit%'")" 15 \
    "tasks that wait for room"
expect 0 scontrol update nodename=n1,n2 state=resume
expect 0 on_slurm toy.yaml later.db --runs-per-task 2
same_content local.db later.db
settled later.db
equal "$(wc -l <submitted)" 5 "arrays that were submitted"

# ---- a limit that is known beforehand: no array is larger, so none waits for ever ----
rm -f submitted asked
echo 100 >room
stub sacctmgr <<'END'
case $* in *MaxSubmitJobs) echo 3 ;; *) echo ;; esac
END
fast_clock 20
expect 0 on_slurm toy.yaml known.db --runs-per-task 2
same_content local.db known.db
settled known.db
equal "$(sql known.db "SELECT max(count) <= 3 AND sum(count) = 25 FROM submission_array")" 1 "arrays of three tasks at most"
unstub sacctmgr
unstub sbatch

# ---- a limit that no waiting lifts is a refusal, and said at once; what was queued before it is trained ----
rm -f asked
stub sbatch <<'END'
[ "$1" = --version ] && exec "$real" "$@"
echo "$*" >>asked
case $2 in */array-1.sh) ;; *) exec "$real" "$@" ;; esac
echo 'sbatch: error: Batch job submission failed: Requested time limit is invalid (missing or exceeds some limit)' >&2
exit 1
END
fast_clock 1
expect 1 on_slurm toy.yaml refused.db --runs-per-task 2
contains err "Requested time limit is invalid"
unstub sbatch
expect 0 on_slurm toy.yaml refused.db --runs-per-task 2
same_values local.db refused.db
settled refused.db
