/* What the files of lib/page share. */
#ifndef PL_PAGE_PRIV_H
#define PL_PAGE_PRIV_H

#include "page/page.h"
#include "plot/plot.h"
#include "print/html.h"
#include "store/look.h"

/* ---- pieces (shell.c) ---- */

enum pl_asset { PL_ASSET_STYLE, PL_ASSET_PAGE, PL_ASSET_LIVE };
void pl_asset_add(enum pl_asset asset, struct pl_text *out);

/* A list of what is known: "<dl>", pairs, "</dl>". A pair without a value is left out. */
void pl_page_fact(struct pl_text *out, const char *name, const char *value);
/* A cell of a table, numbers rounded for reading and in full for sorting. */
void pl_page_cell(struct pl_text *out, const struct pl_cell *cell);
void pl_page_head(struct pl_text *out, const char *caption, const char *const *names, size_t count);
void pl_page_tail(struct pl_text *out);
/* A bar of counts by status, and the same in words. */
struct pl_page_counts {
    int64_t runs, finished, diverged, failed, working, waiting;
};
void pl_page_progress(struct pl_text *out, const struct pl_page_counts *counts);
/* "2:05", "1:02:03", "3 d 4 h" */
void pl_page_duration(struct pl_text *out, double seconds);
/* What went wrong, as a paragraph. */
void pl_page_message(struct pl_text *out, const char *text);

/* ---- a study (study.c) ---- */

struct pl_page_study {
    struct pl_results *results;
    struct pl_table *const *tables;
    size_t table_count;
    const struct pl_condition *where;
    size_t where_count;
    const char *id; /* of its element */
    size_t points;  /* of each figure */
    bool live;      /* runs are links */
};
/* Appends tables, figures, outcomes, provenance and spec. */
int pl_page_write_study(const struct pl_page_study *study, struct pl_text *out, struct pl_error *err);
/* The tables that a study declares, or one of its main metric. What cannot be made is said in out. */
void pl_page_build_tables(struct pl_results *results, struct pl_table ***tables, size_t *count, struct pl_text *out);

/* ---- a request (route.c) ---- */

struct pl_visit {
    struct pl_store *store;
    const char *db;   /* its file */
    const char *path; /* behind the token: "", "runs" */
    char **names, **values;
    size_t count;
    int64_t version;     /* of the data */
    const char *trouble; /* why there is no store, which is NULL then; otherwise NULL */
    bool part;           /* only what lives */
    bool found;          /* out: false: there is no such page */
    const char *type;
};
/* The value of a field, or NULL where it is absent or empty. */
const char *pl_visit_get(const struct pl_visit *visit, const char *name);
const char *pl_visit_nth(const struct pl_visit *visit, const char *name, size_t index);
/* Answers: the whole page, or the part of it that lives. */
void pl_visit_answer(struct pl_visit *visit, struct pl_text *out);

/* What stands in the middle of each page. On failure err says why, and out has nothing of use. form is what stands
 * above the part that lives, and stays. */
struct pl_page_view {
    const char *path, *title;
    bool listed; /* in the navigation */
    int (*form)(struct pl_visit *visit, struct pl_text *out, struct pl_error *err);
    int (*body)(struct pl_visit *visit, struct pl_text *out, struct pl_error *err);
};
extern const struct pl_page_view pl_view_overview, pl_view_study, pl_view_runs, pl_view_run, pl_view_compare,
    pl_view_sql;

/* "name=value" of an address, behind "?" or "&amp;". */
void pl_page_field(struct pl_text *address, const char *name, const char *value);
/* A link to a run or a study. */
void pl_page_run_link(struct pl_text *out, int64_t run);
void pl_page_study_link(struct pl_text *out, const char *study);

#endif
