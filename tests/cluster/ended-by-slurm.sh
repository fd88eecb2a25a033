# OUT_OF_MEMORY and TIMEOUT are failures (qiita 3521 took them for success, cctools 2418 waited without end), also where words come cut:
# what was at work fails with that reason, the rest is trained elsewhere. CANCELLED by somebody and NODE_FAIL give all back.
# Tasks kill themselves here, and stubs say what Slurm would say on a cluster with accounts whose controller has forgotten them.
cluster
cat >die.yaml <<'END'
study: die
task: {command: [sh, die.sh, "{seed}"]}
seeds: {from: 1, to: 4}
END
# The first run kills all that is below Slurm, the first time.
cat >die.sh <<'END'
if [ "$1" = 1 ] && [ -e lethal ]; then
    rm lethal
    at=$$ all=
    while read -r name <"/proc/$at/comm" && [ "${name#slurmstepd}" = "$name" ]; do
        all="$at $all" at=$(sed -n 's/^PPid:[[:space:]]*//p' "/proc/$at/status")
    done
    echo epoch=1 loss=1
    sleep 1.5
    kill -KILL $all
fi
echo "loss=$1"
END
expect 0 poula sweep die.yaml --db local.db
squeue=$(command -v squeue)
stub squeue <<'END'
case "$*" in *'-t all'*) exit 0 ;; esac
exec "$real" "$@"
END
stub scontrol <<'END'
case "$*" in *'show job '*) echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1 ;; esac
exec "$real" "$@"
END
fast_clock 10

# WORD EXIT | status of the run that was at work | what its reason has
while IFS='|' read -r word exit status reason; do
    db=$(echo "$word" | tr -cd 'A-Za-z_0-9').db
    touch lethal
    stub sacct <<END
# Of what is over only.
while [ "\$1" != -j ]; do shift; done
for job in \$(echo "\$2" | tr , ' '); do
    [ -n "\$($squeue -h -r -o %i -j "\$job" 2>/dev/null)" ] || echo "\${job}_0|$word|n2|2026-01-01T00:00:00|2026-01-01T00:00:00|2026-01-01T00:00:00|$exit"
done
END
    code=0
    on_slurm die.yaml $db --runs-per-task 4 >out 2>err || code=$?
    [ ! -e lethal ] || fail "nothing was killed"
    if [ "$status" = failed ]; then
        equal $code 1 "the exit code after $word"
        equal "$(sql $db "SELECT group_concat(outcome || ' ' || number, ', ') FROM attempts WHERE run = 1")" "failed 1" "the first run"
        equal "$(count $db finished)" 3 "runs that finished after $word"
        equal "$(sql $db "SELECT count(*) FROM attempts WHERE run > 1 AND number > 1")" 0 "attempts of those that had not begun"
        # Another reason does not mean it; this one does.
        expect 1 on_slurm die.yaml $db --retry-failed --reason no_such_reason
        equal "$(count $db failed)" 1 "runs that failed"
        expect 0 on_slurm die.yaml $db --retry-failed --reason "$reason"
        contains err "die: 1 run in 1 task of slurm"
    else
        equal $code 0 "the exit code after $word"
        equal "$(sql $db "SELECT outcome FROM attempts WHERE run = 1 AND number = 1")" interrupted "the first run"
    fi
    same_values local.db $db
    settled $db
    equal "$(sql $db "SELECT count(*) FROM attempts WHERE number = 1 AND run = 1 AND reason LIKE '%$reason%'")" 1 \
        "reasons with $reason: $(sql $db "SELECT reason FROM attempts WHERE number = 1 AND run = 1")"
done <<'END'
OUT_OF_MEMORY|0:125|failed|out_of_memory
OUT_OF_ME+|0:125|failed|out_of_memory
TIMEOUT|0:15|failed|timeout
TIMEO+|0:15|failed|timeout
CANCELLED by 1234|0:15|interrupted|its task was cancelled
CANCELLED+|0:15|interrupted|its task was cancelled
NODE_FAIL|0:9|interrupted|its task is gone
PREEMPTED|0:15|interrupted|its task is gone
END
