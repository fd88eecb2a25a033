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
equal "$examples" 12 "examples with a number of runs"

# A spec from standard input, and one that is not there.
poula sweep - --dry-run <01.yaml >out || fail "a spec on standard input is refused"
equal "$(tail -n 1 out)" "12 runs, 12 missing" "standard input"
expect 2 poula sweep bad.yaml --dry-run
