# Commands that read a database leave its file as it is: bytes, time, and nothing beside it; also where its schema, or only its
# views, are of an older poula, and are read through a copy or temporary ones.
cat >toy.yaml <<'END'
study: toy
task: {problem: theta30, iterations: 100, record: 5}
optimizer: {name: [theopoula, sgd], lambda: [0.1, 0.01]}
seeds: [1, 2]
END
sed '/^seeds/d' toy.yaml >more.yaml
state() { sha256sum "$1"; stat -c '%n %y %i %s' "$1"*; }

# kept DB CODE|any COMMAND... runs the command on it.
kept() {
    db=$1 code=$2
    shift 2
    state "$db" >before
    if [ "$code" = any ]; then
        poula "$@" --db "$db" >out 2>err </dev/null || :
    else
        expect "$code" poula "$@" --db "$db"
    fi
    state "$db" >after
    cmp -s before after || { diff before after >&2; fail "'poula $*' changed $db"; }
}
every() {
    kept "$1" 0 query "SELECT optimizer, better, count(*) FROM study_summary WHERE metric = 'loss' GROUP BY 1, 2 ORDER BY 1"
    kept "$1" 0 query "SELECT study, runs FROM studies; SELECT * FROM submissions; SELECT unsaved FROM runs LIMIT 1"
    kept "$1" 0 runs
    kept "$1" 0 runs --status finished --format csv
    kept "$1" 0 show 1
    kept "$1" 0 report --study toy
    kept "$1" 0 report --study toy --rows optimizer --value "last loss" --format json
    kept "$1" 0 report --study toy --pairs --rows optimizer,lambda --value loss
    kept "$1" 0 plot --study toy --out "figures-$1"
    for what in runs curves settings summary; do kept "$1" 0 export $what --out "export-$1"; done
    kept "$1" any verify 1 # another machine has other bits
    kept "$1" 0 backup "copy-$1" --check
    kept "$1" 0 sweep toy.yaml --dry-run
    kept "$1" 0 sweep more.yaml --dry-run
    kept "$1" 0 jobs
    kept "$1" 2 query "DELETE FROM run"
    rm -rf "export-$1" "copy-$1"
}

expect 0 poula sweep toy.yaml --db new.db --quiet
every new.db
for version in v1 v2; do
    cp "$SOURCE_ROOT/tests/db/$version.db" $version.db
    chmod u+w $version.db
    touch -d 2020-02-02 $version.db
    every $version.db
    mkdir $version
    cp $version.db $version/wal.db # the copy that is read is none of the log's kind
    sql $version/wal.db "PRAGMA journal_mode = WAL" >out
    sha256sum <$version/wal.db >before
    expect 0 poula report --study toy --db $version/wal.db
    sha256sum <$version/wal.db >after
    same after <before
    # What a copy says is what the file says when a sweep has brought it up to date.
    poula report --study toy --db $version.db --format csv >read.csv
    poula runs --db $version.db --format csv >runs.csv
    expect 0 poula sweep toy.yaml --db $version.db --quiet
    equal "$(sql $version.db 'PRAGMA user_version')" "$(sql new.db 'PRAGMA user_version')" "the schema after a sweep"
    expect 0 poula report --study toy --db $version.db --format csv
    same out <read.csv
    expect 0 poula runs --db $version.db --format csv
    same out <runs.csv
done

# Views that another version made, and what it knew of metrics: who reads has those of this one.
sql v2.db "PRAGMA journal_mode = DELETE; DROP VIEW summary; CREATE VIEW summary AS SELECT 1 AS mean;
    DROP VIEW study_summary; DROP VIEW submissions; UPDATE series SET direction = 2 WHERE name = 'loss';
    UPDATE meta SET value = 'old' WHERE key = 'views'" >out
every v2.db
kept v2.db 0 query "SELECT DISTINCT better FROM best WHERE metric = 'loss'"
contains out min
kept v2.db 0 query "SELECT n, std FROM summary LIMIT 1"
contains out std
equal "$(sql v2.db "SELECT mean FROM summary")" 1 "the view in the file"
expect 0 poula sweep toy.yaml --db v2.db --quiet
sql v2.db "SELECT count(*) FROM summary WHERE n > 1" >out
lacks out "Error"
equal "$(sql v2.db "SELECT DISTINCT better FROM best WHERE metric = 'loss'")" min "after a sweep"

# The one that comes along is under version control.
cp "$SOURCE_ROOT/results/replication.db" results.db
chmod u+w results.db
sql results.db "UPDATE meta SET value = 'old' WHERE key = 'views'"
touch -d 2020-02-02 results.db
kept results.db 0 report
kept results.db 0 plot --out figures-results
kept results.db 0 query "SELECT study FROM studies"
kept results.db 0 runs
kept results.db 0 show 1
kept results.db 0 export summary --out exported

# A damaged file of an older schema is named, and no copy of it is read.
head -c 60000 "$SOURCE_ROOT/tests/db/v1.db" >damaged.db
expect 1 poula runs --db damaged.db
contains err "damaged.db is damaged"
