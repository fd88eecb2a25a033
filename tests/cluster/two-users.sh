# Two who are attached to one sweep at the same time, on one database: each run is submitted once, trained once and taken in once,
# and both see the end.
cluster
toy_spec toy.yaml 8
expect 0 poula sweep toy.yaml --db local.db --jobs 2
stub sbatch <<'END'
[ "$1" = --version ] || echo "$*" >>submitted
exec "$real" "$@"
END
for round in 1 2; do
    rm -f submitted there.db*
    start one poula sweep toy.yaml --on slurm --db there.db --runs-per-task 10; one=$started
    start two poula sweep toy.yaml --on slurm --db there.db --runs-per-task 10; two=$started
    finish one 0 "$one"
    finish two 0 "$two"
    contains one.out "toy: 200 finished, 0 diverged, 0 failed"
    contains two.out "toy: 200 finished, 0 diverged, 0 failed"
    same_content local.db there.db
    settled there.db
    equal "$(sql there.db "SELECT sum(runs), sum(tasks) FROM submissions")" "200|20" "runs and tasks that were submitted"
    equal "$(sort submitted | uniq -d)" "" "scripts that were submitted twice"
    equal "$(sql there.db "SELECT count(*), max(starts) FROM tasks")" "20|1" "tasks, and starts"
done

# Two arrays wait for room, and two submitters for the same one: a limit of the cluster, lifted after both have seen it.
stub sbatch <<'END'
case $1 in
--version) exec "$real" "$@" ;;
esac
echo "$*" >>asked
[ -e room ] || { echo 'sbatch: error: QOSMaxSubmitJobPerUserLimit' >&2; exit 1; }
echo "$*" >>submitted
exec "$real" "$@"
END
rm -f submitted
fast_clock 10
start one on_slurm toy.yaml later.db --runs-per-task 10; one=$started
wait_for 300 has_lines asked 1
start two on_slurm toy.yaml later.db --runs-per-task 10; two=$started
wait_for 300 has_lines asked 3
touch room
finish one 0 "$one"
finish two 0 "$two"
same_content local.db later.db
settled later.db
equal "$(wc -l <submitted)" 1 "arrays that were submitted"
