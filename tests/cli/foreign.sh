# S10: a database that was changed behind poula's back, or made by somebody else, ends no command with a signal: it is read, or
# an error says what is wrong. Every column of every table gets values that it cannot have. The copy has no constraints, as a
# file from elsewhere need not have any.
cat >spec.yaml <<END
studies:
  - study: toy
    task: {problem: theta30, iterations: 20, record: 10}
    optimizer: {name: [sgd, adam], lambda: [0.1, 0.01]}
    seeds: [1, 2]
    tables:
      - {rows: optimizer, columns: lambda, value: last theta}
  - study: command
    task: {command: [sh, -c, "echo epoch=1 valid_loss=2 loss=nan; [ {seed} = 1 ] || exit 3"]}
    seeds: [1, 2]
    metrics: {loss: min}
END
expect 1 poula sweep spec.yaml --db good.db --jobs 1
sql good.db "PRAGMA wal_checkpoint(TRUNCATE)" >/dev/null

# A copy whose tables were made by CREATE TABLE AS, and so have no types, no keys and no checks; the views stay.
cp good.db free.db
{
    echo "PRAGMA foreign_keys = OFF; PRAGMA legacy_alter_table = ON; BEGIN;"
    for table in $(sql good.db "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"); do
        echo "CREATE TABLE free_$table AS SELECT * FROM $table; DROP TABLE $table;"
        echo "ALTER TABLE free_$table RENAME TO $table;"
    done
    echo "COMMIT;"
} >free.sql
sqlite3 -batch free.db <free.sql
expect 0 poula report --table --study toy --db free.db
contains out theta

survives() { # COMMAND...: any answer but a signal, and none without a word
    code=0
    timeout 60 "$POULA" "$@" >out 2>err </dev/null || code=$?
    [ $code -le 2 ] || fail "'$*' ended with $code after $change"
    [ $code = 0 ] || [ -s err ] || [ -s out ] || fail "'$*' failed without a word after $change"
    lacks err "AddressSanitizer"
    lacks err "runtime error"
}
columns=$(sql free.db "SELECT m.name || '.' || p.name FROM sqlite_schema AS m JOIN pragma_table_info(m.name) AS p
    WHERE m.type = 'table' AND m.name IN ('config', 'run', 'series', 'session', 'setting_key', 'sweep', 'sweep_run', 'result')
    AND p.name NOT GLOB 's[0-9]*' OR p.name = 's1'")
# Without sanitizers every third of them: all that is seen then is a signal, and sanitizers see that and more.
[ "$SLOW" = 1 ] || columns=$(echo "$columns" | awk 'NR % 3 == 1')
for column in $columns; do
    change="UPDATE ${column%.*} SET \"${column#*.}\" = NULL"
    cp free.db odd.db
    sql odd.db "$change" || fail "$change"
    survives report --table --db odd.db
    survives runs --db odd.db
    survives show 1 --db odd.db
    # What writes, on a file with its keys, where these let a number that is out of range in.
    change="UPDATE OR IGNORE ${column%.*} SET \"${column#*.}\" = 99"
    cp good.db odd.db
    if sql odd.db "PRAGMA ignore_check_constraints = ON; $change" 2>/dev/null; then
        survives sweep spec.yaml --retry-failed --jobs 1 --db odd.db
        survives report --table --db odd.db
    fi
done
change=nothing

# The error names the row.
cp free.db odd.db
sql odd.db "UPDATE config SET settings = NULL WHERE id = 2"
expect 1 poula sweep spec.yaml --db odd.db --retry-failed
expect 1 poula report --table --study toy --db odd.db
contains err "settings of row 2 of the table config"
cp free.db odd.db
sql odd.db "UPDATE run SET key = x'0102' WHERE id = 3"
expect 1 poula show 3 --db odd.db
contains err "key of row 3 of the table run is no SHA-256"

# What has our number on it and not our tables is refused before anything is written: a claim without a key claims nothing, for
# ever. Whatever lacks a key, a column, a table or its kind, or has what keeps values from being written.
refused() { # WHAT: odd.db is refused for that
    sum=$(cat odd.db | cksum)
    code=0
    timeout 60 "$POULA" sweep more.yaml --db odd.db --jobs 1 >out 2>err </dev/null || code=$?
    equal $code 1 "exit code with $1"
    contains err "$1"
    contains err "nothing was written"
    equal "$(cat odd.db | cksum)" "$sum" "odd.db after it was refused"
}
sed 's/seeds: \[1, 2\]/seeds: [1, 2, 3]/' spec.yaml >more.yaml
cp free.db odd.db
refused "odd.db was not made by this poula, or was changed by another program: the column"
sed 's/\(CREATE TABLE free_[a-z_]*\) AS SELECT . FROM \([a-z_]*\); DROP TABLE [a-z_]*;/\1 AS SELECT * FROM \2 WHERE 0; DROP TABLE \2;/' \
    free.sql >empty.sql
cp good.db odd.db && sqlite3 -batch odd.db <empty.sql
refused "the column"
change() { # SQL: odd.db is good.db, changed
    cp good.db odd.db
    sqlite3 -batch odd.db "PRAGMA foreign_keys = OFF; PRAGMA legacy_alter_table = ON; $1"
}
change "CREATE TABLE r (id INTEGER, config INTEGER NOT NULL, seed INTEGER NOT NULL, key BLOB NOT NULL UNIQUE, status INTEGER NOT NULL,
    session INTEGER, attempts INTEGER NOT NULL, bad_epoch ANY, token INTEGER NOT NULL, begun REAL) STRICT;
    INSERT INTO r SELECT id, config, seed, key, status, session, attempts, bad_epoch, token, begun FROM run; DROP TABLE run;
    ALTER TABLE r RENAME TO run"
refused "the column id of the table run is INTEGER and has to be INTEGER, key 1"
change "ALTER TABLE attempt DROP COLUMN log"
refused "it lacks the column log of the table attempt (TEXT)"
change "DROP TABLE sweep_metric"
refused "it lacks the column direction of the table sweep_metric"
change "DROP INDEX sweep_run_by_run"
refused "it lacks the unique index over run, sweep of the table sweep_run"
change "CREATE TRIGGER never BEFORE UPDATE ON run BEGIN SELECT RAISE(IGNORE); END"
refused "it has the trigger never of the table run, which may keep values from being written"
change "CREATE UNIQUE INDEX one ON run (seed, status) WHERE status = 1"
refused "it has the unique index over seed, status of the table run"
change "CREATE TABLE mine (id INTEGER PRIMARY KEY, note TEXT NOT NULL); CREATE VIEW of_mine AS SELECT * FROM mine;
    CREATE INDEX by_seed ON run (seed); ALTER TABLE run ADD COLUMN note TEXT"
expect 1 poula sweep more.yaml --db odd.db --jobs 1
contains out "toy: 6 finished, 6 diverged"
