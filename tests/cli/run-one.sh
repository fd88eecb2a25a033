# `poula run`: one configuration in the foreground.
toy_spec toy.yaml 2

# --set picks from the grid; no database is made.
expect 0 poula run toy.yaml --set lambda=0.05 --set epsilon=0.1 --show
same out <<END
study: run
task: {iterations: 200, problem: theta30, record: 20}
optimizer: {beta: 10000000000, epsilon: 0.1, lambda: 0.05, name: theopoula}
seeds: [1]
END
expect 0 poula run toy.yaml --set lambda=0.05 --set epsilon=0.1
contains out "loss"
contains out "finished in"
[ ! -e results ] || fail "poula run made a database"

# It goes beyond the grid as well, and to another optimizer, whose settings it takes.
expect 0 poula run toy.yaml --set λ=0.07 --set optimizer=adam --set beta1=0.8 --seed -4 --show
contains out "optimizer: {beta1: 0.8, lambda: 0.07, name: adam}"
contains out "seeds: [-4]"

# Without a spec; divergence is a result.
expect 0 poula run --set problem=theta30 --set optimizer=sgd --set lr=0.1
contains out "diverged in"

# csv has every value, and they are those of a sweep.
expect 0 poula run toy.yaml --set lambda=0.05 --set epsilon=0.1 --format csv
equal "$(wc -l <out)" 41 "lines of csv"
cp out run.csv
expect 0 poula sweep toy.yaml --db toy.db
sql toy.db "SELECT r.run FROM runs AS r WHERE lambda = 0.05 AND epsilon = 0.1 AND seed = 1" >number
sed 1d run.csv | while IFS=, read -r metric epoch value axis; do
    equal "$(sql toy.db "SELECT abs(value - $value) <= 1e-15 * abs($value) FROM curves WHERE run = $(cat number) AND metric = '$metric' AND epoch = $epoch AND axis = '$axis'")" 1 "$metric at $epoch"
done
expect 0 poula run toy.yaml --format json
contains out '"outcome":"finished"'
contains out '"optimizer":"theopoula"'
lacks out "metrics_by_step"

# A metric that is recorded along epochs and along steps is named once on each axis (L5).
cat >axes.yaml <<'END'
study: axes
task: {command: [sh, -c, 'echo step=10 loss=0.9; echo step=20 loss=0.8; echo epoch=1 loss=0.5; echo epoch=2 loss=nan acc=1; echo epoch=3 loss=0.4']}
END
expect 0 poula run axes.yaml --format csv
same out <<'END'
metric,epoch,value,axis
loss,10,0.9,step
loss,20,0.8,step
loss,1,0.5,epoch
loss,2,nan,epoch
loss,3,0.4,epoch
acc,2,1,epoch
END
expect 0 poula run axes.yaml --format json
contains out ',"metrics":{"loss":[[1,0.5],[2,"nan"],[3,0.4]],"acc":[[2,1]]},"metrics_by_step":{"loss":[[10,0.9],[20,0.8]]}}'
expect 0 poula run axes.yaml
contains out "loss by step  "

# --store records it, once.
expect 0 poula run toy.yaml --set lambda=0.07 --store --db one.db
contains err "recorded as run 1"
equal "$(sql one.db 'SELECT study, status, attempts FROM runs')" "run|finished|1" "the run"
equal "$(sql one.db 'SELECT count(*) FROM curves')" 40 values
expect 0 poula run toy.yaml --set lambda=0.07 --store --db one.db
contains err "already holds"
equal "$(sql one.db 'SELECT count(*) FROM attempts')" 1 attempts
expect 0 poula verify 1 --db one.db

# A failed command fails, and says why; a stopped one is interrupted.
cat >fails.yaml <<END
study: fails
task: {command: [sh, -c, "echo sorry >&2; exit 3"]}
END
expect 1 poula run fails.yaml
contains out "exited with code 3"
contains err "sorry"
slow_spec slow.yaml 1 1000
start slow poula run slow.yaml
wait_for 60 test -s pid.1
kill -INT "$started"
finish slow 130 "$started"
contains slow.out "interrupted"

# U4: a command that asks for {run_folder} gets one, which is gone afterwards; in `poula verify`, too.
mkdir tmp
export TMPDIR="$PWD/tmp"
cat >keeps.yaml <<END
study: keeps
task: {command: [sh, -c, "echo \$0; ls -A \$0; echo 1 >\$0/kept; echo loss=1", "{run_folder}"]}
END
expect 0 poula run keeps.yaml
contains out "finished in"
contains err "$TMPDIR/poula-"
contains err "{run_folder} was a temporary folder"
expect 0 poula sweep keeps.yaml --db keeps.db
expect 0 poula verify 1 --db keeps.db
equal "$(ls -A tmp)" "" "temporary folders that are left"
unset TMPDIR

# P5: a folder that holds another run's files is refused, and they stay as they are.
cat >tiny.yaml <<END
study: tiny
task: {dataset: glyphs, model: mlp, epochs: 1, batch: 32, train_images: 64, test_images: 32}
optimizer: [adam, sgd]
END
expect 0 poula run tiny.yaml --folder kept
sha256sum kept/weights.safetensors >sum
expect 2 poula run tiny.yaml --set optimizer=sgd --folder kept
contains err "kept belongs to another run"
rm kept/.poula # as an older poula left it
expect 2 poula run tiny.yaml --set optimizer=sgd --folder kept
contains err "kept/weights.safetensors is not of this run"
expect 0 sha256sum -c sum
expect 0 poula run tiny.yaml --folder kept
expect 0 sha256sum -c sum
expect 0 poula run keeps.yaml --folder program # whose folder is empty when it begins
lacks err ".poula"
contains program/.poula "database none"
expect 2 poula run tiny.yaml --folder program
contains err "program belongs to another run"

# Wrong input.
expect 2 poula run toy.yaml --set lamda=1
contains err "did you mean lambda?"
expect 2 poula run toy.yaml --set lambda=-1
contains err "must be"
expect 2 poula run toy.yaml --set lambda
expect 2 poula run toy.yaml --study other
contains err "toy"
expect 2 poula run
expect 2 poula run --set problem=theta30
contains err "optimizer"
expect 2 poula run missing.yaml
