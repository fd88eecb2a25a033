# D13: an installed poula, far from its source tree, finds the specs that were installed with it, and their programs.
command -v meson >/dev/null || { echo "meson is not installed here"; exit 77; }
expect 0 meson install -C "$(dirname "$POULA")" --no-rebuild --quiet --destdir "$PWD/root"
POULA=$(find "$PWD/root" -path '*/bin/poula')
share=$(dirname "$POULA")/../share/poula
share=$(realpath "$share")
unset POULA_SHARE

# What else is installed: man pages, completion, documentation, and nothing of the tests.
for page in poula $(poula --help | sed -n 's/^  \([a-z]*\)  .*/poula-\1/p'); do
    [ -s "$share/../man/man1/$page.1" ] || fail "no man page $page.1"
done
[ ! -e "$share/../man/man1/poula-worker.1" ] || fail "a man page of a command that is not for users"
for file in bash-completion/completions/poula.bash zsh/site-functions/_poula fish/vendor_completions.d/poula.fish \
    doc/poula/COPYING doc/poula/README.md doc/poula/docs/specs.md poula/experiments/toy.yaml; do
    [ -s "$share/../$file" ] || fail "$file is not installed"
done
equal "$(cd root && find . -type f -perm /111 ! -name poula ! -path '*/experiments/*')" "" "programs besides poula"
for link in $(sed -n 's/.*](\([a-z][A-Za-z0-9/_.-]*\)).*/\1/p' "$share/../doc/poula/README.md"); do
    [ -e "$share/../doc/poula/$link" ] || fail "the installed README links to $link, which is not there"
done
mkdir work
cd work

expect 0 poula sweep experiments/toy.yaml
contains out "toy-default: 15 finished, 5 diverged"
contains err "poula sweep: there is no experiments/toy.yaml here; it is $share/experiments/toy.yaml"
equal "$(ls)" "err
out
results" "what the sweep left here"
expect 0 poula report --table
expect 0 poula run experiments/toy.yaml --study toy-steps --set optimizer=adam
contains out "finished in"
expect 0 poula sweep experiments/paper/figure-toy.yaml experiments/toy.yaml --dry-run
expect 2 poula sweep experiments/none.yaml
contains err "cannot open experiments/none.yaml"

# Short names: without experiments/ and .yaml, and what is nearly one.
expect 0 poula sweep paper/table-lambda --dry-run
contains out "48 runs, 48 missing"
contains err "poula sweep: there is no paper/table-lambda here; it is $share/experiments/paper/table-lambda.yaml"
expect 0 poula sweep experiments/toy --dry-run
contains out "225 runs"
expect 0 poula run toy --study toy-steps --set optimizer=adam
contains err "there is no toy here; it is $share/experiments/toy.yaml"
for name in tyo toy.yaml experiments/tyo.yaml; do
    expect 2 poula sweep $name
    contains err "there is no $name here; an experiment that comes with poula is toy"
    contains err "cannot open $name"
done
expect 2 poula sweep nothing-like-it
lacks err "comes with poula"
echo "study: [" >toy
expect 2 poula sweep toy
lacks err "there is no"
rm toy

# What there is.
expect 0 poula show experiments
for spec in $(cd "$share/experiments" && find . -name '*.yaml' ! -name published.yaml | sed 's|^\./||; s|\.yaml$||'); do
    grep -q "^$spec  *[A-Z0-9]" out || fail "no line for $spec, or without a word on it"
done
lacks out published
[ "$(sed '$d' out | awk 'length > 110' | wc -l)" = 0 ] || fail "lines are too long"
expect 0 poula show experiment paper/table-lambda
cmp out "$share/experiments/paper/table-lambda.yaml"
contains err "$share/experiments/paper/table-lambda.yaml"
expect 2 poula show experiment paper/tabel-lambda
contains err "did you mean paper/table-lambda?"
expect 2 poula show experiment paper/published
expect 2 poula show experiment ../experiments/toy

# Its program starts where it is installed; the keys are those of the source tree.
expect 0 poula sweep experiments/command.yaml --dry-run
contains out "command runs in $share, for example: sh experiments/command/train.sh"
expect 0 poula sweep experiments/command.yaml
contains out "command: 90 finished, 15 diverged, 0 failed"
equal "$(sql results/poula.db "SELECT DISTINCT folder FROM attempts WHERE folder IS NOT NULL")" "$share" "where the program started"
expect 0 poula run experiments/command.yaml --set lambda=0.1
contains out "finished in"
expect 0 poula sweep "$share/experiments/command.yaml"
equal "$(sql results/poula.db "SELECT count(*) FROM attempts WHERE folder IS NOT NULL")" 105 "attempts, after the same spec by another name"
(cd "$share" && expect 0 poula sweep experiments/command.yaml --db "$OLDPWD/work/results/poula.db")
equal "$(sql results/poula.db "SELECT count(*) FROM attempts WHERE folder IS NOT NULL")" 105 "attempts, after the same from there"

# What is here comes first, even if it is wrong; and only experiments/ is looked for.
mkdir experiments
echo "study: [" >experiments/toy.yaml
expect 2 poula sweep experiments/toy.yaml
lacks err "there is no"
ln -s nowhere experiments/problems.yaml
expect 2 poula sweep experiments/problems.yaml
lacks err "there is no"
expect 2 poula sweep toy.yaml
expect 2 poula sweep experiments/../experiments/markov.yaml
sed 's/^study: command/study: own/' "$share/experiments/command.yaml" >experiments/own.yaml
expect 1 poula sweep experiments/own.yaml --limit 1 --db own.db # a spec of one's own starts programs here, as ever
equal "$(sql own.db "SELECT DISTINCT folder FROM attempts")" "$(pwd -P)" "where an own spec's program started"
