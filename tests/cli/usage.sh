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
expect 2 poula sweep ""
contains err "argument 1 is empty"
