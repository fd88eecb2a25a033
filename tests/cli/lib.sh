# Helpers for CLI tests. A test is a list of these calls; the first that fails ends it.
#
#   poula ARGS...               runs the program under test
#   expect CODE CMD ARGS...     runs CMD; stdout in ./out, stderr in ./err; fails unless it exits with CODE
#   contains FILE TEXT          FILE has TEXT (fixed string); lacks FILE TEXT: it has not
#   same FILE <<EOF             FILE is exactly what follows
#   equal GOT WANT WHAT         two words are equal
#   sql DB QUERY                the answer of sqlite3 (for looking behind the program's back)
#   wait_for SECONDS CMD...     polls until CMD succeeds

fail() {
    echo "FAILED: $*" >&2
    for f in out err; do
        [ -f $f ] && { echo "--- $f (last 40 lines)" >&2; tail -n 40 $f >&2; }
    done
    exit 1
}

poula() { "$POULA" "$@"; }

expect() {
    want=$1; shift
    code=0
    "$@" >out 2>err </dev/null || code=$?
    [ "$code" = "$want" ] || fail "'$*' exited with $code, not $want"
}

contains() { grep -qF -e "$2" "$1" || fail "$1 lacks: $2"; }
lacks() { ! grep -qF -e "$2" "$1" || fail "$1 has: $2"; }
same() { cat >wanted; cmp -s "$1" wanted || { diff -u wanted "$1" >&2; fail "$1 is not as expected"; }; }
equal() { [ "$1" = "$2" ] || fail "${3:-value}: got '$1', want '$2'"; }
sql() { sqlite3 -batch "$1" "$2"; }

# The last line of a dry run into an empty database: of `listed 24 + 6` six runs wait for the table of another study.
listed() {
    case $# in
    1) echo "$1 runs, $1 missing" ;;
    3) echo "$1 runs, $1 missing, $3 wait" ;;
    *) fail "how many runs are '$*'?" ;;
    esac
}

wait_for() {
    tries=$(( $1 * 20 )); shift
    while ! "$@" >/dev/null 2>&1; do
        tries=$((tries - 1))
        [ $tries -gt 0 ] || fail "waited in vain for: $*"
        sleep 0.05
    done
}

# Sweeps in the background and slow runs.
#
#   start NAME CMD...           runs CMD in the background; output in NAME.out and NAME.err; its process in $started
#   finish NAME CODE PROCESS    waits for it and fails unless it exits with CODE
#   slow_spec FILE RUNS SECONDS a study `slow` of RUNS command runs; each writes its process number to pid.SEED,
#                               adds its seed to the file begun, sleeps, adds its seed to the file ran
#   toy_spec FILE SEEDS         a study `toy` of 25 x SEEDS quick runs
#   count DB STATUS             how many runs have that status
#   gone PROCESS                succeeds when no such process runs (a zombie does not run)

start() {
    start_name=$1; shift
    [ "$1" != poula ] || { shift; set -- "$POULA" "$@"; } # a function would run in a shell of its own
    "$@" >"$start_name.out" 2>"$start_name.err" </dev/null &
    started=$!
}

finish() {
    code=0
    wait "$3" || code=$?
    if [ "$code" != "$2" ]; then
        cp "$1.out" out; cp "$1.err" err
        fail "$1 exited with $code, not $2"
    fi
}

slow_spec() {
    cat >"$1" <<END
study: slow
task:
  command: [sh, -c, "echo \$\$ >pid.{seed}; echo {seed} >>begun; sleep $3; echo {seed} >>ran; echo loss={seed}"]
seeds: {from: 1, to: $2}
END
}

toy_spec() {
    cat >"$1" <<END
study: toy
task: {problem: theta30, iterations: 200, record: 20}
optimizer: {name: theopoula, lambda: [0.5, 0.1, 0.05, 0.01, 0.001], epsilon: [1, 0.3, 0.1, 0.03, 0.01], beta: 1e10}
seeds: {from: 1, to: $2}
END
}

count() { sql "$1" "SELECT count(*) FROM runs WHERE status = '$2'"; }
at_least() { [ -f "$1" ] && [ "$(count "$1" "$2")" -ge "$3" ]; }
has_lines() { [ -f "$1" ] && [ "$(wc -l <"$1")" -ge "$2" ]; }
gone() { ! kill -0 "$1" 2>/dev/null || grep -q '^State:[[:space:]]*[ZX]' "/proc/$1/status" 2>/dev/null; }
