# Workers that crash, hang, lie or talk rubbish. Each costs its own run and nothing else.

# Killed by a signal (the command kills its worker): that run fails, the others finish.
cat >killed.yaml <<END
study: killed
task: {command: [sh, -c, "[ {seed} != 3 ] || {{ echo last words >&2; kill -9 \$PPID; sleep 60; }; echo loss=1"]}
seeds: {from: 1, to: 12}
END
expect 1 poula sweep killed.yaml --db killed.db --jobs 2
contains out "killed: 11 finished, 0 diverged, 1 failed"
contains err "--retry-failed"
equal "$(sql killed.db "SELECT seed, reason FROM runs WHERE status = 'failed'")" \
    "3|the worker was killed by signal 9 (Killed)" "failed run"
equal "$(sql killed.db "SELECT signal FROM attempts WHERE outcome = 'failed'")" 9 signal
equal "$(sql killed.db 'SELECT count(*) FROM attempts')" 12 attempts

# A failed run is left alone by the next sweep, unless it is asked for; finished ones stay as they are.
expect 1 poula sweep killed.yaml --db killed.db
equal "$(sql killed.db 'SELECT count(*) FROM attempts')" 12 attempts
expect 0 poula sweep killed.yaml --db killed.db --dry-run
equal "$(tail -n 1 out)" "12 runs, 0 missing" "count line"
expect 0 poula sweep killed.yaml --db killed.db --dry-run --retry-failed
equal "$(tail -n 1 out)" "12 runs, 1 missing" "count line"
expect 1 poula sweep killed.yaml --db killed.db --retry-failed
equal "$(sql killed.db "SELECT group_concat(number) FROM attempts JOIN runs USING (run) WHERE seed = 3")" 1,2 "attempts of run 3"
equal "$(sql killed.db 'SELECT count(*) FROM attempts')" 13 attempts

# What can be mended is mended by --retry-failed, and old values do not stay beside new ones.
cat >mended.yaml <<END
study: mended
task: {command: [sh, -c, "echo epoch=1 loss=5; [ -f mended ] || {{ echo epoch=9 loss=5; exit 4; }; echo epoch=2 loss=2"]}
END
expect 1 poula sweep mended.yaml --db mended.db
equal "$(sql mended.db 'SELECT exit_code FROM attempts')" 4 "exit code"
touch mended
expect 0 poula sweep mended.yaml --db mended.db --retry-failed
contains out "mended: 1 finished, 0 diverged, 0 failed"
equal "$(sql mended.db 'SELECT group_concat(epoch), group_concat(value) FROM curves')" "1,2|5.0,2.0" curves

# --fail-fast stops at the first failure.
cat >fast.yaml <<END
study: fast
task: {command: [sh, -c, "echo {seed} >>fast.begun; [ {seed} != 2 ] || exit 1; sleep 0.1; echo loss=1"]}
seeds: {from: 1, to: 200}
END
expect 1 poula sweep fast.yaml --db fast.db --jobs 2 --fail-fast
contains err "run 2 failed"
[ "$(wc -l <fast.begun)" -lt 20 ] || fail "--fail-fast went on"
equal "$(count fast.db running)" 0 running

# Hangs: a command that sleeps, and a whole worker that is stopped; the study's timeout and --timeout.
cat >hang.yaml <<END
study: hang
task: {command: [sh, -c, "echo \$\$ >hang.{seed}; [ {seed} != 2 ] || sleep 1000; [ {seed} != 3 ] || kill -STOP \$PPID; echo loss=1"]}
seeds: {from: 1, to: 5}
timeout: 1
END
expect 1 poula sweep hang.yaml --db hang.db --jobs 1
contains out "hang: 3 finished, 0 diverged, 2 failed"
equal "$(sql hang.db "SELECT group_concat(seed || ' ' || reason, '; ') FROM runs WHERE status = 'failed'")" \
    "2 timed out after 1 s; 3 timed out after 1 s" reasons
# What a program had said stays, also what waits for its first position.
for head in "" "epoch 1/9 "; do
    cat >said.yaml <<END
study: said
task: {command: [sh, -c, "echo \"${head}lr=0.1\"; for i in 1 2 3; do echo loss=\$i; done; sleep 1000"]}
timeout: 0.5
END
    rm -f said.db*
    expect 1 poula sweep said.yaml --db said.db
    equal "$(sql said.db "SELECT reason || ' ' || (SELECT count(*) FROM curves WHERE metric = 'loss') FROM runs")" "timed out after 0.5 s 3" "values of a run that timed out"
