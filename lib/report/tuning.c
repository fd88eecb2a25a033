/* Tuning curves as a listing: the best of k points for each k. */
#include "report/report_priv.h"

#include <math.h>
#include <stdlib.h>

static double if_finite(double value)
{
    return isfinite(value) ? value : NAN;
}

static void add_curve(struct pl_listing *l, const char *name, bool named, const struct pl_tuning_curve *curve,
                      enum pl_value_unit unit, int decimals)
{
    for (size_t i = 0; i < curve->count; i++) {
        const struct pl_tuning_point *p = &curve->points[i];
        if (named)
            pl_listing_text(l, name);
        pl_listing_integer(l, (int64_t)p->k);
        pl_listing_value(l, if_finite(p->median), unit, decimals);
        pl_listing_value(l, if_finite(p->low), unit, decimals);
        pl_listing_value(l, if_finite(p->high), unit, decimals);
        pl_listing_value(l, if_finite(p->mean), unit, decimals);
        pl_listing_value(l, if_finite(p->mean_v), unit, decimals);
        pl_listing_integer(l, (int64_t)curve->n);
    }
}

static void name_group(const struct pl_results *results, const struct pl_headings *groups, size_t group,
                       const struct pl_labels *labels, struct pl_text *out)
{
    struct pl_text plain = {0};
    for (size_t i = 0; i < groups->width; i++) {
        uint32_t rank = groups->ranks[group * groups->width + i];
        const struct pl_value *value = pl_results_value(results, groups->keys[i], rank);
        pl_text_add(out, i ? ", " : "");
        if (value && value->type != PL_STRING)
            pl_text_addf(out, "%s=", pl_labels_show(labels, pl_results_key_name(results, groups->keys[i])));
        pl_text_clear(&plain);
        if (value)
            pl_value_write(value, &plain);
        const char *label = value ? pl_labels_find(labels, pl_text(&plain)) : "-";
        if (label)
            pl_text_add(out, label);
        else if (!pl_results_shorten(results, groups->keys[i], rank, out))
            pl_text_add(out, pl_text(&plain));
    }
    pl_text_release(&plain);
}

static int check_unit(const struct pl_tuning_curves *curves, enum pl_value_unit unit, const char *study,
                      struct pl_error *err)
{
    int status = 0;
    for (size_t i = 0; i < curves->count && !status; i++)
        for (size_t k = 0; k < curves->list[i].count && !status; k++) {
            const struct pl_tuning_point *p = &curves->list[i].points[k];
            const double scores[] = {if_finite(p->median), if_finite(p->mean)};
            status = pl_unit_check(unit, curves->metric, study, scores, 2, err);
        }
    return status;
}

/* Decimals that suit the scores of all points. */
static int decimals_of(const struct pl_results *results, const struct pl_tuning_spec *spec, enum pl_value_unit unit)
{
    size_t *configs = NULL, count = 0;
    struct pl_error err;
    if (pl_results_where(results, spec->where, spec->where_count, &configs, &count, &err))
        return -1;
    double *scores = pl_new((count + 1) * sizeof *scores);
    for (size_t i = 0; i < count; i++) {
        struct pl_summary s;
        pl_results_summary(results, configs[i], &s);
        scores[i] = pl_unit_shown(unit, s.mean);
    }
    int decimals = pl_report_decimals(scores, count);
    free(scores);
    free(configs);
    return decimals;
}

int pl_tuning_list(struct pl_listing **listing, struct pl_results *results, const struct pl_tuning_spec *spec,
                   const struct pl_table_spec *look, struct pl_error *err)
{
    static const char *const names[] = {"group", "k", "median", "low", "high", "mean", "mean_v", "points"};
    struct pl_tuning_curves curves;
    enum pl_value_unit unit = look->unit;
    int status = pl_results_tuning(results, spec, &curves, err);
    if (status)
        return status;
    status = check_unit(&curves, unit, pl_results_name(results), err);
    if (status) {
        pl_tuning_curves_release(&curves);
        return status;
    }
    const char *metric = pl_labels_show(&look->labels, curves.metric);
    bool named = curves.groups.width > 0, timed = pl_metric_is_to_target(curves.metric);
    struct pl_listing *l = pl_listing_new("tuning", pl_results_name(results), names + !named,
                                          sizeof names / sizeof *names - !named, named);
    l->shown = l->columns - 2;
    pl_text_addf(&l->caption, "%s: %s%s%s%s of the best of k points", pl_results_name(results),
                 timed ? "" : pl_select_names[curves.select], timed ? "" : " ", metric,
                 pl_unit_is_to_be_said(unit, metric) ? " (%)" : "");
    int decimals = look->digits >= 0 ? look->digits : decimals_of(results, spec, unit);
    for (size_t i = 0; i < curves.count; i++) {
        struct pl_text name = {0};
        name_group(results, &curves.groups, curves.list[i].group, &look->labels, &name);
        add_curve(l, pl_text(&name), named, &curves.list[i], unit, decimals);
        pl_text_release(&name);
    }
    pl_text_add(&l->notes, pl_text(&curves.notes));
    if (curves.independent)
        pl_text_addf(&l->notes, "low and high: the %s band of the median, which holds at all k at once (%.4g%%).\n",
                     pl_band_names[spec->band], 100 * spec->confidence);
    pl_tuning_curves_release(&curves);
    *listing = l;
    return 0;
}
