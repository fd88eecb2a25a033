/* page: results to be looked at in a browser: the page of studies as one file, and the same served live from a database
 * (the only user of libmicrohttpd).
 *
 * Whatever comes from a database or a request is text of others: it goes into a page through pl_html, and nothing else
 * writes into one. Pages ask nobody for anything: the file holds its style and script, and what is served allows only
 * its own. Tables, figures and statistics are those of lib/report, lib/plot and lib/results. docs/pages.md.
 *
 * Threading: a page belongs to its owner; a server answers on threads of its own until it is stopped. */
#ifndef PL_PAGE_H
#define PL_PAGE_H

#include "report/report.h"
#include "results/results.h"
#include "study/study.h"

/* ---- the page as a file ---- */

struct pl_page;
struct pl_page *pl_page_new(void);
void pl_page_free(struct pl_page *page);

/* Adds a study: what it is, the tables that were made of it, its figures of the configurations that meet the conditions
 * too, how its runs ended, what they were made with. Figures that cannot be drawn are said on the page. */
int pl_page_add(struct pl_page *page, struct pl_results *results, struct pl_table *const *tables, size_t table_count,
                const struct pl_condition *where, size_t where_count, struct pl_error *err);
/* Appends the whole page; about a megabyte where studies have many runs and epochs. */
void pl_page_write(const struct pl_page *page, struct pl_text *out);

/* ---- pages that are served ---- */

struct pl_serve;
struct pl_serve_options {
    const char *db;
    const char *listen; /* an address of this machine, as numbers; NULL: 127.0.0.1 */
    int port;           /* 0: PL_SERVE_PORT, or any other where that is taken */
};
enum { PL_SERVE_PORT = 7468 };

/* Opens the database for reading and begins to answer. PL_EMISSING: there is no database; PL_EIO: the address or the
 * port cannot be had. */
int pl_serve_start(struct pl_serve **serve, const struct pl_serve_options *options, struct pl_error *err);
/* "http://127.0.0.1:7468/TOKEN/": without the token there is no answer. */
const char *pl_serve_address(const struct pl_serve *serve);
bool pl_serve_is_local(const struct pl_serve *serve); /* only this machine reaches it */
int pl_serve_port(const struct pl_serve *serve);
void pl_serve_stop(struct pl_serve *serve);

#endif
