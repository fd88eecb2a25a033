# sbatch that times out although the job was accepted: trying again would double it. It is looked for by its name, in the queue and among
# what the controller remembers, and submitted again only when Slurm has said that there is none.
cluster
toy_spec toy.yaml 1
expect 0 poula sweep toy.yaml --db local.db
fast_clock 20

# Accepted, and no answer; with Slurm's own words, by hanging, by dying, and with half an answer.
for how in said hangs dies cut; do
    rm -f asked
    stub sbatch <<END
[ "\$1" = --version ] && exec "\$real" "\$@"
echo "\$*" >>asked
job=\$("\$real" "\$@") || exit
case $how in
said) echo 'sbatch: error: Batch job submission failed: Socket timed out on send/recv operation' >&2; exit 1 ;;
hangs) exec sleep 1000 ;;
dies) kill -KILL \$\$ ;;
cut) printf '%s' "\$job" ;;
esac
END
    export POULA_SLURM_TIMEOUT=200 # seconds of a clock that is twenty times as fast
    [ "$faster" ] || export POULA_SLURM_TIMEOUT=10
    expect 0 on_slurm toy.yaml $how.db --runs-per-task 5
    contains err "it is looked for before it is submitted again"
    same_content local.db $how.db
    settled $how.db
    equal "$(wc -l <asked)" 1 "calls of sbatch when it $how"
done

# The submitter is killed while sbatch is at work, before and after the job was accepted: whoever comes next looks first.
for when in before after; do
    rm -f asked
    stub sbatch <<END
[ "\$1" = --version ] && exec "\$real" "\$@"
echo "\$*" >>asked
if [ "\$(wc -l <asked)" = 1 ]; then
    [ $when = before ] || "\$real" "\$@" >/dev/null
    kill -KILL \$PPID
    exit 1
fi
exec "\$real" "\$@"
END
    code=0
    on_slurm toy.yaml $when.db --runs-per-task 5 >out 2>err || code=$?
    [ $code != 0 ] || fail "the submitter was not killed"
    equal "$(sql $when.db "SELECT state FROM submission_array")" 1 "the array's state: asked for"
    expect 0 on_slurm toy.yaml $when.db --runs-per-task 5
    same_content local.db $when.db
    settled $when.db
    equal "$(wc -l <asked)" "$([ $when = before ] && echo 2 || echo 1)" "calls of sbatch when it was killed $when"
done

# Not accepted, and no answer: asked for again, once.
rm -f asked
stub sbatch <<'END'
[ "$1" = --version ] && exec "$real" "$@"
echo "$*" >>asked
[ "$(wc -l <asked)" -gt 1 ] || { echo 'sbatch: error: Batch job submission failed: Socket timed out on send/recv operation' >&2; exit 1; }
exec "$real" "$@"
END
expect 0 on_slurm toy.yaml again.db --runs-per-task 5
same_content local.db again.db
equal "$(wc -l <asked)" 2 "calls of sbatch"

# Accepted, but Slurm shows it only later, when it was submitted once more: the second job finds its tasks taken.
rm -f asked
expect 0 scontrol update nodename=n1,n2 state=drain reason=test
stub sbatch <<'END'
[ "$1" = --version ] && exec "$real" "$@"
echo "$*" >>asked
"$real" "$@" >>jobs
[ "$(wc -l <asked)" -gt 1 ] || exit 1
tail -n 1 jobs
END
stub squeue <<'END'
case "$*" in *-n*) exit 0 ;; esac
exec "$real" "$@"
END
stub scontrol <<'END'
case "$*" in *show*jobs*) exit 0 ;; esac
exec "$real" "$@"
END
fast_clock 20
start attached on_slurm toy.yaml twice.db --runs-per-task 5; attached=$started
wait_for 300 has_lines asked 2
wait_for 300 has_tasks PENDING 10
expect 0 scontrol update nodename=n1,n2 state=resume
finish attached 0 "$attached"
same_content local.db twice.db
settled twice.db
wait_for 300 no_tasks