done
wait_for 10 gone "$(cat hang.2)"
sed '/timeout/d; s/study: hang/study: limit/' hang.yaml >limit.yaml
expect 1 poula sweep limit.yaml --db limit.db --jobs 1 --timeout 0.5
equal "$(sql limit.db "SELECT group_concat(reason, '; ') FROM runs WHERE status = 'failed'")" \
    "timed out after 0.5 s; timed out after 0.5 s" reasons

# Quick runs queued behind a long one go to a worker that is free.
cat >queued.yaml <<END
study: queued
task: {command: [sh, -c, "echo {seed} >>queued.{seed}; if [ {seed} = 30 ]; then while [ ! -f release ]; do sleep 0.05; done; fi; echo loss=1"]}
seeds: {from: 1, to: 60}
END
start queued poula sweep queued.yaml --db queued.db --jobs 2
wait_for 60 at_least queued.db finished 59
touch release
finish queued 0 "$started"
equal "$(cat queued.[0-9]* | wc -l)" 60 "runs that were begun"

# Workers that are not what they should be. $POULA_WORKER replaces the program that is started as one.
version=$("$POULA" --version | sed 's/^poula //')
protocol=$(sed -n 's/.*PL_PROTOCOL_VERSION = \([0-9]*\).*/\1/p' "$SOURCE_ROOT/lib/sweep/protocol/protocol.h")
ready='{"event":"ready","protocol":'$protocol',"version":"'$version'","host":"elsewhere","cpu":"abacus","isa":"beads","compiler":"cc 1","libraries":"none"}'
fake() { # NAME, the script's body: what it does with an order for run $run
    cat >"$1" <<END
#!/bin/sh
${ready:+echo '$ready'}
while read -r line; do
    run=\${line#*:}; run=\${run%%,*}
    $2
done
END
    chmod +x "$1"
}
said_start='echo "{\"run\":$run,\"event\":\"start\",\"time\":1}"'
said_end='echo "{\"run\":$run,\"event\":\"end\",\"outcome\":\"finished\",\"seconds\":0.1,\"values\":VALUES,\"bad_epoch\":-1,\"exit_code\":-1,\"signal\":0}"'
said_points='echo "{\"run\":$run,\"event\":\"points\",\"epochs\":[1],\"series\":[[\"loss\",\"epoch\",\"3ff0000000000000\"]]}"'
cat >three.yaml <<END
study: three
task: {problem: quadratic, iterations: 10, record: 2}
optimizer: {name: sgd, lambda: 0.1}
seeds: [1, 2, 3]
END
with_fake() { # NAME: all three runs fail, each once
    expect 1 env POULA_WORKER="$PWD/$1" "$POULA" sweep three.yaml --db "$1.db" --jobs 1
    contains out "three: 0 finished, 0 diverged, 3 failed"
    equal "$(sql "$1.db" 'SELECT count(*), max(number) FROM attempts')" "3|1" attempts
    equal "$(sql "$1.db" "SELECT count(*) FROM best WHERE status = 'finished'")" 0 results
}
reasons() { sql "$1.db" 'SELECT DISTINCT reason FROM runs'; }

fake honest "$said_start; $said_points; $(echo "$said_end" | sed s/VALUES/1/)"
expect 0 env POULA_WORKER="$PWD/honest" "$POULA" sweep three.yaml --db honest.db --jobs 1
contains out "three: 3 finished"

# S7: what a worker says that it is, is recorded of its runs, and not what the supervisor is.
equal "$(sql honest.db "SELECT DISTINCT host, cpu, isa, compiler, libraries FROM provenance WHERE version = '$version'")" \
    "elsewhere|abacus|beads|cc 1|none" "provenance of another machine's worker"
equal "$(sql honest.db "SELECT group_concat(DISTINCT host) FROM runs")" elsewhere "host of the runs"
equal "$(sql honest.db "SELECT group_concat(DISTINCT host) FROM attempts")" elsewhere "host of the attempts"
equal "$(sql honest.db "SELECT count(*) FROM session WHERE host <> 'elsewhere' AND cpu <> 'abacus'")" 1 "the session"
printf '#!/bin/sh\nPOULA_ISA=base exec "%s" worker\n' "$POULA" >slower; chmod +x slower
sed 's/study: three/study: also/; s/10/12/' three.yaml >also.yaml
expect 0 env POULA_WORKER="$PWD/slower" "$POULA" sweep also.yaml --db honest.db --jobs 2
equal "$(sql honest.db "SELECT count(*), p.isa FROM provenance AS p JOIN session AS s ON s.id = p.session
    WHERE p.host = s.host AND p.cpu = s.cpu AND p.libraries = s.libraries GROUP BY p.isa")" "3|base" "provenance of a slower worker"
sed 's/study: three/study: own/; s/10/14/' three.yaml >own.yaml
expect 0 poula sweep own.yaml --db honest.db --jobs 2
equal "$(sql honest.db "SELECT (SELECT count(*) FROM attempt WHERE host IS NULL), (SELECT count(*) FROM host)")" "3|2" "own workers"
# A worker in a process namespace of its own, as on another machine, cannot see its supervisor's number: it works all the same.
if unshare --pid --fork true 2>/dev/null; then
    printf '#!/bin/sh\nexec unshare --pid --fork "%s" worker\n' "$POULA" >apart; chmod +x apart
    sed 's/study: three/study: apart/; s/10/16/' three.yaml >apart.yaml
    expect 0 env POULA_WORKER="$PWD/apart" "$POULA" sweep apart.yaml --db apart.db --jobs 2
    contains out "apart: 3 finished"
else
    echo "no unshare: a worker in a process namespace of its own is not tried" >&2
fi
sed '$d' three.yaml >both.yaml; printf 'seeds: [1, 2, 3, 4]\ntables: [{rows: optimizer, columns: lambda, value: last loss}]\n' >>both.yaml
expect 0 poula sweep both.yaml --db honest.db
expect 0 poula report --study three --db honest.db --table
contains out elsewhere

# S7: a worker of another version is refused, and nothing is trained by it: of another protocol, or of this one.
other_version() { # NAME
    rm -f "$1.db"
    expect 1 env POULA_WORKER="$PWD/$1" "$POULA" sweep three.yaml --db "$1.db"
    contains err "the worker $PWD/$1 is $2, and this is poula $version: what they train may differ"
    contains err "POULA_WORKER"
    equal "$(count "$1.db" planned)" 3 planned
    equal "$(sql "$1.db" 'SELECT count(*) FROM attempts')" 0 attempts
    expect 0 poula sweep three.yaml --db "$1.db"
}
our_ready=$ready
ready=$(echo "$our_ready" | sed "s/\"version\":\"[^\"]*\"/\"version\":\"0.0.9 (abcdef0)\"/")
fake newer "$said_start; $said_points; $(echo "$said_end" | sed s/VALUES/1/)"
other_version newer "poula 0.0.9 (abcdef0)"
ready='{"event":"ready","protocol":2}'
fake older "$said_start; $said_points; $(echo "$said_end" | sed s/VALUES/1/)"
other_version older "another version of poula (with protocol 2, where this has $protocol)"
ready=$our_ready

# One that does not say what it is, or says so twice, is not believed either.
ready=
fake silent "$said_start; $said_points; $(echo "$said_end" | sed s/VALUES/1/)"
expect 1 env POULA_WORKER="$PWD/silent" "$POULA" sweep three.yaml --db silent.db --jobs 1
equal "$(count silent.db planned)" 3 planned
ready=$our_ready
fake twice "$said_start; echo '$ready'"
with_fake twice
contains twice.db "out of order"

fake leaves "$said_start; echo 'I had enough' >&2; exit 0"
with_fake leaves
equal "$(reasons leaves)" "the worker ended with exit code 0 before the run had" reason
contains leaves.db "I had enough"

fake rubbish "$said_start; echo 'Segmentation fault (core dumped)'"
with_fake rubbish
equal "$(reasons rubbish)" "the worker was killed: it wrote a line that is not an event: Segmentation fault (core dumped)" reason

fake short "$said_start; $said_points; $(echo "$said_end" | sed s/VALUES/60/)"
with_fake short
equal "$(reasons short)" "the worker reported 60 values, but 1 arrived" reason

fake stranger "$said_start; run=77; $said_points"
with_fake stranger
contains stranger.db "out of order"

fake early "$said_start; $said_start"
with_fake early

# Workers that end before they begin anything are not started for ever.
printf '#!/bin/sh\necho no such library >&2\nexit 127\n' >dead; chmod +x dead
expect 1 env POULA_WORKER="$PWD/dead" "$POULA" sweep three.yaml --db dead.db
contains err "exit code 127"
contains err "no such library"
equal "$(count dead.db planned)" 3 planned
expect 1 env POULA_WORKER=/bin/true "$POULA" sweep three.yaml --db dead.db
contains err "exit code 0"
expect 1 env POULA_WORKER="$PWD/missing" "$POULA" sweep three.yaml --db dead.db
contains err "cannot start the worker"
equal "$(count dead.db planned)" 3 planned
