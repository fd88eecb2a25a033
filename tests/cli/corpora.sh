# poula data and poula show for text: what is there, reading it, what is wrong with it.
expect 0 poula data list
contains out "markov        built in: 50000 + 5000 + 5000 tokens of 64 words"
contains out "ptb           missing"
lacks out "text"
expect 0 poula data list --format csv
contains out "path,sha256,note,valid,vocabulary"
contains out "markov,markov,built in,,,50000,5000,,,,,,5000,64"
contains out "ptb,ptb,missing"
expect 0 poula data verify markov
contains out "markov: 50000 training, 5000 validation and 5000 test tokens of 64 words"
contains out "as on every machine"
expect 0 poula data verify
contains out "markov: 50000"
contains out "glyphs: 10000"
[ ! -e data ] || fail "looking made a folder"
expect 1 poula data verify ptb
contains err "there is no ptb in data"
contains err "poula show dataset ptb"
expect 1 poula data verify novel
expect 1 poula data verify text
expect 2 poula data fetch ptb
contains err "simple-examples.tgz"
expect 2 poula data fetch markov
contains err "nothing to fetch"

expect 0 poula show datasets
contains out "cifar100     CIFAR-100"
contains out "ptb          Penn Treebank"
expect 0 poula show dataset ptb
contains out "http://www.fit.vutbr.cz/~imikolov/rnnlm/"
contains out "vary_bptt"
expect 0 poula show dataset markov
contains out "branches"
contains out "whole number in [1,8], default 1"
lacks out "augment"
expect 0 poula show dataset text
contains out "one of: refuse replace add"
expect 2 poula show dataset markow
contains err "did you mean markov?"

# ---- own text
mkdir -p data/novel
echo "it was a dark night" >data/novel/train.txt
echo "a night" >data/novel/valid.txt
printf 'it was dark\nit was day\n' >data/novel/test.txt
expect 0 poula data list
contains out "novel         unchecked: data/novel"
expect 1 poula data verify novel
contains err 'data/novel/test.txt:2: the word "day" does not occur in the training text'
expect 1 poula data verify
contains err 'data/novel/test.txt:2'
contains out "markov: 50000"
echo "it was dark" >data/novel/test.txt
expect 0 poula data verify novel
contains out "novel: 6 training, 3 validation and 4 test tokens of 6 words"
contains out "as its files say"
expect 0 poula data list
contains out "novel         ready: 6 + 3 + 4 tokens of 6 words, data/text-novel.tokens"
expect 0 poula data list --format json
contains out '"name": "novel", "dataset": "text", "state": "ready"'
touch -d '2 days ago' data/novel/test.txt
expect 0 poula data list
contains out "novel         unchecked: data/novel"
rm data/novel/valid.txt
expect 1 poula data verify novel
contains err "data/novel/valid.txt"
: >data/novel/valid.txt
expect 1 poula data verify novel
contains err "data/novel/valid.txt is empty"
printf 'it was\nit \377\n' >data/novel/valid.txt
expect 1 poula data verify novel
contains err "data/novel/valid.txt:2: byte 4 of the line is 0xff, which is not UTF-8"
echo "was" >data/novel/valid.txt

# An archive elsewhere, whole and cut.
mkdir other
tar -C data -czf other/novel.tgz novel
expect 0 poula data verify ./other/novel.tgz
contains out "6 training, 2 validation and 4 test tokens of 6 words"
head -c 200 other/novel.tgz >other/cut.tgz
expect 1 poula data verify ./other/cut.tgz
contains err "cut.tgz is cut or damaged"
expect 1 poula data verify ./other
contains err "there is no text in"

# An archive in the data folder is listed before it was ever read; others are not.
cp other/novel.tgz data/tale.tgz
tar -C data -czf data/notes.tgz --transform 's/.*/notes/' novel/train.txt
echo "no archive" >data/pictures.zip
expect 0 poula data list
contains out "tale          unchecked: data/tale.tgz"
lacks out notes
lacks out pictures
expect 0 poula data verify tale
rm data/tale.tgz data/notes.tgz data/pictures.zip data/text-tale.tokens

# ---- ptb: files of that name that are not the published ones
mkdir data/ptb
for split in train valid test; do echo "it was a dark night" >data/ptb/ptb.$split.txt; done
expect 0 poula data verify ptb
contains out "ptb: 6 training, 6 validation and 6 test tokens of 6 words"
contains out "not the official text"
expect 0 poula data list
contains out "ptb           ready, unofficial: 6 + 6 + 6 tokens of 6 words, data/ptb.tokens"
contains out "none of its files has the published SHA-256"
# An altered cache is found and replaced while its source is there, and refused when that is gone.
poke() { size=$(stat -c %s data/ptb.tokens); printf x | dd of=data/ptb.tokens bs=1 seek=$((size - 3)) conv=notrunc 2>/dev/null; }
poke
expect 0 poula data verify ptb
contains out "a cache that differed was replaced"
expect 0 poula data verify ptb
lacks out "replaced"
rm -r data/ptb
expect 0 poula data verify ptb
poke
expect 1 poula data verify ptb
contains err "data/ptb.tokens was altered"
printf 'study: t\ntask: {dataset: ptb, model: awd_lstm, emsize: 4, nhid: 4, batch: 1, valid_batch: 1, test_batch: 1, epochs: 1}\n' >poked.yaml
printf 'optimizer: {name: sgd, lambda: 0.1}\n' >>poked.yaml
expect 1 poula sweep poked.yaml --db poked.db # D9
contains err "data/ptb.tokens was altered"
