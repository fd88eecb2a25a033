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
