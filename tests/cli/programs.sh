# Which program a command is: recorded for each attempt, and no results of another one without a word.
mkdir here there
cat >here/train.sh <<'EOF'
echo "loss=$1"
EOF
cat >here/spec.yaml <<'EOF'
study: s
task: {command: [sh, train.sh, "{x}", "--config=conf", "--log", out.txt]}
settings: {x: [1, 2, 3]}
EOF
echo one >here/conf
echo one >here/out.txt
cp here/* there
export POULA_DB="$PWD/both.db"
cd here
hash=$(sha256sum train.sh | cut -d' ' -f1)

# What is recorded; what the program writes is no part of it.
expect 0 poula sweep spec.yaml
equal "$(sql "$POULA_DB" "SELECT DISTINCT folder, json_extract(files, '\$.\"train.sh\"') FROM attempts")" "$PWD|$hash" "the program"
equal "$(sql "$POULA_DB" "SELECT DISTINCT (SELECT group_concat(key) FROM json_each(files) WHERE key NOT LIKE '/%') FROM attempts")" \
    "conf,train.sh" "files that the words name"
echo two >out.txt
touch train.sh
expect 0 poula sweep spec.yaml

# P2: another folder with the same words.
cd ../there
cp "$POULA_DB" ../before.db
expect 2 poula sweep spec.yaml
contains err "3 runs are of another program"
contains err "they were made in ${PWD%/there}/here, and this is $PWD"
contains err "--rerun changed runs them again, --accept changed keeps the results"
equal "$(sql "$POULA_DB" .dump | cksum)" "$(sql ../before.db .dump | cksum)" "the database of a sweep that was refused"
expect 0 poula sweep spec.yaml --accept changed
expect 0 poula sweep spec.yaml
equal "$(sql "$POULA_DB" "SELECT count(*) FROM attempts")" 3 attempts

# P3: a changed program, and a changed file that it names.
cd ../here
echo 'echo loss=0' >>train.sh
expect 2 poula sweep spec.yaml
contains err "3 runs are of another program, started"
contains err "train.sh has changed (at "
cp train.sh changed.sh
head -n 1 changed.sh >train.sh # back to what it was
expect 0 poula sweep spec.yaml
echo two >conf
expect 2 poula sweep spec.yaml
contains err "conf has changed"
sed -i 's/\[1, 2, 3\]/[1, 2, 3, 4]/' spec.yaml
cp changed.sh train.sh
expect 0 poula sweep spec.yaml --rerun changed --dry-run
contains out "4 runs, 4 missing"
expect 0 poula sweep spec.yaml --rerun changed
contains err "3 runs are run again"
contains out "s: 4 finished"
equal "$(sql "$POULA_DB" "SELECT x, attempts FROM runs")" "1|2
2|2
3|2
4|1" "runs that were run again"
# Of the superseded attempt its row and its values are kept, and views show the newest.
equal "$(sql "$POULA_DB" "SELECT number, outcome FROM attempts WHERE run = 2")" "1|finished
2|finished" "attempts"
equal "$(sql "$POULA_DB" "SELECT attempt, lowest, last FROM superseded WHERE run = 2")" "1|2.0|2.0" "the superseded attempt"
equal "$(sql "$POULA_DB" "SELECT value, last FROM best WHERE run = 2")" "0.0|0.0" "the newest attempt"
expect 0 poula sweep spec.yaml

# Attempts of which nothing was recorded, as an older poula left them, are not changed.
echo 'echo loss=7' >>train.sh
expect 2 poula sweep spec.yaml
sql "$POULA_DB" "UPDATE attempt SET program = NULL"
expect 0 poula sweep spec.yaml

# --rerun WHERE, and forget. A dry run says the same.
expect 0 poula sweep spec.yaml --rerun x=2,3 --dry-run
contains out "s missing x=2"
contains out "4 runs, 2 missing"
expect 2 poula sweep spec.yaml --rerun y=2 --dry-run
contains err "no run of these studies has a setting y"
expect 2 poula sweep spec.yaml --rerun x --dry-run
expect 0 poula sweep spec.yaml --rerun x=2,3
contains err "2 runs are run again"
equal "$(sql "$POULA_DB" "SELECT group_concat(attempts) FROM runs")" "2,3,3,1" attempts
expect 0 poula sweep spec.yaml --rerun status=finished --rerun seed=1 --rerun x=4
contains err "1 run is run again"
expect 2 poula sweep spec.yaml --rerun y=2
contains err "no run of these studies has a setting y"
expect 2 poula sweep spec.yaml --rerun x=9
expect 2 poula sweep spec.yaml --rerun x
expect 0 poula forget x=1,4
contains out "2 runs forgotten"
equal "$(sql "$POULA_DB" "SELECT group_concat(status), sum(reason IS NULL), sum(started IS NULL) FROM runs")" \
    "planned,finished,finished,planned|4|2" "runs that are missing again"
equal "$(sql "$POULA_DB" "SELECT count(*) FROM best")" 2 "results that are left"
expect 0 poula sweep spec.yaml --dry-run
contains out "4 runs, 2 missing"
expect 0 poula sweep spec.yaml
expect 0 poula forget 2 --db "$POULA_DB"
contains out "1 run forgotten"
expect 0 poula forget 2
contains out "0 runs forgotten"
contains err "1 are missing anyway or at work"
for bad in "" nothing=1 x=9 77 "x=1 2" "x=1 --study other"; do
    # shellcheck disable=SC2086
    expect 2 poula forget $bad
done
expect 0 poula forget --study s
contains out "3 runs forgotten"
expect 0 poula verify --database

# P3 for a study that waits for a table: its results are looked at once its settings are known.
cat >waits.yaml <<'EOF'
studies:
- study: search
  task: {command: [sh, -c, "echo loss={x} valid_loss={x}"]}
  settings: {x: [1, 2]}
  tables: {value: loss, select: {over: x, by: valid_loss}}
- study: final
  task: {command: [sh, final.sh, "{x}", "{seed}"]}
  settings: {x: {from: search}}
  seeds: [1, 2]
EOF
echo 'echo loss=$1' >final.sh
expect 0 poula sweep waits.yaml --db waits.db
contains out "final: 2 finished"
echo 'echo loss=9' >final.sh
expect 1 poula sweep waits.yaml --db waits.db
contains err "the database has results of another program than that of final now:"
contains err "2 runs are of another program"
contains err "final.sh has changed"
contains err "Nothing of final was started. --rerun changed runs them again"
sed -i 's/seeds: .1, 2./seeds: [1, 2, 3]/' waits.yaml
expect 1 poula sweep waits.yaml --db waits.db
equal "$(sql waits.db "SELECT group_concat(attempts) FROM runs WHERE study = 'final'")" "1,1,0" "attempts of a sweep that was stopped"
expect 0 poula sweep waits.yaml --db waits.db --rerun changed
contains err "2 runs of final are run again"
contains out "final: 3 finished"
equal "$(sql waits.db "SELECT DISTINCT last FROM study_best WHERE study = 'final'")" 9.0 "the newest results"
echo 'echo loss=8' >final.sh
expect 0 poula sweep waits.yaml --db waits.db --accept changed
expect 0 poula sweep waits.yaml --db waits.db

# A preview that looked for runs by --rerun leaves nothing of its choice: the search that is run again chooses anew.
sed -i 's/valid_loss={x}/valid_loss=$((3-{x}))/' waits.yaml
expect 0 poula sweep waits.yaml --db again.db
expect 0 poula sweep waits.yaml --db again.db --rerun seed=1
contains out "search: 2 finished"
contains out "final: 3 finished"
equal "$(sql again.db "SELECT group_concat(x || ' ' || attempts) FROM (SELECT * FROM runs ORDER BY run)")" "1 2,2 2,2 2,2 1,2 1" "runs by --rerun"

# A run by itself is of a program, too.
expect 0 poula run waits.yaml --study search --store --db single.db
equal "$(sql single.db "SELECT folder = '$(pwd -P)' AND program LIKE '%/sh' FROM attempts")" 1 "the program of poula run --store"

# A run that is wanted anew does not find its checkpoint, which is kept beside.
cat >resumes.yaml <<'EOF'
study: resumes
task: {command: [sh, -c, "[ -f $0/done ] || echo loss=1; echo done >$0/done", "{run_folder}"]}
EOF
expect 0 poula sweep resumes.yaml --db resumes.db
expect 0 poula sweep resumes.yaml --db resumes.db --rerun seed=1
equal "$(sql resumes.db "SELECT status, attempts FROM runs")" "finished|2" "the run that was wanted anew"
equal "$(cat resumes-runs/1.attempt-1/done)" "done" "the folder of the earlier attempt"

# In a repository its commit and state are recorded.
if command -v git >/dev/null; then
    mkdir repository
    cp resumes.yaml repository
    cd repository
    git init -q .
    git add .
    git -c user.name=a -c user.email=a@b commit -qm first
    expect 0 poula sweep resumes.yaml --db git.db
    equal "$(sql git.db "SELECT git_commit, dirty FROM attempts")" "$(git rev-parse HEAD)|0" commit
    echo "# changed" >>resumes.yaml
    expect 0 poula sweep resumes.yaml --db git2.db
    equal "$(sql git2.db "SELECT dirty FROM attempts")" 1 "a changed folder"
    cd ..
fi

# U5: a dry run shows the command once.
expect 0 poula sweep spec.yaml --dry-run --db none.db
contains out "s runs, for example: sh train.sh 1 --config=conf --log out.txt"
contains out "s missing x=1 seed=1"
equal "$(grep -c train.sh out)" 1 "lines with the words"

# P8: what ends with exit code 2 has written nothing, whatever it was.
cat >data.yaml <<'EOF'
study: g
task: {dataset: glyphs, model: cnn, batch: 128, epochs: 1, valid: 10000, subset: 999999}
optimizer: {name: adam}
EOF
expect 2 poula sweep data.yaml --db new/none.db
[ ! -e new ] || fail "a refused sweep made a database"
cp "$POULA_DB" ../before.db
expect 2 poula sweep spec.yaml data.yaml
equal "$(sql "$POULA_DB" .dump | cksum)" "$(sql ../before.db .dump | cksum)" "the database of a sweep that was refused"

# P9: very many runs are counted at once, and are not begun by a slip.
cat >many.yaml <<'EOF'
study: many
task: {problem: theta30, iterations: 1}
optimizer: {name: sgd, lambda: 0.1}
seeds: {from: 1, to: 1000000}
EOF
expect 2 poula sweep many.yaml --db new/none.db
contains err "these are 1000000 new runs; --yes says that so many are meant"
[ ! -e new ] || fail "a refused sweep made a database"
sed -i 's/1000000/100001/' many.yaml
expect 0 poula sweep many.yaml --yes --limit 1 --db many.db -q
contains err "planning 100001 new runs"
expect 0 poula sweep many.yaml --limit 1 --db many.db -q # they are planned already

# U6: a run that waits for a worker is queued; one at work says where, since when, and how far it is.
cat >slow.yaml <<'EOF'
study: slow
task: {command: [sh, -c, "echo epoch=3 loss=1; sleep 1000"]}
seeds: [1, 2, 3, 4]
EOF
start slow poula sweep slow.yaml --jobs 1 --db slow.db
wait_for 60 at_least slow.db running 1
three_epochs() { [ "$(sql slow.db "SELECT at_epoch FROM runs WHERE status = 'running'")" = 3 ]; }
wait_for 60 three_epochs
equal "$(sql slow.db "SELECT count(*) FROM runs WHERE status = 'queued' AND started IS NULL")" \
    "$(sql slow.db "SELECT sum(status = 1) - 1 FROM run")" "queued runs"
equal "$(sql slow.db "SELECT queued >= 1, running FROM studies")" "1|1" "the study's counts"
equal "$(sql slow.db "SELECT started IS NOT NULL, host IS NOT NULL, seconds > 0 FROM runs WHERE status = 'running'")" "1|1|1" "the run at work"
expect 0 poula runs --status running --db slow.db
contains out "host"
kill -INT "$started"
finish slow 130 "$started"

# P3: a module, and a script in a text for a shell; not what the text writes, nor what another program may have written.
mkdir ../modules
cd ../modules
mkdir -p bin pkg/sub
cat >bin/python3 <<'E2'
#!/bin/sh
echo epoch=1 loss=1
E2
chmod +x bin/python3
for file in train.py pkg/__main__.py pkg/sub/eval.py loop.sh; do echo 'echo loss=1' >$file; done
cat >modules.yaml <<'E2'
studies:
- {study: module, task: {command: [bin/python3, -m, train]}}
- {study: package, task: {command: [bin/python3, -m, pkg]}}
- {study: inner, task: {command: [bin/python3, -m, pkg.sub.eval]}}
- {study: text, task: {command: [sh, -c, "sh loop.sh >made.sh && ./bin/python3; echo 1 >data.csv; cat data.csv"]}}
E2
expect 0 poula sweep modules.yaml --db modules.db
equal "$(sql modules.db "SELECT group_concat(f.key, ' ') FROM (SELECT DISTINCT files FROM provenance ORDER BY run) AS p, json_each(p.files) AS f
    WHERE f.key NOT LIKE '/%'")" "train.py pkg/__main__.py pkg/sub/eval.py ./bin/python3 loop.sh" "files that commands name"
expect 0 poula sweep modules.yaml --db modules.db
for file in train.py pkg/__main__.py pkg/sub/eval.py loop.sh; do
    echo 'echo loss=2' >$file
    expect 2 poula sweep modules.yaml --db modules.db
    contains err "$file has changed"
    echo 'echo loss=1' >$file
done
expect 0 poula sweep modules.yaml --db modules.db
