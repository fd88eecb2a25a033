# poula bench train: its numbers in both forms, on networks small enough to be no benchmark.
#
#   fields FILE CONDITION       CONDITION (in Python, which meson brings) holds for `got`, the object in FILE
fields() {
    python3 -c "import json, sys
got = json.load(open(sys.argv[1]))
sys.exit(not ($2))" "$1" || fail "$1: not $2: $(cat "$1")"
}

expect 0 poula bench train --model vgg11 --set width=4 --batch 8 --steps 1 --threads 2 --format json
equal "$(wc -l <out)" 1 "lines of JSON"
cp out vgg.json
fields vgg.json "(got['model'], got['optimizer'], got['precision']) == ('vgg11', 'theopoula', 'fast')"
fields vgg.json "(got['batch'], got['threads'], got['steps'], got['parameters']) == (8, 2, 1, 39066)"
fields vgg.json "got['isa'] in ('base', 'avx2', 'avx512')"
for field in images_per_second gflops peak_gflops optimizer_ns_per_parameter peak_memory_mb step_seconds \
    step_seconds_least step_cpu_seconds input_seconds forward_seconds backward_seconds optimizer_seconds loss; do
    fields vgg.json "isinstance(got['$field'], (int, float)) and got['$field'] > 0"
done
# The rates are those of the step that was timed.
fields vgg.json "abs(got['images_per_second'] * got['step_seconds'] / 8 - 1) < 1e-4"
fields vgg.json "got['step_seconds'] >= got['forward_seconds'] + got['backward_seconds']"
fields vgg.json "abs(got['optimizer_ns_per_parameter'] * 39066 / 1e9 / got['optimizer_seconds'] - 1) < 1e-4"
macs=$(poula show model vgg11 --set width=4 | sed -n 's/^multiply-adds *\([0-9]*\) .*/\1/p')
fields vgg.json "abs(got['gflops'] / (6e-9 * $macs * got['images_per_second']) - 1) < 1e-4"

expect 0 poula bench train --model cnn --set width=4 --set depth=2 --set lambda=0.01 --optimizer adam --batch 5 \
    --steps 3 --precision exact --profile --format json
cp out cnn.json
fields cnn.json "(got['optimizer'], got['precision'], got['steps']) == ('adam', 'exact', 3)"
fields cnn.json "[o['name'] for o in got['operators'] if 'conv' in o['operation']] == ['conv1', 'conv2']"
fields cnn.json "not any('winograd' in o['forward'] + o['backward_weights'] for o in got['operators'])"
fields cnn.json "all(o['forward_seconds'] > 0 for o in got['operators'] if o['operation'] != 'cross-entropy')"
fields cnn.json "got['operators'][0]['forward_gflops'] > 0 and got['operators'][1]['forward_gb_per_second'] > 0"
# In seconds, both; a machine that does other things takes an operator away for many steps.
fields cnn.json "sum(o['forward_seconds'] + o['backward_seconds'] for o in got['operators']) < 200 * got['step_seconds']"

expect 0 poula bench train --model cnn --set width=4 --batch 5 --steps 2 --profile
contains out "cnn with theopoula, batch 5 in float, precision fast, 1 thread"
contains out "median of 2 steps"
contains out "images      "
contains out "batch norm + relu"

expect 0 poula bench train --model awd_lstm --layers 2 --set nhid=24 --set emsize=12 --words 600 --batch 3 --bptt 7 \
    --steps 9 --threads 2 --profile --format json
cp out text.json
fields text.json "(got['model'], got['batch'], got['bptt'], got['words'], got['layers']) == ('awd_lstm', 3, 7, 600, 2)"
fields text.json "abs(got['tokens_per_second'] * got['step_seconds'] / 21 - 1) < 1e-4"
macs=$(poula show model awd_lstm --set nhid=24 --set emsize=12 --set nlayers=2 --set words=600 |
    sed -n 's/^multiply-adds *\([0-9]*\) .*/\1/p')
fields text.json "abs(got['gflops'] / (6e-9 * $macs * got['tokens_per_second']) - 1) < 1e-4"
fields text.json "got['clipping_seconds'] > 0 and 'images_per_second' not in got"
fields text.json "[o['name'] for o in got['operators'] if o['operation'] == 'lstm'] == ['rnns.0', 'rnns.1']"
fields text.json "6 < got['loss'] < 7" # log(600), and 9 steps that cannot learn what is drawn

