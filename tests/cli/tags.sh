# Runs found again: tags and notes, metrics as columns, sorting, conditions everywhere alike.
cat >study.yaml <<'END'
studies:
  - study: compare
    task: {problem: theta30, iterations: 100, record: 10}
    optimizer: {name: theopoula, lambda: [0.1, 0.01, 0.001]}
    seeds: [1, 2]
  - study: scores
    task: {command: [sh, -c, "echo epoch=1 val_acc=0.{seed}; echo epoch=2 val_acc=0.2"]}
    settings: {depth: [18, 34]}
    seeds: [1, 5, 9]
END
expect 1 poula studies
expect 0 poula sweep study.yaml --jobs 1
expect 0 poula studies --format csv
contains out "study,configs,seeds,runs,finished,diverged,failed,stopped,missing,running,started,path"
contains out "compare,3,2,6,6,0,0,0,0,0,"
contains out "scores,2,3,6,6,0,0,0,0,0,"

# Tags and notes.
expect 0 poula tag lambda=0.1 --add baseline --add paper --note "what others use"
equal "$(cat out)" "2 of 2 runs changed" "what was tagged"
expect 0 poula tag "lambda<=0.01" --add small
expect 0 poula tag 1 --add paper --remove small
equal "$(cat out)" "0 of 1 run changed" "what was not"
expect 0 poula runs --tag baseline --format csv
equal "$(wc -l <out)" 3 "lines with a tag"
contains out "tags,note"
contains out '"baseline, paper",what others use'
expect 0 poula runs --tag paper --tag small --format csv
equal "$(wc -l <out)" 1 "lines with both tags"
expect 2 poula runs --tag bseline
contains err "no run has the tag bseline; there are: baseline, paper, small"
expect 0 poula tag --tag baseline --remove paper --note ""
expect 0 poula query "SELECT tags, note FROM runs WHERE run = 1" --format csv
contains out "baseline,"
lacks out others
expect 2 poula tag 1 --add "two words"
contains err "a tag is a word"
expect 2 poula tag 1 --add a,b
expect 2 poula tag 1
expect 2 poula tag --add x
contains err "say which runs"
expect 2 poula tag 99 --add x
expect 2 poula tag 1 lambda=0.1 --add x
contains err "not both"
equal "$(sql results/poula.db "SELECT count(*) FROM tag WHERE name = 'x'")" 0 "tags of a command that failed"
expect 0 poula forget 1
expect 0 poula sweep study.yaml --quiet --jobs 1
equal "$(sql results/poula.db "SELECT tags FROM runs WHERE run = 1")" baseline "tags of a run that was run again"

# Metrics as columns; the best come first; NULL last.
expect 0 poula runs --study scores --metric "best val_acc" --metric "last val_acc" --format csv
expect 0 poula runs --metric val_acc --sort val_acc --limit 2 --where depth=34 --format csv
equal "$(cut -d, -f 4,6 out | tail -n 2 | tr '\n' ' ')" "9,0.9 5,0.5 " "the best two"
expect 0 poula runs --metric val_acc --sort -val_acc --format csv -n 1
contains out ",0.2"
expect 0 poula runs --study scores --metric val_acc --where "val_acc>0.4" --where "depth=10..20" --format csv
equal "$(wc -l <out)" 3 "lines with a metric in a range"
expect 0 poula runs --study compare --sort lambda --format csv
equal "$(sed -n 2p out | cut -d, -f6)" 0.001 "the smallest"
expect 0 poula runs --sort -lambda --format csv -n 1
contains out ",baseline"
expect 2 poula runs --metric vall_acc
contains err "vall_acc"
expect 2 poula runs --metric "mean val_acc"
expect 2 poula runs --sort lamda
contains err 'no run has a setting "lamda"; did you mean lambda?'
expect 2 poula runs --sort val_acc
contains err 'there is no column "val_acc" to sort by: --metric val_acc shows one'
expect 0 poula runs --metric "last val_acc" --sort "last val_acc"
mv out by_last
expect 0 poula runs --metric "last val_acc" --sort val_acc
cmp out by_last || fail "a column goes by what --metric says of it, too"

# Since when.
expect 0 poula runs --since 2000-01-01 --format csv
equal "$(wc -l <out)" 13 "lines since long ago"
expect 0 poula runs --since 2999-12-31T23:59 --format csv
equal "$(wc -l <out)" 1 "lines since the future"
expect 0 poula runs --since 2024-02-29T23:59:59 --limit 1
for date in yesterday 2026-9-1 2026-13-01 2026-01-32 2026-01-01T1 2026-02-30 2025-02-29 "2026-01-01 24:00" 2026-01-01T12:60; do
    expect 2 poula runs --since "$date"
    contains err "must be like 2026-09-01"
done

# A word where all values are numbers is said, by every command that takes conditions; so is a comparison with none.
slip() { # COMMAND...
    expect "$@"
    contains err "lambda is a number, and cannot be 'small'"
}
slip 2 poula runs --where lambda=small
slip 2 poula runs --where lambda=0.1,small
slip 2 poula runs --where lambda!=small
slip 2 poula report --study compare --where lambda=small
slip 2 poula plot --study compare --where lambda=small --out plots
slip 2 poula forget lambda=small
slip 2 poula tag lambda=small --add x
slip 2 poula sweep study.yaml --rerun lambda=small
for command in runs "report --study compare" "plot --out plots --study compare"; do
    expect 2 sh -c "\"\$POULA\" $command --where 'lambda<small'"
    contains err "lambda<0.01"
done
expect 0 poula forget "lambda<0.01" seed=2
contains out "1 run forgotten"
expect 0 poula sweep study.yaml --rerun "lambda<0.05" --jobs 1
contains err "3 runs are run again"
