/* The command table, in the order that help shows. */
#include "cmd.h"

#include <string.h>

extern const struct pl_command pl_cmd_backup, pl_cmd_bench, pl_cmd_completion, pl_cmd_data, pl_cmd_export, pl_cmd_forget, pl_cmd_generate,
    pl_cmd_help, pl_cmd_plot, pl_cmd_query, pl_cmd_report, pl_cmd_run, pl_cmd_runs, pl_cmd_show, pl_cmd_sweep, pl_cmd_theory,
    pl_cmd_verify, pl_cmd_version, pl_cmd_worker;

const struct pl_command *const pl_commands[] = {
    &pl_cmd_sweep,
    &pl_cmd_run,
    &pl_cmd_report,
    &pl_cmd_plot,
    &pl_cmd_query,
    &pl_cmd_runs,
    &pl_cmd_show,
    &pl_cmd_export,
    &pl_cmd_forget,
    &pl_cmd_generate,
    &pl_cmd_backup,
    &pl_cmd_verify,
    &pl_cmd_data,
    &pl_cmd_theory,
    &pl_cmd_bench,
    &pl_cmd_completion,
    &pl_cmd_version,
    &pl_cmd_help,
    &pl_cmd_worker,
};
const size_t pl_command_count = sizeof pl_commands / sizeof *pl_commands;

const struct pl_command *pl_command_find(const char *name)
{
    for (size_t i = 0; i < pl_command_count; i++)
        if (!strcmp(pl_commands[i]->name, name))
            return pl_commands[i];
    return NULL;
}

const char *pl_command_nearest(const char *name)
{
    const char *names[64];
    size_t count = 0;
    for (size_t i = 0; i < pl_command_count && count < 64; i++)
        if (!pl_commands[i]->hidden)
            names[count++] = pl_commands[i]->name;
    return pl_nearest(name, names, count);
}
