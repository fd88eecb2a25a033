# Helpers of tests on a private Slurm, beside those of tests/cli.
#
#   cluster [OPTION...]      starts it (tests/cluster/slurm says which options) for as long as the test runs; the test is
#                            skipped where there is none
#   node kill|revive NODE    a node that dies, and comes back
#   on_slurm SPEC DB ARGS... poula sweep --on slurm, where ten minutes are more than it needs
#   detach SPEC DB ARGS...   the same with --detach, which must succeed
#   tasks STATE              how many tasks Slurm has in this state
#   stub NAME                a program before Slurm's own one: the rest of a shell script is read; "$real" is the real one
#   unstub NAME              takes it away
#   hold STUDY TASK          the workers of a task stand still, so that training that has begun does not come to its end meanwhile;
#                            whoever ends them lets them go on first, as Slurm does, or kills them
#   fast_clock RATE          from now on the clock of on_slurm goes so many times as fast (1: as usual), where libfaketime is
#                            there; tasks keep theirs
#   content DB               all that a database knows but clocks, processes and submissions, a line each
#   same_content DB OTHER    both have the same of it; same_values: the same runs with the same ends and values, to the bit
#   settled DB               nothing is held, open or left of any submission, and no run has come to an end twice
. "$SOURCE_ROOT/tests/cli/lib.sh"
: "${SLOW:=0}"

cluster() {
    code=0
    trap end_cluster EXIT
    trap 'exit 130' INT TERM HUP
    "$TESTS/slurm" start "$PWD/slurm" "$@" || code=$?
    [ $code = 0 ] || exit $code
    export SLURM_CONF="$PWD/slurm/slurm.conf"
    mkdir -p bin
    PATH=$PWD/bin:$PATH
}

# What was started in the background goes first: it would ask a Slurm that is gone.
end_cluster() { # [CODE]
    code=${1:-$?}
    for child in $(ps -o pid= --ppid $$); do
        kill -KILL "$child" 2>/dev/null || true
    done
    "$TESTS/slurm" stop "$PWD/slurm" || true
    exit $code
}

node() { "$TESTS/slurm" "$1" "$PWD/slurm" "$2"; }

on_slurm() {
    spec=$1 db=$2; shift 2
    timeout 600 $faster "$POULA" sweep "$spec" --on slurm --db "$db" "$@"
}

detach() { expect 0 on_slurm "$@" --detach; }

tasks() { squeue -h -r -t "$1" -o %i | wc -l; }
has_tasks() { [ "$(tasks "$1")" -ge "$2" ]; } # STATE COUNT
no_tasks() { [ -z "$(squeue -h -o %i)" ]; }

stub() {
    real=$(PATH=$(echo "$PATH" | sed "s|^$PWD/bin:||") command -v "$1") || real=
    { printf '#!/bin/sh\nreal=%s\n' "${real:-/bin/false}"; cat; } >"bin/$1.new"
    chmod +x "bin/$1.new"
    mv "bin/$1.new" "bin/$1"
}
unstub() { rm -f "bin/$1"; }

hold() {
    held=
    for process in $(pgrep -f '/(poula|exe) worker$' || true); do
        [ "$(readlink "/proc/$process/cwd")" = "$(pwd -P)" ] || continue
        tr '\0' '\n' <"/proc/$process/environ" >environ 2>/dev/null || continue
        grep -q "^SLURM_JOB_NAME=$1-" environ && grep -qx "SLURM_ARRAY_TASK_ID=$2" environ || continue
        kill -STOP "$process" && held="$held $process"
    done
    [ -n "$held" ] || fail "task $2 of $1 has no worker that could be held: its training is over"
}

