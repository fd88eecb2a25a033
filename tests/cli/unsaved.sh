# D16: checkpoints and weights that a full disk swallowed are said at the end of the sweep and by `poula runs`.
cat >net.yaml <<'END'
study: net
task: {dataset: glyphs, train_images: 40, test_images: 20, valid: 20, batch: 20, epochs: 2, model: layers,
       layers: ["linear 600", relu, "linear classes"], checkpoint_every: 1}
optimizer: {name: sgd, lambda: 0.01}
seeds: [1, 2]
END
expect 0 poula sweep net.yaml --db whole.db
lacks err "could not be written"
expect 0 poula runs --db whole.db --where seed=1
lacks out unsaved
size=$(stat -c %s whole-runs/1/weights.safetensors)
[ "$size" -gt 2000000 ] || fail "the weights are too small for this test: $size bytes"

# Files may not be longer than a megabyte: the database is shorter, weights and checkpoints are not.
(ulimit -f 2000; expect 0 poula sweep net.yaml --db full.db --jobs 1)
contains out "net: 2 finished"
contains err "poula sweep: net: 4 files (weights or checkpoints) of 2 runs could not be written, such as:"
grep -A 1 "such as:" err | grep -q "no checkpoint was written: .*full-runs/1/.*: File too large" || fail "the reason is not told"
expect 0 poula runs --db full.db
contains out "unsaved"
contains out "no checkpoint was written"
expect 0 poula query "SELECT run, status, unsaved, reason LIKE '%File too large%' AS told FROM runs" --db full.db --format csv
same out <<'END'
run,status,unsaved,told
1,finished,2,1
2,finished,2,1
END
equal "$(sql full.db "SELECT count(*) FROM attempts WHERE unsaved = 2 AND unsaved_example LIKE 'no checkpoint%'")" 2 attempts

# The weights alone; a run by itself records it as well.
sed 's/, checkpoint_every: 1/, checkpoint_every: 0/' net.yaml >weights.yaml
(ulimit -f 2000; expect 0 poula sweep weights.yaml --db weights.db)
contains err "net: 2 files (weights or checkpoints) of 2 runs could not be written, such as:"
contains err "the weights were not kept: "
(ulimit -f 2000; expect 0 poula run net.yaml --folder own --store --db one.db)
equal "$(sql one.db "SELECT unsaved FROM runs")" 2 "what poula run could not keep"

# Once it has been run again, with room, nothing is missing.
expect 0 poula sweep net.yaml --db full.db --rerun seed=1,2
equal "$(sql full.db "SELECT count(unsaved) FROM runs")" 0 "runs that lack something"
expect 0 poula runs --db full.db
lacks out unsaved

# A view without the column, as an older poula left it in a file that cannot be written.
sql whole.db "DROP VIEW runs; CREATE VIEW runs AS SELECT id AS run, hex(key) AS key, 'finished' AS status, seed, 1 AS seconds FROM run"
expect 0 poula runs --db whole.db
lacks out unsaved
