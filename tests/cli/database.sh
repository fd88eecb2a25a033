# A database that somebody else holds, and a disk that is full.

# A writer holds the database: the workers go on, the user is told, nothing is lost.
slow_spec slow.yaml 30 0.2
start locked poula sweep slow.yaml --jobs 2
wait_for 60 at_least results/poula.db finished 2
mkfifo control
sqlite3 -batch results/poula.db <control >holder.out 2>&1 &
holder=$!
exec 3>control
printf '.timeout 60000\nBEGIN IMMEDIATE;\n.print held\n' >&3
wait_for 60 grep -q held holder.out
before=$(wc -l <ran)
wait_for 60 grep -q "holds the database" locked.err
[ "$(wc -l <ran)" -gt "$before" ] || fail "the workers did not go on"
kill -0 "$started" || fail "the sweep gave up"
printf 'COMMIT;\n' >&3
exec 3>&-
wait "$holder"
finish locked 0 "$started"
contains locked.out "slow: 30 finished, 0 diverged, 0 failed"
equal "$(sort -u ran | wc -l)" "$(wc -l <ran)" "runs trained twice"
equal "$(sql results/poula.db 'SELECT count(*) FROM curves')" 30 values

# It is held before the sweep begins.
toy_spec toy.yaml 2
expect 0 poula sweep toy.yaml --db held.db --limit 1
mkfifo control2
sqlite3 -batch held.db <control2 >holder2.out 2>&1 &
holder=$!
exec 3>control2
printf 'BEGIN IMMEDIATE;\n.print held\n' >&3
wait_for 60 grep -q held holder2.out
start held poula sweep toy.yaml --db held.db
wait_for 60 grep -q "holds the database" held.err
printf 'COMMIT;\n' >&3
exec 3>&-
wait "$holder"
finish held 0 "$started"
contains held.out "toy: 50 finished"

# Patience has an end, and then an error.
mkfifo control3
sqlite3 -batch held.db <control3 >holder3.out 2>&1 &
holder=$!
exec 3>control3
printf 'BEGIN IMMEDIATE;\n.print held\n' >&3
wait_for 60 grep -q held holder3.out
expect 1 env POULA_PATIENCE=0.3 "$POULA" sweep toy.yaml --db held.db
contains err "locked"
exec 3>&-
wait "$holder" || true

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
