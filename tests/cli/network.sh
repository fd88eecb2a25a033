# Networks through the whole program: a sweep over own layers and a model, its table, verify, and the weights.
cat >net.yaml <<'END'
defaults:
  task: {dataset: glyphs, train_images: 300, test_images: 100, valid: 50, batch: 32, epochs: 2}
  optimizer: {name: theopoula, lambda: [0.1, 0.01], epsilon: 0.1, beta: 1e10}
  seeds: [1, 2]
studies:
- study: small
  task: {model: cnn, width: 4, depth: 2, dropout: 0.1}
  tables:
  - {rows: lambda, value: best test_accuracy, cell: mean(std)}
- study: own
  task:
    model: layers
    layers:
    - [conv 4, batchnorm, relu, maxpool 4, mark a, conv 4, add a, relu, globalpool, linear classes]
    - [conv 4 kernel=5 stride=2, relu, globalpool, linear classes]
END
expect 0 poula sweep net.yaml --jobs 2
contains out "small: 4 finished, 0 diverged, 0 failed"
contains out "own: 8 finished, 0 diverged, 0 failed"
expect 0 poula report --study small --table
contains out "best test_accuracy"
expect 0 poula verify --sample 3
contains out ": 0 runs differ"
expect 0 poula verify 1 --db results/poula.db
metrics="gradient_norm,lambda,parameter_norm,seconds,seconds_eval,seconds_load,test_accuracy,test_loss,train_accuracy,train_loss,valid_accuracy,valid_loss"
equal "$(sql results/poula.db "SELECT group_concat(metric) FROM (SELECT DISTINCT metric FROM curves ORDER BY metric)")" "$metrics" metrics
equal "$(sql results/poula.db "SELECT group_concat(DISTINCT epoch) FROM curves")" 1,2 epochs
equal "$(sql results/poula.db "SELECT data LIKE 'glyphs % official' FROM session")" 1 "provenance of the data"

# A setting that came late is no part of a run that does without it, whose key is what it was.
equal "$(sql results/poula.db "SELECT count(*) FROM setting WHERE key = 'record_shares'")" 0 "runs with a late setting"
expect 2 poula run -s problem=theta30 -s optimizer=adam -s record_shares=true
contains err "as theopoula does; adam does not"
expect 0 poula run -s problem=theta30 -s optimizer=theopoula -s record_shares=true
contains out "boosted_share"

# Nothing is trained twice, and what does not fit is said before anything starts.
expect 0 poula sweep net.yaml --jobs 2
contains out "small: 4 finished"
equal "$(sql results/poula.db 'SELECT count(*) FROM attempts')" 12 attempts
expect 1 env POULA_MEMORY=1M "$POULA" sweep net.yaml --db other.db
contains err "a run needs about 0.0"
contains err "0.00 GB are free"
equal "$(count other.db planned)" 12 planned
cat >one.yaml <<'END'
study: one
task: {dataset: glyphs, train_images: 40, test_images: 20, model: mlp, hidden: [8], batch: 8, epochs: 1}
optimizer: {name: sgd, lambda: 0.01}
END
expect 0 env POULA_MEMORY=50M "$POULA" sweep one.yaml --jobs 40 --db one.db
contains err " jobs instead of 40: a run needs about 0.0"

# Weights are plain safetensors, and start a run.
run=$(sql results/poula.db "SELECT min(run) FROM runs WHERE model = 'cnn'")
expect 0 poula export weights "$run" --out weights.safetensors
if command -v python3 >/dev/null; then
    python3 - <<'END' >tensors || fail "the weights are not safetensors"
import json, struct
data = open("weights.safetensors", "rb").read()
n, = struct.unpack("<Q", data[:8])
header = json.loads(data[8:8 + n])
assert header.pop("__metadata__")["format"] == "pt"
end = max(t["data_offsets"][1] for t in header.values())
assert 8 + n + end == len(data)
for name, t in sorted(header.items()):
    b, e = t["data_offsets"]
    values = struct.unpack("<%df" % ((e - b) // 4), data[8 + n + b:8 + n + e])
    assert all(abs(v) < 1e6 for v in values)
    print(name, t["dtype"], t["shape"])
END
    same tensors <<'END'
bn1.bias F32 [4]
bn1.running_mean F32 [4]
bn1.running_var F32 [4]
bn1.weight F32 [4]
bn2.bias F32 [8]
bn2.running_mean F32 [8]
bn2.running_var F32 [8]
bn2.weight F32 [8]
conv1.weight F32 [4, 3, 3, 3]
conv2.weight F32 [8, 4, 3, 3]
linear.bias F32 [10]
linear.weight F32 [10, 8]
END
fi
common="-s dataset=glyphs -s train_images=40 -s test_images=20 -s model=cnn -s depth=2 -s epochs=1 -s optimizer=sgd"
expect 0 poula run $common -s width=4 -s weights=weights.safetensors
expect 2 poula run $common -s width=5 -s weights=weights.safetensors
contains err "has another shape"
expect 1 poula run $common -s width=4 -s weights=none.safetensors
expect 2 poula export weights
expect 2 poula export weights 99 --out w.safetensors
expect 2 poula export weights "$run"

# Mistakes come with line and column, before anything runs.
cat >bad.yaml <<'END'
study: bad
task: {dataset: glyphs, model: cnn, depth: 7, batches: 3}
optimizer: {name: sgd}
END
expect 2 poula sweep bad.yaml --db bad.db
contains err "batches"
contains err "did you mean batch?"
[ ! -f bad.db ] || fail "something was written"
sed -i 's/, batches: 3//' bad.yaml
expect 2 poula sweep bad.yaml --db bad.db
contains err "model cnn: "
cat >deep.yaml <<'END'
study: deep
task: {dataset: glyphs, model: layers, layers: [conv 4, rellu, linear classes]}
optimizer: {name: sgd}
END
expect 2 poula sweep deep.yaml --db bad.db
contains err "rellu"
