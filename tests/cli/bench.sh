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
fields cnn.json "sum(o['forward_seconds'] + o['backward_seconds'] for o in got['operators']) < 3 * got['step_seconds'] * 2"

expect 0 poula bench train --model cnn --set width=4 --batch 5 --steps 2 --profile
contains out "cnn with theopoula, batch 5 in float, precision fast, 1 thread"
contains out "median of 2 steps"
contains out "images      "
contains out "batch norm + relu"

expect 2 poula bench train --model vg11
contains err "did you mean vgg11?"
expect 2 poula bench train --optimizer sdg
contains err "did you mean sgd?"
expect 2 poula bench train --set depth=2
contains err "neither model vgg11 nor optimizer theopoula has a setting depth"
expect 2 poula bench train --set width
contains err "must be KEY=VALUE"
expect 2 poula bench train --set width=0
expect 2 poula bench train --model layers
contains err "needs --set 'layers=...'"
expect 2 poula bench train --batch 0
expect 2 poula bench train --precision double
expect 1 env POULA_MEMORY=10M "$POULA" bench train
contains err "GB are free"
expect 2 poula bench fly
