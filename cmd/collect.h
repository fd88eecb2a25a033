/* Taking in what tasks of a cluster have reported, before a command reads. */
#ifndef PL_CMD_COLLECT_H
#define PL_CMD_COLLECT_H

#include "cmd.h"

#define PL_NO_COLLECT_NAME "no-collect"
#define PL_NO_COLLECT                                                                                                  \
    {                                                                                                                  \
        .name = PL_NO_COLLECT_NAME, .help = "do not take in first what tasks of a cluster have reported"               \
    }

/* Does so where submissions are open and the database can be written within a second; else a note says why what is
 * printed is older. */
void pl_cmd_collect(const struct pl_args *args);

#endif
