# Nodes whose clocks are ten minutes ahead and ten minutes behind: nothing is taken for dead, lost or late because of it.
cluster
if [ -z "$fake_clock" ]; then
    echo "libfaketime is not here: clocks are not tried" >&2
    exit 77
fi
slow_spec slow.yaml 8 0.3
expect 0 poula sweep slow.yaml --db local.db --jobs 2
ahead="[ \$((SLURM_ARRAY_TASK_ID % 2)) = 0 ] && export FAKETIME=+10m || export FAKETIME=-10m"
expect 0 on_slurm slow.yaml there.db --runs-per-task 2 --setup "export LD_PRELOAD=$fake_clock" --setup "$ahead"
contains out "slow: 8 finished, 0 diverged, 0 failed"
same_content local.db there.db
settled there.db
equal "$(sql there.db "SELECT max(starts), count(*) FROM tasks")" "1|4" "starts, and tasks"
# They really were apart.
equal "$(sql there.db "SELECT count(*) FROM attempt AS a JOIN submission AS s ON s.session = a.session
    WHERE abs(a.started - s.created - 600) < 120")" 4 "runs that began ten minutes ahead"
equal "$(sql there.db "SELECT count(*) FROM attempt AS a JOIN submission AS s ON s.session = a.session
    WHERE abs(a.started - s.created + 600) < 120")" 4 "runs that began ten minutes behind"

# The same for whoever submits: tasks that are at work are left alone by one whose clock says that they stand still.
rm -f ran begun
start one poula sweep slow.yaml --on slurm --db later.db --runs-per-task 2; one=$started
wait_for 300 has_lines begun 1
expect 0 env LD_PRELOAD="$fake_clock" FAKETIME=+10m timeout 600 "$POULA" sweep slow.yaml --on slurm --db later.db --runs-per-task 2
finish one 0 "$one"
same_content local.db later.db
equal "$(sql later.db "SELECT count(*), count(DISTINCT job) FROM tasks")" "4|4" "tasks"
