# Best is best: directions by study and by name, validation, losses that a study names, and views that agree with tables.

value() { # STUDY ARGS...: the first mean of `poula report` of a study
    study=$1; shift
    poula report --study "$study" --format csv "$@" 2>err | awk -F, 'NR == 1 {for (i = 1; i <= NF; i++) if ($i == "mean") c = i}
        NR == 2 {print $c}'
}

program() { # NAME VALUES METRICS SETTING: a study whose program prints a value an epoch of each metric
    cat >"$1.yaml" <<END
study: $1
task: {command: [sh, -c, "$2", "{x}"]}
settings: {x: $3}
$4
END
}

# B1: a direction belongs to a study; another one in the same database does not turn it, not even of the same run.
program e1 "echo epoch=1 f1_score=0.9; echo epoch=2 f1_score=0.5" 1 "metrics: {f1_score: max}"
program e2 "echo epoch=1 f1_score=0.9; echo epoch=2 f1_score=0.5" 1 "metrics: {f1_score: min}"
program e3 "echo epoch=1 f1_score=0.9; echo epoch=2 f1_score=0.5" 1 "metrics: {f1_score: none}"
for e in e1 e2 e3; do expect 0 poula sweep $e.yaml; done
equal "$(value e1)" 0.9 "B1: the best of e1"
equal "$(value e2)" 0.5 "B1: the best of e2"
equal "$(value e3)" 0.5 "B1: the last of e3"
expect 0 poula query "SELECT study, value, epoch, better FROM study_best ORDER BY study" --format csv
same out <<'END'
study,value,epoch,better
e1,0.9,1,max
e2,0.5,2,min
e3,0.5,2,none
END
equal "$(sql results/poula.db "SELECT study || mean FROM study_summary WHERE study = 'e1'")" e10.9 "B1: the view"
equal "$(sql results/poula.db "SELECT value || better FROM best")" 0.5none "B1: the newest study that holds the run"
expect 0 poula sweep e1.yaml
equal "$(sql results/poula.db "SELECT value || better FROM best")" 0.9max "B1: which is another one now"
equal "$(sql results/poula.db "SELECT mean FROM summary")" 0.9 "B1: in the summary too"

# B2: names in whole words, case aside; a name that says nothing is undeclared: a sentence, and NULL in the views.
cat >names.yaml <<'END'
study: names
task: {command: [sh, -c, 'echo "epoch=1 $0=0.50"; echo "epoch=2 $0=0.90"; echo "epoch=3 $0=0.80"', "{name}"]}
settings: {name: [Accuracy, acc1, top1, val_acc_epoch, mAP, R2, inaccuracy, NLL, sharpness, lr]}
END
expect 0 poula sweep names.yaml
for name in Accuracy acc1 top1 val_acc_epoch mAP R2; do
    equal "$(value names --value $name --where name=$name)" 0.9 "B2: the best $name"
done
for name in inaccuracy NLL; do
    equal "$(value names --value $name --where name=$name)" 0.5 "B2: the best $name"
done
equal "$(value names --value lr --where name=lr)" 0.8 "B2: the last lr"
expect 0 poula report --study names --value "best sharpness" --where name=sharpness
contains out "last sharpness"
contains out "declare metrics: {sharpness: max} (or min) in the spec"
contains out 0.8000
equal "$(sql results/poula.db "SELECT count(*) FROM study_best WHERE metric = 'sharpness' AND value IS NULL AND better IS NULL")" \
    1 "B2: NULL in the view"
expect 0 poula query "SELECT n, mean FROM study_summary WHERE metric = 'sharpness'" --format csv
contains out "0,"
expect 2 poula report --study names --over name --by sharpness --value sharpness
contains err "declare metrics: {sharpness: max}"

