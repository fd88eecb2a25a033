/* Shell completion and the man page, made from the command and settings descriptors. */
#include "cmd.h"

#include "train/train.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool takes_file(const struct pl_option *option)
{
    return option->argument && (!strcmp(option->argument, "FILE") || !strcmp(option->argument, "DIR"));
}

/* Every setting key once, in alphabetical order: for `--set key=value` and `--where key=value`. */
static void setting_keys(struct pl_candidates *keys)
{
    struct pl_schema_sources sources = {0};
    pl_train_schema_sources(&sources);
    for (size_t i = 0; i < sources.count; i++) {
        for (size_t j = 0; j < sources.items[i].part.count; j++) {
            const char *key = sources.items[i].part.settings[j].key;
            size_t at = 0;
            while (at < keys->count && strcmp(keys->names[at], key) < 0)
                at++;
            if (at < keys->count && !strcmp(keys->names[at], key))
                continue;
            pl_candidates_add(keys, key);
            memmove(keys->names + at + 1, keys->names + at, (keys->count - 1 - at) * sizeof *keys->names);
            keys->names[at] = key;
        }
    }
    pl_schema_sources_release(&sources);
}

static bool takes_setting(const struct pl_option *option)
{
    return option->argument && !strcmp(option->argument, "KEY=VALUE");
}

/* The settings that the command's --set takes, where they are its own. */
static void add_own_keys(struct pl_text *out, const struct pl_command *command)
{
    size_t count;
    const struct pl_setting *settings = command->settings(&count);
    for (size_t i = 0; i < count; i++)
        pl_text_addf(out, "%s%s", i ? " " : "", settings[i].key);
}

static void bash_settings(const struct pl_command *command, struct pl_text *out)
{
    pl_text_add(out, "COMPREPLY=($(compgen -S = -W ");
    if (command->settings) {
        pl_text_add_char(out, '\'');
        add_own_keys(out, command);
        pl_text_add_char(out, '\'');
    } else {
        pl_text_add(out, "\"$settings\"");
    }
    pl_text_add(out, " -- \"$word\")); compopt -o nospace ;;\n");
}

static void bash_arguments(const struct pl_command *command, struct pl_text *out)
{
    const struct pl_option *option;
    for (size_t i = 0; (option = pl_command_option(command, i)); i++) {
        if (!option->argument)
            continue;
        pl_text_addf(out, "    %s:--%s) ", command->name, option->name);
        if (option->words)
            pl_text_addf(out, "COMPREPLY=($(compgen -W '%s' -- \"$word\")) ;;\n", option->words);
        else if (takes_file(option))
            pl_text_add(out, "COMPREPLY=($(compgen -f -- \"$word\")) ;;\n");
        else if (takes_setting(option))
            bash_settings(command, out);
        else
            pl_text_add(out, ";;\n");
    }
}

static void bash(struct pl_text *out)
{
    struct pl_candidates keys = {0};
    setting_keys(&keys);
    pl_text_add(out, "# bash completion for poula, printed by `poula completion bash`\n_poula()\n{\n"
                     "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} "
                     "command=${COMP_WORDS[1]} settings='");
    for (size_t i = 0; i < keys.count; i++)
        pl_text_addf(out, "%s%s", i ? " " : "", keys.names[i]);
    pl_candidates_release(&keys);
    pl_text_add(out, "'\n    COMPREPLY=()\n    if [ \"$COMP_CWORD\" = 1 ]; then\n        COMPREPLY=($(compgen -W '");
    for (size_t i = 0; i < pl_command_registry.count; i++)
        if (!pl_command_at(i)->hidden)
            pl_text_addf(out, "%s ", pl_command_at(i)->name);
    pl_text_add(out, "' -- \"$word\"))\n        return\n    fi\n    case \"$command:$before\" in\n");
    for (size_t i = 0; i < pl_command_registry.count; i++)
        if (!pl_command_at(i)->hidden)
            bash_arguments(pl_command_at(i), out);
    pl_text_add(out, "    *)\n        case \"$word\" in\n        -*)\n            case \"$command\" in\n");
    for (size_t i = 0; i < pl_command_registry.count; i++) {
        if (pl_command_at(i)->hidden)
            continue;
        pl_text_addf(out, "            %s) COMPREPLY=($(compgen -W '", pl_command_at(i)->name);
        const struct pl_option *option;
        for (size_t j = 0; (option = pl_command_option(pl_command_at(i), j)); j++)
            pl_text_addf(out, "--%s ", option->name);
        pl_text_add(out, "' -- \"$word\")) ;;\n");
    }
    pl_text_add(out, "            esac ;;\n        *) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n"
                     "        esac ;;\n    esac\n}\ncomplete -o filenames -F _poula poula\n");
}

