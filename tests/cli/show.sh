# poula show: runs, and what the program knows.
cat >study.yaml <<'END'
study: s
task: {problem: theta30, iterations: 100, record: 10}
optimizer: {name: sgd, lambda: [0.1, 1e-30], momentum: 0.5}
seeds: [7]
END
cat >broken.yaml <<'END'
study: broken
task: {command: [sh, -c, "echo loss=1; echo 'it is broken' >&2; exit 3"]}
seeds: [1]
END
expect 1 poula show 1
contains err "results/poula.db"
expect 0 poula sweep study.yaml
expect 1 poula sweep broken.yaml
expect 0 poula show 1
contains out "status      diverged"
contains out "bad epoch"
contains out "reason"
contains out "  momentum           0.5"
contains out "  seed               7"
grep -Eq "^loss .* nan |^loss .* -?inf " out || fail "the last loss of a diverged run is not shown by kind"
expect 0 poula show 2
contains out "status      finished"
contains out "lambda             1e-30"
key=$(sed -n 's/^key *//p' out)
# A time is UTC, as in the views, wherever it is read, and one that no calendar has is none.
began=$(sql results/poula.db "SELECT started FROM runs WHERE run = 2")
TZ=XYZ+7 expect 0 poula show 2
contains out "started     $began UTC"
swept=$(sql results/poula.db "SELECT started FROM studies WHERE study = 's'")
TZ=XYZ+7 expect 0 poula show study s
contains out "swept       $swept UTC"
cp results/poula.db late.db
sql late.db "UPDATE sweep SET started = 1e300; UPDATE attempt SET started = -1e300" >/dev/null
expect 0 poula show study s --db late.db
! grep -q '^swept' out || fail "a study was swept at 1e300"
expect 0 poula show 2 --db late.db
! grep -q '^started' out || fail "a run was started at -1e300"
expect 0 poula show "$(echo "$key" | cut -c 1-10)"
contains out "$key"
expect 0 poula show run 3
contains out "status      failed"
contains out "exit code   3"
contains out "it is broken"
expect 2 poula show 99
contains err "no run 99"
expect 2 poula show xyz
expect 2 poula show optimiser
contains err "did you mean optimizer?"
for known in "model vgg11" "optimizer theopoula" "problem theta30" "dataset cifar10"; do
    expect 2 poula show "${known#* }" # a name alone
    contains err "did you mean 'poula show $known'?"
done
expect 2 poula show problms --db none.db
contains err "did you mean problems?"
expect 2 poula show ""
expect 2 poula help swep
contains err "did you mean sweep?"
expect 0 poula show optimizers
contains out theopoula
contains out fromage
expect 0 poula show optimizer theopoula
contains out "number in (0,inf]"
contains out "λ"
expect 2 poula show optimizer theopola
contains err "theopoula"
expect 0 poula show problems
contains out rosenbrock
expect 0 poula show problem langevin
contains out "target"
contains out "independent chains"
expect 0 poula show problem rosenbrock
contains out dimension
expect 2 poula show problem rosenbrook
expect 0 poula show settings
contains out "iterations"
contains out "weight_decay"
expect 0 poula show metrics
contains out "test_accuracy      higher"
contains out "tokens_per_second"
expect 0 poula show metric val_acc # B2
contains out "val_acc: higher is better, on validation data"
expect 0 poula show metric sharpness
contains out "declare metrics: {sharpness: max} (or min) in the spec"
expect 0 poula show metric NLL # L2
contains out "has diverged"
expect 0 poula show devices
contains out "cpu      float      base"
contains out "ref      double     -"
grep -Eq "^  threads        [1-9]" out || fail "no threads"
expect 0 env CUDA_VISIBLE_DEVICES= ROCR_VISIBLE_DEVICES= "$POULA" show devices
contains out "  accelerators   none"
expect 0 env POULA_ISA=base "$POULA" show devices
grep -Eq "^cpu +float +base.* base +own float kernels" out || fail "the instruction set in force is not the lowered one"
expect 2 poula show devicess
contains err "did you mean devices?"
expect 2 poula show metricss
contains err "did you mean metrics?"
expect 2 poula show optimizers too
expect 2 poula show
expect 0 poula show models
contains out densenet121
expect 0 poula show model vgg11
contains out "parameters     9756426 in 38 tensors"
contains out "multiply-adds  153293824 an image"
contains out "features.0    conv 3x3"
expect 0 poula show model vgg11 --set classes=100 --set width=8
contains out "classifier.6  linear                     100x1x1"
expect 0 poula show model layers --set 'layers=["conv 8", "globalpool", "linear classes"]'
contains out "parameters     314 in 4 tensors"
expect 0 poula show model awd_lstm
contains out "parameters     24221600 in 14 tensors"
contains out "multiply-adds  24190000 a word"
contains out "rnns.1   lstm                      1150x1x1"
contains out "a batch of 20 x 70 words"
expect 0 poula show model awd_lstm --set nlayers=1 --set words=100 --set batch=5 --set bptt=10
contains out "parameters     1323300 in 6 tensors"
contains out "a batch of 5 x 10 words"
expect 2 poula show model awd_lstm --set image=3x32x32
contains err "has no setting image"
expect 2 poula show model vgg12
contains err "vgg11"
expect 2 poula show model vgg11 --set depth=2
contains err "has no setting depth"
expect 2 poula show model cnn --set width=0
expect 2 poula show model vgg11 --set image=3x16x16
expect 2 poula show model layers
expect 0 poula show datasets
contains out "cifar100     CIFAR-100"
expect 0 poula show dataset glyphs
contains out "whole number in [2,100], default 10"
contains out "test_subset"
expect 2 poula show dataset glyph
contains err "did you mean glyphs?"

# --set is of the model shown, and of nothing else.
expect 2 poula show optimizer sgd --set momentum=1
contains err "--set is for show model NAME"