# B3: best-valid goes by any name of validation, by declaration where the name does not tell, and never by other studies.
validated() { # STUDY METRIC DECLARATION
    program "$1" "echo epoch=1 $2=0.7 test_x=1; echo epoch=2 $2=0.9 test_x=2; echo epoch=3 $2=0.8 test_x=3" "$1" "$3"
    sed -i "s/settings: {x: .*}/settings: {x: '$1'}/" "$1.yaml"
    expect 0 poula sweep "$1.yaml" --db "$1.db"
    expect 0 poula report --db "$1.db" --value "best-valid test_x" --format csv
}
mean() { awk -F, 'NR == 1 {for (i = 1; i <= NF; i++) if ($i == "mean") c = i} NR == 2 {print $c}' out; }
n=0
for name in val_acc val/accuracy eval_accuracy valAcc valid_f1; do
    n=$((n + 1))
    validated "v$n" "$name" ""
    equal "$(mean)" 2 "B3: best-valid by $name"
done
for name in dev_loss validation-loss; do
    n=$((n + 1))
    validated "v$n" "$name" ""
    equal "$(mean)" 1 "B3: best-valid by $name"
done
validated v20 holdout "metrics: {holdout: {direction: max, validation: true}}"
equal "$(mean)" 2 "B3: best-valid by declaration"
equal "$(sql v20.db "SELECT at_best_valid FROM study_best WHERE metric = 'test_x'")" 2.0 "B3: the view"
program plain "echo epoch=1 test_acc=0.5 quality=1" 7 ""
expect 0 poula sweep plain.yaml --db v1.db
expect 1 poula report --db v1.db --study plain --value "best-valid test_acc"
contains err "no run of the study has recorded one"
contains err "validation: true"

# B4: what is shown first is what a person would look at.
program shown "echo epoch=1 train_loss=3 val_loss=2 val_acc=0.4 test_acc=0.6; echo epoch=2 train_loss=1 val_loss=3 val_acc=0.3 test_acc=0.7" 1 ""
expect 0 poula sweep shown.yaml
expect 0 poula report --study shown
contains out "best-valid test_acc"
contains out 0.6000

# L2: what a study calls a loss decides for it, and for no other study, whether a run has diverged.
program loss1 "echo epoch=1 energy=0.5 acc=0.4; echo epoch=2 energy=nan acc=0.6" 1 "metrics: {energy: {direction: min, loss: true}}"
program loss2 "echo epoch=1 energy=0.5 acc=0.4; echo epoch=2 energy=nan acc=0.6" 1 ""
program loss3 "echo epoch=1 aux_loss=0.5 acc=0.4; echo epoch=2 aux_loss=nan acc=0.6" 1 "metrics: {aux_loss: {loss: false}}"
expect 0 poula sweep loss2.yaml
expect 0 poula sweep loss1.yaml
expect 0 poula sweep loss3.yaml
expect 0 poula query "SELECT study, status, bad_epoch FROM study_runs WHERE study LIKE 'loss%' ORDER BY study" --format csv
same out <<'END'
study,status,bad_epoch
loss1,diverged,2
loss2,finished,
loss3,finished,2
END
for study in "loss1 0 1 diverged" "loss2 1 0 finished" "loss3 1 0 finished"; do # the last line of a sweep, runs and report agree
    set -- $study
    expect 0 poula sweep $1.yaml
    contains out "$1: $2 finished, $3 diverged, 0 failed"
    expect 0 poula runs --study $1 --format csv
    equal "$(sed -n '2s/^[^,]*,[^,]*,\([a-z]*\),.*/\1/p' out)" $4 "L2: status of the run of $1"
    expect 0 poula runs --study $1 --status $4 --format csv
    equal "$(wc -l <out)" 2 "L2: runs of $1 that have $4"
done
expect 0 poula report --study loss1 --value acc
contains out "div 1/1"
expect 0 poula report --study loss2 --value acc
contains out 0.6000
expect 0 poula report --study loss3 --value acc
contains out 0.6000
equal "$(sql results/poula.db "SELECT group_concat(n) FROM (SELECT n FROM study_summary WHERE metric = 'acc' ORDER BY study)")" 0,1,1 \
    "L2: the summaries"

# A declaration that makes no sense.
for wrong in "score: up" "score: {direction: up}" "score: {lost: true}" "score: {loss: maybe}" "x: {validation: true}"; do
    program wrong "echo loss=1" 1 "metrics: {$wrong}"
    expect 2 poula sweep wrong.yaml --dry-run
