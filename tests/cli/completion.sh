# Completion scripts and the man page come from the descriptors: every command, option and setting is in them.
expect 0 poula completion bash
contains out "sweep"
contains out "--retry-failed"
bash -n out || fail "the bash completion is not bash"
cat >complete.bash <<'EOF'
. ./completion.bash
COMP_WORDS=(poula re) COMP_CWORD=1; _poula; echo "commands: ${COMPREPLY[*]}"
COMP_WORDS=(poula sweep --dry) COMP_CWORD=2; _poula; echo "options: ${COMPREPLY[*]}"
COMP_WORDS=(poula report --format la) COMP_CWORD=3; _poula; echo "words: ${COMPREPLY[*]}"
EOF
cp out completion.bash
expect 0 bash complete.bash
contains out "commands: report"
contains out "options: --dry-run"
contains out "words: latex"

expect 0 poula completion zsh
contains out "#compdef poula"
contains out "epsilon"
if command -v zsh >/dev/null; then
    cp out _poula
    expect 0 zsh -n _poula
fi

expect 0 poula completion man
contains out ".SS theopoula (section optimizer)"
contains out '.B \-\-data'
lacks out ".SS poula worker"
if command -v man >/dev/null; then
    cp out poula.1
    MANWIDTH=80 expect 0 man --warnings -E UTF-8 -l poula.1
    [ ! -s err ] || fail "the man page has warnings"
fi
expect 2 poula completion fish
contains err "bash zsh man"
