# What kind of file the database is: missing, foreign, damaged, newer, older, read-only, held by a reader.
toy_spec toy.yaml 2

every_reader() { # CODE FILE TEXT: every command that reads gives CODE and says TEXT
    for command in "query 'SELECT 1'" runs "show 1" "export runs" "backup copy.db" report; do
        expect "$1" sh -c "\"\$POULA\" $command --db $2"
        contains err "$3"
        contains err "$2"
    done
    [ ! -e copy.db ] || fail "a copy of a bad database"
}

# Missing: named, nothing made. A folder is no file.
every_reader 1 none/missing.db "poula sweep"
[ ! -e none ] || fail "reading made a folder"
mkdir folder.db
every_reader 1 folder.db "it is a folder"
expect 1 poula sweep toy.yaml --db folder.db

# Not a database, somebody else's, empty.
{ echo "This is not a database, though it is long enough to be looked at."; seq 1 100; } >text.db
cp text.db before
every_reader 1 text.db "not a database"
expect 1 poula sweep toy.yaml --db text.db
cmp -s text.db before || fail "a foreign file was changed"
sql other.db "CREATE TABLE t (a); INSERT INTO t VALUES (1)"
every_reader 1 other.db "not one of poula's"
expect 1 poula sweep toy.yaml --db other.db
equal "$(sql other.db 'SELECT count(*) FROM sqlite_schema')" 1 "tables in somebody else's database"
: >empty.db
every_reader 1 empty.db "is empty"
expect 0 poula sweep toy.yaml --db empty.db
equal "$(count empty.db finished)" 50 "runs in a database that began empty"

# Newer: refused by everyone, and not changed.
cp empty.db newer.db
sql newer.db "PRAGMA user_version = 99"
every_reader 1 newer.db "newer poula"
expect 1 poula sweep toy.yaml --db newer.db
contains err "newer poula"
equal "$(sql newer.db 'PRAGMA user_version')" 99 "version of a newer database"

# Damaged: cut short, and overwritten in the middle.
head -c 20000 empty.db >cut.db
every_reader 1 cut.db "damaged"
expect 1 poula sweep toy.yaml --db cut.db
contains err "damaged"
cp empty.db scratched.db
size=$(wc -c <scratched.db)
dd if=/dev/zero of=scratched.db bs=4096 seek=2 count=$((size / 4096 - 3)) conv=notrunc 2>/dev/null
expect 1 poula query "SELECT * FROM runs" --db scratched.db
contains err "damaged"
expect 1 poula sweep toy.yaml --db scratched.db
contains err "scratched.db"

# Every schema version that was ever released opens, for reading and for sweeping.
for frozen in "$SOURCE_ROOT"/tests/db/v*.db; do
    cp "$frozen" old.db
    chmod u+w old.db
    expect 0 poula query "SELECT status, count(*) FROM runs GROUP BY status" --db old.db --format csv
    same out <<'END'
status,count(*)
diverged,7
failed,1
finished,6
END
    expect 0 poula query "SELECT count(*), count(value), sum(kind = 'nan') FROM curves WHERE metric = 'loss' AND run > 12" \
        --db old.db --format csv
    contains out "4,2,2"
    expect 0 poula query "SELECT study, runs FROM studies ORDER BY study" --db old.db --format csv
    same out <<'END'
study,runs
command,2
toy,8
toy-more,8
END
    expect 0 poula query "SELECT min(mean) BETWEEN 0.0003 AND 0.001, min(n) FROM summary
        WHERE optimizer = 'theopoula' AND metric = 'loss'" --db old.db --format csv
    contains out "1,3"
    expect 0 poula show 1 --db old.db
    expect 0 poula backup from-old.db --check --db old.db
    expect 0 poula report --study toy --db old.db
    expect 0 poula sweep toy.yaml --db old.db
    contains out "50 finished"
    rm -f old.db* from-old.db
done

# A reader in the middle of an answer keeps nobody from writing.
expect 0 poula sweep toy.yaml --db read.db --limit 10
mkfifo control
sqlite3 -batch read.db <control >held.out 2>&1 &
reader=$!
exec 3>control
printf 'BEGIN; SELECT count(*) FROM run;\n.print held\n' >&3
wait_for 20 grep -q held held.out
expect 0 poula sweep toy.yaml --db read.db
contains out "50 finished"
equal "$(count read.db finished)" 50 "runs written beside a reader"
exec 3>&-
wait $reader
equal "$(sql read.db 'PRAGMA journal_mode')" wal "journal"

# Only reading is allowed: a file or folder that cannot be written. (Root may write anyway.)
if [ "$(id -u)" != 0 ]; then
    mkdir frozen
    cp empty.db frozen/poula.db
    chmod a-w frozen/poula.db frozen
    expect 0 poula query "SELECT count(*) FROM runs" --db frozen/poula.db
    contains out 50
    toy_spec more.yaml 3
    expect 1 poula sweep more.yaml --db frozen/poula.db
    contains err "read-only"
    expect 1 poula sweep more.yaml --db frozen/new.db
    contains err "Permission denied"
    chmod u+w frozen
fi

# Values that are not finite are kept by kind, and are never 0, best, or part of a mean.
cat >nan.yaml <<'END'
study: kinds
task:
  command: [sh, -c, 'for x in nan 3 -inf inf {seed}; do e=$((e + 1)); echo epoch=$e loss=$x accuracy=nan; done']
seeds: [1, 2, 4]
END
expect 0 poula sweep nan.yaml --db nan.db
contains out "kinds: 3 finished"
expect 0 poula query "SELECT metric, seed, value, epoch, last, last_kind FROM best ORDER BY metric, seed" --db nan.db \
    --format csv
same out <<'END'
metric,seed,value,epoch,last,last_kind
accuracy,1,,,,nan
accuracy,2,,,,nan
accuracy,4,,,,nan
loss,1,1,5,1,
loss,2,2,5,2,
loss,4,3,2,4,
END
expect 0 poula query "SELECT metric, n, mean, std, min, mean_last FROM summary ORDER BY metric" --db nan.db --format csv
same out <<'END'
metric,n,mean,std,min,mean_last
accuracy,0,,,,
loss,3,2,1,1,2.3333333333333335
END
expect 0 poula query "SELECT kind, count(*), count(value) FROM curves WHERE metric = 'loss' GROUP BY kind ORDER BY kind" \
    --db nan.db --format csv
same out <<'END'
kind,count(*),count(value)
,6,6
-inf,3,0
inf,3,0
nan,3,0
END
expect 0 poula report --value loss --db nan.db
lacks out nan
contains out "2.0"