done

# B9: where there is one candidate, nothing was chosen.
expect 0 poula report --study shown --over x --value test_acc --by val_acc
contains out "There was nothing to choose"

# B10: the views agree with the tables, equal values have no deviation, and huge ones a finite one.
cat >statistics.yaml <<'END'
study: statistics
task: {command: [sh, -c, 'set -- $0; shift {seed}; echo loss=$1', "{values}", "{seed}"]}
settings: {values: ["x 0.1 0.1 0.1", "x 1e200 2e200 3e200", "x -1e308 1e308 0", "x 3 -1 2.5", "x 1e-320 2e-320 3e-320",
  "x 1000000.1 1000000.2 1000000.3"]}
seeds: [1, 2, 3]
END
sed -i 's/shift {seed}/shift $((SEED))/; s/\[sh, -c/[env, "SEED={seed}", sh, -c/' statistics.yaml
expect 0 poula sweep statistics.yaml
expect 0 poula report --study statistics --format csv
awk -F, 'NR == 1 {for (i = 1; i <= NF; i++) {if ($i == "mean") m = i; if ($i == "std") s = i}; next} {print $m, $s}' out >table
contains table "2e+200 1e+200"
for view in "study_summary WHERE study = 'statistics'" "summary WHERE \"values\" LIKE 'x%'"; do
    expect 0 poula query "SELECT mean, std FROM $view ORDER BY config" --format csv
    tail -n +2 out | tr , ' ' | paste -d' ' table - | awk '
        function near(a, b) {return a == b || (b != 0 && a / b > 1 - 1e-12 && a / b < 1 + 1e-12)}
        NF != 4 || !near($1, $3) || !near($2, $4) {bad = 1} END {exit bad}' ||
        fail "B10: $view: $(tail -n +2 out | paste -d' ' table -)"
done
equal "$(sql results/poula.db "SELECT mean || ' ' || std FROM study_summary WHERE \"values\" = 'x 0.1 0.1 0.1'")" "0.1 0.0" "B10: equal values"

# B8: a value that no run has is an error that says what there is; comparisons and ranges are understood.
cat >where.yaml <<'END'
study: where
task: {problem: theta30, iterations: 20, record: 2}
optimizer: {name: [adam, sgd], lambda: [0.1, 0.01, 0.001]}
END
expect 0 poula sweep where.yaml --db where.db
rows() { poula report --db where.db --format csv --rows optimizer,lambda --where "$1" | tail -n +2 | wc -l; }
listed_runs() { poula runs --db where.db --format csv --where "$1" | tail -n +2 | wc -l; }
for case in 'lambda<0.05 4' 'lambda=<0.01 2' 'lambda <= 0.01 4' 'lambda>=0.1 2' 'lambda=0.01..0.1 4' 'lambda=0.1,0.0001..0.001 4' \
    'optimizer!=sgd 3' 'lambda!=0.1,<0.01 2' 'optimizer=sgd,adam 6' 'lr<0.05 4'; do
    equal "$(rows "${case% *}")" "${case##* }" "B8: rows where ${case% *}"
    equal "$(listed_runs "${case% *}")" "${case##* }" "B8: runs where ${case% *}"
done
for wrong in lambda=0.2 lambda=small "lambda<0.0001" "lambda=0.1,0.2" "lambda=5..6"; do
    for command in report "report --value loss" runs; do
        expect 2 poula $command --db where.db --where "$wrong"
        contains err "there are: 0."
        [ ! -s out ] || fail "B8: $command prints something where $wrong"
    done
done
expect 2 poula report --db where.db --where optimizer=adma
contains err "no run of study where has optimizer=adma; there are: adam, sgd"
for wrong in lambda "lambda<" "lambda<x" "lambda!0.1" "=1"; do
    for command in report runs; do
        expect 2 poula $command --db where.db --where "$wrong"
        contains err "must be like"
    done
done

