/* poula report: what it was asked, and what it has made of it. */
#ifndef PL_CMD_REPORT_PARTS_H
#define PL_CMD_REPORT_PARTS_H

#include "cmd.h"
#include "page/page.h"
#include "report/report.h"
#include "spec/spec.h"

struct pl_report {
    const struct pl_args *args;
    const struct pl_format *format;
    struct pl_table_spec own; /* what the command line says */
    bool ad_hoc;              /* one table of the command line's making */
    bool any_select, any_digits, any_unit, tried;
    struct pl_names labels; /* \label of the tables so far */
    bool *labels_met;       /* of --labels: whether there is anything that they are for */
    struct pl_table **tables;
    size_t count;
    struct pl_published *published; /* --compare */
    double level;
    struct pl_comparison **comparisons;
    size_t comparison_count;
    struct pl_listing **listings; /* --pairs */
    size_t listing_count;
    enum {
        PL_REPORT_TABLES,
        PL_REPORT_PAIRS,
        PL_REPORT_RANKS,
        PL_REPORT_PROFILE,
        PL_REPORT_TUNING,
        PL_REPORT_CLAIMS
    } kind; /* what is printed of each table */
    double tau_max;
    enum pl_band_kind band;
    struct pl_page *page;    /* html of whole studies, or NULL */
    struct pl_target target; /* --target; its metric is NULL where it is not given */
    int code;
};

/* Reads the options (report_read.c). Prints what is wrong and returns false. */
bool pl_report_read(struct pl_report *r);

#endif
