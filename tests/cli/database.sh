# A database that somebody else holds, and a disk that is full.

# hold DB begins a transaction in another process; let_go ends it.
hold() {
    rm -f control held
    mkfifo control
    sqlite3 -batch "$1" <control >held 2>&1 &
    holder=$!
    exec 3>control
    printf '.timeout 60000\nBEGIN IMMEDIATE;\n.print held\n' >&3
    wait_for 60 grep -q held held
}
let_go() {
    printf 'COMMIT;\n' >&3
    exec 3>&-
    wait "$holder"
}

# A writer holds the database: the workers go on, the user is told, nothing is lost.
slow_spec slow.yaml 30 0.2
start locked poula sweep slow.yaml --jobs 2
wait_for 60 at_least results/poula.db finished 2
hold results/poula.db
before=$(wc -l <ran)
wait_for 60 grep -q "holds the database" locked.err
[ "$(wc -l <ran)" -gt "$before" ] || fail "the workers did not go on"
kill -0 "$started" || fail "the sweep gave up"
let_go
finish locked 0 "$started"
contains locked.out "slow: 30 finished, 0 diverged, 0 failed"
equal "$(sort -u ran | wc -l)" "$(wc -l <ran)" "runs trained twice"
equal "$(sql results/poula.db 'SELECT count(*) FROM curves')" 30 values

# While it waits the sweep still serves its workers and its user: a run that hangs is killed, Ctrl-C is heard.
cat >hang.yaml <<END
study: hang
task: {command: [sh, -c, "echo \$\$ >hang.pid; sleep 1000"]}
timeout: 3
END
start hang poula sweep hang.yaml --db hang.db --jobs 1
wait_for 60 test -s hang.pid
hold hang.db
wait_for 60 gone "$(cat hang.pid)"
kill -INT "$started"
wait_for 60 grep -q "come to an end first" hang.err
let_go
finish hang 130 "$started"
equal "$(sql hang.db 'SELECT status, reason FROM runs')" "failed|timed out after 3 s" "the run that hung"

# It is held before the sweep begins.
toy_spec toy.yaml 2
expect 0 poula sweep toy.yaml --db held.db --limit 1
hold held.db
start held poula sweep toy.yaml --db held.db
wait_for 60 grep -q "holds the database" held.err
let_go
finish held 0 "$started"
contains held.out "toy: 50 finished"

# The file is deleted while a sweep writes to it: an error, not a sweep of which nothing is left.
slow_spec lost.yaml 30 0.2
start lost poula sweep lost.yaml --db lost.db --jobs 2
wait_for 60 at_least lost.db finished 2
rm -f lost.db lost.db-wal lost.db-shm
finish lost 1 "$started"
contains lost.err "lost.db was moved or deleted"

# Patience has an end, and then an error.
hold held.db
expect 1 env POULA_PATIENCE=0.3 "$POULA" sweep toy.yaml --db held.db
contains err "locked"
let_go

# A full disk: a clear error, and what was committed stays and is not run again.
toy_spec toy.yaml 100
expect 0 poula sweep toy.yaml --db full.db --limit 1
(
    ulimit -f 2000 # blocks of 512 bytes
    start full poula sweep toy.yaml --db full.db --jobs 2
    finish full 1 "$started"
) || fail "the sweep on a full disk"
contains full.err "full.db"
grep -Eq "full|large" full.err || fail "the error does not say that the disk is full"
equal "$(sql full.db 'PRAGMA integrity_check')" ok integrity
kept=$(count full.db finished)
[ "$kept" -ge 1 ] && [ "$kept" -lt 2500 ] || fail "$kept runs are finished: the disk was not full at the right moment"
sql full.db "SELECT run, number, started, seconds, worker FROM attempts WHERE outcome = 'finished' ORDER BY run" >before
expect 0 poula sweep toy.yaml --db full.db --jobs 2
contains out "toy: 2500 finished"
sql full.db "SELECT run, number, started, seconds, worker FROM attempts WHERE outcome = 'finished' ORDER BY run" >after
while read -r row; do
    grep -qxF -e "$row" after || fail "a finished attempt was touched: $row"
done <before
equal "$(sql full.db "SELECT count(*) FROM attempts WHERE outcome = 'finished'")" 2500 "finished attempts"
