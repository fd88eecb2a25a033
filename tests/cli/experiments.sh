# The specs that come with poula: all are legal, and the small ones show what they say.
ln -s "$SOURCE_ROOT/experiments" experiments

for spec in experiments/*.yaml; do
    expect 0 poula sweep "$spec" --dry-run
    runs=$(sed -n 's/^| '"$(basename "$spec")"' | \([0-9]*\) |.*/\1/p' experiments/README.md)
    equal "$(tail -n 1 out)" "$runs runs, $runs missing" "$spec"
done
[ ! -e results ] || fail "a dry run made results/"

# The toy figure as the paper describes it: SGD overflows, Adam and AMSGrad fail to reach 0 in 1,000 iterations,
# TheoPouLa is there after about 200.
expect 0 poula sweep experiments/toy.yaml --jobs 2
points() { sql results/poula.db "SELECT count(*) FROM curves JOIN runs USING (run) WHERE metric = 'theta' AND $1"; }
fast="optimizer = 'theopoula' AND \"lambda\" = 0.01"
equal "$(sql results/poula.db "SELECT DISTINCT status FROM runs WHERE optimizer = 'sgd' AND \"lambda\" = 0.001")" \
    diverged sgd
equal "$(points "optimizer IN ('adam', 'amsgrad') AND epoch = 1000 AND abs(value) > 0.9")" 40 "adam and amsgrad"
equal "$(points "$fast AND epoch = 20 AND value > 1")" 5 "theopoula on its way"
equal "$(points "$fast AND epoch = 200 AND abs(value) < 0.001")" 5 "theopoula at 0"
expect 0 poula report --table
contains out "theta after 1000 iterations"

# The trainer in sh and awk: large steps diverge, the rest finish, seeds matter.
expect 0 poula sweep experiments/command.yaml --jobs 2
contains out "command: 90 finished, 15 diverged, 0 failed, "
equal "$(sql results/poula.db "SELECT group_concat(DISTINCT \"lambda\" = 2) FROM runs
    WHERE status = 'diverged' AND command IS NOT NULL")" 1 "steps that diverge"
equal "$(sql results/poula.db "SELECT count(DISTINCT best.last) FROM best JOIN runs USING (run)
    WHERE metric = 'distance' AND runs.\"lambda\" = 0.1 AND runs.noise = 1")" 5 seeds
