# Help, versions and wrong command lines.
expect 0 poula --help
contains out "poula COMMAND"
expect 0 poula help version
contains out "version"
expect 0 poula version
version=$(sed 's/^poula //' out)
case $version in [0-9]*.[0-9]*.[0-9]*) ;; *) fail "the version is '$version'" ;; esac
# The revision of the source, where it is known, is recorded with results.
if [ -d "$SOURCE_ROOT/.git" ] && git -C "$SOURCE_ROOT" rev-parse >/dev/null 2>&1; then
    contains out "("
fi
toy_spec toy.yaml 1
expect 0 poula sweep toy.yaml
equal "$(sql results/poula.db 'SELECT DISTINCT version FROM provenance')" "$version" "the version in the provenance"
expect 2 poula
expect 2 poula swep
expect 2 poula version --no-such-option
contains err "--no-such-option"
expect 2 poula version extra

# S14: a variable or an option that names nothing, or no number, is an error, not a default or the root folder.
wrong() { # WHAT-THE-MESSAGE-SAYS NAME=VALUE
    expect 2 env "$2" "$POULA" sweep toy.yaml --db wrong.db
    contains err "$1"
    [ ! -e wrong.db ] || fail "$2 wrote a database"
}
wrong "POULA_ISA is 'avx1024', but must be one of: base" POULA_ISA=avx1024
wrong "POULA_ISA is 'AVX2'" POULA_ISA=AVX2
wrong "POULA_PATIENCE is 'soon', but must be a number of seconds" POULA_PATIENCE=soon
wrong "POULA_PATIENCE is '-1'" POULA_PATIENCE=-1
wrong "POULA_PATIENCE is 'nan'" POULA_PATIENCE=nan
wrong "POULA_SLURM_TIMEOUT is '0', but must be a number of seconds above 0" POULA_SLURM_TIMEOUT=0
wrong "POULA_MEMORY is '4 G', but must be a number of bytes" "POULA_MEMORY=4 G"
wrong "POULA_MEMORY is '0'" POULA_MEMORY=0
wrong "POULA_SHARE is '/no/such/place'" POULA_SHARE=/no/such/place
wrong "no variable \$POULA_MEMROY; did you mean \$POULA_MEMORY?" POULA_MEMROY=1G
expect 0 env POULA_SOMEBODY_ELSES=x POULA_ISA=base POULA_PATIENCE= POULA_DB= "$POULA" sweep toy.yaml
for option in data db; do
    expect 2 poula sweep toy.yaml --$option ""
    contains err "--$option is empty, but must name a f"
done
expect 2 poula report --out= --table
contains err "--out is empty"
# A folder that is called as a figure would be: a name was meant.
expect 2 poula plot --out fig.svg
contains err "--out is 'fig.svg', but must name the folder that figures are written to"
expect 2 poula theory lambda_max --set beta=1,10,100 --plot png --out a/fig.tex
contains err "--out is 'a/fig.tex', but must name the folder"
[ ! -e fig.svg ] && [ ! -e a ] || fail "a folder was made"
mkdir old.svg
expect 0 poula plot --out old.svg
# An option that counts once and is given twice says which counts; one that repeats, or the same again, says nothing.
expect 0 poula report --value loss --value "last loss"
contains err "--value is given more than once; the last one counts: last loss"
contains out "last loss, mean(std)"
expect 0 poula report --value loss --value loss
lacks err "more than once"
expect 0 poula runs --where lambda=0.1 --where optimizer=theopoula --all --all
lacks err "more than once"
expect 0 poula runs --help
contains out "only runs with this status (repeatable): planned"
# A label for what is nowhere is told; one for a value however it is spelled, a metric, a setting or an axis is not.
for command in "report" "plot --kind curves --y loss --out plots"; do
    expect 0 poula $command --labels nix=A --labels lamda=B,1e-1=C,loss=D,theta30=E,epoch=F,lambda=G
    contains err "poula ${command%% *}: --labels is for nothing here: there is no setting, value or metric 'nix'"
    contains err "'lamda'"
    equal "$(grep -c 'is for nothing' err)" 2 "labels that are for nothing"
done
expect 2 poula sweep ""
contains err "argument 1 is empty"
