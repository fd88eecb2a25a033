/* The command table, in the order that help shows. */
#include "cmd.h"

extern const struct pl_command pl_cmd_backup, pl_cmd_bench, pl_cmd_completion, pl_cmd_data, pl_cmd_export,
    pl_cmd_forget, pl_cmd_generate, pl_cmd_help, pl_cmd_plot, pl_cmd_query, pl_cmd_report, pl_cmd_run, pl_cmd_runs,
    pl_cmd_show, pl_cmd_sweep, pl_cmd_theory, pl_cmd_verify, pl_cmd_version, pl_cmd_worker;

static const void *const commands[] = {
    &pl_cmd_sweep,  &pl_cmd_run,        &pl_cmd_report,   &pl_cmd_plot,   &pl_cmd_query,  &pl_cmd_runs, &pl_cmd_show,
    &pl_cmd_export, &pl_cmd_forget,     &pl_cmd_generate, &pl_cmd_backup, &pl_cmd_verify, &pl_cmd_data, &pl_cmd_theory,
    &pl_cmd_bench,  &pl_cmd_completion, &pl_cmd_version,  &pl_cmd_help,   &pl_cmd_worker,
};
const struct pl_registry pl_command_registry = PL_REGISTRY("command", commands, struct pl_command, name);

const struct pl_command *pl_command_at(size_t index)
{
    return commands[index];
}

const struct pl_command *pl_command_find(const char *name)
{
    return pl_registry_find(&pl_command_registry, name);
}

bool pl_command_hint(const char *name, struct pl_text *out)
{
    struct pl_candidates names = {0};
    for (size_t i = 0; i < pl_command_registry.count; i++)
        if (!pl_command_at(i)->hidden)
            pl_candidates_add(&names, pl_command_at(i)->name);
    bool near = pl_candidates_hint(&names, name, "", out);
    pl_candidates_release(&names);
    return near;
}
