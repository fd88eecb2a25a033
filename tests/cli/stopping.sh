# What else a study that stops runs early does: failed runs, programs that do not end by themselves, runs that another study
# wants whole, brackets, and what reports, figures and later studies make of it.
cat >train.sh <<'END'
# LR UNTIL FOLDER SEED: goes on from what it left
e=$(cat "$3/epoch" 2>/dev/null || echo 0)
[ ! -e broken ] || [ "$1-$4" != 0.4-1 ] || exit 3
while [ "$e" -lt "$2" ]; do
    e=$((e + 1))
    echo "epoch=$e valid_loss=$(echo "$1 $e $4" | awk '{ print ($1 - 0.3) ^ 2 + 1 / $2 + $3 / 1000 }')"
    echo $e >"$3/new" && mv "$3/new" "$3/epoch"
done
END
cat >study.yaml <<'END'
studies:
- study: search
  task: {command: [sh, train.sh, "{lr}", "{until}", "{run_folder}", "{seed}"]}
  settings: {lr: [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]}
  epochs: 9
  stop: {by: valid_loss, keep: 1/3, at: [1, 3]}
  seeds: [1, 2]
  tables:
  - {rows: lr, value: valid_loss}
  - {rows: [], value: valid_loss, select: {best: 1, over: lr, by: last valid_loss}}
  figures: {kind: curves, y: valid_loss, lines: lr}
- study: final
  task: {command: [sh, train.sh, "{lr}", "{until}", "{run_folder}", "{seed}"]}
  settings: {lr: {from: search}}
  epochs: 9
  seeds: [11]
END
outcomes() { # DB STUDY
    sql "$1" "SELECT group_concat(s, ' ') FROM (SELECT status || coalesce(CAST(stopped_at AS INTEGER), '') || 'x' || count(*) AS s
        FROM study_runs WHERE study = '$2' GROUP BY status, stopped_at ORDER BY 1)"
}

# ---- medians decide about each run as it comes, and for good ----
cat >median.yaml <<'END'
study: median
task: {command: [sh, train.sh, "{lr}", "{until}", "{run_folder}", "{seed}"]}
settings: {lr: [0.1, 0.5, 0.4, 0.3, 0.2, 0.35, 0.9, 0.31]}
epochs: 9
stop: {by: valid_loss, median: true, startup: 2, at: [1, 3]}
END
expect 0 poula sweep median.yaml --dry-run
contains out "median: at most 72 epochs; how many runs are stopped depends on which come first"
expect 0 poula sweep median.yaml --db median.db --jobs 3
decided() {
    sql median.db "SELECT r.lr || ' ' || s.status || ' ' || coalesce(s.stopped_at, '') FROM study_runs AS s JOIN runs AS r USING (run)
        WHERE s.study = 'median' AND r.lr < 1 ORDER BY r.lr"
}
decided >before
grep -qx '0.3 finished ' before || fail "the best was stopped: $(cat before)"
grep -qx '0.9 stopped 1.0' before || fail "the worst was not stopped at once: $(cat before)"
expect 0 poula sweep median.yaml --db median.db
decided | cmp -s - before || fail "what was decided changed: $(decided)"
sed -i 's/0.31\]/0.31, 1.5, 1.6]/' median.yaml # more points
expect 0 poula sweep median.yaml --db median.db
grep finished before >kept
decided >after
[ -z "$(grep -vxFf after kept)" ] || fail "more points stopped what had gone on: $(cat after)"

