# poula export: every kind, full precision, whole files only.
cat >study.yaml <<'END'
study: s
task: {problem: theta30, iterations: 100, record: 10}
optimizer: {name: [theopoula, sgd], lambda: [0.1, 0.01]}
seeds: [1, 2]
END
sed 's/study: s/study: t/; s/\[1, 2\]/[3]/' study.yaml >other.yaml
expect 1 poula export runs
contains err "results/poula.db"
expect 0 poula sweep study.yaml
expect 0 poula sweep other.yaml
expect 0 poula export runs
equal "$(wc -l <out)" 13 "lines of runs"
expect 0 poula export runs --study t
equal "$(wc -l <out)" 5 "lines of the runs of one study"
expect 0 poula export curves --out curves.csv
equal "$(wc -l <out)" 0 "lines on standard output"
equal "$(wc -l <curves.csv)" "$(($(sql results/poula.db 'SELECT count(*) FROM curves') + 1))" "lines of curves"
grep -q ',,nan,epoch$\|,,inf,epoch$\|,,-inf,epoch$' curves.csv || fail "a value that is not finite has no kind"
! grep -q "^[^,]*,[^,]*,[^,]*,nan" curves.csv || fail "a value that is not finite stands among the numbers"
# What was exported reads back to the same bits.
sqlite3 -batch :memory: ".mode csv" ".import curves.csv c" "ATTACH 'results/poula.db' AS d" \
    "SELECT count(*) FROM c JOIN d.curves AS e ON c.run = e.run AND c.metric = e.metric AND c.epoch = e.epoch
     WHERE (e.value IS NULL) = (c.value = '') AND (e.value IS NULL OR CAST(c.value AS REAL) = e.value)" >same
equal "$(cat same)" "$(sql results/poula.db 'SELECT count(*) FROM curves')" "values that read back"
expect 0 poula export settings --study t --format json
contains out '"key": "lambda", "type": "real", "value": 0.1'
expect 0 poula export summary --study s --format csv
contains out "config,metric,n,mean,std"
equal "$(wc -l <out)" 9 "lines of the summary"
expect 2 poula export runs --study nothing
expect 2 poula export tables
expect 2 poula export
expect 2 poula export runs --format latex
# A folder that is not there, a disk that is full: the old file stays, and nothing is left over.
expect 1 poula export runs --out no/such/file.csv
contains err "no/such/file.csv"
echo old >kept.csv
expect 0 poula query "SELECT 1"
(ulimit -f 4; expect 1 poula export curves --format json --out kept.csv)
equal "$(cat kept.csv)" old "the old file"
expect 0 poula export runs --out kept.csv
equal "$(wc -l <kept.csv)" 13 "lines of the new file"
equal "$(ls kept.csv* curves.csv* | wc -l)" 2 "files left over"

# The reason is told, also when the disk was full long before the end.
toy_spec toy.yaml 4
expect 0 poula sweep toy.yaml --db toy.db
(ulimit -f 40; expect 1 poula export curves --db toy.db --out curves.json --format json; contains err "File too large")
if [ -e /dev/full ]; then
    for words in "export curves" "runs" "report --rows lambda"; do
        expect 1 sh -c "\"$POULA\" $words --db toy.db >/dev/full"
        contains err "No space left"
    done
fi

# jsonl: an object a line; all: a file of each kind, of the same bits.
expect 0 poula export runs --format jsonl --study t
equal "$(wc -l <out)" 4 "lines of jsonl"
equal "$(python3 -c 'import json, sys; print(sum(json.loads(line)["seed"] for line in sys.stdin))' <out)" 12 "seeds that Python reads"
expect 2 poula export all
contains err "into a folder"
for format in csv jsonl; do
    expect 0 poula export all --out all --format $format
    for kind in runs curves best settings summary; do
        expect 0 poula export $kind --format $format
        cmp -s out all/$kind.$format || fail "all/$kind.$format is other than what export $kind gives"
    done
done
expect 0 poula export best --study t --format csv
equal "$(wc -l <out)" "$(($(sql results/poula.db "SELECT count(*) FROM study_best WHERE study = 't'") + 1))" "lines of best values"
expect 2 poula export all --out all --format text

# What a study decides is its own, whatever another that shares the runs says later: which way is better, which loss diverges.
cat >up.yaml <<'E2'
study: up
task: {command: [sh, -c, "echo epoch=1 score=$0; [ $0 != 2 ] || echo epoch=2 energy=nan", "{x}"]}
settings: {x: [1, 2, 3]}
seeds: [1]
metrics: {score: max, energy: {direction: min, loss: true}}
E2
sed 's/: up$/: down/; s/max/min/; s/loss: true/loss: false/; s/, 3]/]/' up.yaml >down.yaml
expect 0 poula sweep up.yaml --db shared.db
expect 0 poula sweep down.yaml --db shared.db
judged() { # STUDY: run, its status; better of score; configurations; the best of the first
    expect 0 poula export runs --study "$1" --db shared.db
    cut -d , -f 1,3 out | sed 1d | paste -sd ' '
    expect 0 poula export best --study "$1" --db shared.db
    grep ,score, out | sed 's/.*,\(min\|max\),.*/\1/' | sort -u
    expect 0 poula export summary --study "$1" --db shared.db
    cut -d , -f 2 out | grep -c score
    expect 0 poula runs --study "$1" --metric score --sort score --limit 1 --format csv --db shared.db
    cut -d , -f 1 out | sed 1d
}
equal "$(judged up | paste -sd '|')" "1,finished 2,diverged 3,finished|max|3|3" "what one study says"
equal "$(judged down | paste -sd '|')" "1,finished 2,finished|min|2|1" "what the other study says"
for kind in runs best summary; do
    expect 0 poula export $kind --db shared.db
    head -n 1 out >head
    expect 0 poula export $kind --study up --db shared.db
    head -n 1 out | cmp - head || fail "$kind of a study has other columns"
done
expect 0 poula sweep up.yaml --rerun status=diverged --dry-run --db shared.db
contains out "1 missing"
expect 2 poula sweep down.yaml --rerun status=diverged --dry-run --db shared.db
