# Sweeps over other programs: what they are given, what is read from them, how they end.
cat >trainer <<'END'
#!/bin/sh
# trainer LAMBDA SEED FOLDER THREADS
echo "threads $4 $OMP_NUM_THREADS" >"$3/threads"
echo "a line of log"
awk -v lambda="$1" -v seed="$2" 'BEGIN {
    for (epoch = 1; epoch <= 5; epoch++)
        printf "{\"epoch\": %d, \"loss\": %.6g, \"test_accuracy\": %.6g, \"margin\": %d}\n",
            epoch, seed / (lambda * epoch), 1 - 1 / (epoch + seed), epoch
}'
END
chmod +x trainer
cat >command.yaml <<END
study: command
task: {command: [./trainer, "{lambda}", "{seed}", "{run_folder}", "{threads}"]}
settings: {lambda: [0.1, 0.5], name: [plain, "with space"]}
seeds: [1, 2, 3]
metrics: {margin: max}
END
expect 0 poula sweep command.yaml --jobs 2 --threads 3 --db results/my.db
contains out "command: 12 finished, 0 diverged, 0 failed"
equal "$(sql results/my.db 'SELECT count(*) FROM curves')" 180 values
equal "$(sql results/my.db "SELECT value, epoch FROM best JOIN runs USING (run) WHERE metric = 'test_accuracy' AND runs.seed = 3 LIMIT 1")" \
    "0.875|5" "best accuracy"
equal "$(sql results/my.db "SELECT value, epoch FROM best JOIN runs USING (run) WHERE metric = 'loss' AND runs.seed = 3 AND runs.lambda = 0.5 LIMIT 1")" \
    "1.2|5" "best loss"
equal "$(sql results/my.db "SELECT DISTINCT value, epoch FROM best WHERE metric = 'margin'")" "5.0|5" "best margin as declared"
equal "$(cat results/my-runs/*/threads | sort -u)" "threads 3 3" "threads that a command is told of"
equal "$(ls results/my-runs | wc -l)" 12 folders
equal "$(sql results/my.db "SELECT DISTINCT log FROM attempts")" "a line of log" log

# S6: what the user's environment says of threads holds for a command, unless --threads is given; both are recorded, and
# more than the machine has is said.
cat >threads.yaml <<END
study: threads
task: {command: [sh, -c, "echo loss=\$OMP_NUM_THREADS; echo other=\$MKL_NUM_THREADS"]}
END
told() { sql "$1" "SELECT group_concat(value, ' ') FROM (SELECT value FROM curves ORDER BY metric)"; }
expect 0 env OMP_NUM_THREADS=3 "$POULA" sweep threads.yaml --jobs 1000 --db kept.db
equal "$(told kept.db)" "3.0 1.0" "OMP_NUM_THREADS and MKL_NUM_THREADS"
contains err "OMP_NUM_THREADS=3 of the environment holds for commands; poula's own runs use 1 thread"
contains err "this process may use"
equal "$(sql kept.db 'SELECT threads, libraries FROM provenance' | sed 's/glibc.*;/.../')" "1|... commands with OMP_NUM_THREADS=3" provenance
expect 0 env OMP_NUM_THREADS=3 "$POULA" sweep threads.yaml --threads 2 --jobs 1 --db told.db
equal "$(told told.db)" "2.0 2.0" "threads that --threads gives"
lacks err OMP_NUM_THREADS
equal "$(sql told.db "SELECT count(*) FROM provenance WHERE libraries LIKE '%OMP%'")" 0 "variables that did not hold"
expect 0 env OMP_NUM_THREADS=5 "$POULA" run threads.yaml
equal "$(awk '$1 == "loss" {print $2}' out)" 5 "threads that the environment gives"
expect 0 env OMP_NUM_THREADS=5 "$POULA" run threads.yaml --threads 4
equal "$(awk '$1 == "loss" {print $2}' out)" 4 "threads that --threads gives poula run"
contains out 4

# Those that run at the same time are told a slot each; the two below wait for each other.
cat >slot.yaml <<END
study: slot
task: {command: [sh, -c, "touch here\$0; until [ -e here0 -a -e here1 ]; do sleep 0.01; done; echo loss=\$0", "{slot}"]}
seeds: [1, 2]
END
expect 0 poula sweep slot.yaml --jobs 2 --timeout 60 --db slot.db
equal "$(sql slot.db "SELECT group_concat(value, ' ') FROM (SELECT value FROM curves ORDER BY value)")" "0.0 1.0" "slots"

# Nothing of a worker's is open in a command but its own three streams (ls opens one more), and its input is empty.
cat >clean.yaml <<END
studies:
  - study: open
    task: {command: [ls, /proc/self/fd]}
  - study: input
    task: {command: [sh, -c, "read -r line && exit 9; echo loss=1"]}
END
expect 1 poula sweep clean.yaml --db clean.db
equal "$(sql clean.db "SELECT replace(trim(a.log, char(10)), char(10), ' ') FROM attempts AS a JOIN runs USING (run) WHERE study = 'open'")" \
    "0 1 2 3" "open files of a command"
contains out "input: 1 finished"

