# poula query: formats, errors, the views' columns, and every query of docs/database.md.

# A database with every outcome: finished, diverged, failed, interrupted-never.
cat >study.yaml <<'END'
study: compare
task: {problem: theta30, iterations: 200, record: 20}
optimizer: {name: [theopoula, adam, sgd], lambda: [0.1, 0.01]}
seeds: [1, 2, 3]
END
cat >broken.yaml <<'END'
study: broken
task: {command: [sh, -c, "echo loss=1; echo 'it is broken' >&2; exit 3"]}
seeds: [1]
END

# Without a database nothing is made.
expect 1 poula query "SELECT 1"
contains err "results/poula.db"
contains err "poula sweep"
[ ! -e results ] || fail "a query made results/"

expect 0 poula sweep study.yaml
expect 1 poula sweep broken.yaml

# The ten queries run, in poula and in sqlite3, and find something.
awk '/^```sql$/ {n++; take = 1; next} /^```$/ {take = 0} take {print >("doc" n ".sql")}' "$SOURCE_ROOT/docs/database.md"
equal "$(ls doc*.sql | wc -l)" 10 "queries in docs/database.md"
for n in 1 2 3 4 5 6 7 8 9 10; do
    expect 0 poula query --file doc$n.sql --format csv
    [ "$(wc -l <out)" -ge 2 ] || fail "query $n of docs/database.md finds nothing"
    sqlite3 -batch results/poula.db <doc$n.sql >plain || fail "sqlite3 refuses query $n"
    equal "$(wc -l <plain)" "$(($(wc -l <out) - 1))" "rows of query $n"
done

# B6: values of different problems are never paired.
cat >two.yaml <<'END'
study: two
task: {problem: [theta30, quadratic], iterations: 50, record: 5}
optimizer: {name: [theopoula, adam, sgd], lambda: 0.1}
seeds: [1, 2, 3]
END
expect 0 poula sweep two.yaml --db two.db
expect 0 poula query --db two.db --file doc9.sql --format csv
[ "$(cut -d, -f1,3 out | tr '\n' ' ')" = "problem,n quadratic,3 theta30,3 " ] || fail "B6: query 9 pairs runs of two problems"
for n in 3 8; do
    expect 0 poula query --db two.db --file doc$n.sql --format csv
    equal "$(grep -c '^quadratic' out) $(grep -c '^theta30' out)" "3 2" "B6: optimizers of each problem in query $n"
done

# B7: a configuration that diverged in every run has no mean, and does not come first where configurations are ranked: in the
# README's query, and in those of docs/database.md.
readme=$(sed -n 's/^\$ poula query "\(.*\)"$/\1/p' "$SOURCE_ROOT/README.md")
[ -n "$readme" ] || fail "the README has no query"
equal "$(sql two.db "SELECT optimizer, problem, diverged, runs FROM summary WHERE metric = 'loss' AND n = 0")" "sgd|theta30|3|3" \
    "B7: a configuration that diverged in every run"
ranked() { poula query --db two.db --format csv "$1" | cut -d, -f"$2" | tail -n +2 | head -n 1; }
equal "$(ranked "$(echo "$readme" | sed 's/ AND n > 0//')" 4)" "" "B7: the README's query without its condition"
equal "$(ranked "$(sed 's/ AND n > 0//; s/problem, mean/mean/' doc2.sql)" 5)" "" "B7: query 2 without its condition"
for n in readme 1 2 3 8; do
    [ $n = readme ] && query=$readme || query=$(cat doc$n.sql)
    expect 0 poula query --db two.db "$query"
    lacks out NULL
    for db in two.db results/poula.db; do
        expect 0 poula query --db $db --format csv "$query"
        [ "$(wc -l <out)" -ge 2 ] || fail "B7: query $n of $db finds nothing"
    done
done

# Every column that the document names exists, and every fixed column of a view is in the document.
expect 0 poula query
for view in runs best summary curves studies study_runs study_best study_summary attempts provenance; do
    contains out "$view("
    sql results/poula.db "SELECT name FROM pragma_table_info('$view') WHERE name NOT IN (SELECT name FROM setting_key)" >columns
    while read -r column; do
        grep -qw -- "$column" "$SOURCE_ROOT/docs/database.md" || fail "docs/database.md lacks $view.$column"
    done <columns
done

