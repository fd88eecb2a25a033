# Commands of Slurm that fail, are slow, lie and hang: the sweep goes on asking, believes nothing that it cannot know, and ends as
# it would have. Tasks do not need them.
cluster
toy_spec toy.yaml 1
expect 0 poula sweep toy.yaml --db local.db
cat >gate.yaml <<'END'
study: gate
task: {command: [sh, -c, "echo {seed} >>begun; while [ ! -e go ]; do sleep 0.05; done; echo loss={seed}"]}
seeds: {from: 1, to: 4}
END
touch go
expect 0 poula sweep gate.yaml --db gate-local.db --jobs 2
fast_clock 10
export POULA_SLURM_TIMEOUT=100
[ "$faster" ] || export POULA_SLURM_TIMEOUT=10

ends_well() { # NAME: the sweep of gate that was started comes to its end
    touch go
    finish attached 0 "$attached"
    same_values gate-local.db "$1.db"
    settled "$1.db"
    equal "$(sql "$1.db" "SELECT count(*), max(number) FROM attempts")" "4|1" "attempts when commands $1"
}
begin() { # NAME
    rm -f go begun
    start attached on_slurm gate.yaml "$1.db" --runs-per-task 2; attached=$started
    wait_for 300 has_lines begun 2
    wait_for 300 at_least "$1.db" running 2
}
asked() { [ "$(grep -c . asked 2>/dev/null || true)" -ge "$1" ]; }

# ---- everything that is asked about tasks fails, hangs, or says what is no answer ----
for how in fail hang babble stop; do
    begin $how
    rm -f asked
    for name in squeue scontrol sacct; do
        stub $name <<END
echo $name >>asked
case $how in
fail) echo '$name: error: Unable to contact slurm controller (connect failure)' >&2; exit 1 ;;
hang) exec sleep 1000 ;;
babble) echo '1_0 is|all|right'; echo 'slurm_load_jobs error' ;;
stop) printf '1_0|COMPL' ;;
esac
END
    done
    wait_for 300 asked 2
    # For longer than a task that Slurm does not know is waited for, and shorter than a journal stands still.
    [ $how != fail ] || sleep 13
    ends_well $how
    for name in squeue scontrol sacct; do unstub $name; done
    fast_clock 10
done

# ---- squeue says that nothing is there, though everything runs: what was not heard of is not lost as long as its journal grows,
# and scontrol knows better ----
begin lie
stub squeue <<'END'
echo squeue >>asked
exit 0
END
rm -f asked
wait_for 300 asked 6
equal "$(count lie.db running)" 2 "runs at work when squeue lies"
ends_well lie
unstub squeue
fast_clock 10

# ---- slow ones ----
begin slow
for name in squeue scontrol; do
    stub $name <<'END'
unset LD_PRELOAD FAKETIME
sleep 1
exec "$real" "$@"
END
done
ends_well slow
for name in squeue scontrol; do unstub $name; done
fast_clock 10

# ---- sbatch that cannot reach the controller is called again later; one that refuses ends the sweep at once ----
stub sbatch <<'END'
[ "$1" = --version ] && exec "$real" "$@"
unset LD_PRELOAD FAKETIME
echo "$*" >>tried
[ "$(wc -l <tried)" -gt 2 ] && exec "$real" "$@"
echo 'sbatch: error: Batch job submission failed: Unable to contact slurm controller (connect failure)' >&2
exit 1
END
fast_clock 20
expect 0 on_slurm toy.yaml unreached.db --runs-per-task 10
contains err "tasks are submitted later: sbatch: error: Batch job submission failed: Unable to contact slurm controller"
equal "$(wc -l <tried)" 3 "calls of sbatch"
same_content local.db unreached.db
stub sbatch <<'END'
[ "$1" = --version ] && exec "$real" "$@"
echo 'sbatch: error: invalid partition specified: nowhere' >&2
echo 'sbatch: error: Batch job submission failed: Invalid partition name specified' >&2
exit 1
END
expect 1 on_slurm toy.yaml refused.db --partition nowhere
contains err "Invalid partition name specified"
equal "$(sql refused.db "SELECT count(*) FROM runs WHERE status IN ('queued', 'running')")" 0 "runs that are held after a refusal"
stub sbatch <<'END'
exit 127
END
expect 1 on_slurm toy.yaml none.db
