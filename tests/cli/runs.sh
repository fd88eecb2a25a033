# poula runs: filters, which columns are shown, formats.
cat >study.yaml <<'END'
study: compare
task: {problem: theta30, iterations: 100, record: 10}
optimizer: {name: [theopoula, sgd], lambda: [0.1, 0.01], beta: .inf}
seeds: [1, 2]
END
sed -i 's/, beta: .inf//' study.yaml
cat >other.yaml <<'END'
study: other
task: {problem: quadratic, iterations: 10, record: 10}
optimizer: {name: sgd, lambda: 0.1}
seeds: [1]
END
expect 1 poula runs
contains err "results/poula.db"
expect 0 poula sweep study.yaml
expect 0 poula sweep other.yaml
expect 0 poula runs --format csv
equal "$(wc -l <out)" 10 "lines of all runs"
expect 0 poula runs --study compare --format csv
equal "$(wc -l <out)" 9 "lines of one study"
expect 0 poula runs --study compare --status diverged --format csv
equal "$(wc -l <out)" 5 "lines of diverged runs"
contains out bad_epoch
lacks out optimizer # all of them are sgd
contains out lambda
expect 0 poula runs --status finished --status diverged --where optimizer=theopoula,sgd --where lr=1e-1 --format csv
equal "$(wc -l <out)" 6 "lines of lambda 0.1 under another spelling"
lacks out ",lambda"
expect 0 poula runs --where seed=2 --where problem=theta30 -n 3 --format csv
equal "$(wc -l <out)" 4 "lines under a limit"
expect 2 poula runs --where optimizer=none --format csv # B8
contains err "no run has optimizer=none; there are: "
expect 0 poula runs --where "lambda>=0.1" --where "lambda<0.1" --format csv
equal "$(wc -l <out)" 1 "lines when nothing fits"
expect 0 poula runs --limit 1 --all --format csv
contains out ",iterations,"
expect 0 poula runs --limit 2
contains out "finished"
expect 2 poula runs --where lamda=1
contains err "lambda"
expect 2 poula runs --where lambda
expect 2 poula runs --status done
expect 2 poula runs --limit 0
expect 2 poula runs --study nothing
contains err "nothing"
expect 2 poula runs --study "it's"

# Settings that are called as columns are: conditions find them by their own names, and a CSV has no column twice.
cat >named.yaml <<'E2'
study: named
task: {command: [sh, -c, 'echo loss=$(($0*10))', "{n}", "{host}"]}
settings: {n: [1, 2], host: [a, b]}
E2
expect 0 poula sweep named.yaml --db named.db
for command in "runs --where n=1" "tag n=1 --add one" "report --where n=1" "runs --where setting_host=a --where n=1,2" "forget n=1" "delete n=1 --yes"; do
    expect 0 poula $command --db named.db
done
equal "$(sql named.db 'SELECT group_concat(setting_n) FROM runs')" 2,2 "what is left of n"
expect 2 poula runs --db named.db --where n=3
contains err "no run has n=3; there is: 2"
expect 2 poula runs --db named.db --where host=a
contains err "; the setting host is setting_host here"
sed 's/: named/: others/' named.yaml >others.yaml
expect 0 poula sweep others.yaml --db named.db
expect 0 poula report --db named.db --format csv --study named,others --rows n,host --columns study
equal "$(head -n 1 out | cut -d , -f 1-8)" "study,metric,select,setting_n,host,setting_study,mean,std" "the head of a CSV"
equal "$(head -n 1 out | tr , '\n' | sort | uniq -d | wc -l)" 0 "columns of one name"
