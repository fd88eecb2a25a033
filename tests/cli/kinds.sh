# D5: where a file is read, a FIFO, a socket, a device or a folder is an error at once; nothing waits.
mkfifo fifo
mkdir folder
cat >net.yaml <<'EOF'
study: net
task: {dataset: glyphs, model: cnn, width: 2, depth: 1, train_images: 8, test_images: 4, batch: 4, epochs: 1}
optimizer: {name: sgd, lambda: 0.1}
seeds: [1]
EOF
expect 0 poula sweep net.yaml
refused() { # CODE KIND ARGS...
    code_wanted=$1; text=$2; shift 2
    expect "$code_wanted" timeout 20 "$POULA" "$@"
    contains err "$text"
}
for what in "fifo a FIFO" "/dev/zero a device" "folder a folder"; do
    name=${what%% *}; kind=${what#* }
    refused 2 "$name: it is $kind, not a file" sweep $name
    refused 2 "$name: it is $kind, not a file" sweep --dry-run $name
    refused 2 "$name: it is $kind, not a file" run $name
    refused 2 "$name: it is $kind, not a file" report --compare $name
    refused 2 "$name: it is $kind, not a file" query --file $name
    for words in runs report "export runs" "query SELECT" "sweep net.yaml" "backup copy.db"; do
        refused 1 "$name cannot be a database: it is $kind" $words --db $name
    done
    # Initial weights.
    sed "s|epochs: 1|&, weights: $name|" net.yaml >weights.yaml
    expect 1 timeout 20 "$POULA" sweep weights.yaml
    expect 0 poula runs --status failed --format csv
    contains out "$name: it is $kind, not a file"
    rm -rf results; expect 0 poula sweep net.yaml
done
ls copy.db 2>/dev/null && fail "a copy of no database"

# Images, archives and texts.
mkdir -p classes/a classes/b data
mkfifo classes/a/x.png classes/b/y.png
refused 1 "x.png: it is a FIFO, not a file" data import pictures classes
[ ! -e data/pictures ] || fail "a set of a FIFO"
mkfifo data/cifar-10-binary.tar.gz
sed 's/dataset: glyphs/dataset: cifar10/; s/train_images: 8, test_images: 4, //' net.yaml >cifar.yaml
refused 1 "a FIFO" sweep cifar.yaml
mkdir -p data/letters
mkfifo data/letters/test.txt
printf "a b c a b c\n%.0s" 1 2 3 4 5 6 7 8 >data/letters/train.txt
cp data/letters/train.txt data/letters/valid.txt
cat >text.yaml <<'EOF'
study: text
task: {dataset: text, corpus: letters, model: awd_lstm, epochs: 1}
optimizer: {name: sgd, lambda: 1}
EOF
refused 1 "a FIFO" sweep text.yaml
mkfifo archive.tar.gz
sed 's|corpus: letters|corpus: ./archive.tar.gz|' text.yaml >archive.yaml
expect 1 timeout 20 "$POULA" sweep archive.yaml

# A checkpoint, and weights to export.
mkdir run
mkfifo run/checkpoint-1.safetensors
expect 0 timeout 60 "$POULA" run net.yaml --folder run
rm results/poula-runs/1/weights.safetensors
mkfifo results/poula-runs/1/weights.safetensors
refused 1 "a FIFO" export weights 1 --out w.safetensors

# What the shell makes of a pipe is read all the same.
expect 0 sh -c "\"$POULA\" sweep --dry-run - <net.yaml"
expect 0 sh -c "cat net.yaml | \"$POULA\" sweep --dry-run /dev/stdin"
expect 0 sh -c "cat net.yaml | \"$POULA\" sweep --dry-run /dev/fd/3 3<&0"
expect 0 sh -c "echo 'SELECT count(*) FROM runs' | \"$POULA\" query --file -"
