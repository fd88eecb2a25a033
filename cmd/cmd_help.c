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
            pl_command_hint(args->arguments[0], &text);
            int code = pl_cmd_usage_error(args, "'%s' is not a command%s", args->arguments[0], pl_text(&text));
            pl_text_release(&text);
            return code;
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
