/* Shell completion and the man pages. The scripts only ask `poula complete` (cmd_complete.c), each in its shell's
 * words: it is handed the words before the one that is being typed, and says what that could be. */
#include "cmd.h"
#include "man.h"

#include <stdio.h>
#include <string.h>

/* bash parts words at the sign = too: they are joined again, and of what is found only the part behind it is handed
 * back. */
static const char
    bash[] = "# bash completion for poula, printed by `poula completion bash`\n"
             "_poula()\n"
             "{\n"
             "    local IFS=$'\\n' i answer typed before what first\n"
             "    local -a words=()\n"
             "    for ((i = 1; i <= COMP_CWORD; i++)); do\n"
             "        if ((i > 1)) && [[ ${COMP_WORDS[i]} = \"=\" || ${COMP_WORDS[i - 1]} = \"=\" ]]; then\n"
             "            words[${#words[@]} - 1]+=${COMP_WORDS[i]}\n"
             "        else\n"
             "            words+=(\"${COMP_WORDS[i]}\")\n"
             "        fi\n"
             "    done\n"
             "    typed=${words[${#words[@]} - 1]}\n"
             "    unset \"words[${#words[@]} - 1]\"\n"
             "    answer=$(\"${COMP_WORDS[0]/#\\~/$HOME}\" complete --word=\"$typed\" -- \"${words[@]}\" 2>/dev/null) "
             "|| return 0\n"
             "    first=${answer%%$'\\n'*}\n"
             "    before=\n"
             "    [[ $typed != *=* ]] || before=${typed%=*}=\n"
             "    COMPREPLY=()\n"
             "    while read -r what; do\n"
             "        what=${what%%$'\\t'*}\n"
             "        [[ -z $what ]] || COMPREPLY+=(\"${what#\"$before\"}\")\n"
             "    done <<<\"${answer#\"$first\"}\"\n"
             "    [[ $first != *nospace* ]] || compopt -o nospace 2>/dev/null\n"
             "    [[ $first != *files* ]] || { compopt -o filenames 2>/dev/null; COMPREPLY+=($(compgen -f -- "
             "\"${typed#\"$before\"}\")); }\n"
             "    [[ $first != *folders* ]] || { compopt -o filenames 2>/dev/null; COMPREPLY+=($(compgen -d -- "
             "\"${typed#\"$before\"}\")); }\n"
             "}\n"
             "complete -F _poula poula\n";

static const char zsh[] =
    "#compdef poula\n"
    "# zsh completion for poula, printed by `poula completion zsh`\n"
    "_poula()\n"
    "{\n"
    "    local answer first line typed=$PREFIX before= space=' '\n"
    "    local -a lines found helps given\n"
    "    (( CURRENT > 2 )) && given=(\"${(@Q)words[2,CURRENT-1]}\")\n"
    "    answer=$(${words[1]/#\\~/$HOME} complete --word=\"$typed\" -- \"${given[@]}\" 2>/dev/null) || return 1\n"
    "    lines=(\"${(@f)answer}\")\n"
    "    first=$lines[1]\n"
    "    if [[ $typed == *=* ]]; then\n"
    "        before=${typed%=*}=\n"
    "        compset -P '*='\n"
    "    fi\n"
    "    for line in \"${(@)lines[2,-1]}\"; do\n"
    "        [[ -n $line ]] || continue\n"
    "        found+=(\"${${line%%$'\\t'*}#$before}\")\n"
    "        helps+=(\"${${line%%$'\\t'*}#$before}  ${line#*$'\\t'}\")\n"
    "    done\n"
    "    [[ $first != *nospace* ]] || space=\n"
    "    (( ! $#found )) || compadd -l -S \"$space\" -d helps -a found\n"
    "    [[ $first != *files* ]] || _files\n"
    "    [[ $first != *folders* ]] || _files -/\n"
    "}\n"
    "if [[ $funcstack[1] = _poula ]]; then\n"
    "    _poula \"$@\"\n"
    "else\n"
    "    compdef _poula poula\n"
    "fi\n";

static const char
    fish[] = "# fish completion for poula, printed by `poula completion fish`\n"
             "function __poula_complete\n"
             "    set -l words (commandline -opc)\n"
             "    set -l typed (commandline -ct)\n"
             "    set -l program (string replace -r '^~' $HOME -- $words[1])\n"
             "    set -e words[1]\n"
             "    set -l answer ($program complete --word=\"$typed\" -- $words 2>/dev/null)\n"
             "    or return\n"
             "    if test (count $answer) -gt 1\n"
             "        printf '%s\\n' $answer[2..-1]\n"
             "    end\n"
             "    set -l path (string replace -r '^--[^=]*=' '' -- $typed)\n"
             "    set -l before (string sub -l (math (string length -- $typed) - (string length -- $path)) -- $typed)\n"
             "    if string match -q '*files*' -- $answer[1]\n"
             "        string replace -r '^' -- \"$before\" (__fish_complete_path $path)\n"
             "    else if string match -q '*folders*' -- $answer[1]\n"
             "        string replace -r '^' -- \"$before\" (__fish_complete_directories $path '')\n"
             "    end\n"
             "end\n"
             "complete -c poula -f -a '(__poula_complete)'\n";

static int man(const struct pl_args *args)
{
    struct pl_text text = {0};
    const struct pl_command *command = args->count > 1 ? pl_command_find(args->arguments[1]) : NULL;
    if (args->count > 1 && !command)
        return pl_cmd_unknown_in(args, &pl_command_registry, args->arguments[1]);
    if (command)
        pl_man_command(command, &text);
    else
        pl_man_overview(&text);
    fputs(pl_text(&text), stdout);
    pl_text_release(&text);
    return 0;
}

static int run(const struct pl_args *args)
{
    const char *what = args->arguments[0];
    if (!strcmp(what, "man"))
        return man(args);
    const char *script = !strcmp(what, "bash")   ? bash
                         : !strcmp(what, "zsh")  ? zsh
                         : !strcmp(what, "fish") ? fish
                                                 : NULL;
    if (!script)
        return pl_cmd_usage_error(args, "'%s' is not one of: bash zsh fish man", what);
    if (args->count > 1)
        return pl_cmd_usage_error(args, "'%s' is one argument too many", args->arguments[1]);
    fputs(script, stdout);
    return 0;
}

const struct pl_command pl_cmd_completion = {
    .name = "completion",
    .summary = "print shell completion or a man page",
    .arguments = "bash|zsh|fish|man [COMMAND]",
    .description = "Prints a completion script for bash, zsh or fish, or the man page of poula or of a command. The "
                   "scripts complete commands, options and their words, settings, the experiments that come with "
                   "poula, and the studies, metrics and runs of the database that is used. 'meson install' puts all "
                   "in place; without it, the start-up file of the shell may have the line of the example.",
    .example = "eval \"$(poula completion bash)\"",
    .least = 1,
    .most = 2,
    .run = run,
};
