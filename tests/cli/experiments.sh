# The specs that come with poula: all are legal, and the small ones show what they say.
ln -s "$SOURCE_ROOT/experiments" experiments

count() { sed -n "$2"' s/^| '"$(basename "$1")"' | '"$3"' |.*/\1/p' experiments/README.md; } # SPEC LINES COLUMNS
for spec in experiments/*.yaml experiments/replication/*.yaml; do
    expect 0 poula sweep "$spec" --dry-run
    runs=$(count "$spec" '1,/^## The paper/' '\([0-9 +]*\)')
    equal "$(tail -n 1 out)" "$(listed $runs)" "$spec"
done

# The paper's tables and figures, as they are and in their quick versions.
for spec in experiments/paper/*.yaml; do
    [ "$spec" != experiments/paper/published.yaml ] || continue
    expect 0 poula sweep "$spec" --dry-run
    runs=$(count "$spec" '/^## The paper/,$' '\([0-9]*\)')
    equal "$(tail -n 1 out)" "$runs runs, $runs missing" "$spec"
    expect 0 poula sweep "$spec" --dry-run --scale quick
    runs=$(count "$spec" '/^## The paper/,$' '[0-9]* | \([0-9]*\)')
    equal "$(tail -n 1 out)" "$runs runs, $runs missing" "$spec --scale quick"
done
for spec in table-main table-lambda table-epsilon table-beta table-boosting table-r10; do
    expect 0 poula sweep "experiments/paper/$spec.yaml" --dry-run --scale text
done
expect 0 poula sweep experiments/paper/search.yaml --dry-run --scale held-out

# The gallery is what tools/gallery makes of these specs: it says where, has all of them, and the quickest comes out again.
gallery="$SOURCE_ROOT/docs/gallery.md"
contains "$gallery" "Made on "
for spec in experiments/paper/*.yaml; do
    [ "$spec" != experiments/paper/published.yaml ] || continue
    contains "$gallery" "    poula sweep $spec --scale quick"
    expect 0 poula sweep "$spec" --dry-run --scale quick
    for study in $(sed -n 's/^\([^ ]*-quick\) missing .*/\1/p' out | sort -u); do contains "$gallery" "($study): "; done
done
sed -n 's/.*](\(images[^)]*\)).*/\1/p' "$gallery" >pictures
[ "$(wc -l <pictures)" -ge 20 ] || fail "the gallery has few figures"
while read -r picture; do [ -f "$SOURCE_ROOT/docs/$picture" ] || fail "the gallery lacks $picture"; done <pictures
for spec in figure-toy figure-toy-clipped; do
    poula sweep experiments/paper/$spec.yaml --scale quick --db toys.db --quiet >toys.out 2>&1 || [ $? = 1 ] # some diverge
    expect 0 poula report --table --format markdown --db toys.db
    while read -r line; do contains "$gallery" "$line"; done <out
done

# The text's reading: TUSLA's eta, and for boosting and r = 10 the best settings of each pair.
expect 0 poula sweep experiments/paper/table-main.yaml --dry-run --scale text
equal "$(grep -c 'optimizer=tusla r=0.5 weight_decay=0 .*eta=0.0005 .*milestones=\[150\]' out)" 18 "TUSLA's eta"
for spec in table-boosting table-r10; do
    expect 0 poula sweep "experiments/paper/$spec.yaml" --dry-run --scale text
    want=$([ $spec = table-r10 ] && echo 1 || echo 6)
    equal "$(grep -c 'dataset=cifar10 model=vgg11 .*beta=100000000 .*epochs=500 .*milestones=\[150\]' out)" "$want" "$spec: VGG11"
    equal "$(grep -c 'dataset=cifar100 model=resnet34 lambda=0.05 .*beta=10000000000 .*epochs=500 ' out)" "$want" "$spec: ResNet34"
done

# What two tables share is trained once: lambda = epsilon = 0.1 (4 pairs of model and data set, 3 seeds) and what
# the table for beta has of it (3 pairs) and of the main table (4 cells).
paper() { for name in "$@"; do printf 'experiments/paper/%s.yaml ' "$name"; done; }
expect 0 poula sweep $(paper table-lambda table-epsilon) --dry-run
contains out "shared by several studies: 12 runs"
expect 0 poula sweep $(paper table-lambda table-beta) --dry-run
contains out "shared by several studies: 9 runs"
expect 0 poula sweep $(paper table-main table-beta) --dry-run
contains out "shared by several studies: 12 runs"
expect 0 poula sweep $(paper table-lambda table-epsilon table-beta) --dry-run
contains out "shared by several studies: 21 runs" # 12 twice, 9 of them a third time
expect 0 poula sweep $(paper table-main table-boosting) --dry-run
contains out "shared by several studies: 18 runs"
expect 0 poula sweep $(paper table-language text-language) --dry-run
contains out "shared by several studies: 36 runs"
expect 0 poula sweep $(paper table-lambda table-epsilon) --dry-run --scale quick
contains out "shared by several studies: 8 runs"
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

