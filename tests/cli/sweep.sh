# What `poula sweep` says, writes and leaves alone.
toy_spec toy.yaml 4

# A dry run lists every run, counts, and creates nothing, also without a database.
expect 0 poula sweep toy.yaml --dry-run
equal "$(tail -n 1 out)" "100 runs, 100 missing" "count line"
equal "$(wc -l <out)" 101 "lines of the dry run"
contains out "toy missing lambda=0.5 epsilon=1 seed=1 "
contains out " beta=10000000000"
[ ! -e results ] || fail "the dry run made results/"

# Everything runs once; the second time nothing is missing.
expect 0 poula sweep toy.yaml --jobs 2
contains out "toy: 100 finished, 0 diverged, 0 failed, "
contains out " runs/s"
lacks err "failed"
equal "$(count results/poula.db finished)" 100 finished
equal "$(sql results/poula.db 'SELECT count(*) FROM curves')" 4000 "recorded values"
sql results/poula.db .dump >before
expect 0 poula sweep toy.yaml --jobs 2 --resume
contains out "toy: 100 finished, 0 diverged, 0 failed, 0.00 s"
equal "$(sql results/poula.db 'SELECT count(*) FROM attempts')" 100 attempts
expect 0 poula sweep toy.yaml --dry-run
equal "$(tail -n 1 out)" "100 runs, 0 missing" "count line"
contains out "toy finished lambda=0.5 "

# Spelling, order and comments make no difference; one more seed does.
cat >again.yaml <<END
# the same grid
seeds: [1, 2, 3, 4, 5]
study: again
optimizer: {epsilon: [1.0, 3e-1, .1, 0.03, 1e-2], beta: 1E10, name: theopoula, lr: [0.5, 0.1, 0.05, 0.01, 1e-3]}
task: {record: 20, iterations: 200, problem: theta30}
END
expect 0 poula sweep again.yaml --dry-run
equal "$(tail -n 1 out)" "125 runs, 25 missing" "count line"
expect 0 poula sweep again.yaml -j2 --quiet
contains out "again: 125 finished, 0 diverged, 0 failed, "
[ ! -s err ] || fail "--quiet is not quiet"
equal "$(sql results/poula.db 'SELECT count(*) FROM runs')" 125 runs
equal "$(sql results/poula.db 'SELECT max(attempts) FROM runs')" 1 "attempts of a run"

# Several studies are counted one by one and together.
cat >two.yaml <<END
defaults:
  task: {problem: quadratic, iterations: 10, record: 2}
  optimizer: {name: sgd}
studies:
  - study: first
    optimizer: {lambda: [0.1, 0.2]}
  - study: second
    optimizer: {lambda: [0.2, 0.3, 0.4]}
END
expect 0 poula sweep two.yaml --dry-run --db other/two.db
contains out "first: 2 runs, 2 missing"
contains out "second: 3 runs, 3 missing"
contains out "shared by several studies: 1 run"
equal "$(tail -n 1 out)" "4 runs, 4 missing" "count line: a run of two studies counts once"
[ ! -e other ] || fail "the dry run made other/"
expect 0 poula sweep two.yaml --db other/two.db --threads 1 -j 1
contains out "first: 2 finished"
contains out "second: 3 finished"
equal "$(sql other/two.db 'SELECT count(*) FROM runs')" 4 "runs of both studies"
expect 0 poula sweep two.yaml --dry-run --db other/two.db
equal "$(tail -n 1 out)" "4 runs, 0 missing" "count line"

# --limit takes some; the rest is missing, which is no failure.
expect 0 poula sweep toy.yaml --db limited.db --limit 7
contains out "toy: 7 finished, 0 diverged, 0 failed, 93 missing"
equal "$(count limited.db planned)" 93 planned
equal "$(sql limited.db 'SELECT count(*) FROM attempts')" 7 attempts

# Divergence is a result, not a failure.
cat >diverging.yaml <<END
study: diverging
task: {problem: theta30, iterations: 50, record: 10}
optimizer: {name: sgd, lambda: 0.1}
seeds: [1, 2]
END
expect 0 poula sweep diverging.yaml --db diverging.db
contains out "diverging: 0 finished, 2 diverged, 0 failed"

# Threads and workers are recorded with the runs.
expect 0 poula sweep toy.yaml --db threads.db --jobs 1 --threads 3 --limit 1
equal "$(sql threads.db 'SELECT threads FROM attempts')" 3 threads
equal "$(sql threads.db 'SELECT jobs FROM provenance')" 1 jobs

# Wrong input: every complaint, exit 2, nothing written.
cat >bad.yaml <<END
study: bad
task: {problem: theta30, iteration: 200}
optimizer: {name: theopoula, lambda: [0.1, -1]}
END
echo 'study: [' >worse.yaml
expect 2 poula sweep bad.yaml worse.yaml toy.yaml --db new/bad.db
contains err "bad.yaml:2:"
contains err "iterations"
contains err "bad.yaml:3:"
contains err "worse.yaml:"
[ ! -s out ] || fail "there is output"
[ ! -e new ] || fail "something was written"
expect 2 poula sweep bad.yaml --dry-run
expect 2 poula sweep toy.yaml --jobs 0
contains err "--jobs"
expect 2 poula sweep toy.yaml --timeout=-1
expect 2 poula sweep
expect 2 poula sweep missing.yaml
contains err "missing.yaml"

# On a terminal there is a live display, without colours where they are not wanted. D17: there may be none to be had.
if ! script -qec true probe >/dev/null 2>&1 </dev/null; then
    echo "not tested: the display on a terminal, as script(1) cannot make one here (is /dev/pts mounted?)" >&2
else
    TERM=xterm script -qec "\"$POULA\" sweep toy.yaml --db live.db -j2" typescript >/dev/null </dev/null
    contains typescript "100/100"
    contains typescript "["
    grep -q "$(printf '\033')\[32m" typescript || fail "no colour on a terminal"
    NO_COLOR=1 TERM=xterm script -qec "\"$POULA\" sweep toy.yaml --db live2.db -j2" typescript >/dev/null </dev/null
    contains typescript "100/100"
    ! grep -q "$(printf '\033')\[32m" typescript || fail "colour in spite of NO_COLOR"
    # A run that all of the studies hold counts once.
    { sed '/^studies/q' two.yaml; for i in 10 11 12 13 14 15 16 17 18 19 20 21 22 23; do
        echo "  - {study: s$i, optimizer: {lambda: [0.05, 0.$i]}}"
    done; } >many.yaml
    TERM=xterm script -qec "\"$POULA\" sweep many.yaml --db live3.db -j2" typescript >/dev/null </dev/null
    contains typescript "14 more studies, 15 of 15 runs in all"
fi