/* Text inside a zsh _arguments specification: brackets, colons and quotes would end it. */
static void zsh_escape(struct pl_text *out, const char *text)
{
    for (; *text; text++) {
        if (strchr("[]:\\", *text))
            pl_text_add_char(out, '\\');
        if (*text == '\'')
            pl_text_add(out, "'\\'");
        pl_text_add_char(out, *text);
    }
}

static void zsh_option(struct pl_text *out, const struct pl_command *command, const struct pl_option *option)
{
    pl_text_addf(out, " \\\n            '*--%s[", option->name);
    zsh_escape(out, option->help);
    pl_text_add_char(out, ']');
    if (option->argument) {
        pl_text_add_char(out, ':');
        zsh_escape(out, option->argument);
        if (option->words)
            pl_text_addf(out, ":(%s)", option->words);
        else if (takes_setting(option) && command->settings) {
            pl_text_add(out, ":(");
            add_own_keys(out, command);
            pl_text_add_char(out, ')');
        } else if (takes_setting(option))
            pl_text_add(out, ":($settings)");
        else
            pl_text_add(out, takes_file(option) ? ":_files" : ":");
    }
    pl_text_add_char(out, '\'');
}

static void zsh(struct pl_text *out)
{
    struct pl_candidates keys = {0};
    setting_keys(&keys);
    pl_text_add(out, "#compdef poula\n# zsh completion for poula, printed by `poula completion zsh`\n"
                     "_poula()\n{\n    local -a commands settings\n    settings=(");
    for (size_t i = 0; i < keys.count; i++)
        pl_text_addf(out, "%s%s", i ? " " : "", keys.names[i]);
    pl_candidates_release(&keys);
    pl_text_add(out, ")\n    commands=(\n");
    for (size_t i = 0; i < pl_command_registry.count; i++) {
        if (pl_command_at(i)->hidden)
            continue;
        pl_text_addf(out, "        '%s:", pl_command_at(i)->name);
        zsh_escape(out, pl_command_at(i)->summary);
        pl_text_add(out, "'\n");
    }
    pl_text_add(out, "    )\n    if (( CURRENT == 2 )); then\n        _describe command commands\n        return\n"
                     "    fi\n    case $words[2] in\n");
    for (size_t i = 0; i < pl_command_registry.count; i++) {
        if (pl_command_at(i)->hidden)
            continue;
        pl_text_addf(out, "    %s)\n        shift words; (( CURRENT-- ))\n        _arguments", pl_command_at(i)->name);
        const struct pl_option *option;
        for (size_t j = 0; (option = pl_command_option(pl_command_at(i), j)); j++)
            zsh_option(out, pl_command_at(i), option);
        pl_text_add(out, " \\\n            '*:file:_files' ;;\n");
    }
    pl_text_add(out, "    esac\n}\n_poula \"$@\"\n");
}

/* troff: a leading dot or quote starts a request, a backslash an escape, a minus may become a hyphen. */
static void troff(struct pl_text *out, const char *text)
{
    bool line_start = true;
    for (; *text; text++) {
        if (line_start && (*text == '.' || *text == '\''))
            pl_text_add(out, "\\&");
        if (*text == '\\')
            pl_text_add(out, "\\e");
        else if (*text == '-')
            pl_text_add(out, "\\-");
        else
            pl_text_add_char(out, *text);
        line_start = *text == '\n';
    }
}

static void troff_option(struct pl_text *out, const struct pl_option *option)
{
    pl_text_add(out, ".TP\n.B ");
    if (option->letter)
        pl_text_addf(out, "\\-%c, ", option->letter);
    pl_text_add(out, "\\-\\-");
    troff(out, option->name);
    if (option->argument)
        pl_text_addf(out, " \\fI%s\\fR", option->argument);
    pl_text_add_char(out, '\n');
    troff(out, option->help);
    if (option->words) {
        pl_text_add(out, ": ");
        troff(out, option->words);
    }
    pl_text_add_char(out, '\n');
}

static void troff_setting(struct pl_text *out, const struct pl_setting *s)
{
    pl_text_add(out, ".TP\n.B ");
    troff(out, s->key);
    pl_text_add_char(out, '\n');
    troff(out, s->help);
    pl_text_addf(out, " (%s", pl_type_name(s->type));
    if (s->range) {
        pl_text_add(out, s->type == PL_STRING ? ": " : " in ");
        troff(out, s->range);
    }
    if (s->initial) {
        pl_text_add(out, s->initial[0] ? "; default " : s->type == PL_STRING ? "; default empty" : "; may be left out");
        troff(out, s->initial);
    }
    pl_text_add(out, ")\n");
}

