/* The command table, from the list in meson.build. */
#include "cmd.h"
#include "command_list.h"

#define DECLARE(name) extern const struct pl_command pl_cmd_##name;
PL_COMMANDS(DECLARE)

#define ADDRESS(name) &pl_cmd_##name,
static const void *const commands[] = {PL_COMMANDS(ADDRESS)};
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
