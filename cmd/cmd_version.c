#include "cmd.h"

#include <stdio.h>

static int run(const struct pl_args *args)
{
    (void)args;
    printf("poula %s\n", pl_version());
    return 0;
}

const struct pl_command pl_cmd_version = {
    .name = "version",
    .summary = "show the version",
    .arguments = "",
    .description =
        "Prints the version of the program and the commit of its source, with a + behind it where files had been "
        "changed.",
    .example = "poula version",
    .run = run,
};
