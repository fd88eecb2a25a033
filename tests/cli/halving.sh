# Studies that stop runs early: what goes on is the same whatever --jobs, kills and the history of the study.
cat >train.sh <<'END'
# LR UNTIL FOLDER SEED: goes on from what it left, and says it again: not all of it may have been written down
[ ! -e "$3/values" ] || cat "$3/values"
e=$(wc -l <"$3/values" 2>/dev/null || echo 0)
while [ "$e" -lt "$2" ]; do
    e=$((e + 1))
    line="epoch=$e valid_loss=$(echo "$1 $e $4" | awk '{ print ($1 - 0.3) ^ 2 + 1 / $2 + $3 / 1000 }')"
    echo "$line"
    { [ ! -e "$3/values" ] || cat "$3/values"; echo "$line"; } >"$3/new" && mv "$3/new" "$3/values"
done
END
cat >mixed.yaml <<'END'
studies:
- study: programs
  task: {command: [sh, train.sh, "{lr}", "{until}", "{run_folder}", "{seed}"]}
  settings: {lr: {uniform: [0, 1]}}
  epochs: 9
  search: {points: 6}
  stop: {by: valid_loss, keep: 1/3, at: [1, 3]}
  seeds: [1, 2]
- study: nets
  task: {dataset: glyphs, train_images: 200, test_images: 60, valid: 60, batch: 20, epochs: 5, model: mlp, dropout: 0.2}
  optimizer: {name: [adam, sgd], lambda: {log: [1e-4, 1]}}
  search: {points: 5}
  stop: {by: best valid_loss, keep: 1/3, at: [1, 2]}
- study: problems
  task: {problem: theta30, iterations: 8100, record: 81}
  optimizer: {name: [theopoula, adam], lambda: {log: [1e-5, 1]}, epsilon: {log: [1e-10, 1]}}
  search: {points: 9}
  stop: {by: loss, keep: 1/3, at: [300, 900, 2700]}
END
# All that is known but clocks and attempts.
content() {
    sql "$1" "SELECT s.study, key, s.status, s.stopped_at FROM study_runs AS s JOIN runs USING (run) ORDER BY 1, 2;
        SELECT key, metric, epoch, printf('%!.20g', value), kind FROM curves JOIN runs USING (run)
            WHERE metric NOT LIKE 'seconds%' AND metric NOT LIKE '%_per_second' ORDER BY 1, 2, 3;
        SELECT key, metric, which, epoch, printf('%!.20g', value), kind FROM rungs JOIN runs USING (run) ORDER BY 1, 2, 3, 4;
        SELECT study, metric, n, printf('%!.20g', mean), runs, finished, diverged, failed FROM study_summary
            WHERE metric NOT LIKE 'seconds%' AND metric NOT LIKE '%_per_second' ORDER BY 1, 2, 4, 5;"
}
outcomes() { # DB STUDY
    sql "$1" "SELECT group_concat(s, ' ') FROM (SELECT status || coalesce(stopped_at, '') || 'x' || count(*) AS s FROM study_runs
        WHERE study = '$2' GROUP BY status, stopped_at ORDER BY 1)"
}

# ---- what it will take is said before, and is what it takes where none diverges ----
expect 0 poula sweep mixed.yaml --dry-run --db none.db
contains out "programs: 12 runs to epoch 1, 4 to 3, 2 to the end"
contains out "programs: 32 of 108 epochs (29.6 %) if no run diverges"
contains out "nets: 10 runs to epoch 1, 2 to 2, 2 to the end"
contains out "nets: 18 of 50 epochs (36.0 %) if no run diverges"
contains out "problems: 18 runs to epoch 300, 6 to 900, 2 to 2700, 2 to the end"
contains out "problems: 32400 of 145800 epochs (22.2 %) if no run diverges, with those that are done again"
cat >brackets.yaml <<'END'
studies:
- study: many
  task: {problem: theta30, iterations: 810, record: 81}
  optimizer: {name: [theopoula, adam], lambda: {log: [1e-5, 1]}, epsilon: {log: [1e-10, 1]}}
  search: {points: 143}
  stop: {by: loss, keep: 1/3, at: [10, 30, 90, 270], hyperband: true}
- study: uneven
  task: {problem: theta30, iterations: [20, 810], record: 81}
  optimizer: {name: [theopoula, adam], lambda: {log: [1e-5, 1]}}
  search: {points: 9}
  stop: {by: loss, keep: 0.5, at: [30, 90, 270], over: [iterations, lambda]}
END
expect 0 poula sweep brackets.yaml --dry-run --db none.db
contains out "many: bracket 1: 162 runs to epoch 10, 54 to 30, 18 to 90, 6 to 270, 2 to the end"
contains out "many: bracket 4: 16 runs to epoch 270, 4 to the end"
contains out "many: bracket 5: 10 runs to the end"
grep "^uneven: about [0-9]* of 14940 epochs" out >rest || fail "epochs of uneven runs are said for sure"
saving=$(sed -n 's/^many: \([0-9]* of [0-9]* epochs\) (.*/\1/p' out)
expect 0 poula sweep brackets.yaml --db many.db
contains out "many: $saving were run"

