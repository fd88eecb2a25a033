# kill -9 at random moments, of the supervisor, a worker, a program or all of them at once, in a sweep of problems,
# networks and commands: whatever was killed, in the end every value is there with the bits of a sweep that was left alone,
# no run has finished twice, and nothing runs on. $POULA_KILLS kills (a few by default; 100 by hand), from $POULA_SEED.
kills=${POULA_KILLS:-5} seed=${POULA_SEED:-$(date +%s)}
echo "POULA_KILLS=$kills POULA_SEED=$seed"
unset POULA_KILLS POULA_SEED # poula knows no such variables

cat >mixed.yaml <<'END'
studies:
- study: programs
  task:
    command:
    - sh
    - -c
    - |
      echo $$ >>pids
      sleep 30 &
      echo $! >>pids
      for e in 1 2 3 4 5; do sleep 0.12; echo epoch=$e loss={seed}.$e accuracy=0.$e; done
  seeds: {from: 1, to: 10}
- study: problems
  task: {problem: theta30, iterations: 3000, record: 20}
  optimizer: {name: [theopoula, adam], lambda: [0.1, 0.01]}
  seeds: {from: 1, to: 4}
- study: chains
  task: {problem: quadratic, dimension: 20, iterations: 40000, record: 40}
  optimizer: {name: sgld, lambda: 0.01}
  seeds: {from: 1, to: 4}
- study: images
  task: {dataset: glyphs, train_images: 300, test_images: 60, valid: 60, batch: 20, epochs: 4, model: cnn, width: 4,
         depth: 2, dropout: 0.2, record_batches: 12, checkpoint_minutes: 0.0005}
  optimizer: {name: theopoula, lambda: 0.1, epsilon: 0.1, average: patience, average_after: 1}
  seeds: [1, 2]
- study: texts
  task: {dataset: markov, train_tokens: 1500, valid_tokens: 300, test_tokens: 300, model: awd_lstm, nlayers: 1, emsize: 8,
         nhid: 12, bptt: 20, batch: 4, test_batch: 4, epochs: 3, record_batches: 20, checkpoint_minutes: 0.0005}
  optimizer: {name: nt_asgd, lambda: 10, nonmono: 1}
END

bits() {
    sql "$1" "SELECT key, metric, epoch, printf('%!.20g', value), kind FROM curves JOIN runs USING (run)
        WHERE metric NOT LIKE 'seconds%' AND metric NOT LIKE '%_per_second' ORDER BY key, metric, epoch"
}
ended() { sql "$1" "SELECT run, number, started, seconds, worker FROM attempts WHERE outcome = 'finished'"; }
# A number below $1, in $drawn.
state=$seed
draw() {
    state=$(((state * 1103515245 + 12345) % 2147483648))
    drawn=$((state / 65536 % $1))
}
# Numbers are used again: another process of that number works in another folder.
gone_from_here() { gone "$1" || [ "$(readlink "/proc/$1/cwd")" != "$(pwd -P)" ]; }
children() { ps -o pid= --ppid "$1" 2>/dev/null | tr -d ' '; }
one_of() { echo "$2" | awk -v n="$1" 'NF { line[count++] = $0 } END { if (count) print line[n % count] }'; }

moment=$(date +%s%N)
expect 0 poula sweep mixed.yaml --db whole.db --jobs 2
whole=$((($(date +%s%N) - moment) / 1000000)) # ms
bits whole.db >whole.bits
runs=$(sql whole.db "SELECT count(*) FROM runs")
[ "$runs" -gt 20 ] && [ "$(wc -l <whole.bits)" -gt 700 ] || fail "the sweep is too small to test anything"
programs_of_whole=$(wc -l <pids)

# A database that came to its end is compared, and another begun.
done=0 part=0 sweeps=0
: >tally; : >processes
while [ $done -lt "$kills" ]; do
    part=$((part + 1))
    db=killed$part.db
    : >seen
    code=1
    while [ $done -lt "$kills" ] && [ $code != 0 ]; do
        start sweep poula sweep mixed.yaml --db $db --jobs 2 --retry-failed
        sweeps=$((sweeps + 1))
        while [ $done -lt "$kills" ] && ! gone "$started"; do
            draw 1000
            sleep "$(awk -v n="$drawn" -v whole="$whole" 'BEGIN { print whole / 1000 * (0.01 + 0.2 * n / 1000) }')"
            workers=$(children "$started")
            sort pids >begun
            # Beside each program its guard is a child of the worker: that is left alone.
            programs=$(for worker in $workers; do children "$worker"; done | sort | comm -12 - begun)
            printf '%s\n' "$started" $workers >>processes
            draw 1000
            which=$drawn
            draw 10
            [ $drawn -lt 3 ] || [ $drawn -gt 5 ] || [ "$programs" ] || drawn=$((drawn - 3))
            case $drawn in
            0 | 1 | 2) who=supervisor victims=$started ;;
            3 | 4 | 5) who=program victims=$(one_of $which "$programs") ;;
            6 | 7) who=worker victims=$(one_of $which "$workers") ;;
            8) who=supervisor-and-worker victims="$(one_of $which "$workers") $started" ;;
            *) who=everything victims="$started $workers $programs" ;;
            esac
            [ -n "$victims" ] && kill -9 $victims 2>/dev/null || continue
            done=$((done + 1))
            echo $who >>tally
            [ ! -f $db ] || ended $db >>seen 2>/dev/null || true
        done
        code=0
        wait "$started" || code=$?
    done
    [ $code = 0 ] || expect 0 poula sweep mixed.yaml --db $db --jobs 2 --retry-failed
    equal "$(count $db finished)" "$runs" "runs finished after $done kills"
    equal "$(ended $db | wc -l) $(ended $db | cut -d '|' -f 1 | sort -u | wc -l)" "$runs $runs" \
        "attempts that finished, and their runs"
    ended $db | sort >ended
    sort -u seen | comm -23 - ended >changed
    [ ! -s changed ] || fail "attempts that had finished were changed: $(head -n 3 changed)"
    bits $db >killed.bits
    cmp whole.bits killed.bits || { diff whole.bits killed.bits | head -n 20 >&2; fail "values differ after $done kills"; }
    expect 0 poula verify --database --db $db
    if ls killed$part-runs/*/* 2>/dev/null | grep checkpoint; then fail "checkpoints are left"; fi
done
echo "$done kills in $sweeps sweeps of $part databases: $(sort tally | uniq -c | tr -s ' \n' ' ')"
for process in $(cat pids processes | sort -u); do
    wait_for 10 gone_from_here "$process"
done
[ "$(wc -l <pids)" -gt "$programs_of_whole" ] || [ "$kills" -lt 5 ] || fail "no program ran in a killed sweep"