fake_clock=$(ls /usr/lib/*/faketime/libfaketime.so.1 2>/dev/null | head -n 1)
faster=
fast_clock() {
    faster=
    [ "$1" != 1 ] && [ -n "$fake_clock" ] || return 0
    for name in sbatch squeue scontrol sacct scancel; do
        [ -e bin/$name ] || stub $name <<'END'
exec "$real" "$@"
END
        # Slurm's commands, and with them tasks, live in the usual time.
        sed -i '1a unset LD_PRELOAD FAKETIME' bin/$name
    done
    printf '#!/bin/sh\nexec env LD_PRELOAD=%s FAKETIME="+0 x%s" NO_FAKE_STAT=1 "$@"\n' "$fake_clock" "$1" >bin/faster
    chmod +x bin/faster
    faster=faster
}

content() {
    sql "$1" "
    SELECT 'config', id, hex(digest), settings FROM config ORDER BY id;
    SELECT 'setting', * FROM setting ORDER BY config, key;
    SELECT 'run', id, config, seed, hex(key), status, attempts, bad_epoch, begun IS NULL FROM run ORDER BY id;
    SELECT 'sweep', id, study, path, spec, hex(digest), seeds, place FROM sweep ORDER BY id;
    SELECT 'sweep_run', * FROM sweep_run ORDER BY sweep, position;
    SELECT 'sweep_metric', * FROM sweep_metric ORDER BY sweep, name;
    SELECT 'attempt', run, number, outcome, reason, exit_code, signal, threads, log, reading, unread, unread_example, unsaved,
        unsaved_example, folder, program, files, git_commit, dirty FROM attempts ORDER BY run, number;
    SELECT 'provenance', run, attempt, host, cpu, isa, threads, version, compiler, libraries FROM provenance ORDER BY run;
    SELECT 'series', name, axis, direction, validates, loss FROM series ORDER BY name, axis;
    SELECT 'value', m.run, s.name, s.axis, m.epoch, printf('%!.20g', m.value), m.kind FROM metric AS m
        JOIN series AS s ON s.id = m.series WHERE s.name NOT LIKE 'seconds%' AND s.name NOT LIKE '%_per_second'
        ORDER BY m.run, s.name, s.axis, m.epoch;
    SELECT 'result', v.run, s.name, s.axis, v.status, printf('%!.20g', v.lowest), v.lowest_epoch, printf('%!.20g', v.highest),
        v.highest_epoch, printf('%!.20g', v.last), v.last_epoch, v.last_kind, v.bad_epoch FROM result AS v
        JOIN series AS s ON s.id = v.series WHERE s.name NOT LIKE 'seconds%' AND s.name NOT LIKE '%_per_second'
        ORDER BY v.run, s.name, s.axis;
    SELECT 'superseded', run, attempt, metric, axis, lowest, highest, last FROM superseded
        WHERE metric NOT LIKE 'seconds%' AND metric NOT LIKE '%_per_second' ORDER BY run, attempt, metric, axis;
    SELECT 'program', hex(digest), folder, file, files FROM program ORDER BY digest;"
}

values() {
    sql "$1" "
    SELECT 'run', key, status, bad_epoch FROM runs ORDER BY key;
    SELECT 'value', key, metric, axis, epoch, printf('%!.20g', value), kind FROM curves JOIN runs USING (run)
        WHERE metric NOT LIKE 'seconds%' AND metric NOT LIKE '%_per_second' ORDER BY key, metric, axis, epoch;"
}

differ() { # FUNCTION DB OTHER
    "$1" "$2" >"$2.lines"
    "$1" "$3" >"$3.lines"
    [ -s "$2.lines" ] || fail "$2 has nothing in it"
    cmp -s "$2.lines" "$3.lines" || {
        diff "$2.lines" "$3.lines" | head -n 20 >&2
        fail "$3 is not as $2"
    }
}
same_content() { differ content "$1" "$2"; }
same_values() { differ values "$1" "$2"; }

settled() {
    equal "$(sql "$1" "SELECT count(*) FROM submissions WHERE state <> 'closed'")" 0 "submissions that are not closed"
    equal "$(sql "$1" "SELECT count(*) FROM tasks WHERE state <> 'over'")" 0 "tasks that are not over"
    equal "$(sql "$1" "SELECT count(*) FROM runs WHERE status IN ('queued', 'running')")" 0 "runs that are held"
    equal "$(sql "$1" "SELECT count(*) FROM (SELECT run FROM attempts WHERE outcome IN ('finished', 'diverged')
        GROUP BY run HAVING count(*) > 1)")" 0 "runs that came to an end twice"
}
