/* The page as one file. */
#include "page_priv.h"

#include <openssl/evp.h>

#include <stdlib.h>
#include <string.h>

/* The figures of the first study share about so many points (50 bytes each), those of the n-th the n-th part of it. */
enum { PAGE_POINTS = 32000, LEAST_POINTS = 600 };

struct pl_page {
    struct pl_text body, contents;
    char *title; /* of the first study */
    size_t studies;
};

struct pl_page *pl_page_new(void)
{
    return pl_new(sizeof(struct pl_page));
}

void pl_page_free(struct pl_page *page)
{
    if (!page)
        return;
    pl_text_release(&page->body);
    pl_text_release(&page->contents);
    free(page->title);
    free(page);
}

int pl_page_add(struct pl_page *page, struct pl_results *results, struct pl_table *const *tables, size_t table_count,
                const struct pl_condition *where, size_t where_count, struct pl_error *err)
{
    const struct pl_study *study = pl_results_study(results);
    const char *name = pl_results_name(results);
    struct pl_text id = {0};
    size_t figures = study && study->figure_count ? study->figure_count : 1;
    size_t points = PAGE_POINTS / (figures * (page->studies + 1));
    pl_text_addf(&id, "study-%zu", ++page->studies);
    struct pl_page_study part = {.results = results,
                                 .tables = tables,
                                 .table_count = table_count,
                                 .where = where,
                                 .where_count = where_count,
                                 .id = pl_text(&id),
                                 .points = points < LEAST_POINTS ? LEAST_POINTS : points};
    pl_html(&page->contents, "<li><a href=\"#", pl_text(&id), "\">", name, "</a></li>\n");
    pl_html(&page->body, "<section id=\"", pl_text(&id), "\" aria-labelledby=\"", pl_text(&id), "-name\">\n<h2 id=\"",
            pl_text(&id), "-name\">", name, "</h2>\n");
    page->title = page->title ? page->title : pl_copy(name);
    int status = pl_page_write_study(&part, &page->body, err);
    pl_text_add(&page->body, "</section>\n");
    pl_text_release(&id);
    return status;
}

/* The script is allowed by its digest: nothing that a text might smuggle in would run. */
static void add_policy(const struct pl_text *script, struct pl_text *out)
{
    unsigned char digest[PL_DIGEST_SIZE], base64[4 * PL_DIGEST_SIZE / 3 + 8];
    pl_digest(pl_text(script), script->length, digest);
    EVP_EncodeBlock(base64, digest, PL_DIGEST_SIZE);
    pl_text_addf(out,
                 "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; style-src "
                 "'unsafe-inline'; "
                 "script-src 'sha256-%s'\">\n",
                 (const char *)base64);
}

void pl_page_write(const struct pl_page *page, struct pl_text *out)
{
    struct pl_text script = {0};
    char date[PL_TIME_TEXT_SIZE];
    pl_time_text(pl_clock(), date);
    pl_asset_add(PL_ASSET_PAGE, &script);
    pl_text_add(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    add_policy(&script, out);
    pl_html(out,
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
            "<meta name=\"referrer\" content=\"no-referrer\">\n<title>",
            page->title, page->studies > 1 ? " and more" : "", "", "</title>\n<style>\n");
    pl_asset_add(PL_ASSET_STYLE, out);
    pl_html(out, "</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#main\">To the results</a>\n<header>\n<h1>",
            page->title, page->studies > 1 ? " and more" : "", "", "</h1>\n<p class=\"made\">Made on ", date,
            " by poula ", pl_version(), "</p>\n");
    if (page->studies > 1)
        pl_text_addf(out, "<nav aria-label=\"Studies\"><ul>\n%s</ul></nav>\n", pl_text(&page->contents));
    pl_text_addf(out, "</header>\n<main id=\"main\">\n");
    pl_text_add_bytes(out, pl_text(&page->body), page->body.length);
    pl_text_add(out, "</main>\n<script>");
    pl_text_add_bytes(out, pl_text(&script), script.length);
    pl_text_add(out, "</script>\n</body>\n</html>\n");
    pl_text_release(&script);
}