# B11: results that were not made alike are told so below the table.
expect 0 poula report --db where.db
lacks out "The runs come from"
sed -i 's/^optimizer.*/&\nseeds: [1, 2]/' where.yaml
expect 0 poula sweep where.yaml --db where.db
expect 0 poula report --db where.db
lacks out "The runs come from"
sql where.db "UPDATE session SET host = 'elsewhere', version = '0.0.9' WHERE id = 1"
expect 0 poula report --db where.db
contains out "The runs come from several hosts: "
contains out "The runs come from several versions of poula: "
contains out "elsewhere"
sql where.db "INSERT INTO program (id, digest, folder, file, files) VALUES (1, zeroblob(32), '/p', 'train.py', '{}'),
    (2, randomblob(32), '/p', 'train.py', '{}'); UPDATE attempt SET program = 1 + session % 2"
several="The runs come from several versions of a program: train.py."
for change in "files = json_object('train.py', '0' || id)" "files = '{}', git_commit = 'c' || id" "git_commit = 'c', dirty = id = 1"; do
    sql where.db "UPDATE program SET $change"
    expect 0 poula report --db where.db
    contains out "$several"
done
# But not where the runs name files of their own, which are each the same at all times; nor where this says nothing readable.
for files in "json_object('train.py', '00', 'c' || id, '0' || id)" "'[not json'"; do
    sql where.db "UPDATE program SET git_commit = 'c', dirty = 0, files = $files"
    expect 0 poula report --db where.db
    lacks out "several versions of a program"
done

# S8: views that another version made are made anew, also for who only reads.
sql results/poula.db "DROP VIEW summary; CREATE VIEW summary AS SELECT 1 AS mean; UPDATE meta SET value = 'old' WHERE key = 'views'"
expect 0 poula query "SELECT n, std FROM summary LIMIT 1"
contains out std

# Tables of older databases keep what these stored, and say so.
cp "$SOURCE_ROOT/tests/db/v1.db" old.db
chmod u+w old.db
sql old.db "UPDATE series SET name = 'sharpness', direction = 1 WHERE name = 'loss'"
expect 0 poula report --db old.db --study "$(sql old.db "SELECT study FROM sweep ORDER BY launch DESC, id DESC LIMIT 1")" --value sharpness
contains out "lower is better"
contains out "sharpness is minimised, as by the older poula that recorded it; its name does not tell."

# Whatever name a program may give a metric, a spec can name it.
cat >names.yaml <<'END'
study: names
task: {command: [sh, -c, "echo '{{\"epoch\": 1, \"metrics/mAP50(B)\": 0.{k}, \"acc%\": 5{k}, \"AP@[0.5:0.95]\": 3, \"a*b^c~\": {k}}'"]}
settings: {k: [1, 2]}
metrics: {"AP@[0.5:0.95]": max, "a*b^c~": min}
target: {"acc%": 52}
tables:
- {value: "best metrics/mAP50(B)"}
- {value: "best acc%"}
- {value: "best AP@[0.5:0.95]"}
- {value: "best a*b^c~"}
- {value: "last epochs_to_target"}
figures: [{kind: curves, y: ["acc%", "metrics/mAP50(B)"]}]
END
expect 0 poula sweep names.yaml --db names.db
expect 0 poula report --db names.db --format csv
contains out "names,metrics/mAP50(B),best,2,0.2,"
contains out "names,a*b^c~,best,1,1,"

# While it runs, a sweep counts as the study judges: a loss that it forgives is no divergence.
cat >forgiven.yaml <<'END'
study: forgiven
task: {command: [sh, -c, "echo epoch=1 loss=nan acc=0.5; [ {seed} = 1 ] || sleep 3"]}
metrics: {loss: {direction: min, loss: false}, acc: max}
seeds: [1, 2]
END
if script -qec true /dev/null >/dev/null 2>&1; then
    script -qec "'$POULA' sweep forgiven.yaml --db forgiven.db --jobs 1" /dev/null </dev/null >out 2>err
    contains out "forgiven"
    lacks out "1 diverged"
    contains out "2 finished, 0 diverged"
fi
