/* The man pages, made from the command and settings descriptors. */
#include "man.h"

#include "train/train.h"

#include <string.h>

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
    struct pl_text help = {0};
    pl_help_option(option, &help);
    troff(out, pl_text(&help));
    pl_text_release(&help);
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
    const struct pl_schema_sources *sources = pl_train_schema_sources();
    for (size_t i = 0; i < sources->count; i++) {
        const struct pl_schema_part *part = &sources->items[i].part;
        pl_text_add(out, ".SS ");
        troff(out, sources->items[i].owner);
        pl_text_addf(out, " (section %s)\n", pl_section_name(part->section));
        for (size_t j = 0; j < part->count; j++)
            troff_setting(out, &part->settings[j]);
    }
}

static void head(struct pl_text *out, const char *name, const char *summary)
{
    pl_text_add(out, ".TH ");
    for (const char *c = name; *c; c++)
        pl_text_add_char(out, *c >= 'a' && *c <= 'z' ? (char)(*c - 'a' + 'A') : *c);
    pl_text_addf(out, " 1 \"\" \"poula %s\" \"User Commands\"\n.SH NAME\n", PL_VERSION);
    troff(out, name);
    pl_text_add(out, " \\- ");
    troff(out, summary);
    pl_text_add_char(out, '\n');
}

static void common_options(struct pl_text *out)
{
    for (size_t i = 0; i < pl_common_option_count; i++)
        troff_option(out, &pl_common_options[i]);
}

static void add_status(struct pl_text *out)
{
    pl_text_add(out, ".SH EXIT STATUS\n.TP\n.B 0\ndone\n.TP\n.B 1\nsomething failed: some runs, input or output, or "
                     "the database\n.TP\n.B 2\nthe input is wrong; nothing was started and nothing was written\n");
}

void pl_man_command(const struct pl_command *command, struct pl_text *out)
{
    struct pl_text name = {0};
    size_t count = 0;
    pl_text_addf(&name, "poula-%s", command->name);
    head(out, pl_text(&name), command->summary);
    pl_text_release(&name);
    pl_text_addf(out, ".SH SYNOPSIS\n.B poula %s\n", command->name);
    if (command->arguments && *command->arguments) {
        pl_text_add(out, "\\fI");
        troff(out, command->arguments);
        pl_text_add(out, "\\fR\n");
    }
    pl_text_add(out, "[\\fIOPTION\\fR...]\n.SH DESCRIPTION\n");
    for (const char *line = command->description; *line; line += *line == '\n') {
        struct pl_text paragraph = {0};
        size_t length = strcspn(line, "\n");
        pl_text_add_bytes(&paragraph, line, length);
        pl_text_add(out, line == command->description ? "" : ".PP\n");
        troff(out, pl_text(&paragraph));
        pl_text_add_char(out, '\n');
        pl_text_release(&paragraph);
        line += length;
    }
    pl_text_add(out, ".SH OPTIONS\n");
    for (size_t i = 0; i < command->option_count; i++)
        troff_option(out, &command->options[i]);
    common_options(out);
    const struct pl_setting *settings = command->settings ? command->settings(&count) : NULL;
    pl_text_add(out, count ? ".SH SETTINGS\n" : "");
    for (size_t i = 0; i < count; i++)
        troff_setting(out, &settings[i]);
    pl_text_add(out, ".SH EXAMPLE\n.B ");
    troff(out, command->example);
    pl_text_add_char(out, '\n');
    add_status(out);
    pl_text_add(out, ".SH SEE ALSO\n.BR poula (1)\n");
}

void pl_man_overview(struct pl_text *out)
{
    head(out, "poula", "sweeps of optimizer experiments, kept in one SQLite file");
    pl_text_add(out, ".SH SYNOPSIS\n.B poula\n\\fICOMMAND\\fR [\\fIARGUMENT\\fR...] [\\fIOPTION\\fR...]\n"
                     ".SH DESCRIPTION\n");
    troff(out, "poula reads a YAML spec of a sweep, trains every point of the grid, keeps every curve in one SQLite "
               "file, and prints the tables and figures of a paper from it. Results go to standard output, "
               "everything else to standard error.\n");
    pl_text_add(out, ".SH COMMANDS\n");
    for (size_t i = 0; i < pl_command_registry.count; i++) {
        const struct pl_command *command = pl_command_at(i);
        if (command->hidden)
            continue;
        pl_text_addf(out, ".TP\n.BR poula\\-%s (1)\n", command->name);
        troff(out, command->summary);
        pl_text_add_char(out, '\n');
    }
    pl_text_add(out, ".SH OPTIONS OF EVERY COMMAND\n");
    common_options(out);
    pl_text_add(out, ".SH SETTINGS\nThe keys that a spec may use, by what brings them.\n");
    troff_settings(out);
    add_status(out);
    pl_text_add(out, ".SH FILES\n.TP\n.I results/poula.db\nthe results database, unless \\-\\-db or POULA_DB says "
                     "another\n.SH ENVIRONMENT\n.TP\n.B POULA_DB, POULA_DATA\ndefaults for \\-\\-db and \\-\\-data\n"
                     ".TP\n.B POULA_ISA\nthe highest instruction set to use: base, avx2 or avx512\n"
                     ".TP\n.B POULA_SHARE\nthe folder of the specs that come with poula\n"
                     ".SH SEE ALSO\n.BR sqlite3 (1),\n.BR gnuplot (1)\n");
}
