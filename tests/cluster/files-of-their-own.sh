# Each task writes into files of its own, in every array of a submission: no two share an output, an order or a journal.
cluster --array-max 5 --cpus 4
toy_spec toy.yaml 1
detach toy.yaml there.db --runs-per-task 2
contains err "25 runs in 13 tasks"
wait_for 300 no_tasks
folder=$(ls -d there-jobs/*)
equal "$(ls "$folder" | grep -c '^array-')" 3 arrays
equal "$(ls "$folder" | grep -c '^task-.*out$') $(ls "$folder" | grep -c '^journal-') $(ls "$folder" | grep -c '^orders-')" \
    "13 13 13" "outputs, journals and orders"
task=0
while [ $task -lt 13 ]; do
    # Slurm knows the index in the array only: the sixth task's file may be called task-5+0.out.
    for name in task-$task.out task-5+$((task - 5)).out; do
        [ ! -e "$folder/$name" ] || equal "$(sed 's/^poula worker: task \([0-9]*\): .*/\1/' "$folder/$name")" $task "said in $name"
    done
    equal "$(grep -c "\"task\":$task,\"attempt\":1" "$folder/journal-$task.1")" 1 "heads of the journal of task $task"
    task=$((task + 1))
done
equal "$(cat "$folder"/task-*.out | sort | uniq | wc -l)" 13 "different outputs"
equal "$(cat "$folder"/journal-* | grep -o '"run":[0-9]*,"event":"end"' | sort | uniq | wc -l)" 25 "runs in journals"
expect 0 on_slurm toy.yaml there.db
expect 0 poula sweep toy.yaml --db local.db
same_content local.db there.db
settled there.db
