#!/bin/sh
# golden-optim must fail on what is wrong: golden_optim.sh PROGRAM FOLDER-OF-GOOD-FILES
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
        echo "golden-optim $*: exit code $got, wanted $code and a line matching: $pattern"
        cat out
        failures=$((failures + 1))
    fi
}

# spoil NAME SED-SCRIPT: a folder that holds one changed file
spoil()
{
    mkdir "$1" && sed "$2" "$good/$1.json" >"$1/$1.json"
    if cmp -s "$good/$1.json" "$1/$1.json"; then
        echo "nothing was changed in $1.json"
        failures=$((failures + 1))
    fi
    expect 1 "^1 files checked, 1 failures" "$1"
}

mkdir empty
expect 1 "empty: holds no" empty
expect 1 "^0 files checked, 1 failures" missing
expect 2 "usage"
mkdir broken
echo '{"optimizer": "adam"' >broken/a.json
expect 1 "broken/a.json: line" broken
echo '[]' >broken/a.json
expect 1 "broken/a.json: the file" broken
all=$(ls "$good" | grep -c "[.]json$")
expect 1 "^$all files checked, 1 failures" "$good" empty

# The first value, a phase, an average, a note, the noise, a setting, a name, a shape and a trigger.
spoil adam-1 's/"theta":\[\[\[\(-*[0-9]*\)\.[0-9]*/"theta":[[[\1.123/'
spoil swats-2 's/"phase":\[\["ADAM"/"phase":[["SGD"/'
spoil asgd-2 's/"average":\[\[\[-*[0-9]/"average":[[[7/'
spoil asgd-3 's/"mu":\[\[\[1/"mu":[[[2/'
spoil sgld-2 's/"noise":\[\[\[-*[0-9]/"noise":[[[7/'
spoil sgd-2 's/"momentum":0.9/"momentum":0.8/'
spoil yogi-1 's/"optimizer":"yogi"/"optimizer":"yogurt"/'
spoil rmsprop-1 's/"shapes":\[\[3,2\]/"shapes":[[3,3]/'
spoil adagrad-1 's/"lr_decay":0.0/"lr_delay":0.5/'
spoil ntasgd_trigger 's/"switch_after_epoch":35/"switch_after_epoch":36/'

spoil nt_asgd-1 's/"val_loss":\[null,7/"val_loss":[null,0/'

# D15: an optimizer without a file, and one that has none that it agrees with.
mkdir incomplete reversed # reversed: its steps go elsewhere in every file
for file in "$good"/*.json; do
    case $file in */yogi-*) ;; *) ln -s "$file" incomplete/ ;; esac
    ln -s "$file" reversed/
done
expect 1 "^yogi: no file that it agrees with" --all incomplete
expect 1 "^$((all - $(ls "$good" | grep -c "^yogi-"))) files checked, 1 failures" --all incomplete
rm reversed/fromage-*
for name in fromage-1 fromage-2 fromage-scalars; do
    sed 's/"theta":\[\[\[\(-*[0-9]*\)\.[0-9]*/"theta":[[[\1.123/' "$good/$name.json" >"reversed/$name.json"
done
expect 1 "^fromage: no file that it agrees with" --all reversed
expect 2 "usage" --all

# A setting that has its default in every file.
mkdir defaults
for file in "$good"/*.json; do
    case $file in */yogi-initial.json) ;; *) ln -s "$file" defaults/ ;; esac
done
expect 1 "^yogi: no file that it agrees with has a value of initial_accumulator other than the default" --all defaults

[ "$failures" = 0 ]
