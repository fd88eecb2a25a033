# Nothing is left behind: by commands that only read, by those that fail, and by those that are ended.
cat >toy.yaml <<'END'
study: toy
task: {problem: theta30, iterations: 100, record: 10}
optimizer: {name: [theopoula, sgd], lambda: [0.1, 0.01]}
seeds: [1, 2]
END
sed 's/study: toy/study: more/; s/\[0.1, 0.01\]/[0.2, 0.02]/' toy.yaml >more.yaml
beside() { ls -A "$(dirname "$1")" | grep -F -e "$(basename "$1")" | tr '\n' ' '; }
expect 0 poula sweep toy.yaml --db toy.db --quiet

# ---- a new database that could not be filled is no database (files may not be longer than so many blocks of 512 bytes) ----
for most in 1 100 250; do
    for words in "merge toy.db" "sweep toy.yaml" "run toy.yaml --set lambda=0.1 --set optimizer=sgd --store"; do
        mkdir full
        (ulimit -f $most; expect 1 poula $words --db full/deep/new.db) || fail "'$words' in $most blocks"
        grep -Eq "large|full" err || fail "the error does not say that the disk is full"
        equal "$(find full)" full "what '$words' left in $most blocks"
        rm -rf full
    done
done
# One that was there stays, and so does what a first database has brought before the second one failed.
cp toy.db kept.db
(ulimit -f 250; expect 1 poula merge toy.db none.db --db kept.db)
equal "$(sql kept.db "SELECT count(*) FROM runs")" 8 "runs of the database that was there"
head -c 100000 toy.db >cut.db
expect 1 poula merge toy.db cut.db --db new.db
[ ! -e new.db ] || fail "a file that cannot be read was met too late"

# ---- who reads leaves nothing, and keeps nobody from writing ----
# As somebody else where we may be so; else as somebody who has closed the file to himself.
chmod 755 .
mkdir shared
other="" own=""
if [ "$(id -u)" = 0 ]; then
    own="setpriv --reuid 5001 --regid 5001 --clear-groups" other="setpriv --reuid 5002 --regid 5002 --clear-groups"
    chmod 1777 shared
fi
open_up() { [ "$other" ] || chmod 644 shared/toy.db; }
close_up() { [ "$other" ] || chmod 444 shared/toy.db; }
expect 0 $own "$POULA" sweep toy.yaml --db shared/toy.db --quiet
close_up
for words in runs report studies "show 1" "diff 1 2" "export curves" "query VALUES(1)" "verify --database" jobs; do
    expect 0 $other "$POULA" $words --db shared/toy.db
    equal "$(beside shared/toy.db)" "toy.db " "what '$words' left"
done
open_up
expect 0 $own "$POULA" sweep more.yaml --db shared/toy.db --quiet
equal "$(beside shared/toy.db)" "toy.db " "what a sweep left"
# What he reads may be written to meanwhile, and then he is told.
mkfifo pipe
close_up
$other "$POULA" query "WITH RECURSIVE t (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t LIMIT 20000) SELECT x, id FROM t, run" \
    --db shared/toy.db --format csv >pipe 2>told &
reading=$!
exec 4<pipe
read -r line <&4
open_up
expect 0 $own "$POULA" tag lambda=0.2 --add late --db shared/toy.db
cat <&4 >got || :
exec 4<&-
code=0
wait $reading || code=$?
equal "$code" 1 "exit code of who read what was written to"
contains told "was written to while it was read"
equal "$(sql shared/toy.db "SELECT count(*) FROM runs WHERE tags = 'late'")" 4 "runs that were tagged"
# What another program left in his name is told to the owner.
if [ "$(id -u)" = 0 ]; then
    $other sqlite3 shared/toy.db "SELECT count(*) FROM run" >out
    expect 1 $own "$POULA" tag 1 --add x --db shared/toy.db
    contains err "toy.db-wal beside it may not be written"
    rm shared/toy.db-wal shared/toy.db-shm
fi

# A server of a file that may only be read shows what is new all the same.
close_up
start serve $other "$POULA" serve --db shared/toy.db
serve=$started
wait_for 10 grep -q http serve.out
base=$(cat serve.out)
curl -s -g "$base" >out
contains out 'more'
lacks out 'third'
sed 's/study: toy/study: third/; s/0.01/0.03/' toy.yaml >third.yaml
open_up
expect 0 $own "$POULA" sweep third.yaml --db shared/toy.db --quiet
curl -s -g "$base" >out
contains out 'third'
kill -TERM "$serve"
wait "$serve" 2>/dev/null || :
rm -rf shared

# ---- a copy that lacks its log holds nothing, and says so ----
# (Of a database whose log was not taken in yet the file has no tables.)
sqlite3 copied.db "PRAGMA journal_mode = WAL; PRAGMA application_id = 1347175490" >out
for words in runs report "export runs" "verify --database"; do
    expect 1 poula $words --db copied.db
    contains err "copied.db holds nothing: if it is a copy"
done
expect 1 poula merge copied.db --db into.db
[ ! -e into.db ] || fail "a merge of nothing made a file"

# ---- the size of a database in use has that of its log in it ----
expect 0 poula sweep toy.yaml --db log.db --quiet
mkfifo control
sqlite3 -batch log.db <control >held 2>&1 & # keeps the log
holder=$!
exec 3>control
printf 'BEGIN;\nSELECT count(*) FROM run;\n' >&3
wait_for 20 test -s held
expect 0 poula sweep more.yaml --db log.db --quiet
bytes=$(($(stat -c %s log.db) + $(stat -c %s log.db-wal)))
POULA_PATIENCE=0.2 expect 0 poula vacuum --db log.db
contains out "and had $(awk "BEGIN { printf \"%.1f\", $bytes / 1e6 }") MB"
exec 3>&-
wait $holder || :

# ---- a signal ends a command, and what it had half written ----
mkdir tmp fake
printf '#!/bin/sh\necho begun >>"%s/begun"\nexec sleep 60\n' "$PWD" >fake/gnuplot
chmod +x fake/gnuplot
for signal in TERM HUP; do
    rm -f begun
    # Who runs the tests may have told them not to hear it (nohup).
    TMPDIR=$PWD/tmp PATH=$PWD/fake:$PATH start plot env --default-signal=HUP "$POULA" plot --kind curves --name f --db toy.db
    wait_for 20 test -s begun
    [ "$(ls tmp)" ] || fail "no scratch folder"
    kill -$signal "$started"
    code=0
    wait "$started" 2>/dev/null || code=$?
    [ "$code" -gt 128 ] || fail "SIG$signal gave $code"
    equal "$(ls -A tmp)" "" "what a plot left in the folder for temporary files"
done
sql kept.db "INSERT INTO metric (run, series, epoch, value) WITH RECURSIVE t (x) AS (SELECT 1001 UNION ALL SELECT x + 1 FROM t LIMIT 100000)
    SELECT 1, 1, x, 1 FROM t"
mkdir exported
caught=0
while [ $caught = 0 ]; do
    start export poula export curves --db kept.db --out exported/curves.csv
    until [ "$(ls exported)" ]; do gone "$started" && break; done
    kill -TERM "$started" 2>/dev/null || :
    code=0
    wait "$started" 2>/dev/null || code=$?
    [ $code = 143 ] && caught=1
    [ $caught = 1 ] || rm -f exported/curves.csv
done
equal "$(ls -A exported)" "" "what an export left"
