# The paper's table for lambda, at the scale quick, on two nodes: its table, and all that is behind it, equals the local one.
# Minutes, so only with SLOW=1.
if [ "$SLOW" != 1 ]; then
    echo "this takes minutes: SLOW=1 runs it" >&2
    exit 77
fi
cluster --room 16000
spec=$SOURCE_ROOT/experiments/paper/table-lambda.yaml
expect 0 poula sweep "$spec" --scale quick --db local.db --jobs 2 --threads 1
code=0
timeout 1500 "$POULA" sweep "$spec" --scale quick --on slurm --db there.db --runs-per-task 4 >out 2>err || code=$?
equal $code 0 "the exit code on Slurm"
same_values local.db there.db
settled there.db
equal "$(sql there.db "SELECT count(DISTINCT node) FROM tasks")" 2 nodes
for db in local there; do
    expect 0 poula report --db $db.db --study table-lambda-quick --format markdown
    mv out $db.table
done
contains local.table "Test accuracy by lambda"
cmp local.table there.table || fail "the tables differ"
cat there.table
