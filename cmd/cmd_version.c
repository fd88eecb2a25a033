#include "cmd.h"

#include <stdio.h>

static int run(const struct pl_args *args)
{
    (void)args;
    printf("poula %s\n", PL_VERSION);
    return 0;
}

const struct pl_command pl_cmd_version = {
    .name = "version",
    .summary = "show the version",
    .arguments = "",
    .description = "Prints the version of the program.",
    .example = "poula version",
    .run = run,
};