# Every optimizer but formulas is in the comparison of methods.
"$POULA" show optimizers | cut -d ' ' -f 1 | grep -vx formula | sort >known
expect 0 poula sweep experiments/methods.yaml --dry-run
for study in methods-problems methods-network; do
    grep "^$study .*optimizer=" out | sed 's/.*optimizer=\([a-z_]*\).*/\1/' | sort -u >compared
    cmp known compared || fail "$study compares other optimizers than there are"
done

# A search, its choices and the final runs, with all figures of statistics: 510 trainings.
expect 0 poula sweep experiments/tuning.yaml --scale quick --jobs 2 --db tuning.db
contains out "tuning-final-quick: 30 finished"
contains out "tuning-halving-quick: 640 of 960 epochs were run (66.7 %)"
expect 0 poula show study tuning-search-quick --db tuning.db
contains out "search      48 points for each combination of the axes, random, seed 1"
contains out "  lambda             log            1e-05 to 1: adam, adamw, adabelief"
equal "$(grep -c '^    1\. ' out)" 10 "best points: five optimizers on two tasks"
expect 0 poula report --db tuning.db --study tuning-search-quick --tuning --format csv
equal "$(grep -c ',48,.*,48$' out)" 10 "curves of 48 points"
if command -v gnuplot >/dev/null; then
    expect 0 poula plot --db tuning.db
    equal "$(wc -l <out)" 6 figures
fi

# A temperature that falls ends nearer to the best of many minima than any constant one: the first study, by itself.
sed '/^- study: annealing-mixture/,$d' experiments/annealing.yaml >falling.yaml
expect 0 poula sweep falling.yaml --db falling.db --quiet
equal "$(sql falling.db "WITH ends(falls, beta, distance) AS (SELECT beta_anneal = 'exponential', beta, avg(last) FROM best
        WHERE metric = 'distance' GROUP BY beta_anneal, beta, beta_warmup)
    SELECT count(*) FROM ends WHERE falls AND distance < (SELECT min(distance) FROM ends WHERE falls IS NULL)")" 3 "falling temperatures"

# Inside the theorem in small: no step is larger than the proof allows; and the landscape: tamed steps have the length of the root of
# lambda, nobody leaves minima without noise.
expect 0 poula sweep experiments/inside-theorem.yaml --scale quick --dry-run
lacks err "larger than the proof"
expect 0 poula sweep experiments/landscape.yaml --dry-run
expect 0 poula run experiments/landscape.yaml --study landscape --set start=1e6 --set lambda=0.01 --set epsilon=0.1
awk '$1 == "stepsize" && $4 > 0.0999 && $4 < 0.1001 { right = 1 } END { exit !right }' out || fail "a tamed step"
expect 0 poula run experiments/landscape.yaml --study landscape --set start=1e-6 --set lambda=0.01 --set epsilon=0.01
awk '$1 == "stepsize" && $4 > 1.09e-7 && $4 < 1.11e-7 { right = 1 } END { exit !right }' out || fail "a boosted step"
expect 0 poula sweep experiments/chains.yaml --scale quick --dry-run

# The trainer in sh and awk: large steps diverge, the rest finish, seeds matter.
expect 0 poula sweep experiments/command.yaml --jobs 2
contains out "command: 90 finished, 15 diverged, 0 failed, "
equal "$(sql results/poula.db "SELECT group_concat(DISTINCT \"lambda\" = 2) FROM runs
    WHERE status = 'diverged' AND command IS NOT NULL")" 1 "steps that diverge"
equal "$(sql results/poula.db "SELECT count(DISTINCT best.last) FROM best JOIN runs USING (run)
    WHERE metric = 'distance' AND runs.\"lambda\" = 0.1 AND runs.noise = 1")" 5 seeds

# The quick DenseNet learns at the paper's lambda (four classes: chance is 0.25).
expect 0 poula run experiments/paper/table-r10.yaml --scale quick --set model=densenet121 --set classes=4 --set variant=paper --set eta=0 \
    --set weight_decay=5e-4
awk '$1 == "test_accuracy" && $2 > 0.45 { learns = 1 } END { exit !learns }' out || fail "the quick DenseNet does not learn"

# Language models on text whose lowest perplexity is known: all come near it, and two average.
expect 0 poula sweep experiments/markov.yaml --jobs 2
contains out "markov: 4 finished, 0 diverged, 0 failed"
equal "$(sql results/poula.db "SELECT count(*) FROM best
    WHERE dataset = 'markov' AND metric = 'test_perplexity' AND value BETWEEN 3.4 AND 5")" 4 "perplexities near 3.5"
equal "$(sql results/poula.db "SELECT group_concat(optimizer, ' ') FROM (SELECT optimizer FROM curves JOIN runs USING (run)
    WHERE dataset = 'markov' AND metric = 'averaged_from' ORDER BY optimizer)")" "nt_asgd theopoula" "runs that average"
