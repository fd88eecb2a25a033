# Help, versions and wrong command lines.
expect 0 poula --help
contains out "poula COMMAND"
expect 0 poula help version
contains out "version"
expect 0 poula version
expect 2 poula
expect 2 poula swep
expect 2 poula version --no-such-option
contains err "--no-such-option"
expect 2 poula version extra
