#include "cmd.h"

#include <stdio.h>
static int run(const struct pl_args *args)
{
    (void)args;
    return 0;
}

const struct pl_command pl_cmd_completion = {
    .name = "completion",
    .summary = "print shell completion or the man page",
    .arguments = "bash|zsh|man",
    .description = "Prints a completion script for bash or zsh, or the man page in troff.",
    .example = "poula completion bash > poula.bash",
    .least = 1, .most = 1,
    .run = run,
};
