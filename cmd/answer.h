/* What commands that read a database share: formats of their answers, and where things are.
 *
 * For people an absent value is NULL and numbers are in their shortest exact spelling. csv leaves it empty (an empty
 * text is ""); json gives one array of objects per answer, null for an absent value, and the texts "inf" and "-inf"
 * for infinities, which JSON has no numbers for. Several answers are parted by an empty line. */
#ifndef PL_CMD_ANSWER_H
#define PL_CMD_ANSWER_H

#include "cmd.h"
#include "report/format.h"
#include "store/store.h"

/* What --format names; the option has words of PL_FORMATS. */
const struct pl_format *pl_cmd_format(const struct pl_args *args, const struct pl_format *fallback);

/* Opens the command's database for reading, and says what is wrong. Returns the exit code. */
int pl_cmd_open(const struct pl_args *args, struct pl_store **store);
/* Runs SQL and prints the answers. Returns the exit code. */
int pl_cmd_answer(const struct pl_args *args, struct pl_store *store, const char *sql, FILE *out,
                  const struct pl_format *format);
/* Finds the folder that a run of the command's database keeps its files in. */
int pl_cmd_run_folder(const struct pl_args *args, struct pl_store *store, const struct pl_run_info *info,
                      struct pl_text *folder, struct pl_error *err);
/* A text as SQL spells it, quotes included. */
void pl_cmd_add_sql_text(struct pl_text *sql, const char *text);

#endif
