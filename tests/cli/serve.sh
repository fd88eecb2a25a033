# poula serve without a browser: who is answered, what is answered, and what is not.
cat >spec.yaml <<'EOF'
study: served
task: {command: [sh, -c, "for e in 1 2 3; do echo epoch=$e acc=0.$e'{seed}' loss=$e; done; echo said something >&2; [ {depth} != 3 ]"]}
settings: {way: ["a<img src=x onerror=alert(1)>", plain], depth: [1, 2, 3]}
seeds: [1, 2]
EOF
expect 1 poula serve
contains err 'there is no database'
expect 2 poula serve --port 0
expect 1 poula sweep spec.yaml --quiet
expect 2 poula serve --listen example.com
contains err 'must be numbers'
before=$(sha256sum results/poula.db)

start serve poula serve
serve=$started
wait_for 10 grep -q http serve.out
base=$(cat serve.out)
case $base in http://127.0.0.1:*/????????????????????????????????/) ;; *) fail "the address is $base" ;; esac
origin=${base%/*/} port=${base#http://127.0.0.1:} port=${base#*1:} port=${port%%/*}
contains serve.err "ssh -L $port:127.0.0.1:$port"

get() { # CODE PATH [OPTION...]: the answer in out
    want=$1 path=$2; shift 2
    code=$(curl -s -g -o out -w '%{http_code}' "$@" "$base$path") || fail "curl: $path"
    equal "$code" "$want" "answer to $path"
}

# Without the token, with a wrong one, under another machine's name, by another method: nothing.
for wrong in "$origin/" "$origin/runs" "$origin/0123456789abcdef0123456789abcdef/" "${base%?/}/" "${base%/}0/" "$origin//"; do
    equal "$(curl -s -o out -w '%{http_code}' "$wrong")" 403 "$wrong"
    lacks out served
done
for host in "$(uname -n)" evil.example evil.example:"$port" 127.0.0.1.evil.example localhost.evil.example "[::1].evil.example" 127.0.0.1:x; do
    get 403 "" -H "Host: $host"
    lacks out served
done
for host in localhost localhost:9999 127.0.0.1 "[::1]:$port"; do
    get 200 "" -H "Host: $host"
done
for method in POST PUT DELETE PATCH OPTIONS; do
    get 405 "sql?q=SELECT+1" -X $method -d "q=DELETE FROM run"
done
curl -s -I "$base" >out; contains out '200 OK'
for header in "Content-Security-Policy: default-src 'none'; script-src 'self'" 'Referrer-Policy: no-referrer' 'nosniff' 'no-store'; do
    contains out "$header"
done
get 404 nothing
get 404 ../../etc/passwd --path-as-is
# From the kernel's tables: ss is not on every machine. 0A: it listens; 01: it is connected.
hex=$(printf %04X "$port")
listens_at() { awk -v at="$1:$hex" '$2 == at && $4 == "0A"' /proc/net/tcp /proc/net/tcp6 2>/dev/null | wc -l; }
equal "$(listens_at 0100007F)" 1 "sockets at 127.0.0.1"
equal "$(listens_at 00000000) $(listens_at 00000000000000000000000000000000)" "0 0" "sockets that others reach"

# Pages.
get 200 ""
contains out 'href="study?name=served"'
contains out '12 runs, 8 finished, 4 failed'
get 200 "study?name=served"
contains out '<caption>'
contains out 'said something'
contains out 'class="lines"'
get 200 "study?name=nobody"
contains out 'class="message"'
get 200 "run?id=1"
contains out '<h1>Run 1</h1>'
contains out '&#34;m&#34;:[0.11,0.21,0.31]'
get 200 "run?id=%3Cscript%3E"
lacks out '<script>'
get 200 "compare?run=1&run=3"
contains out '<tr class="differs"><th scope="row">depth</th><td>1</td><td>2</td></tr>'
get 200 "compare?config=1&config=2"
contains out '0.315 ± 0.00707 (2 of 2 finished)'
get 200 "page.js"; get 200 "live.js"; get 200 "page.css"

# Runs: filter, sort, and what is wrong with them.
rows() { grep -c 'name="run"' out || true; }
get 200 "runs"; equal "$(rows)" 12 runs
get 200 "runs?where=depth%3C3%3Bseed%3D1"; equal "$(rows)" 4 "runs that are filtered"
get 200 "runs?where=depth+%3C+3+seed+%3D+1"; equal "$(rows)" 4 "the same with blanks"
get 200 "runs?study=served&where=status=failed"; equal "$(rows)" 4 "failed runs"
get 200 "runs?where=acc%3E0.315&metric=acc"; equal "$(rows)" 4 "runs by a metric"
get 200 "runs?where=way=a%3Cimg+src=x+onerror=alert(1)%3E;depth=1"; equal "$(rows)" 2 "runs of the hostile name"
lacks out '<img'
get 200 "runs?sort=acc&down=1&metric=acc&where=depth=1"
equal "$(sed -n 's/.*<th scope="row"><a href="run?id=\([0-9]*\)">.*/\1/p' out | head -n 2 | sort | tr '\n' ' ')" "2 8 " "the best runs first"
get 200 "runs?where=nothing=1"; contains out 'class="message"'
get 200 "runs?where=nonsense"; contains out 'is not understood'
get 200 "runs?sort=run;DROP+TABLE+run"; contains out 'class="message"'
get 200 "runs?page=99999"; equal "$(rows)" 0 "runs of a page that is not"

# SQL: it may select, and nothing else, for five seconds and 10,000 rows.
get 200 "sql?q=SELECT+count(*)+AS+n+FROM+runs"; contains out '<td class="n">12</td>'
for sql in "ATTACH 'other.db' AS o" "PRAGMA database_list" "SELECT * FROM pragma_table_info('run')" "DELETE FROM run" "UPDATE run SET seed = 1" \
    "DROP VIEW runs" "CREATE TABLE t (x)" "VACUUM INTO 'copy.db'" "BEGIN" "SELECT load_extension('x')" "EXPLAIN DELETE FROM run" "SAVEPOINT a" \
    "SELECT 1; DELETE FROM run"; do
    get 200 sql -G --data-urlencode "q=$sql"
    contains out 'class="message"'
done
[ ! -e other.db ] && [ ! -e copy.db ] || fail "SQL of a page has made a file"
get 200 sql -G --data-urlencode "q=WITH RECURSIVE t (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t) SELECT x FROM t"
contains out '10000 rows'
contains out 'there are more'
begun=$(date +%s)
get 200 sql -G --data-urlencode "q=WITH RECURSIVE t (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t) SELECT count(*) FROM t" --max-time 60
contains out 'was stopped because it took more than 5 s'
[ $(($(date +%s) - begun)) -le 30 ] || fail "a query took $(($(date +%s) - begun)) s"
get 200 sql -G --data-urlencode "q=SELECT hex(zeroblob(900000)) FROM runs, runs AS o"
[ "$(wc -c <out)" -le 12000000 ] || fail "an answer of $(wc -c <out) bytes"

# What is asked leaves no transaction behind: the writer can start its log anew, and serve sees what is new.
version=$(curl -s "${base}version")
equal "$(sha256sum results/poula.db)" "$before" "the database"
sed 's/served/second/; s/\[1, 2, 3\]/[4]/' spec.yaml >second.yaml
expect 0 poula sweep second.yaml --quiet
equal "$(sql results/poula.db 'PRAGMA wal_checkpoint(TRUNCATE)')" '0|0|0' "checkpoint"
[ "$(curl -s "${base}version")" != "$version" ] || fail "the version of the data did not change"
get 200 ""
contains out 'second'
get 200 "?part=1"
lacks out '<html'

# While a run trains its page gains points, and the sweep is seen.
slow() { printf 'study: slow\ntask: {command: [sh, -c, "for e in $(seq 1 100); do echo epoch=$e loss=$e; sleep 0.1; done"]}\n'; }
slow >slow.yaml
start sweep poula sweep slow.yaml --quiet
sweep=$started
points() { curl -s "${base}run?id=$1" | sed -n 's/.*&#34;m&#34;:\[\([0-9.,]*\)\].*/\1/p' | head -n 1 | tr ',' '\n' | grep -c .; }
run=17
has_points() { [ "$(points $run || true)" -ge "$1" ]; }
wait_for 20 has_points 2
get 200 ""; contains out 'Sweeps at work'; contains out 'Runs that train'
wait_for 20 has_points 8
kill -INT "$sweep"; wait "$sweep" || true

# Who says nothing, and queries that take long, keep nobody waiting.
mkfifo silence
for i in $(seq 70); do
    curl -s "telnet://127.0.0.1:$port" <silence >/dev/null 2>&1 &
done
exec 6>silence
connected() { [ "$(awk -v to=":$hex\$" '$3 ~ to && $4 == "01"' /proc/net/tcp | wc -l)" -ge "$1" ]; }
wait_for 30 connected 70
for i in 1 2 3 4; do
    curl -s -g "${base}sql?part=1&q=WITH+RECURSIVE+t(x)+AS+(SELECT+1+UNION+ALL+SELECT+x%2B1+FROM+t)+SELECT+count(*)+FROM+t" >long.$i &
done
sleep 1
get 200 "" --max-time 4
exec 6>&-

# Without its last character the address still leads to the page.
equal "$(curl -s -o out -w '%{http_code} %{redirect_url}' "${base%/}")" "302 $base" "the address without its end"

# The database may be replaced, deleted and made again: what is shown is what stands under its name.
shows() { get 200 "?part=1"; grep -qF -e "$1" out; }
version=$(curl -s "${base}version")
sed 's/served/replaced/' spec.yaml >replaced.yaml
expect 1 poula sweep replaced.yaml --db other.db --quiet
mv other.db results/poula.db
rm -f results/poula.db-wal results/poula.db-shm
shows replaced || fail "the file that was replaced is shown"
[ "$(curl -s "${base}version")" != "$version" ] || fail "the version of the data did not change"
rm results/poula.db
get 200 ""; contains out 'class="message"'; contains out 'there is no database'
version=$(curl -s "${base}version")
expect 1 poula sweep replaced.yaml --quiet
shows replaced || fail "the file that was made again is not shown"
[ "$(curl -s "${base}version")" != "$version" ] || fail "the version of the data did not change"

# Another one takes another port; Ctrl-C ends both at once.
start other poula serve --listen ::1
other=$started
wait_for 10 grep -q 'http://\[::1\]' other.out
equal "$(curl -s -g -o out -w '%{http_code}' "$(cat other.out)")" 200 "answer over IPv6"
kill -INT "$other" "$serve"
finish other 0 "$other"
finish serve 0 "$serve"
expect 1 poula serve --port 1 --listen 203.0.113.1
contains err 'cannot listen'
