# Journals that are not as a task has written them: of another submission, doubled, cut, with zeros behind the end, and of tasks that
# nobody submitted. What can be understood counts once; what cannot is trained again or ignored; nothing is taken for somebody else's. (Those cut
# at every byte are in tests/unit/test_collect.c.)
cluster
toy_spec toy.yaml 1
sed 's/study: toy/study: other/; s/beta: 1e10/beta: 1e9/' toy.yaml >other.yaml
expect 0 poula sweep toy.yaml --db local.db
expect 0 poula sweep other.yaml --db other-local.db

# The journals of a submission that has ended, in a folder of its own; nobody has taken them in yet.
submit() { # SPEC DB
    rm -rf "$2" "${2%.db}-jobs"
    detach "$1" "$2" --runs-per-task 5
    wait_for 300 no_tasks
    folder=$(ls -d "${2%.db}"-jobs/*)
    equal "$(cat "$folder"/journal-*.1 | grep -c '"over":"done"')" 5 "journals that are whole"
}
same() { # DB LOCAL: it comes to its end
    expect 0 on_slurm "${spec:-toy.yaml}" "$1" --runs-per-task 5
    same_values "$2" "$1"
    settled "$1"
}

submit other.yaml foreign.db
cp -r "$folder" foreign

# ---- those of another submission, in place of ours and as further attempts ----
submit toy.yaml there.db
for task in 0 1 2; do
    cp foreign/journal-$task.1 "$folder/journal-$task.2"
done
cp foreign/journal-4.1 "$folder/journal-77.1"
expect 0 on_slurm toy.yaml there.db
same_content local.db there.db
settled there.db

# ---- doubled: the same journal again as another attempt, and twice in one file ----
submit toy.yaml doubled.db
cp "$folder/journal-0.1" "$folder/journal-0.2"
cat "$folder/journal-1.1" >>"$folder/journal-1.1.copy"
cat "$folder/journal-1.1.copy" >>"$folder/journal-1.1"
rm "$folder/journal-1.1.copy"
cp "$folder/journal-2.1" "$folder/journal-3.2" # of another task
expect 0 on_slurm toy.yaml doubled.db
same_content local.db doubled.db
settled doubled.db

# ---- zeros and rubbish behind the end ----
submit toy.yaml zeros.db
for task in 0 1 2 3 4; do
    head -c 4096 /dev/zero >>"$folder/journal-$task.1"
    head -c 100 /dev/urandom >>"$folder/journal-$task.1"
done
expect 0 on_slurm toy.yaml zeros.db
same_content local.db zeros.db
settled zeros.db

# ---- cut, and gone: what is not there any more is trained again ----
submit toy.yaml cut.db
size=$(stat -c %s "$folder/journal-0.1")
truncate -s $((size / 2)) "$folder/journal-0.1"
truncate -s $((size - 1)) "$folder/journal-1.1"
fast_clock 20
expect 0 on_slurm toy.yaml cut.db --runs-per-task 5
same_values local.db cut.db
settled cut.db
equal "$(sql cut.db "SELECT count(*) FROM submissions")" 2 submissions
# A task that has ended and has no journal at all is one that cannot work: that is said, and not tried for ever.
submit toy.yaml gone.db
truncate -s 0 "$folder/journal-2.1"
rm "$folder/journal-3.1"
expect 1 on_slurm toy.yaml gone.db --runs-per-task 5
contains err "tasks cannot work: its task is gone (COMPLETED)"
equal "$(count gone.db finished)" 15 "runs of the other tasks"
expect 0 on_slurm toy.yaml gone.db --runs-per-task 5
same_values local.db gone.db
settled gone.db
fast_clock 1

# ---- in the middle of the work: a task whose folder has a journal of another submission before its own ----
expect 0 scontrol update nodename=n1,n2 state=drain reason=test
detach toy.yaml before.db --runs-per-task 5
folder=$(ls -d before-jobs/*)
cp foreign/journal-0.1 "$folder/journal-0.1"
expect 0 scontrol update nodename=n1,n2 state=resume
expect 0 on_slurm toy.yaml before.db
same_content local.db before.db
settled before.db
equal "$(sql before.db "SELECT count(*) FROM submissions")" 1 "submissions where a strange journal came first"