# Formats.
rows="SELECT 1 AS n, 'a|b' AS text, NULL AS absent, 0.1 AS real, 9e999 AS big UNION ALL SELECT 22, 'λ, \"q\"', 3, -1e-300, -9e999"
expect 0 poula query "$rows"
same out <<'END'
 n  text    absent     real   big
--  ------  ------  -------  ----
 1  a|b       NULL      0.1   inf
22  λ, "q"       3  -1e-300  -inf
END
expect 0 poula query "$rows" --format markdown
same out <<'END'
|   n | text   | absent |    real |  big |
| --: | ------ | -----: | ------: | ---: |
|   1 | a\|b   |   NULL |     0.1 |  inf |
|  22 | λ, "q" |      3 | -1e-300 | -inf |
END
expect 0 poula query "$rows" --format csv
same out <<'END'
n,text,absent,real,big
1,a|b,,0.1,inf
22,"λ, ""q""",3,-1e-300,-inf
END
expect 0 poula query "$rows; SELECT 1 WHERE 0" --format json
same out <<'END'
[
  {"n": 1, "text": "a|b", "absent": null, "real": 0.1, "big": "inf"},
  {"n": 22, "text": "λ, \"q\"", "absent": 3, "real": -1e-300, "big": "-inf"}
]

[]
END
expect 0 poula query "SELECT 'two
lines' AS t, x'00ff' AS b"
contains out 'two\nlines  00ff'
expect 0 poula query "SELECT 1 AS a; SELECT 2 AS b" --format csv
same out <<'END'
a
1

b
2
END

# Numbers read back to the same bits.
expect 0 poula query "SELECT 0.1 + 0.2, 1e-300, 9007199254740993" --format csv
contains out "0.30000000000000004,1e-300,9007199254740993"

# From standard input, from a file, from a long answer.
echo "SELECT count(*) AS runs FROM runs" >q.sql
expect 0 poula query --file q.sql
contains out 19
code=0; "$POULA" query - <q.sql >out 2>err || code=$?
equal $code 0 "exit code of query -"
contains out 19
expect 0 poula query "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 5000) SELECT i FROM c"
equal "$(wc -l <out)" 5002 "lines of a long answer"
"$POULA" query "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c) SELECT i FROM c" 2>err | head -n 1 >first
equal "$(tr -d " " <first)" i "first line of an endless answer"

# Refused.
for wrong in "DELETE FROM run" "CREATE TEMP TABLE t (a)" "ATTACH 'x.db' AS x" "PRAGMA user_version = 3" "SELEC 1" "" \
    "SELECT nothing FROM runs" "UPDATE runs SET seed = 1" "BEGIN"; do
    expect 2 poula query "$wrong"
    [ -s err ] || fail "no reason for refusing: $wrong"
done
expect 2 poula query "SELECT
  nothing FROM runs"
contains err "line 2, column 3"
expect 2 poula query "SELECT 1" --file q.sql
expect 2 poula query --file missing.sql
expect 2 poula query --tables "SELECT 1"
contains err "--tables lists the views, and takes no SQL"
equal "$(sql results/poula.db 'SELECT count(*) FROM run')" 19 runs
[ ! -e x.db ] || fail "a query made x.db"

# A full disk under the answer is an error.
if [ -e /dev/full ]; then
    code=0; "$POULA" query "SELECT * FROM runs" >/dev/full 2>err || code=$?
    equal $code 1 "exit code with a full disk"
fi

# A column whose name other languages reserve has a second one; a setting that is called so keeps it.
cat >words.yaml <<'END'
study: words
task: {command: [sh, -c, "echo loss={order}"]}
settings: {order: [1, 2], in: 3, in_: 4}
END
expect 0 poula sweep words.yaml --db words.db
expect 0 poula query 'SELECT "order", order_, "in", in_ FROM runs' --db words.db --format csv
same out <<'END'
order,order_,in,in_
1,1,3,4
2,2,3,4
END

# Columns of one name stay apart where a row maps names to values.
expect 0 poula query 'SELECT 1 AS a, 2 AS a, 3 AS "a:1", 4 AS a, 5 AS b' --format json
contains out '{"a": 1, "a:2": 2, "a:1": 3, "a:3": 4, "b": 5}'
expect 0 poula query 'SELECT 1 AS a, 2 AS a' --format csv
contains out "a,a"
