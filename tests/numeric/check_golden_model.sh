#!/bin/sh
# golden-model must fail on what is wrong: check_golden_model.sh PROGRAM FOLDER-OF-GOOD-FILES
program=$(realpath "$1") good=$2
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
failures=0

# expect EXIT-CODE PATTERN ARGUMENTS...
expect()
{
    code=$1 pattern=$2
    shift 2
    "$program" "$@" >out 2>&1
    got=$?
    if [ "$got" != "$code" ] || ! grep -q "$pattern" out; then
        echo "golden-model $*: exit code $got, wanted $code and a line matching: $pattern"
        cat out
        failures=$((failures + 1))
    fi
}

# spoil NAME SED-SCRIPT PATTERN: one changed file must fail, with a line that says what is off
spoil()
{
    rm -rf spoilt && mkdir spoilt && sed "$2" "$good/$1.json" >"spoilt/$1.json"
    if cmp -s "$good/$1.json" "spoilt/$1.json"; then
        echo "nothing was changed in $1.json"
        failures=$((failures + 1))
    fi
    expect 1 "$1.json: .*$3" spoilt
    expect 1 "^0 passed, 1 failed" spoilt
}

mkdir empty broken
expect 1 "empty: holds no" empty
expect 1 "^missing: " missing
expect 2 "usage"
echo '{"model": "vgg11"' >broken/a.json
expect 1 "broken/a.json: not JSON" broken
echo '{"model": "alexnet", "batch": 1, "num_classes": 10}' >broken/a.json
expect 1 "there is no model" broken
echo '{"nlayers": 1}' >broken/a.json
expect 1 "one of the sizes is missing" broken

# Changes in the ninth significant digit or so, which only the run in double can see.
spoil resnet_small 's/"loss":2.81382427/"loss":2.81382428/' "double on ref: the loss is"
spoil resnet_small 's/"logits":\[\[-0.74347211/"logits":[[-0.74347212/' "logits, entry 0"
spoil resnet_small 's/"eval_logits":\[\[-2.45593749/"eval_logits":[[-2.45593748/' "eval_logits, entry 0"
spoil resnet_small 's/"grad_l2":2.38613812/"grad_l2":2.38613813/' "the gradient norm of conv1.weight"
spoil resnet_small 's/"grad_first4":\[-0.02603993/"grad_first4":[-0.02603994/' "gradient entry 0 of conv1.weight"
spoil resnet_small 's/"first_bn_running_mean":\[0.00171945/"first_bn_running_mean":[0.00171946/' "first_bn_running_mean, entry 0"
spoil resnet_small 's/"first_bn_running_var":\[1.02745885/"first_bn_running_var":[1.02745886/' "first_bn_running_var, entry 0"
spoil resnet_small 's/"name":"linear.bias"/"name":"fc.bias"/' "linear.bias, but should be fc.bias"
spoil resnet_small 's/"shape":\[8,3,3,3\]/"shape":[8,3,9]/' "another shape"
spoil resnet_small 's/"blocks":\[1,2,1,1\]/"blocks":[1,1,1,1]/' "number of"
spoil vgg11_bn_small 's/"labels":\[0,1/"labels":[1,1/' "double on ref: the loss"
spoil vgg11_bn_small 's/"n_params":154218/"n_params":154219/' "number of parameters"
spoil densenet_small 's/"salt":0/"salt":1/' "double on ref: logits"
spoil densenet_small 's/"growth"/"grow"/' "has no setting"
# The files' cross-entropy has single precision.
spoil awd_lstm_2_dropout 's/"cross_entropy":3.89660/"cross_entropy":3.89661/' "double on ref: cross_entropy is"
spoil awd_lstm_2_dropout 's/"ar":0.04477927/"ar":0.04477928/' "ar is"
spoil awd_lstm_2_dropout 's/"tar":0.00104765/"tar":0.00104766/' "tar is"
spoil awd_lstm_2_dropout 's/"loss":3.94243/"loss":3.94244/' "loss is"
spoil awd_lstm_2_dropout 's/"h_n":\[\[0.13404969/"h_n":[[0.13404968/' "h_n, entry 0"
spoil awd_lstm_2_dropout 's/"c_n":\[\[0.25194297/"c_n":[[0.25194298/' "c_n, entry 0"
spoil awd_lstm_2_dropout 's/"output_last_row":\[0.00145979/"output_last_row":[0.00145978/' "output_last_row, entry 0"
spoil awd_lstm_2_dropout 's/"grad_total_norm":0.400822/"grad_total_norm":0.400823/' "grad_total_norm is"
spoil awd_lstm_2_dropout 's/"clip_coef":0.623715/"clip_coef":0.623716/' "clip_coef is"
spoil awd_lstm_2_dropout 's/"input":"1/"input":"0/' "double on ref: cross_entropy is"
spoil awd_lstm_2_dropout 's/"embedding":"1/"embedding":"/' "embedding is missing or not"
spoil awd_lstm_2_dropout 's/"hidden.0"/"hidden.1"/' "hidden.1 is missing or not"
spoil awd_lstm_1 's/"tokens":\[\[47/"tokens":[[50/' "tokens is missing or not"
spoil awd_lstm_1 's/"wdrop"/"w_drop"/' "cross_entropy is"
spoil counts 's/"params":24221600/"params":24221601/' "params of awd_lstm"
spoil counts 's/"macs":888350720/"macs":888350721/' "macs of densenet121"
spoil formula 's/"raw_hex":"c42c/"raw_hex":"c42d/' "formula differs"

[ "$failures" = 0 ]