# Ways to end.
cat >ends.yaml <<END
study: ends
task: {command: [sh, -c, "case {seed} in 1) echo loss=1;; 2) echo loss=nan;; 3) ;; 4) echo sorry >&2; exit 7;; 5) kill -11 \$\$;; esac"]}
seeds: {from: 1, to: 5}
END
expect 1 poula sweep ends.yaml --db ends.db --jobs 1
contains out "ends: 1 finished, 1 diverged, 3 failed"
sql ends.db "SELECT r.seed, r.status, a.reason, a.exit_code, a.signal FROM runs AS r JOIN attempts AS a USING (run) ORDER BY r.seed" >ends
same ends <<END
1|finished||0|
2|diverged|loss is not finite from epoch 1 on|0|
3|failed|exited 0 without reporting any metric|0|
4|failed|exited with code 7: sorry|7|
5|failed|was killed by signal 11 (Segmentation fault)||11
END
# U2: eight runs that die alike say why once, at once, and where to look; other reasons are said, too, but not all.
cat >alike.yaml <<END
study: alike
task: {command: [sh, -c, "echo \"ModuleNotFoundError: No module named 'torch'\" >&2; exit 1"]}
seeds: {from: 1, to: 8}
---
study: unlike
task: {command: [sh, -c, "exit {seed}"]}
seeds: {from: 1, to: 8}
END
expect 1 poula sweep alike.yaml --db "a folder/alike.db"
equal "$(grep -c "failed: exited with code 1: ModuleNotFoundError: No module named 'torch'" err)" 1 "times that it is said"
equal "$(grep -c 'failed: exited with code [0-9]$' err)" 2 "other reasons that are said"
contains err "16 runs failed: \"poula runs --status failed --db 'a folder/alike.db'\" says why"
expect 0 poula sweep alike.yaml --db "a folder/alike.db" --dry-run --retry-failed --reason TORCH
contains out "16 runs, 8 missing"
expect 0 poula sweep alike.yaml --db "a folder/alike.db" --dry-run --retry-failed
contains out "16 runs, 16 missing"
cat >missing.yaml <<END
study: missing
task: {command: [./no-such-program]}
END
expect 1 poula sweep missing.yaml --db ends.db
contains ends.db "No such file or directory"

# Two axes beside each other (L5): each metric along the one that it has, and curves say which.
cat >axes.yaml <<'END'
study: axes
task: {command: [sh, -c, "for s in 500 1000 1500 2000; do echo step=$s loss=$s; done; echo epoch=1 valid_loss=1.1; echo epoch=0.5 valid_loss=1.2"]}
END
expect 0 poula sweep axes.yaml --db axes.db
equal "$(sql axes.db "SELECT group_concat(metric || ' ' || axis || ' ' || epoch || ' ' || value, ';') FROM curves")" \
    "loss step 500 500.0;loss step 1000 1000.0;loss step 1500 1500.0;loss step 2000 2000.0;valid_loss epoch 0.5 1.2;valid_loss epoch 1 1.1" "two axes"

# What was not understood is said at the end of the sweep and kept with the attempt (L7), and how output was read too.
cat >unread.yaml <<'END'
study: unread
task: {command: [sh, -c, "echo 'the loss=0.3 seems fine'; echo 'round 2 => 0.5'; echo epoch=3 acc=0x10 loss=1"]}
pattern: 'round (?<epoch>\d+) => (?<loss>\S+)'
stall: 10m
END
expect 0 poula sweep unread.yaml --db unread.db
contains err "poula sweep: unread: 2 lines of 1 run looked like metrics and were not wholly understood, such as:"
contains err "    the loss=0.3 seems fine"
sql unread.db "SELECT reading, unread, unread_example FROM attempts; SELECT epoch, value FROM curves WHERE metric = 'loss'" >unread
same unread <<'END'
{"pattern":["round (?<epoch>\\d+) => (?<loss>\\S+)"],"stall":600}|2|the loss=0.3 seems fine
2|0.5
3|1.0
END
# The key is that of the same command read otherwise.
sed '/^pattern/d; /^stall/d' unread.yaml >plain.yaml
expect 0 poula sweep plain.yaml --db unread.db
contains out "unread: 1 finished"
equal "$(sql unread.db "SELECT count(*) FROM runs")" 1 "runs of one key"

# Slips are said before anything runs (L9, L11, L12, U3).
cat >unused.yaml <<'END'
study: unused
task: {command: [sh, -c, 'echo "epoch=1 test_acc=0.5{lr}"']}
settings: {lr: [1, 2], dropout: [0, 0.5]}
seeds: [1, 2, 3]
END
expect 0 poula sweep unused.yaml --dry-run
contains err "no word of the command uses dropout"
contains err "no word of the command has {seed}, so its 3 seeds run the same words"
expect 0 poula run unused.yaml --set epochs=2
contains err "poula run: no word of the command uses epochs, so the program does not get to know epochs=2"
printf 'study: text\ntask: {command: "python3 train.py --lr {lr}"}\nsettings: {lr: 0.1}\n' >text.yaml
expect 2 poula sweep text.yaml --dry-run
contains err "command is a list of words"
printf 'program: train.py\nmethod: grid\nparameters:\n  lr: {values: [0.1, 0.01]}\n' >wandb.yaml
expect 2 poula sweep wandb.yaml
equal "$(wc -l <err)" 1 "complaints about a W&B sweep"
contains err "this is a sweep of Weights & Biases"
