/* Late settings (struct pl_setting) at their default are no part of canonical texts, so configurations without and with
 * another value would look as if some had the setting and some had not. Here they get what they have. */
#include "results/results_priv.h"
#include "train/train.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_CHOICES = 16 };

/* Configurations that choose alike have the same settings. */
struct alike {
    uint32_t choice[MOST_CHOICES]; /* ranks */
    uint32_t *ranks;               /* of the default, by lacking column; 0: they have no such setting */
};

struct late {
    struct pl_results *results;
    size_t choices[MOST_CHOICES], choice_count; /* columns of choosing settings */
    size_t *lacking, lacking_count;             /* columns that some configurations lack */
    struct alike *all;
    size_t count, capacity;
};

static void find_columns(struct late *l)
{
    struct pl_results *r = l->results;
    struct pl_candidates keys = {0};
    pl_train_keys_of(PL_CHOOSES, &keys);
    for (size_t k = 0; k < keys.count && l->choice_count < MOST_CHOICES; k++) {
        size_t column = pl_results_find_column(r, keys.names[k]);
        if (column != SIZE_MAX)
            l->choices[l->choice_count++] = column;
    }
    pl_candidates_release(&keys);
    l->lacking = pl_new((r->column_count + 1) * sizeof *l->lacking);
    for (size_t c = 0; c < r->column_count; c++)
        for (size_t i = 0; i < r->count; i++)
            if (!r->columns[c].ranks[i]) {
                l->lacking[l->lacking_count++] = c;
                break;
            }
}

static int find_default(struct late *l, const struct pl_schema *schema, struct pl_column *column, uint32_t *rank,
                        struct pl_error *err)
{
    const struct pl_setting *setting = NULL;
    struct pl_settings value = {0};
    struct pl_text text = {0};
    *rank = 0;
    for (size_t p = 0; p < schema->count && !setting; p++)
        for (size_t i = 0; i < schema->parts[p].count && !setting; i++)
            if (!strcmp(schema->parts[p].settings[i].key, column->name))
                setting = &schema->parts[p].settings[i];
    if (!setting || !setting->late)
        return 0;
    struct pl_value initial;
    int status = pl_setting_read(setting, setting->initial, &initial, err);
    if (!status) {
        initial.silent = false;
        pl_settings_set(&value, column->name, initial);
        pl_settings_write(&value, &text);
        status = pl_column_rank(l->results, column, pl_text(&text), rank, err);
    }
    pl_text_release(&text);
    pl_settings_release(&value);
    return status;
}

static int add_alike(struct late *l, const uint32_t *choice, struct pl_error *err)
{
    struct pl_results *r = l->results;
    struct pl_settings chosen = {0};
    struct pl_schema schema;
    void *all = l->all;
    pl_grow(&all, &l->capacity, l->count + 1, sizeof *l->all);
    l->all = all;
    struct alike *a = &l->all[l->count++];
    *a = (struct alike){.ranks = pl_new((l->lacking_count + 1) * sizeof *a->ranks)};
    memcpy(a->choice, choice, sizeof a->choice);
    for (size_t k = 0; k < l->choice_count; k++) {
        const struct pl_column *column = &r->columns[l->choices[k]];
        if (choice[k])
            pl_settings_set(&chosen, column->name, column->values[choice[k] - 1].value);
    }
    int status = 0;
    if (!pl_train_schema(&chosen, &schema, NULL)) /* settings of another poula may have none */
        for (size_t k = 0; k < l->lacking_count && !status; k++)
            status = find_default(l, &schema, &r->columns[l->lacking[k]], &a->ranks[k], err);
    pl_settings_release(&chosen);
    return status;
}

int pl_columns_complete(struct pl_results *results, struct pl_error *err)
{
    struct late l = {.results = results};
    int status = 0;
    find_columns(&l);
    for (size_t i = 0; i < results->count && l.lacking_count && !status; i++) {
        uint32_t choice[MOST_CHOICES] = {0};
        size_t at = 0;
        for (size_t k = 0; k < l.choice_count; k++)
            choice[k] = results->columns[l.choices[k]].ranks[i];
        while (at < l.count && memcmp(l.all[at].choice, choice, sizeof choice))
            at++;
        if (at == l.count)
            status = add_alike(&l, choice, err);
        for (size_t k = 0; k < l.lacking_count && !status; k++) {
            uint32_t *rank = &results->columns[l.lacking[k]].ranks[i];
            *rank = *rank ? *rank : l.all[at].ranks[k];
        }
    }
    for (size_t k = 0; k < l.lacking_count && !status; k++)
        pl_column_renumber(&results->columns[l.lacking[k]], results->count);
    for (size_t i = 0; i < l.count; i++)
        free(l.all[i].ranks);
    free(l.all);
    free(l.lacking);
    return status;
}
