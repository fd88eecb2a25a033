# The examples of docs/specs.md: each complete one gives the number of runs that it states, the faulty one the
# complaints that follow it.
awk '
/^```yaml$/ { file = sprintf("%02d.yaml", ++n); next }
/^```text$/ { file = sprintf("%02d.text", n); next }
/^```$/ { if (file) close(file); file = ""; next }
file { print > file }
' "$SOURCE_ROOT/docs/specs.md"

examples=0
for example in ??.yaml; do
    cp "$example" spec.yaml
    if [ -f "${example%.yaml}.text" ]; then
        expect 2 poula sweep spec.yaml --dry-run
        grep '^spec\.yaml:' err >complaints
        same complaints <"${example%.yaml}.text"
        continue
    fi
    runs=$(sed -n '1s/^# runs: //p' spec.yaml)
    [ -n "$runs" ] || fail "$example states no number of runs"
    expect 0 poula sweep spec.yaml --dry-run
    equal "$(tail -n 1 out)" "$(listed $runs)" "$example"
    sed -n 's/^# runs with --scale \(.*\): \(.*\)/\1 \2/p' spec.yaml >scales
    while read -r scale runs; do
        expect 0 poula sweep spec.yaml --dry-run --scale "$scale"
        equal "$(tail -n 1 out)" "$runs runs, $runs missing" "$example in $scale"
    done <scales
    examples=$((examples + 1))
done
equal "$examples" 14 "examples with a number of runs"

# A spec from standard input, and one that is not there.
poula sweep - --dry-run <01.yaml >out || fail "a spec on standard input is refused"
equal "$(tail -n 1 out)" "12 runs, 12 missing" "standard input"
expect 2 poula sweep bad.yaml --dry-run

# Runs that differ only in what changes nothing there are said to be the same training, before any of them begins (B12).
cat >idle.yaml <<'END'
study: sensitivity
task: {problem: theta30, iterations: 20}
optimizer: {name: theopoula, lambda: [0.1, 0.05, 0.01], epsilon: [0.1, 0.01, 0.001], eta: [0, 0.1], r: [0, 0.5, 1, 2], beta: [1e8, 1e10]}
seeds: [1, 2, 3]
END
same="poula sweep: sensitivity: r of theopoula has no effect when eta=0, so 162 of 432 runs are the same training as another one, under another key"
expect 0 poula sweep idle.yaml --dry-run
equal "$(tail -n 1 out)" "432 runs, 432 missing" "B12: all runs are listed"
equal "$(grep 'no effect' err)" "$same" "B12: said by the dry run"
expect 0 poula sweep idle.yaml --db idle.db
equal "$(grep 'no effect' err)" "$same" "B12: said by the sweep"
equal "$(sql idle.db "SELECT sum(n), count(*), max(k) FROM (SELECT count(*) AS n, count(DISTINCT last) AS k FROM best
    WHERE metric = 'theta' AND eta = 0 GROUP BY lambda, epsilon, beta, seed)")" "216|54|1" "B12: trainings among the runs with eta = 0"
sed 's/^seeds/exclude: [{eta: 0, r: [0.5, 1, 2]}]\n&/' idle.yaml >excluded.yaml
expect 0 poula sweep excluded.yaml --dry-run
equal "$(tail -n 1 out) $(grep -c 'no effect' err)" "270 runs, 270 missing 0" "B12: excluded"

# A study is in one file of a sweep; the same file again is nothing new.
printf 'study: twice\ntask: {problem: theta30, iterations: 20}\noptimizer: {name: sgd, lambda: 0.1}\n' >one.yaml
sed 's/0.1/0.2/' one.yaml >two.yaml
expect 2 poula sweep one.yaml two.yaml --db twice.db
contains err "study twice is in one.yaml and in two.yaml: one sweep takes it from one file"
[ ! -e twice.db ] || fail "something was written"
expect 0 poula sweep one.yaml one.yaml --dry-run
equal "$(tail -n 1 out)" "1 runs, 1 missing" "a file that is named twice"

# A metric that none of poula's own tasks records is told before the training, not behind it; what a program reports nobody knows.
cat >slip.yaml <<'END'
study: slip
task: {problem: theta30, iterations: 20}
optimizer: {name: sgd, lambda: [0.1, 0.2]}
tables: [{rows: lambda, value: last lsos}]
figures: [{kind: curves, y: theta}, {kind: sensitivity, x: lambda, y: last qqqqqqqq}]
END
expect 0 poula sweep slip.yaml --dry-run
contains err "poula sweep: slip: no task of poula's own records lsos; did you mean loss?"
contains err "poula sweep: slip: no task of poula's own records qqqqqqqq (poula show metrics lists what there is)"
lacks err "records theta"
sed 's/task: .*/task: {command: [echo, "lsos={lambda}"]}/; s/^optimizer: .*/settings: {lambda: [0.1, 0.2]}/' slip.yaml >told.yaml
expect 0 poula sweep told.yaml --dry-run
lacks err "of poula's own"
