# What shells offer, and the man pages: all from the descriptors, the database and the specs that come with poula.
export POULA_SHARE="$SOURCE_ROOT"
cat >study.yaml <<'END'
studies:
- study: first-of-two
  task: {problem: theta30, iterations: 20, record: 10}
  optimizer: {name: sgd, lambda: 0.1}
- study: second-of-two
  task: {problem: theta30, iterations: 20, record: 10}
  optimizer: {name: [adam, sgd], lambda: 0.01}
  seeds: [1, 2]
END
expect 0 poula sweep study.yaml --quiet --db 'my results.db'

# offers WORD WORDS... -- WANTED...: the words offered for the typed WORD behind WORDS, in their order.
offers() {
    typed=$1; shift
    before=
    while [ "$1" != -- ]; do before="$before $1"; shift; done
    shift
    expect 0 env POULA_DB='my results.db' "$POULA" complete --word="$typed" -- $before
    equal "$(sed '1d; s/\t.*//' out | tr '\n' ' ')" "${*:+$* }" "what is offered for '$typed' behind '$before'"
}
also() { equal "$(sed -n '1s/ *-$//p' out)" "$1" "what else is offered"; }
has() { grep -q "^$1	$2" out || fail "'$1' with '$2' is not offered"; }

offers repor -- report
has report "print the tables of a sweep"
offers -- -- --help --version
offers --dr sweep x.yaml -- --dry-run
offers --dr sweep --jobs 4 x.yaml --quiet -- --dry-run
offers --dr sweep -- --dry-run
expect 0 poula complete --word=--dr -- sweep --
equal "$(cat out)" "files -" "what is offered behind --"
offers la report --format -- latex
offers --format=la report -- --format=latex
offers '' jobs --
offers '' nonsense --
offers th show optimizer -- theopoula
offers optimizer show -- optimizers optimizer
offers pape sweep paper/table-beta -- $(cd "$SOURCE_ROOT/experiments" && ls paper | sed '/published/d; s|^|paper/|; s|\.yaml$||')
also files
offers toy show experiment -- toy-10k toy
offers '' plot --out --
also folders
offers '' report --db --
also files
offers '' completion -- bash zsh fish man
offers sw completion man -- sweep
offers fet data -- fetch
offers cifar data fetch glyphs -- cifar10 cifar100

# Settings and their values.
offers lamb run toy --set -- lambda=
also nospace
has lambda= "learning rate"
offers --set=lamb run toy -- --set=lambda=
offers optimizer=theo run toy --set -- optimizer=theopoula
offers optimizer=adam,theo report --where -- optimizer=adam,theopoula
offers average=o run toy --set -- average=off average=on
offers augment= run toy --set -- augment=true augment=false
offers lambda,epsilon_i report --rows -- lambda,epsilon_in
also ""
offers eta theory --set -- eta=

# The database: studies, metrics of the study that was named, newest runs.
offers '' report --study -- second-of-two first-of-two # the last first
offers --study=s plot -- --study=second-of-two
offers l report --study second-of-two --value -- loss
offers second-of-two, report --study -- second-of-two,first-of-two # behind a comma, those that are not named yet
offers --study=first-of-two,s plot -- --study=first-of-two,second-of-two
offers l report --study first-of-two,second-of-two --value -- loss
offers lo report --target -- loss=
also nospace
offers l report --study no-such-study --value --
offers '' verify -- 5 4 3 2 1
has 5 "diverged, second-of-two"
offers 4 show -- 4
offers 44 show --
expect 0 poula tag 3 4 --add baseline --add checked --db 'my results.db'
offers '' runs --tag -- baseline checked
offers c tag 1 --remove -- checked
offers 2 tag 1 -- 2
offers 5 tag "'lambda<0.1'" -- 5
offers lamb tag 1 -- lambda=
also nospace
offers 0 verify --
mkdir elsewhere
expect 0 poula complete --word= -- report --db elsewhere/none.db --study
equal "$(cat out)" - "what is offered of a database that is not there"
cp 'my results.db' elsewhere/other.db
expect 0 env HOME="$PWD/elsewhere" "$POULA" complete --word=f -- report --db '~/other.db' --study
contains out first-of-two
sqlite3 elsewhere/other.db "UPDATE sweep SET study = 'a b; rm -rf' WHERE study LIKE 'first%'"
expect 0 poula complete --word= -- report --db elsewhere/other.db --study
lacks out "rm -rf" # not a plain word
contains out second-of-two

