# Networks that are killed again and again at random moments, supervisor and workers alike, end with the same bits in
# every metric as networks that were left alone; so do networks that are stopped with a signal.
cat >net.yaml <<'END'
studies:
- study: images
  task: {dataset: glyphs, train_images: 600, test_images: 60, valid: 60, batch: 24, epochs: 10, model: cnn, width: 6,
         depth: 2, dropout: 0.2, record_batches: 40, checkpoint_minutes: 0.0005}
  schedule: {decay: 0.5, every: 3}
  cases:
  - optimizer: {name: theopoula, lambda: 0.1, epsilon: 0.1, beta: 1e8, average: patience, average_after: 1}
  - optimizer: {name: adabelief, lambda: 0.003}
- study: text
  task: {dataset: markov, train_tokens: 2000, valid_tokens: 500, test_tokens: 300, model: awd_lstm, nlayers: 2, emsize: 16,
         nhid: 24, bptt: 20, batch: 4, test_batch: 4, epochs: 8, record_batches: 40, checkpoint_minutes: 0.0005}
  schedule: {decay: 0.5, patience: 2}
  cases:
  - optimizer: {name: theopoula, lambda: 10, epsilon: 1, beta: 1e8, average: patience, average_after: 1}
    task: {clip: 5}
  - optimizer: {name: nt_asgd, lambda: 100, nonmono: 1}
    task: {clip: 5}
END
curves="SELECT key, metric, epoch, value, kind FROM curves JOIN runs USING (run) WHERE metric NOT LIKE 'seconds%'
        AND metric NOT LIKE '%_per_second'
        ORDER BY key, metric, epoch"
bits() { sql "$1" "SELECT key, metric, epoch, printf('%!.20g', value), kind FROM ($curves)"; }

begun=$(date +%s.%N)
expect 0 poula sweep net.yaml --db whole.db --jobs 2
whole=$(date +%s.%N | awk -v begun="$begun" '{ print $1 - begun }')
bits whole.db >whole.curves
equal "$(wc -l <whole.curves)" 487 "values"
equal "$(sql whole.db "SELECT count(DISTINCT key) FROM curves JOIN runs USING (run) WHERE metric = 'averaged_from'")" 3 \
    "runs that came to average"
set -- $(sql whole.db "SELECT run || ' ' || epoch FROM curves WHERE metric = 'averaged_from' ORDER BY epoch DESC LIMIT 1")
expect 0 poula show "$1" --db whole.db
contains out "averaged    from epoch $2 on"
expect 0 poula report --study text --db whole.db
contains out "best-valid test_perplexity"
contains out "2 of 2 finished runs averaged their weights, from epoch "

# Moments from fixed seeds, spread over what a run takes. A study that came to its end is compared, and another begun.
enough=20 kills=0 part=0
while [ $kills -lt $enough ]; do
    part=$((part + 1))
    db=killed$part.db
    while [ $kills -lt $enough ]; do
        start part poula sweep net.yaml --db $db --jobs 2
        sleep "$(awk -v seed=$kills$part -v whole="$whole" 'BEGIN { srand(seed); printf "%.3f", whole * (0.05 + 0.25 * rand()) }')"
        kill -9 "$started" 2>/dev/null || break
        kills=$((kills + 1))
        wait "$started" 2>/dev/null || true
        [ ! -f $db ] || [ "$(count $db finished)" != 4 ] || break
    done
    expect 0 poula sweep net.yaml --db $db --jobs 2
    contains out "text: 2 finished"
    bits $db >killed.curves
    cmp whole.curves killed.curves || fail "curves differ after $kills kills"
    sql $db "SELECT log FROM attempts WHERE outcome = 'finished'" >>logs
    equal "$(ls killed$part-runs/*/ | grep -c checkpoint)" 0 "checkpoints left"
done
contains logs "goes on from a checkpoint"

# A signal: the run stops behind a batch and goes on from there.
start part poula sweep net.yaml --db stopped.db --jobs 2
wait_for 60 eval 'ls stopped-runs/*/checkpoint-1.safetensors'
kill -TERM "$started"
finish part 143 "$started"
[ "$(count stopped.db failed)" = 0 ] || fail "a run failed"
expect 0 poula sweep net.yaml --db stopped.db --jobs 2
bits stopped.db >stopped.curves
cmp whole.curves stopped.curves || fail "curves differ after a signal"
