#include "cmd.h"

#include <stdio.h>
#include <string.h>

static int run(const struct pl_args *args)
{
    struct pl_text text = {0};
    if (!args->count) {
        pl_help_overview(&text);
    } else {
        const struct pl_command *command = pl_command_find(args->arguments[0]);
        if (!command) {
            const char *nearest = pl_command_nearest(args->arguments[0]);
            return pl_cmd_usage_error(args, "'%s' is not a command%s%s%s", args->arguments[0],
                                      nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
        }
        pl_help_command(command, &text);
    }
    fputs(pl_text(&text), stdout);
    pl_text_release(&text);
    return 0;
}

const struct pl_command pl_cmd_help = {
    .name = "help",
    .summary = "show help on a command",
    .arguments = "[COMMAND]",
    .description = "Shows the list of commands, or what one of them does and takes.",
    .example = "poula help sweep",
    .most = 1,
    .run = run,
};
