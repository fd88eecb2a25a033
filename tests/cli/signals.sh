# Ctrl-C once ends cleanly, twice at once; SIGTERM is like Ctrl-C.

# Short runs at hand come to their end.
slow_spec slow.yaml 40 0.2
start once poula sweep slow.yaml --jobs 2
wait_for 60 has_lines ran 3
kill -INT "$started"
finish once 130 "$started"
contains once.err "come to an end first"
equal "$(sort -u begun | wc -l)" "$(sort -u ran | wc -l)" "runs begun and runs ended"
equal "$(count results/poula.db running)" 0 running
equal "$(count results/poula.db finished)" "$(sort -u ran | wc -l)" finished
equal "$(sql results/poula.db "SELECT count(*) FROM attempts WHERE outcome <> 'finished'")" 0 "attempts that came to nothing"
contains once.out "missing"

# A long run is stopped at a clean point and will be run again; its values so far are kept until then.
cat >long.yaml <<END
study: long
task: {command: [sh, -c, "echo \$\$ >long.pid; echo loss=1; trap 'echo clean >stopped; exit 0' TERM; while :; do sleep 0.1; done"]}
END
start long poula sweep long.yaml --db long.db --jobs 1
wait_for 60 test -s long.pid
kill -TERM "$started"
finish long 143 "$started"
wait_for 10 gone "$(cat long.pid)"
[ -f stopped ] || fail "the command was not asked to stop"
equal "$(count long.db interrupted)" 1 interrupted
equal "$(sql long.db 'SELECT outcome FROM attempts')" interrupted outcome

# A run that does not listen is killed when the user insists.
cat >deaf.yaml <<END
study: deaf
task: {command: [sh, -c, "trap '' TERM INT; echo \$\$ >deaf.pid; while :; do sleep 0.1; done"]}
seeds: [1, 2]
END
start deaf poula sweep deaf.yaml --db deaf.db --jobs 1
wait_for 60 test -s deaf.pid
kill -INT "$started"
wait_for 10 grep -q "once more stops now" deaf.err
kill -INT "$started"
finish deaf 130 "$started"
wait_for 10 gone "$(cat deaf.pid)"
equal "$(count deaf.db interrupted)" 1 interrupted
equal "$(sql deaf.db 'SELECT reason FROM attempts')" "the sweep was stopped" reason
equal "$(count deaf.db planned)" 1 planned
equal "$(count deaf.db running)" 0 running

# A built-in problem stops between two iterations.
cat >heavy.yaml <<END
study: heavy
task: {problem: quadratic, dimension: 1000, iterations: 100000000, record: 1000000}
optimizer: {name: sgd, lambda: 1e-6}
END
start heavy poula sweep heavy.yaml --db heavy.db --jobs 1
has_values() { [ -f heavy.db ] && [ "$(sql heavy.db 'SELECT count(*) FROM curves')" -gt 0 ]; }
wait_for 60 has_values # a run that is only claimed goes back untouched
kill -INT "$started"
finish heavy 130 "$started"
equal "$(count heavy.db interrupted)" 1 interrupted

# S9: a run whose time was over before anybody said stop has timed out, however the stop comes. The supervisor is held
# across the time-out, so that it meets both at once: one signal lets runs come to their end, two of them kill.
cat >late.yaml <<END
study: late
task: {command: [sh, -c, "echo \$\$ >late.pid; sleep 1000"]}
timeout: 0.5
END
for signals in "INT" "INT TERM"; do
    rm -f late.pid late.db*
    start late poula sweep late.yaml --db late.db --jobs 1
    wait_for 60 test -s late.pid
    kill -STOP "$started"
    sleep 1
    for signal in $signals; do kill -$signal "$started"; done
    kill -CONT "$started"
    code=0
    wait "$started" || code=$?
    [ $code = 130 ] || [ $code = 143 ] || fail "the late sweep exited with $code"
    equal "$(sql late.db 'SELECT status, reason FROM runs')" "failed|timed out after 0.5 s" "after $signals"
done

# But a run that was asked to stop in time has the time of a stop.
cat >early.yaml <<END
study: early
task: {command: [sh, -c, "echo \$\$ >early.pid; sleep 1000"]}
timeout: 1.5
END
start early poula sweep early.yaml --db early.db --jobs 1
wait_for 60 test -s early.pid
kill -INT "$started"
finish early 130 "$started"
equal "$(sql early.db 'SELECT status FROM runs')" interrupted "a run that was stopped before its time-out"

# S5: a signal to everything that is named poula leaves nothing of a command running, neither what it started nor what
# took a session of its own; with SIGTERM the run is interrupted, not failed.
parent() { sed -n 's/^PPid:[[:space:]]*//p' "/proc/$1/status" 2>/dev/null; }
named_poula() { # the supervisor's family, as pkill (-f, too) would find it: by name and by command line
    for p in $(ls /proc | grep '^[0-9]*$'); do
        up=$(parent "$p") || continue
        [ "$p" = "$1" ] || [ "$up" = "$1" ] || [ "$(parent "$up")" = "$1" ] || continue
        if grep -q poula "/proc/$p/comm" || tr '\0' ' ' <"/proc/$p/cmdline" | grep -q poula; then echo "$p"; fi
    done 2>/dev/null
}
cat >family.yaml <<END
study: family
task: {command: [sh, -c, "sleep 1000 & echo \$! >child.{seed}; setsid sh -c 'echo \$\$ >stray.{seed}; exec sleep 1000' & echo loss=1; echo \$\$ >leader.{seed}; wait"]}
seeds: [1, 2]
END
for signal in KILL TERM; do
    rm -f child.* stray.* leader.*
    start family poula sweep family.yaml --db family-$signal.db --jobs 2
    for seed in 1 2; do wait_for 60 test -s leader.$seed; wait_for 60 test -s stray.$seed; done
    everything=$(named_poula "$started")
    [ "$(echo "$everything" | wc -l)" -ge 3 ] || fail "there are a supervisor and two workers, not: $everything"
    kill -$signal $everything
    code=0
    wait "$started" || code=$?
    [ $code = 137 ] || [ $code = 143 ] || fail "the sweep exited with $code after $signal"
    for file in child.* stray.* leader.*; do wait_for 10 gone "$(cat $file)"; done
done
equal "$(count family-TERM.db interrupted)" 2 "runs that SIGTERM to everybody interrupted"
