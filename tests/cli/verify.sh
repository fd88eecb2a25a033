# `poula verify` trains again and compares every value.
toy_spec toy.yaml 4
cat >more.yaml <<END
studies:
  - study: diverging
    task: {problem: theta30, iterations: 50, record: 10}
    optimizer: {name: sgd, lambda: 0.1}
  - study: command
    task: {command: [sh, -c, "echo epoch=3 loss={seed}.5; echo epoch=1 loss=nan; echo epoch=2 loss=inf; echo epoch=3 loss=2"]}
    seeds: [1, 2]
  - study: failing
    task: {command: [false]}
END
expect 1 poula sweep toy.yaml more.yaml --jobs 2
expect 0 poula verify --all
same out <<END
103 runs verified, 4008 values: 0 runs differ
END
expect 0 poula verify --sample 7
contains out "7 runs verified"
expect 0 poula verify 1 2 3
contains out "3 runs verified"
key=$(sql results/poula.db 'SELECT substr(key, 1, 12) FROM runs WHERE run = 5')
expect 0 poula verify "$key"

# One changed bit is found, and so are a value too few and one too many.
sql results/poula.db "UPDATE metric SET value = value * (1 + 2.3e-16) WHERE run = 5 AND epoch = 100
    AND series = (SELECT id FROM series WHERE name = 'theta')"
expect 1 poula verify --all
contains out "run 5 (seed 1) differs:"
contains out "  theta at 100 was "
contains out ": 1 runs differ"
sql results/poula.db "DELETE FROM metric WHERE run = 6 AND epoch = 200"
expect 1 poula verify 6
contains out "at 200 was nothing and is "
sql results/poula.db "INSERT INTO metric SELECT run, series, 777, value, kind FROM metric WHERE run = 7 AND epoch = 100"
expect 1 poula verify 7
contains out "at 777 was "
contains out " and is nothing"

# Nothing to compare.
failed=$(sql results/poula.db "SELECT run FROM runs WHERE status = 'failed'")
expect 2 poula verify "$failed"
contains err "failed"
expect 2 poula verify 99999
expect 2 poula verify
expect 2 poula verify 1 --all
expect 1 poula verify 1 --db missing.db

# The file itself.
expect 0 poula verify --database
contains out "sound"

# How the output of a command was read is how it is read again (L7).
cat >reading.yaml <<'END'
studies:
- study: pattern
  task: {command: [sh, -c, 'echo "at 1 we lost 0.5"; echo "at 2 we lost 0.25"']}
  pattern: ['at (?<epoch>\d+) we lost (?<loss>\S+)']
- study: file
  task: {command: [sh, -c, 'printf "epoch,loss\n1,0.5\n2,0.25\n" >"$0"', "{run_folder}/metrics.csv"]}
  metrics_file: "{run_folder}/metrics.csv"
- study: chatter
  task: {command: [sh, -c, 'echo epoch=1 loss=0.5 >&2']}
  stderr: true
END
expect 0 poula sweep reading.yaml --db reading.db
equal "$(sql reading.db "SELECT count(*) FROM curves WHERE metric = 'loss'")" 5 "values that were read"
expect 0 poula verify --all --db reading.db
same out <<'END'
3 runs verified, 5 values: 0 runs differ
END
