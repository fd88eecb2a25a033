#include "cmd.h"

#include <stdio.h>

static int run(const struct pl_args *args)
{
    pl_cmd_line(stdout, "hello %s", args->arguments[0]);
    return 0;
}

const struct pl_command pl_cmd_hello = {
    .name = "hello",
    .summary = "greet somebody",
    .arguments = "NAME",
    .description = "Prints a greeting.",
    .example = "poula hello world",
    .least = 1,
    .most = 1,
    .run = run,
};
