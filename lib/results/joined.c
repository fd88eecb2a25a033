/* Several studies read back as one, whose name is a setting like any other. */
#include "results/results_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A configuration that two studies have is two: its number says which study's it is. Those of the first are as in the
 * database. */
#define PART_STEP ((int64_t)1 << 40)

int64_t pl_results_config_number(int64_t config)
{
    return config % PART_STEP;
}

size_t pl_results_part_count(const struct pl_results *results)
{
    return results->part_count ? results->part_count : 1;
}

const struct pl_results *pl_results_part_at(const struct pl_results *results, size_t index)
{
    return results->part_count ? results->parts[index] : results;
}

size_t pl_results_part_of(const struct pl_results *results, size_t config)
{
    return results->part_count ? (size_t)(results->configs[config] / PART_STEP) : 0;
}

struct each {
    int64_t first; /* what its configurations are numbered from */
    int (*row)(void *self, const struct pl_result *result);
    void *self;
};

static int renumber(void *self, const struct pl_result *result)
{
    const struct each *each = self;
    struct pl_result renumbered = *result;
    renumbered.config += each->first;
    return each->row(each->self, &renumbered);
}

int pl_results_each(const struct pl_results *results, const char *metric, enum pl_select select,
                    int (*row)(void *self, const struct pl_result *result), void *self, struct pl_error *err)
{
    int status = 0;
    for (size_t i = 0; i < pl_results_part_count(results) && !status; i++) {
        struct each each = {(int64_t)i * PART_STEP, row, self};
        status = pl_store_each_result(results->store, pl_results_part_at(results, i)->sweep, metric, select, renumber,
                                      &each, err);
    }
    return status;
}

int pl_joined_add_column(struct pl_results *results, struct pl_error *err)
{
    struct pl_text text = {0};
    int status = 0;
    if (results->part_count && pl_results_find_column(results, PL_STUDY_KEY) != SIZE_MAX)
        status = pl_fail(err, PL_EINPUT,
                         "studies cannot stand in one table or figure where one of them has a setting " PL_STUDY_KEY);
    for (size_t i = 0; results->part_count && i < results->count && !status; i++) {
        pl_text_clear(&text);
        pl_text_add(&text, "{\"" PL_STUDY_KEY "\":");
        pl_escape_json(&text, results->parts[pl_results_part_of(results, i)]->name);
        pl_text_add_char(&text, '}');
        status = pl_columns_take(results, i, pl_text(&text), err);
    }
    pl_text_release(&text);
    return status;
}

/* ---- what they declare ---- */

static void join_metrics(struct pl_results *r, const struct pl_results *part)
{
    for (size_t i = 0; i < part->metric_count; i++) {
        const struct pl_metric_info *m = &part->metrics[i];
        size_t at = 0;
        while (at < r->metric_count && strcmp(r->metrics[at].name, m->name))
            at++;
        if (at < r->metric_count) {
            if (r->metrics[at].direction != m->direction && !pl_names_have(&r->split, m->name))
                pl_names_add(&r->split, m->name);
            continue;
        }
        r->metrics = pl_resize(r->metrics, r->metric_count + 1, sizeof *r->metrics);
        r->metrics[r->metric_count++] = (struct pl_metric_info){pl_copy(m->name), m->direction, m->migrated};
    }
}

static void add_axis(struct pl_study *study, const char *name)
{
    const struct pl_names have = {study->axes, study->axis_count};
    if (pl_names_have(&have, name))
        return;
    study->axes = pl_resize(study->axes, study->axis_count + 1, sizeof *study->axes);
    study->axes[study->axis_count++] = pl_copy(name);
}

/* The tables and figures are those of the first study. A figure of them is another file than the study's own. */
static void join_studies(struct pl_results *r)
{
    const struct pl_study *first = r->parts[0]->study;
    struct pl_study *study = r->joined = pl_new(sizeof *study);
    if (first)
        *study = *first;
    study->name = r->name;
    study->description = NULL;
    study->search = NULL;
    study->stop = NULL;
    study->axes = NULL;
    study->axis_count = 0;
    add_axis(study, PL_STUDY_KEY);
    for (size_t i = 0; i < r->part_count; i++)
        for (size_t k = 0; r->parts[i]->study && k < r->parts[i]->study->axis_count; k++)
            add_axis(study, r->parts[i]->study->axes[k]);
    study->figures = pl_new((study->figure_count + 1) * sizeof *study->figures);
    for (size_t i = 0; i < study->figure_count; i++) {
        struct pl_text name = {0};
        size_t own = strlen(first->name);
        study->figures[i] = first->figures[i];
        bool is_own = !strncmp(first->figures[i].name, first->name, own);
        pl_text_addf(&name, "%s%s%s", r->name, is_own ? "" : "-", first->figures[i].name + (is_own ? own : 0));
        study->figures[i].name = pl_text_take(&name);
    }
    r->study = study;
}

static void join_target(struct pl_results *r)
{
    const struct pl_target *target = &r->parts[0]->target;
    bool same = target->metric;
    for (size_t i = 1; i < r->part_count && same; i++) {
        const struct pl_target *other = &r->parts[i]->target;
        same = other->metric && !strcmp(other->metric, target->metric) && other->value == target->value;
    }
    if (same)
        r->target = (struct pl_target){pl_copy(target->metric), target->value};
}

int pl_results_join(struct pl_results **joined, struct pl_results **parts, size_t count, struct pl_error *err)
{
    struct pl_text name = {0};
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < i; k++)
            if (!strcmp(parts[i]->name, parts[k]->name)) {
                pl_text_release(&name);
                return pl_fail(err, PL_EINPUT, "study %s is named twice", parts[i]->name);
            }
        pl_text_addf(&name, "%s%s", i ? "+" : "", parts[i]->name);
    }
    struct pl_results *r = pl_new(sizeof *r);
    *r = (struct pl_results){.store = parts[0]->store,
                             .sweep = parts[0]->sweep,
                             .name = pl_text_take(&name),
                             .parts = pl_new(count * sizeof *r->parts),
                             .part_count = count};
    memcpy(r->parts, parts, count * sizeof *parts);
    for (size_t i = 0; i < count; i++) {
        join_metrics(r, parts[i]);
        if (!r->validation)
            r->validation = pl_copy(parts[i]->validation);
    }
    join_studies(r);
    join_target(r);
    *joined = r;
    return 0;
}

void pl_joined_release(struct pl_results *r)
{
    for (size_t i = 0; i < r->part_count; i++)
        pl_results_free(r->parts[i]);
    free(r->parts);
    pl_names_release(&r->split);
    if (!r->joined)
        return;
    for (size_t i = 0; i < r->joined->axis_count; i++)
        free(r->joined->axes[i]);
    for (size_t i = 0; i < r->joined->figure_count; i++)
        free(r->joined->figures[i].name);
    free(r->joined->axes);
    free(r->joined->figures);
    free(r->joined);
}

/* ---- metrics of which they think otherwise ---- */

bool pl_joined_is_split(const struct pl_results *results, const char *metric)
{
    return pl_names_have(&results->split, metric);
}

void pl_joined_say_split(const struct pl_results *results, const char *metric, struct pl_text *out)
{
    static const char *const better[] = {"has no better direction", "is better lower", "is better higher",
                                         "has no direction that anybody knows"};
    bool any = false;
    for (size_t i = 0; i < results->part_count; i++) {
        if (!pl_results_has_metric(results->parts[i], metric))
            continue;
        pl_text_addf(out, "%s%s in study %s", any ? " and " : "",
                     better[pl_results_direction(results->parts[i], metric)], results->parts[i]->name);
        any = true;
    }
}
