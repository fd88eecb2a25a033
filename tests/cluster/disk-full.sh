# A disk that is full: on the node's side a journal waits until there is room again, and nothing is lost of it; on the
# submitter's a submission that cannot be written leaves nothing half, and what came meanwhile is taken in later.
cluster
if ! mkdir small || ! mount -t tmpfs -o size=4m none small 2>/dev/null; then
    echo "a small file system can be mounted by root only: a full disk is not tried" >&2
    exit 77
fi
end_small() { # what tasks have open there goes with them
    code=$?
    "$TESTS/slurm" stop "$PWD/slurm" || true
    umount -l small || true
    end_cluster $code
}
trap end_small EXIT
cat >gate.yaml <<'END'
study: gate
task:
  command:
  - sh
  - -c
  - |
    echo {seed} >>begun
    while [ ! -e go ]; do sleep 0.05; done
    i=0; while [ $i -lt 400 ]; do i=$((i + 1)); echo "step=$i loss={seed}.$i"; done
    echo {seed} >>ran
seeds: {from: 1, to: 4}
END
touch go
expect 0 poula sweep gate.yaml --db local.db --jobs 2
rm -f go begun ran
full() { dd if=/dev/zero of=small/filler bs=4096 2>/dev/null || true; }

# ---- the node's side: the folder of submissions is on the small disk, the database is not ----
mkdir small/jobs
ln -s small/jobs there-jobs
start attached poula sweep gate.yaml --on slurm --db there.db --runs-per-task 2; attached=$started
wait_for 300 has_lines begun 2
wait_for 300 at_least there.db running 2
full
touch go
# All runs come to their ends, of which nothing can be written.
wait_for 300 has_lines ran 4
sleep 3
equal "$(count there.db finished)" 0 "runs that finished while the disk was full"
rm small/filler
finish attached 0 "$attached"
same_content local.db there.db
settled there.db
equal "$(sql there.db "SELECT max(starts), count(*) FROM tasks")" "1|2" "starts, and tasks"

# ---- the submitter's side: a submission that there is no room for ----
rm -f there-jobs go begun
mkdir small/other
ln -s small/other other-jobs
toy_spec toy.yaml 100
full
expect 1 on_slurm toy.yaml other.db --runs-per-task 1
contains err "No space left on device"
equal "$(sql other.db "SELECT count(*) FROM runs WHERE status IN ('queued', 'running')")" 0 "runs that are held"
no_tasks || fail "tasks of half a submission are in the queue"
rm small/filler
toy_spec toy.yaml 2
expect 0 on_slurm toy.yaml other.db
expect 0 poula sweep toy.yaml --db toy-local.db
equal "$(count other.db finished)" 50 "runs that finished"
rm -f other-jobs

# ---- the submitter's side: no room for what journals say ----
mkdir full-jobs
ln -s ../full-jobs small/full-jobs
rm -f go begun ran
detach gate.yaml small/full.db --runs-per-task 2
wait_for 300 has_lines begun 2
full
touch go
wait_for 300 no_tasks
code=0
on_slurm gate.yaml small/full.db --runs-per-task 2 >out 2>err || code=$?
rm small/filler
[ $code != 0 ] || fail "a full disk was not noticed"
expect 0 on_slurm gate.yaml small/full.db --runs-per-task 2
same_values local.db small/full.db
settled small/full.db
