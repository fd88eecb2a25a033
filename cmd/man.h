/* Man pages in troff: one of the program, with every setting of specs, and one of each command. */
#ifndef PL_CMD_MAN_H
#define PL_CMD_MAN_H

#include "cmd.h"

void pl_man_overview(struct pl_text *out);
void pl_man_command(const struct pl_command *command, struct pl_text *out);

#endif
