# poula generate: text from a trained model, and what is refused.
mkdir -p data/rhyme
i=0
while [ $i -lt 60 ]; do
    printf 'one two\nbuckle my shoe\nthree four\nknock at the door\n'
    i=$((i + 1))
done >data/rhyme/train.txt
head -n 20 data/rhyme/train.txt >data/rhyme/valid.txt
cp data/rhyme/valid.txt data/rhyme/test.txt
cat >text.yaml <<'END'
defaults:
  task: {model: awd_lstm, nlayers: 1, emsize: 16, batch: 10, valid_batch: 2, bptt: 10, epochs: 12,
         dropoute: 0, dropouti: 0, dropout: 0, wdrop: 0, ar: 0, tar: 0}
  optimizer: {name: adam, lambda: 0.03}
studies:
- {study: rhyme, task: {dataset: text, corpus: rhyme}}
- study: chain
  task: {dataset: markov, vocabulary: 12, branches: 2, train_tokens: 1500, valid_tokens: 60, test_tokens: 60, epochs: 2}
  optimizer: {average: [off, on]}
- study: forgetful
  task: {dataset: markov, train_tokens: 60, valid_tokens: 60, test_tokens: 60, epochs: 1, keep_weights: false}
- study: diverging
  task: {dataset: markov, train_tokens: 60, valid_tokens: 60, test_tokens: 60, epochs: 1}
  optimizer: {name: sgd, lambda: 1e38, weight_decay: 1e38}
END
cat >other.yaml <<'END'
studies:
- study: images
  task: {dataset: glyphs, train_images: 20, test_images: 20, model: mlp, hidden: [4], batch: 10, epochs: 1}
  optimizer: {name: sgd}
- {study: toy, task: {problem: theta30, iterations: 5}, optimizer: {name: theopoula}}
END
expect 0 poula sweep text.yaml other.yaml
run_of() { sql results/poula.db "SELECT min(run) FROM study_runs WHERE study = '$1'"; }
words() { tr ' ' '\n' <"$1" | grep -c .; }

# A model that knows its text by heart recites it.
rhyme=$(run_of rhyme)
expect 0 poula generate "$rhyme" --words 14 --temperature 0 --prompt one
same out <<'END'
one two
buckle my shoe
three four
knock at the door
END
[ ! -s err ] || fail "there are messages"
expect 0 poula generate "$rhyme" --words 3 --temperature 0.1 --prompt 'three  four
knock'
same out <<'END'
three four
knock at the door
END
expect 0 poula generate "$rhyme" -n 1 -t 0 --prompt ' <eos> buckle '
same out <<'END'

buckle my
END
key=$(sql results/poula.db "SELECT substr(key, 1, 12) FROM runs WHERE run = $rhyme")
expect 0 poula generate "$rhyme"
cp out by-number
[ "$(( $(words out) + $(wc -l <out) ))" -ge 100 ] || fail "there are fewer words than 100"
expect 0 poula generate "$key" --words 100 --temperature 1 --seed 1
cmp -s out by-number || fail "the key names another run than the number, or the defaults are others"

# The seed says which text, and the temperature how bold it is.
chain=$(run_of chain)
expect 0 poula generate "$chain" --words 200 --seed 5
cp out five
[ "$(words five)" -le 200 ] || fail "there are more words than 200"
[ "$(( $(words five) + $(wc -l <five) ))" -ge 200 ] || fail "there are fewer words than 200"
expect 0 poula generate "$chain" --words 200 --seed 5
cmp -s out five || fail "the same seed gives another text"
expect 0 poula generate "$chain" --words 200
! cmp -s out five || fail "another seed gives the same text"
expect 0 poula generate "$chain" --words 100 --seed 5
[ "$(head -c 100 out)" = "$(head -c 100 five)" ] || fail "a shorter text is not the beginning of a longer one"
expect 0 poula generate "$chain" --words 200 --temperature 0
cp out zero
expect 0 poula generate "$chain" --words 200 --temperature 0 --seed 9
cmp -s out zero || fail "at temperature 0 the seed matters"
expect 0 poula generate "$chain" --words 200 --temperature 1e-9
cmp -s out zero || fail "a temperature near 0 is not like 0"
kinds() { expect 0 poula generate "$chain" -n 400 -t "$1"; tr ' ' '\n' <out | sort -u | grep -c .; }
[ "$(kinds 0)" -lt "$(kinds 100)" ] || fail "a high temperature does not know more words"
equal "$(kinds 100)" 11 "words at a high temperature" # all of the vocabulary but <eos>
averaged=$(sql results/poula.db "SELECT max(run) FROM study_runs WHERE study = 'chain'")
expect 0 poula generate "$averaged" --words 200 --seed 5
! cmp -s out five || fail "the averaged weights give the same text"

# A table that nobody declared takes the test perplexity at the best validation.
expect 0 poula report --study chain --format csv
cp out valid.csv
expect 0 poula report --study chain --value "best-valid test_perplexity" --rows average --format csv
cmp -s out valid.csv || fail "the table is another than that of best-valid test_perplexity"
expect 0 poula report --study chain --select best
contains out "best test_perplexity"

# What cannot be.
expect 2 poula generate "$rhyme" --prompt "one three seven"
contains err 'the word "seven" of the prompt is not in the vocabulary of text'
[ ! -s out ] || fail "a refused prompt is printed"
expect 2 poula generate "$(run_of images)"
contains err "the run trained a network on images (glyphs)"
expect 2 poula generate "$(run_of toy)"
contains err "the run trained no network"
expect 2 poula generate "$(run_of diverging)"
contains err "is diverged: only a finished run"
expect 1 poula generate "$(run_of forgetful)"
contains err "the run has no weights"
expect 2 poula generate 99
contains err "99"
expect 2 poula generate
expect 2 poula generate "$chain" --temperature -1
contains err "must be a number from 0"
expect 2 poula generate "$chain" --temperature nan
expect 2 poula generate "$chain" --words 0
expect 2 poula generate "$chain" --seed x
expect 1 poula generate "$chain" --db none.db

# Words stand for other numbers, or are gone.
sed 's/shoe/boot/' data/rhyme/train.txt >changed && mv changed data/rhyme/train.txt
sed -i 's/shoe/boot/' data/rhyme/valid.txt data/rhyme/test.txt
expect 2 poula generate "$rhyme"
contains err "the vocabulary of text is not the one that the run was trained with"
[ ! -s out ] || fail "there is text in spite of it"
rm -r data
expect 1 poula generate "$rhyme"
contains err "rhyme"
expect 0 poula generate "$chain" --words 5 # made from its settings
