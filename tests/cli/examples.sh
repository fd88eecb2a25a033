# What people copy: the example of every command's help, and the commands of tools/demo, in a folder as it is after a
# clone with one finished sweep.
cp -r "$SOURCE_ROOT/experiments" .
expect 0 poula sweep experiments/toy.yaml --quiet

# The one line after "example:", as a shell runs it. bench measures for half a minute and generate needs a model of text:
# they have tests of their own; data sets must be fetched; serve goes on until it is ended; the rest must succeed.
example() { poula "$1" --help | sed -n '/^example:$/{n;s/^  //p;}'; }
commands=$(poula --help | sed -n 's/^  \([a-z]*\)  .*/\1/p')
[ "$(echo "$commands" | wc -w)" -ge 14 ] || fail "the commands could not be read from the help"
for command in $commands; do
    line=$(example "$command")
    case $line in *"poula $command"*) ;; *) fail "the example of $command is '$line'" ;; esac
    for option in $(echo "$line" | grep -o -e ' --[a-z-]*'); do
        poula "$command" --help | grep -q -e "$option[ ,]" || fail "the example of $command has $option, its options have not"
    done
    case $command in
    bench | data | generate | serve) continue ;;
    plot) command -v gnuplot >/dev/null || continue ;;
    esac
    expect 0 bash -c "poula() { \"\$POULA\" \"\$@\"; }; $line"
done

# tools/demo calls poula through `show COMMAND...`, which here expects success. Of its sweeps only the quick one is run.
show() {
    case "$1 ${2-}" in "sweep experiments/toy.yaml" | report* | query*) ;; sweep*) set -- "$@" --dry-run ;; plot*) command -v gnuplot >/dev/null || return 0 ;; *) fail "what is $1?" ;; esac
    expect 0 poula "$@" --db demo.db
    [ -s out ] || fail "demo's $1 prints nothing"
    shown="$shown $1"
}
shown=
sed -n '/^show [a-z]/p' "$SOURCE_ROOT/tools/demo" >lines.sh
. ./lines.sh
case $shown in *sweep*report*query*) ;; *) fail "demo was read as:$shown" ;; esac