# The scripts.
mkdir bin
ln -s "$POULA" bin/poula
export PATH="$PWD/bin:$PATH" POULA_DB="$PWD/my results.db"
touch here.yaml
expect 0 poula completion bash
cat >complete.bash <<'END'
. ./completion.bash
try() { COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _poula; echo "$* -> ${COMPREPLY[*]}" | tr '\n' ' '; echo; }
try poula repor
try poula sweep --dry
try poula report --format la
try poula report --study = f
try poula run x --set optimizer = theo
try poula sweep her
try poula plot --out b
complete -p poula
END
cp out completion.bash
expect 0 bash complete.bash
same out <<'END'
poula repor -> report 
poula sweep --dry -> --dry-run 
poula report --format la -> latex 
poula report --study = f -> first-of-two 
poula run x --set optimizer = theo -> theopoula 
poula sweep her -> here.yaml 
poula plot --out b -> bin 
complete -F _poula poula
END

# The functions of zsh's completion are replaced by ones that print what they are asked to offer.
expect 0 poula completion zsh
cp out _poula
cat >complete.zsh <<'END'
compdef() { print "compdef $*" }
compadd() { print -r -- "${(@P)@[-1]}" "(${(@P)@[-3]})" }
compset() { print "behind $2" }
_files() { print "files $*" }
source ./_poula
try() { words=("$@"); CURRENT=$#; PREFIX=$@[-1]; print "$*:"; _poula }
try poula repor
try poula report --format=la
try poula report --study f
try poula sweep her
try poula plot --out b
END
if command -v zsh >/dev/null; then
    expect 0 zsh -f complete.zsh
    same out <<'END'
compdef _poula poula
poula repor:
report (report  print the tables of a sweep)
poula report --format=la:
behind *=
latex (latex  )
poula report --study f:
first-of-two (first-of-two  )
poula sweep her:
files 
poula plot --out b:
files -/
END
else
    echo "zsh is not installed: its script is not tried"
fi

expect 0 poula completion fish
cp out poula.fish
cat >complete.fish <<'END'
source ./poula.fish
for line in "poula repor" "poula report --format=la" "poula report --study f" "poula run x --set optimizer=theo" "poula sweep her" "poula plot --out=b"
    echo "$line:" (complete -C $line)
end
END
if command -v fish >/dev/null; then
    expect 0 env HOME="$PWD/elsewhere" fish --no-config complete.fish
    same out <<'END'
poula repor: report	print the tables of a sweep
poula report --format=la: --format=latex
poula report --study f: first-of-two
poula run x --set optimizer=theo: optimizer=theopoula
poula sweep her: here.yaml
poula plot --out=b: --out=bin/
END
else
    echo "fish is not installed: its script is not tried"
fi
expect 2 poula completion tcsh
contains err "bash zsh fish man"
expect 2 poula completion bash sweep
contains err "one argument too many"

# Man pages: the program's has every setting of specs, each command has its own.
expect 0 poula completion man
contains out ".SS theopoula (section optimizer)"
contains out '.B \-\-data'
lacks out "poula\\-worker"
cp out poula.1
commands=$(poula --help | sed -n 's/^  \([a-z]*\)  .*/\1/p')
for command in $commands; do
    contains poula.1 ".BR poula\\-$command (1)"
    expect 0 poula completion man $command
    cp out "poula-$command.1"
    for option in $(poula $command --help | sed -n '/^options:/,/^example:/s/^  \(-., \)*--\([a-z-]*\).*/\2/p'); do
        contains "poula-$command.1" "\\-\\-$(echo "$option" | sed 's/-/\\-/g')"
    done
done
if command -v man >/dev/null; then
    MANWIDTH=80 expect 0 man --warnings -E UTF-8 -l poula*.1
    [ ! -s err ] || fail "a man page has warnings"
fi
expect 2 poula completion man swep
contains err "did you mean sweep?"
