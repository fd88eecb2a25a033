/* Which runs a command line means: arguments that name runs or state conditions, and the options of PL_PICK_OPTIONS.
 * They are looked for in the view runs, so that conditions may be about any of its columns: settings (in any spelling),
 * seed, status, host, seconds, and metrics where --metric asks for them. */
#ifndef PL_CMD_PICK_H
#define PL_CMD_PICK_H

#include "answer.h"
#include "study/study.h"

#define PL_PICK_STATUSES "planned queued running finished diverged failed interrupted stopped"
#define PL_PICK_OPTIONS                                                                                                \
    {.name = "study", .argument = "NAME", .help = "only runs of the newest sweep of this study"},                      \
        {.name = "status",                                                                                             \
         .argument = "STATUS",                                                                                         \
         .help = "only runs with this status",                                                                         \
         .repeats = true,                                                                                              \
         .words = PL_PICK_STATUSES},                                                                                   \
        {.name = "where",                                                                                              \
         .argument = "KEY=VALUE",                                                                                      \
         .help = "only runs with such a setting; VALUE,... is any of, A..B a range; also <, >, !=",                    \
         .repeats = true},                                                                                             \
        {.name = "tag",                                                                                                \
         .argument = "NAME",                                                                                           \
         .help = "only runs with this tag; given again, with all of them",                                             \
         .repeats = true},                                                                                             \
    {                                                                                                                  \
        .name = "since", .argument = "DATE",                                                                           \
        .help = "only runs that began at DATE (UTC, 2026-09-01 or with a time) or later"                               \
    }

/* The columns that conditions may be about. Zero-initialise. */
struct pl_run_pick {
    const struct pl_args *args;
    struct pl_store *store;
    struct pl_names columns;  /* of the view runs, then of --metric */
    struct pl_names renamed;  /* pairs: a setting, and its column that is called otherwise */
    struct pl_names settings; /* those of them that are settings */
    struct pl_text base;      /* the runs of the study, or all, with the columns of --metric */
};

/* Reads the columns, and --study and --metric. Returns the exit code, as all of these do. */
int pl_pick_open(struct pl_run_pick *pick, const struct pl_args *args, struct pl_store *store);
void pl_pick_close(struct pl_run_pick *pick);
/* Appends "FROM (SELECT * FROM ... WHERE ...)" with what the options and conditions ask. */
int pl_pick_source(struct pl_run_pick *pick, struct pl_text *sql);
/* The column that a key means: its own name, or that of the setting of which it is another spelling; or NULL. */
const char *pl_pick_column(const struct pl_run_pick *pick, const char *key);
/* The usage error that there is no such column. */
int pl_pick_unknown(const struct pl_run_pick *pick, const char *key);
/* Does the command line say anything about which runs? */
bool pl_pick_is_asked(const struct pl_args *args);
/* The runs, by number; it is an error when there is none. Arguments are runs, or conditions as --where takes them. */
int pl_pick_runs(const struct pl_args *args, struct pl_store *store, int64_t **runs, size_t *count);

void pl_pick_add_name(struct pl_text *sql, const char *name); /* quoted */

#endif
