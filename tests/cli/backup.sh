# poula backup: consistent while a sweep writes, never over a file by accident.
cat >study.yaml <<'END'
study: s
task: {problem: theta30, iterations: 100, record: 10}
optimizer: {name: theopoula, lambda: [0.1, 0.01]}
seeds: {from: 1, to: 20}
END
expect 1 poula backup copy.db
contains err "results/poula.db"
[ ! -e copy.db ] || fail "a copy of nothing"
expect 0 poula sweep study.yaml
expect 0 poula backup copy.db --check
[ ! -e copy.db-wal ] || fail "the copy is not one file"
equal "$(sql copy.db 'SELECT count(*) FROM runs')" 40 "runs in the copy"
expect 0 poula runs --db copy.db --format csv
equal "$(wc -l <out)" 41 "lines from the copy"
expect 2 poula backup copy.db
contains err "--force"
expect 0 poula backup copy.db --force
expect 2 poula backup results/poula.db --force
contains err "itself"
ln -s results/poula.db link.db
expect 2 poula backup link.db --force
expect 1 poula backup no/such/copy.db
(ulimit -f 100; expect 1 poula backup small.db)
contains err "small.db"
[ ! -e small.db ] || fail "half a copy"
equal "$(ls | grep -c 'copy.db\|small.db')" 1 "files left over"
# A database that is open must not be replaced: its log would be applied to the copy.
sql results/poula.db "VACUUM INTO 'busy.db'"
mkfifo control
sqlite3 -batch busy.db <control >/dev/null 2>&1 &
exec 3>control
printf 'PRAGMA journal_mode = WAL;\nUPDATE run SET seed = 100 WHERE id = 1;\n' >&3
wait_for 20 test -s busy.db-wal
expect 2 poula backup busy.db --force
contains err "in use"
exec 3>&-
wait
# While a sweep writes: every copy is whole.
cat >long.yaml <<'END'
study: long
task: {problem: theta30, iterations: 100, record: 10}
optimizer: {name: adam, lambda: [0.1, 0.01, 0.001]}
seeds: {from: 1, to: 2000}
END
"$POULA" sweep long.yaml >sweep.out 2>sweep.err &
sweep=$!
for n in 1 2 3 4; do
    expect 0 poula backup long$n.db --check
done
wait $sweep || fail "the sweep failed: $(cat sweep.err)"
expect 0 poula backup whole.db --check
equal "$(sql whole.db "SELECT count(*) FROM runs WHERE status = 'finished'")" 6040 "runs in the end"

# S3: names that SQLite takes for something else than a file are refused wherever a database is named, before anything runs.
toy_spec names.yaml 1
for name in :memory: "file:x?mode=memory" file:y.db; do
    for command in "sweep names.yaml" "run names.yaml --set lambda=0.5 --set epsilon=1 --store" "report --table" "query 'SELECT 1'" "backup z.db"; do
        eval "expect 2 poula $command --db '$name'"
        contains err "is not the name of a file"
    done
    expect 2 env POULA_DB="$name" "$POULA" sweep names.yaml
    expect 2 poula backup "$name"
done
expect 2 poula backup ""
[ ! -e x ] && [ ! -e y.db ] && [ ! -e z.db ] && [ ! -e :memory: ] || fail "a refused name made a file"
expect 0 poula sweep names.yaml --db ./:memory:
equal "$(ls ./:memory:)" ./:memory: "a file with a strange name"
expect 0 poula report --table --db "$PWD/:memory:"

# S4: a damaged page is an error before anything is written, and no backup takes the place of a good one.
expect 0 poula sweep names.yaml --db page.db
for page in 1 3 7 12; do
    cp page.db zero.db
    dd if=/dev/zero of=zero.db bs=4096 seek=$page count=1 conv=notrunc 2>/dev/null
    cp zero.db before.db
    expect 1 poula sweep names.yaml --db zero.db
    contains err "zero.db is damaged"
    cmp zero.db before.db || fail "a damaged database was written to (page $page)"
    expect 1 poula backup copied.db --db zero.db
    contains err "is damaged"
    [ ! -e copied.db ] || fail "a damaged database was copied"
    expect 1 poula verify --database --db zero.db
done

# S11: a version that no poula wrote.
cp page.db negative.db
sql negative.db "PRAGMA user_version = -3"
for command in "sweep names.yaml" "report --table" "verify --database"; do
    expect 1 poula $command --db negative.db
    contains err "schema has the version -3"
done
