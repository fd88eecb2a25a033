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