expect 0 poula bench train --model awd_lstm --layers 1 --set emsize=12 --words 600 --batch 3 --bptt 7 --optimizer nt_asgd
contains out "awd_lstm with nt_asgd, 3 columns of 7 tokens, 600 words in float"
contains out "tokens      "
contains out "clipping "

expect 2 poula bench train --model vg11
contains err "did you mean vgg11?"
expect 2 poula bench train --optimizer sdg
contains err "did you mean sgd?"
expect 2 poula bench train --set depth=2
contains err "neither model vgg11 nor optimizer theopoula has a setting depth"
expect 2 poula bench train --set width
contains err "must be KEY=VALUE"
expect 2 poula bench train --set width=0
expect 2 poula bench train --layers 2
contains err "--layers is for models of text; vgg11 has no setting nlayers"
expect 2 poula bench train --bptt 5
contains err "--bptt is for models of text; vgg11 is for images"
expect 2 poula bench train --model awd_lstm --layers 0
expect 2 poula bench train --model awd_lstm --words 1
expect 2 poula bench train --batch 0
expect 2 poula bench train --precision double
expect 1 env POULA_MEMORY=10M "$POULA" bench train
contains err "GB are free"
expect 2 poula bench fly

# S2: quiet and busy steps in turns, and what an even share of the cores would give.
expect 0 poula bench train --model cnn --set width=4 --batch 5 --steps 3 --threads 2 --busy 2 --rounds 2 --format json
cp out busy.json
fields busy.json "(got['busy_processes'], got['rounds'], got['steps']) == (2, 2, 3)"
# How much speed they take is a matter of the machine and of what else it does.
fields busy.json "got['busy_ratio'] > 0 and got['fair'] > 0 and got['busy_step_seconds'] > 0 and got['busy_step_cpu_seconds'] > 0"
fields busy.json "abs(got['even_share'] - min(1, got['cores'] / (min(2, got['cores']) + 2))) < 1e-5"
fields busy.json "abs(got['busy_images_per_second'] * got['busy_step_seconds'] / 5 - 1) < 1e-4"
expect 0 poula bench train --model cnn --set width=4 --batch 5 --steps 2 --busy 1 --rounds 1
contains out "beside 1    "
contains out "of the quiet speed, median of 1 rounds in turns; an even share of"
contains out "of the work that each of the others could do meanwhile"
expect 0 poula bench optim --params 10k --steps 3 --threads 2 --busy 1 --rounds 2 --format json
contains out '"busy_processes": 1, "rounds": 2, "busy_ratio": '
expect 2 poula bench train --rounds 2
contains err "--rounds goes with --busy"
expect 2 poula bench optim --rounds 2
expect 2 poula bench train --busy 1 --profile
expect 2 poula bench train --busy -1
[ -z "$(pgrep -P $$ -x poula)" ] || fail "a busy process is left"

# Three layers of its own, where none are given.
expect 0 poula bench train --model layers --batch 5 --steps 2 --format json
cp out layers.json
fields layers.json "(got['model'], got['parameters']) == ('layers', 25674)"
expect 0 poula bench train --model layers --set 'layers=["linear classes"]' --batch 5 --steps 2 --format json
contains out '"parameters": 30730,'

# All optimizers, in groups: each once, those with noise twice.
expect 0 poula bench optim --optimizer all --params 1k --steps 1 --format json
cp out all.json
python3 - all.json <<'END' || fail "bench optim --optimizer all"
import json, sys
got = json.load(open(sys.argv[1]))
kinds = {kind: {x["optimizer"] for x in got if x["kind"] == kind} for kind in ("plain", "noisy", "matrices")}
assert kinds["matrices"] == {"muon", "shampoo", "soap"} and kinds["noisy"] >= {"theopoula", "sgld", "formula"}
assert "adam" in kinds["plain"] and kinds["noisy"] < kinds["plain"] and not kinds["plain"] & kinds["matrices"]
assert all(x["cpu_ns_per_parameter"] > 0 and x["params"] == (65536 if x["kind"] == "matrices" else 1000) for x in got)
moved = {x["optimizer"]: x["bytes"] for x in got if x["kind"] == "plain"}
assert moved["sgd"] == moved["theopoula"] == 12 and moved["rmsprop"] == 20 and moved["adam"] == moved["lamb"] == 28, moved
assert all(abs(x["ratio_to_bytes"] * x["bytes"] / 12 * x["stream_cpu"] / x["cpu_ns_per_parameter"] - 1) < 0.1 for x in got)
END