# ---- a failed run holds its rung, until it is tried again or ranks last ----
touch broken
expect 1 poula sweep study.yaml
contains err "search: run 7 failed before epoch 1, where it is decided which runs go on; --retry-failed tries it again, and stop: {failed: last} ranks it last"
contains out "5 missing"
equal "$(outcomes results/poula.db search)" "failedx1 finishedx1 interruptedx5 stopped1x4 stopped3x1" "outcomes while it failed"
contains err "nothing of final was started"
sed 's/at: \[1, 3\]/&, failed: last/' study.yaml >last.yaml
expect 1 poula sweep last.yaml --db last.db
equal "$(outcomes last.db search)" "failedx1 finishedx2 stopped1x7 stopped3x2" "outcomes where it ranks last"
rm broken
expect 0 poula sweep study.yaml --retry-failed
contains err "final takes lr=0.3"
equal "$(outcomes results/poula.db search)" "finishedx2 stopped1x8 stopped3x2" outcomes
expect 0 poula sweep last.yaml --db last.db --retry-failed
equal "$(outcomes last.db search)" "finishedx2 stopped1x8 stopped3x2" "outcomes after a second try"

# ---- what is seen of it ----
expect 0 poula runs --study search --status stopped
equal "$(grep -c ' stopped .* 1  reached 1, where' out)" 8 "runs that are listed"
expect 0 poula report --study search
contains out "0.1         stop 2/2"
contains out "10 of 12 runs were stopped early and are in no mean."
contains out "5 of 6 configurations have runs that were stopped early; they rank below the others."
expect 0 poula show study search
contains out "12: 2 finished, 0 diverged, 0 failed, 0 missing, 10 stopped early"
expect 0 poula report --study search --format csv
contains out "n,planned,diverged,failed,missing,best,stopped"
expect 0 poula report --study search --tuning
contains out "were stopped early and count as worse than all that finished"
expect 0 poula plot --study search --out plots --keep
contains err "10 runs were stopped early and are drawn until there."
equal "$(sql results/poula.db "SELECT runs, finished, stopped FROM studies WHERE study = 'search'")" "12|2|10" "the view studies"
equal "$(sql results/poula.db "SELECT count(*) FROM summary WHERE n > 0 AND metric = 'valid_loss' AND config IN (SELECT config FROM runs WHERE status = 'stopped')")" \
    0 "means of stopped runs"

# ---- another study wants all of them whole: there they finish, and here they stay what they were ----
sed '/stop:/d; s/study: search/study: whole/; /study: final/,$d; /  tables/,/  figures/d' study.yaml >whole.yaml
expect 0 poula sweep whole.yaml
contains out "whole: 12 finished, 0 diverged, 0 failed"
equal "$(outcomes results/poula.db search)" "finishedx2 stopped1x8 stopped3x2" "outcomes beside another study"
expect 0 poula report --study search
contains out "0.1         stop 2/2"
expect 0 poula runs --study whole --status stopped
expect 0 poula plot --study search --out again
contains err "10 runs were stopped early and are drawn until there."
expect 0 poula sweep study.yaml
equal "$(outcomes results/poula.db search)" "finishedx2 stopped1x8 stopped3x2" "outcomes of whole runs"
equal "$(sql results/poula.db "SELECT count(*) FROM study_best WHERE study = 'search' AND status = 'stopped' AND metric = 'valid_loss'")" 10 \
    "whole runs that this study has stopped"
# Wanted anew: nothing of it is left, and the same is decided.
expect 0 poula sweep study.yaml --rerun lr=0.2
equal "$(outcomes results/poula.db search)" "finishedx2 stopped1x8 stopped3x2" "outcomes of runs that were run again"
equal "$(sql results/poula.db "SELECT max(epoch) FROM curves JOIN runs USING (run) WHERE lr = 0.2 AND seed = 1")" 3 "how far they were run again"

# ---- programs that know no {until} ----
cat >steps.sh <<'END'
e=$(cat "$2/epoch" 2>/dev/null || echo 0)
echo "$1 $e" >>begun
while [ "$e" -lt 6 ]; do
    e=$((e + 1))
    echo "epoch=$e valid_loss=$1.$e"
    sleep 0.15
    echo "epoch=$e valid_accuracy=$e"
    echo $e >"$2/new" && mv "$2/new" "$2/epoch"