# ---- any number of workers, and kills ----
expect 0 poula sweep mixed.yaml --db one.db --jobs 1
sed 's/, [0-9.]* s\(,.*\)*$//' out >counts
same counts <<'END'
programs: 2 finished, 0 diverged, 0 failed, 10 stopped
programs: 32 of 108 epochs were run (29.6 %)
nets: 2 finished, 0 diverged, 0 failed, 8 stopped
nets: 18 of 50 epochs were run (36.0 %)
problems: 2 finished, 0 diverged, 0 failed, 16 stopped
problems: 32400 of 145800 epochs were run (22.2 %)
END
content one.db >one
[ "$(wc -l <one)" -gt 700 ] || fail "the sweep is too small to test anything"
for jobs in 2 8; do
    expect 0 poula sweep mixed.yaml --db $jobs.db --jobs $jobs
    content $jobs.db >many
    cmp one many || { diff one many | head >&2; fail "--jobs $jobs has another content"; }
done
kills=0 code=1 db=killed.db state=${POULA_SEED:-$(date +%s)}
[ "$SLOW" = 0 ] || code=0 db=2.db # kills at random in the release build alone
echo "seed $state"
while [ $code != 0 ]; do
    start sweep poula sweep mixed.yaml --db killed.db --jobs 3 --retry-failed
    state=$(((state * 1103515245 + 12345) % 2147483648))
    sleep "0.$((state / 65536 % 8 + 2))"
    case $((state / 1048576 % 3)) in
    0) victim=$started ;;
    1) victim=$(ps -o pid= --ppid "$started" | tr -d ' ' | head -n 1) ;;
    *) victim="$(ps -o pid= --ppid "$started" | tr -d ' ' | tail -n 1) $started" ;;
    esac
    [ $kills -ge 6 ] || kill -9 $victim 2>/dev/null || true
    kills=$((kills + 1))
    code=0
    wait "$started" || code=$?
    [ $code = 0 ] || timeout 100 "$POULA" sweep mixed.yaml --db killed.db --retry-failed --limit 1 >out 2>err || [ $? = 1 ] || fail "a part of a sweep does not end"
    [ $kills -lt 60 ] || fail "it comes to no end"
done
content $db >many
cmp one many || { diff one many | head >&2; fail "kills leave another content"; }
expect 0 poula verify --database --db $db
expect 0 poula sweep mixed.yaml --db one.db # nothing is left to do
contains out "programs: 2 finished, 0 diverged, 0 failed, 10 stopped, 0.00 s"
expect 0 poula sweep mixed.yaml --db one.db --dry-run
contains out "programs stopped"
contains out "40 runs, 0 missing"

equal "$(sql one.db "SELECT count(*) FROM attempts JOIN runs USING (run) WHERE dataset IS NOT NULL AND number = 2 AND log LIKE '%goes on from a checkpoint in epoch 2%'")" \
    "$(sql one.db "SELECT count(*) FROM attempts JOIN runs USING (run) WHERE dataset IS NOT NULL AND number = 2")" "networks that went on from a checkpoint"

# What survived is what a sweep that stops nothing trains, to the bit.
sed '/stop:/d' mixed.yaml >whole.yaml
expect 0 poula sweep whole.yaml --db whole.db --jobs 2
content whole.db >whole
sql one.db "SELECT key FROM runs WHERE status = 'finished'" >survivors
for file in one whole; do grep -F -f survivors $file | grep -v '|last|\|best|\|finished' >$file.kept; done
[ "$(wc -l <one.kept)" -gt 100 ] || fail "nothing survived"
grep -v '|best|\|last|' one.kept | cmp - whole.kept || fail "survivors are not what they would be whole"

# ---- more points: what a larger search decides from the beginning ----
sed 's/points: [0-9]*/points: 12/; /study: nets/,/study: problems/{/study: problems/!d}' mixed.yaml >large.yaml
cp -r one-runs grown-runs; cp one.db grown.db
expect 0 poula sweep large.yaml --db grown.db --jobs 2
expect 0 poula sweep large.yaml --db large.db --jobs 2
# A run that went further before other points came has the values that it has; where the study stops it is the same.
decided() {
    sql "$1" "SELECT s.study, key, s.status, s.stopped_at FROM study_runs AS s JOIN runs USING (run) WHERE s.study IN ('programs', 'problems') ORDER BY 1, 2;
        SELECT s.study, key, metric, epoch, printf('%!.20g', value), kind FROM curves AS c JOIN study_runs AS s USING (run) JOIN runs USING (run)
            WHERE s.study IN ('programs', 'problems') AND (s.stopped_at IS NULL OR epoch <= s.stopped_at) ORDER BY 1, 2, 3, 4;
        SELECT study, metric, n, printf('%!.20g', mean), runs, finished, diverged, failed FROM study_summary
            WHERE study IN ('programs', 'problems') AND n > 0 ORDER BY 1, 2, 4, 5;"
}
decided grown.db >grown
decided large.db >large
[ "$(wc -l <large)" -gt 300 ] || fail "the larger search is too small"
cmp grown large || { diff grown large | head >&2; fail "a search that grew is another one"; }
