/* Methods over tasks as listings: mean ranks, and the profile of times to a target. */
#include "report/report_priv.h"

static void begin_caption(struct pl_listing *l, const struct pl_table *table, const char *what)
{
    pl_text_addf(&l->caption, "%s%s%s%s: %s by ", table->title ? table->title : "", table->title ? " (" : "",
                 table->study, table->title ? ")" : "", what);
    pl_table_value_name(table, &l->caption);
}

int pl_table_ranks(struct pl_listing **listing, const struct pl_table *table, double confidence, struct pl_error *err)
{
    static const char *const names[] = {"method",   "verdict",    "mean_rank",          "behind", "first", "tasks",
                                        "friedman", "friedman_p", "critical_difference"};
    struct pl_method_ranks ranks;
    int status = pl_table_rank(table, confidence, &ranks, err);
    if (status)
        return status;
    struct pl_listing *l = pl_listing_new("ranks", table->study, names, sizeof names / sizeof *names, 2);
    l->shown = 5;
    for (size_t i = 0; i < ranks.methods; i++) {
        double behind = ranks.mean[i] - ranks.mean[0];
        pl_listing_text(l, ranks.names[i]);
        pl_listing_text(l, !i ? "first" : behind < ranks.critical ? "" : "behind");
        pl_listing_real(l, ranks.mean[i], 2);
        pl_listing_real(l, behind, 2);
        pl_listing_integer(l, (int64_t)ranks.first[i]);
        pl_listing_integer(l, (int64_t)ranks.tasks);
        pl_listing_real(l, ranks.friedman, 3);
        pl_listing_real(l, ranks.p, -1);
        pl_listing_real(l, ranks.critical, 3);
    }
    begin_caption(l, table, "mean ranks");
    pl_text_addf(&l->caption, " over %zu tasks", ranks.tasks);
    pl_text_add(&l->notes, pl_text(&ranks.notes));
    pl_method_ranks_release(&ranks);
    *listing = l;
    return 0;
}

int pl_table_profile(struct pl_listing **listing, const struct pl_table *table, double tau_max, struct pl_error *err)
{
    static const char *const names[] = {"method", "score", "fastest", "within_2", "solved", "tasks", "tau_max"};
    struct pl_method_times t;
    int status = pl_table_times(table, tau_max, &t, err);
    if (status)
        return status;
    struct pl_listing *l = pl_listing_new("profile", table->study, names, sizeof names / sizeof *names, 1);
    l->shown = 5;
    for (size_t k = 0; k < t.methods; k++) {
        pl_listing_text(l, t.names[k]);
        pl_listing_real(l, t.scores[k], 4);
        pl_listing_real(l, pl_profile_share(t.times, t.tasks, t.methods, k, 1), 3);
        pl_listing_real(l, pl_profile_share(t.times, t.tasks, t.methods, k, 2), 3);
        pl_listing_real(l, pl_profile_share(t.times, t.tasks, t.methods, k, 1e300), 3);
        pl_listing_integer(l, (int64_t)t.tasks);
        pl_listing_real(l, tau_max, -1);
    }
    begin_caption(l, table, "performance profile");
    pl_text_addf(&l->caption, " over %zu task%s", t.tasks, t.tasks == 1 ? "" : "s");
    pl_text_addf(
        &l->notes,
        "score: the share of tasks solved within tau times the fastest method, averaged over tau from 1 to %.4g; "
        "fastest, within_2 and solved: that share at tau = 1, at 2, and at last.\n",
        tau_max);
    pl_text_add(&l->notes, pl_text(&t.notes));
    pl_method_times_release(&t);
    *listing = l;
    return 0;
}
