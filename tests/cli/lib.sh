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

wait_for() {
    tries=$(( $1 * 20 )); shift
    while ! "$@" >/dev/null 2>&1; do
        tries=$((tries - 1))
        [ $tries -gt 0 ] || fail "waited in vain for: $*"
        sleep 0.05
    done
}
