/* Help texts from the command descriptors. */
#include "cmd.h"

#include <string.h>

void pl_help_overview(struct pl_text *out)
{
    pl_text_add(out, "usage: poula COMMAND [ARGUMENT...] [OPTION...]\n\n"
                     "Sweeps of optimizer experiments, kept in one SQLite file.\n\n");
    for (size_t i = 0; i < pl_command_registry.count; i++)
        if (!pl_command_at(i)->hidden)
            pl_text_addf(out, "  %-12s %s\n", pl_command_at(i)->name, pl_command_at(i)->summary);
    pl_text_add(out, "\n'poula COMMAND --help' shows what a command takes, with an example.\n");
}

static void add_wrapped(struct pl_text *out, const char *text, size_t width)
{
    size_t column = 0;
    while (*text) {
        size_t n = strcspn(text, " \n");
        if (column && column + 1 + n > width) {
            pl_text_add_char(out, '\n');
            column = 0;
        }
        if (column && n) {
            pl_text_add_char(out, ' ');
            column++;
        }
        pl_text_add_bytes(out, text, n);
        column += n;
        text += n;
        if (*text == '\n') {
            pl_text_add_char(out, '\n');
            column = 0;
        }
        text += *text != '\0';
    }
    pl_text_add_char(out, '\n');
}

void pl_help_option(const struct pl_option *option, struct pl_text *out)
{
    pl_text_addf(out, "%s%s", option->help, option->repeats ? " (repeatable)" : "");
}

static void add_option(struct pl_text *out, const struct pl_option *option)
{
    struct pl_text flag = {0};
    if (option->letter)
        pl_text_addf(&flag, "-%c, ", option->letter);
    pl_text_addf(&flag, "--%s", option->name);
    if (option->argument)
        pl_text_addf(&flag, " %s", option->argument);
    pl_text_addf(out, "  %-24s ", pl_text(&flag));
    pl_help_option(option, out);
    if (option->words)
        pl_text_addf(out, ": %s", option->words);
    pl_text_add_char(out, '\n');
    pl_text_release(&flag);
}

static void add_setting(struct pl_text *out, const struct pl_setting *setting)
{
    pl_text_addf(out, "  %-18s %s\n", setting->key, setting->help);
    pl_text_addf(out, "  %-18s %s%s", "", setting->list ? "list of: " : "", pl_type_name(setting->type));
    if (setting->range)
        pl_text_addf(out, "%s%s", setting->type == PL_STRING ? ", one of: " : " in ", setting->range);
    if (setting->initial && !*setting->initial && setting->type != PL_STRING)
        pl_text_add(out, ", may be left out");
    else if (setting->initial)
        pl_text_addf(out, ", default %s", *setting->initial ? setting->initial : "\"\"");
    else
        pl_text_add(out, ", must be given");
    if (setting->aliases)
        pl_text_addf(out, "; also: %s", setting->aliases);
    if (setting->idle_when && !strcmp(setting->idle_when, "always"))
        pl_text_add(out, "; changes nothing");
    else if (setting->idle_when)
        pl_text_addf(out, "; changes nothing when %s", setting->idle_when);
    pl_text_add_char(out, '\n');
}

void pl_help_settings(const struct pl_setting *settings, size_t count, struct pl_text *out)
{
    for (size_t i = 0; i < count; i++)
        add_setting(out, &settings[i]);
}

void pl_help_command(const struct pl_command *command, struct pl_text *out)
{
    pl_text_addf(out, "usage: poula %s", command->name);
    if (command->arguments && *command->arguments)
        pl_text_addf(out, " %s", command->arguments);
    pl_text_add(out, " [OPTION...]\n\n");
    add_wrapped(out, command->description, 78);
    pl_text_add(out, "\noptions:\n");
    for (size_t i = 0; i < command->option_count; i++)
        add_option(out, &command->options[i]);
    for (size_t i = 0; i < pl_common_option_count; i++)
        add_option(out, &pl_common_options[i]);
    if (command->settings) {
        size_t count;
        const struct pl_setting *settings = command->settings(&count);
        pl_text_add(out, "\nsettings:\n");
        pl_help_settings(settings, count, out);
    }
    pl_text_addf(out, "\nexample:\n  %s\n", command->example);
}
