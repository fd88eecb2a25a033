# What differs between two runs, configurations and studies.
cat >s.yaml <<'END'
study: s
task: {command: [sh, -c, "for e in 1 2 3 4; do echo epoch=$e loss=$(( e < {at} ? 9 - e : 9 - e * {seed} )); done"]}
settings: {at: [3, 4], note_of: [x]}
seeds: [1, 2]
metrics: {loss: min}
END
sed 's/study: s/study: t/; s/at: .3, 4./at: [3, 9], more: [true]/' s.yaml >t.yaml
expect 0 poula sweep s.yaml --jobs 1
expect 0 poula sweep t.yaml --jobs 1
expect 2 poula diff 1
expect 0 poula diff 1 2 --format csv
contains out "seed,1,2"
lacks out "at,"
contains out "status,finished,finished"
contains out "loss,epoch,5,1,5,1,4,4,3,2,4"
expect 0 poula diff 1 1 --format csv
contains out "loss,epoch,5,5,5,5,4,4,,0,0"
expect 0 poula diff 2 4 --format csv
contains out "at,3,4"
contains out ",3,1,3" # from epoch 3 on, one value, by 3
key=$(sql results/poula.db "SELECT substr(key, 1, 20) FROM runs WHERE run = 2")
expect 0 poula diff 1 "$key" --format json
contains out '"setting": "seed"'
# A study whose name is also how a key begins is meant as a study.
letter=$(sql results/poula.db "SELECT group_concat(substr(key, 1, 1), '') FROM runs" | tr -d '0-9' | cut -c1)
if [ -n "$letter" ]; then
    sed "s/study: s/study: $letter/" s.yaml >letter.yaml
    cp results/poula.db letters.db
    expect 0 poula sweep letter.yaml --db letters.db
    expect 0 poula diff "$letter" t --db letters.db --format csv
    contains out "runs_A,runs_B"
fi
expect 0 poula diff config:1 config:2 --format csv
contains out "at,3,4"
contains out "loss,2,2,3,3,"
contains out "2,loss,1,1,0,3"
expect 0 poula diff s t --format csv
contains out 'at,"3, 4","3, 9"'
contains out "more,,1"
contains out "4,4,0,0"
contains out "finished,4,4"
contains out "loss,2,2,3,3,min"
expect 2 poula diff 1 s
contains err "not of a kind"
expect 2 poula diff 1 nothing
contains err "neither a run nor a study"
expect 2 poula diff config:1 config:99
expect 1 poula diff 1 2 --db none.db

# More seeds of one configuration.
expect 0 poula sweep --from 1 --seeds 4..6 --jobs 1
contains err "s-seeds: the settings of run 1"
contains out "s-seeds: 3 finished"
expect 0 poula query "SELECT DISTINCT r.at, r.config, group_concat(r.seed) FROM runs AS r WHERE study = 's-seeds'" --format csv
contains out '3,1,"4,5,6"'
equal "$(sql results/poula.db "SELECT DISTINCT better FROM study_best WHERE study = 's-seeds'")" min "what the study declares"
expect 0 poula sweep --from "s best 1" --seeds 2,4,7 --dry-run
contains err "place 1 of 2 by best loss, mean 3"
contains out "3 runs, 1 missing"
best=$(sql results/poula.db "SELECT count(*) FROM runs")
expect 2 poula sweep --from "s best 3" --seeds 4
contains err "2 configurations with a result"
expect 2 poula sweep --from "s best x" --seeds 4
expect 2 poula sweep --from nothing --seeds 4
expect 2 poula sweep --from 1
contains err "--from needs --seeds"
for seeds in 8..4 a..b 4,x ""; do expect 2 poula sweep --from 1 --seeds "$seeds"; done
expect 2 poula sweep s.yaml --seeds 4
expect 2 poula sweep s.yaml --from 1 --seeds 4
# A study that cannot be made: of a name as long as names may be, say.
printf 'study: %098d\ntask: {problem: theta30, iterations: 10}\noptimizer: sgd\nseeds: [1]\n' 0 >long.yaml
expect 0 poula sweep long.yaml --db long.db --quiet
expect 2 poula sweep --from 1 --seeds 4 --db long.db
contains err "poula sweep: the settings of '1' make no study (--from):"
expect 2 poula sweep
equal "$(sql results/poula.db "SELECT count(*) FROM runs")" "$best" "runs after commands that were wrong"