static void troff_settings(struct pl_text *out)
{
    struct pl_schema_sources sources = {0};
    pl_train_schema_sources(&sources);
    for (size_t i = 0; i < sources.count; i++) {
        const struct pl_schema_part *part = &sources.items[i].part;
        pl_text_add(out, ".SS ");
        troff(out, sources.items[i].owner);
        pl_text_addf(out, " (section %s)\n", pl_section_name(part->section));
        for (size_t j = 0; j < part->count; j++)
            troff_setting(out, &part->settings[j]);
    }
    pl_schema_sources_release(&sources);
}

static void man(struct pl_text *out)
{
    pl_text_addf(out,
                 ".TH POULA 1 \"\" \"poula %s\" \"User Commands\"\n.SH NAME\n"
                 "poula \\- sweeps of optimizer experiments, kept in one SQLite file\n"
                 ".SH SYNOPSIS\n.B poula\n\\fICOMMAND\\fR [\\fIARGUMENT\\fR...] [\\fIOPTION\\fR...]\n"
                 ".SH DESCRIPTION\n",
                 PL_VERSION);
    troff(out, "poula reads a YAML spec of a sweep, trains every point of the grid, keeps every curve in one SQLite "
               "file, and prints the tables and figures of a paper from it. Results go to standard output, "
               "everything else to standard error.\n");
    pl_text_add(out, ".SH COMMANDS\n");
    for (size_t i = 0; i < pl_command_registry.count; i++) {
        const struct pl_command *command = pl_command_at(i);
        if (command->hidden)
            continue;
        pl_text_addf(out, ".SS poula %s ", command->name);
        troff(out, command->arguments ? command->arguments : "");
        pl_text_add_char(out, '\n');
        troff(out, command->description);
        pl_text_add_char(out, '\n');
        for (size_t j = 0; j < command->option_count; j++)
            troff_option(out, &command->options[j]);
        size_t own = 0;
        const struct pl_setting *settings = command->settings ? command->settings(&own) : NULL;
        for (size_t j = 0; j < own; j++)
            troff_setting(out, &settings[j]);
        pl_text_add(out, ".PP\nExample: \\fB");
        troff(out, command->example);
        pl_text_add(out, "\\fR\n");
    }
    pl_text_add(out, ".SH OPTIONS OF EVERY COMMAND\n");
    for (size_t i = 0; i < pl_common_option_count; i++)
        troff_option(out, &pl_common_options[i]);
    pl_text_add(out, ".SH SETTINGS\nThe keys that a spec may use, by what brings them.\n");
    troff_settings(out);
    pl_text_add(out, ".SH EXIT STATUS\n.TP\n.B 0\ndone\n.TP\n.B 1\nsomething failed: some runs, input or output, or "
                     "the database\n.TP\n.B 2\nthe input is wrong; nothing was started and nothing was written\n"
                     ".SH FILES\n.TP\n.I results/poula.db\nthe results database, unless \\-\\-db or POULA_DB says "
                     "another\n.SH ENVIRONMENT\n.TP\n.B POULA_DB, POULA_DATA\ndefaults for \\-\\-db and \\-\\-data\n"
                     ".TP\n.B POULA_ISA\nthe highest instruction set to use: base, avx2 or avx512\n"
                     ".SH SEE ALSO\n.BR sqlite3 (1),\n.BR gnuplot (1)\n");
}

static int run(const struct pl_args *args)
{
    struct pl_text text = {0};
    const char *what = args->arguments[0];
    if (!strcmp(what, "bash"))
        bash(&text);
    else if (!strcmp(what, "zsh"))
        zsh(&text);
    else if (!strcmp(what, "man"))
        man(&text);
    else
        return pl_cmd_usage_error(args, "'%s' is not one of: bash zsh man", what);
    fputs(pl_text(&text), stdout);
    pl_text_release(&text);
    return 0;
}

const struct pl_command pl_cmd_completion = {
    .name = "completion",
    .summary = "print shell completion or the man page",
    .arguments = "bash|zsh|man",
    .description = "Prints a completion script for bash or zsh, or the man page. All three are made from the same "
                   "tables as the help texts; 'meson install' puts them in place.",
    .example = "eval \"$(poula completion bash)\"",
    .least = 1,
    .most = 1,
    .run = run,
};