done
END
cat >steps.yaml <<'END'
study: steps
task: {command: [sh, steps.sh, "{lr}", "{run_folder}"]}
settings: {lr: [1, 2, 3]}
epochs: 6
stop: {by: valid_loss, keep: 1/3, at: 2}
END
expect 0 poula sweep steps.yaml --db steps.db --jobs 3
equal "$(outcomes steps.db steps)" "finishedx1 stopped2x2" "programs that were stopped"
equal "$(sql steps.db "SELECT count(*), count(DISTINCT epoch) FROM curves JOIN runs USING (run) WHERE lr = 1")" "12|6" "what the survivor recorded"
equal "$(grep -c '^1 0' begun)" 1 "beginnings of a program that goes on"
sed -e 's/at: 2/&, restart: true/; s/{run_folder}"/{seed}-{lr}"/; s/study: steps/study: anew/' -e 's/"{seed}-{lr}"/.\/&/' steps.yaml >anew.yaml
sed -i 's/\.\/"{seed}-{lr}"/"folder-{lr}"/' anew.yaml
sed 's/e=$(cat.*/e=0/; s/^    echo $e >.*//' steps.sh >anew.sh
sed -i 's/steps.sh/anew.sh/' anew.yaml
: >begun
expect 0 poula sweep anew.yaml --db anew.db --jobs 3
equal "$(outcomes anew.db anew)" "finishedx1 stopped2x2" "programs that begin anew"
equal "$(sql anew.db "SELECT group_concat(n, ' ') FROM (SELECT count(*) AS n FROM curves JOIN runs USING (run) GROUP BY lr ORDER BY lr)")" "12 4 4" "what each recorded"
equal "$(grep -c '^1 0' begun)" 2 "beginnings of a program that begins anew"
contains out "anew: 12 of 18 epochs were run (66.7 %)"

# ---- brackets: more points change nobody's ----
cat >brackets.yaml <<'END'
study: brackets
task: {problem: theta30, iterations: 900, record: 90}
optimizer: {name: adam, lambda: {log: [1e-5, 1]}, epsilon: {log: [1e-10, 1]}}
search: {points: 20}
stop: {by: loss, keep: 1/3, at: [100, 300], hyperband: true}
END
brackets() { sql "$1" "SELECT key, s.bracket FROM study_runs AS s JOIN runs USING (run) ORDER BY 1"; }
expect 0 poula sweep brackets.yaml --db brackets.db
brackets brackets.db >few
equal "$(sql brackets.db "SELECT group_concat(n, ' ') FROM (SELECT count(*) AS n FROM study_runs GROUP BY bracket ORDER BY bracket)")" "11 5 4" "points of each bracket"
sed -i 's/points: 20/points: 50/' brackets.yaml
expect 0 poula sweep brackets.yaml --db brackets.db
brackets brackets.db >many
equal "$(comm -13 many few | wc -l)" 0 "points that are in another bracket"
equal "$(sql brackets.db "SELECT count(*) FROM study_runs WHERE bracket = 2 AND status <> 'finished'")" 0 "runs that were stopped in the bracket without rungs"

# ---- databases that are merged ----
rm -f merged.db
expect 0 poula sweep brackets.yaml --db merged.db --limit 1
expect 0 poula merge results/poula.db --db merged.db
equal "$(outcomes merged.db search)" "finishedx2 stopped1x8 stopped3x2" "outcomes in another database"
equal "$(sql merged.db "SELECT count(*) FROM rungs")" "$(sql results/poula.db "SELECT count(*) FROM rungs")" "values at rungs"

# ---- a metric that nobody records decides nothing, and that is said ----
sed 's/by: valid_loss/by: valid_error/' steps.yaml >typo.yaml
expect 1 poula sweep typo.yaml --db typo.db
contains err "steps: no run has recorded valid_error by epoch 2, by which it is decided there"
contains out "3 missing"
