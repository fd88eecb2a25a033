/* Settings by name, and which configurations a condition picks. */
#include "results/results_priv.h"

#include "optim/formula.h"

#include <stdlib.h>
#include <string.h>

const char *pl_results_key_name(const struct pl_results *results, size_t key)
{
    return results->columns[key].name;
}

uint32_t pl_results_rank(const struct pl_results *results, size_t config, size_t key)
{
    return results->columns[key].ranks[config];
}

const struct pl_value *pl_results_value(const struct pl_results *results, size_t key, uint32_t rank)
{
    return rank ? &results->columns[key].values[rank - 1].value : NULL;
}

bool pl_results_has_label(const struct pl_results *results, const char *label)
{
    struct pl_text value = {0};
    bool found = pl_results_has_metric(results, label);
    for (size_t key = 0; key < results->column_count && !found; key++) {
        found = !strcmp(results->columns[key].name, label);
        for (uint32_t rank = 1; rank <= results->columns[key].value_count && !found; rank++) {
            pl_text_clear(&value);
            pl_value_write(pl_results_value(results, key, rank), &value);
            found = pl_label_is_of(label, pl_text(&value));
        }
    }
    pl_text_release(&value);
    return found;
}

/* Bytes of a text that take at most so many columns, whole characters. */
static size_t length_within(const char *text, size_t columns)
{
    size_t length = 0;
    for (size_t seen = 0; text[length]; length++) {
        seen += ((unsigned char)text[length] & 0xC0) != 0x80;
        if (seen > columns)
            break;
    }
    return length;
}

bool pl_results_shorten(const struct pl_results *results, size_t key, uint32_t rank, struct pl_text *out)
{
    enum { WHOLE = 40, KEPT = 34 };
    const struct pl_value *value = pl_results_value(results, key, rank);
    if (!value || value->type != PL_STRING || pl_formula_kind_of(pl_results_key_name(results, key)) == PL_NO_FORMULA ||
        !value->string[length_within(value->string, WHOLE)])
        return false;
    const size_t kept = length_within(value->string, KEPT);
    uint32_t alike = 0, number = 0;
    for (uint32_t i = 1; i <= results->columns[key].value_count; i++) {
        const struct pl_value *other = pl_results_value(results, key, i);
        alike += other && other->type == PL_STRING && !strncmp(other->string, value->string, kept);
        number = i == rank ? alike : number;
    }
    pl_text_add_bytes(out, value->string, kept);
    pl_text_add(out, "...");
    if (alike > 1)
        pl_text_addf(out, ", %u", number);
    return true;
}

size_t pl_results_find_column(const struct pl_results *results, const char *name)
{
    for (size_t i = 0; i < results->column_count; i++)
        if (!strcmp(results->columns[i].name, name))
            return i;
    return SIZE_MAX;
}

size_t pl_results_key(const struct pl_results *results, const char *name)
{
    size_t found = pl_results_find_column(results, name);
    if (found != SIZE_MAX)
        return found;
    size_t at = 0;
    for (const char *key; found == SIZE_MAX && (key = pl_train_key_of(name, &at));)
        found = pl_results_find_column(results, key);
    return found;
}

static int unknown_key(const struct pl_results *results, const char *name, struct pl_error *err)
{
    if (!strcmp(name, "seed"))
        return pl_fail(err, PL_EINPUT, "'seed' cannot be used here: statistics are taken over the seeds");
    struct pl_candidates names = {0};
    struct pl_text hint = {0};
    for (size_t i = 0; i < results->column_count; i++)
        pl_candidates_add(&names, results->columns[i].name);
    pl_candidates_hint(&names, name, "", &hint);
    int status = pl_fail(err, PL_EINPUT, "no run of study %s has a setting \"%s\"%s", results->name, name,
                         pl_text(&hint));
    pl_text_release(&hint);
    pl_candidates_release(&names);
    return status;
}

int pl_results_keys(const struct pl_results *results, const struct pl_names *names, size_t *keys, struct pl_error *err)
{
    for (size_t i = 0; i < names->count; i++) {
        keys[i] = pl_results_key(results, names->names[i]);
        if (keys[i] == SIZE_MAX)
            return unknown_key(results, names->names[i], err);
    }
    return 0;
}

int pl_results_spell(const struct pl_results *results, const struct pl_names *names, struct pl_names *spelt,
                     struct pl_error *err)
{
    spelt->names = pl_new((names->count + 1) * sizeof *spelt->names);
    for (size_t i = 0; i < names->count; i++) {
        struct pl_names one = {&names->names[i], 1};
        size_t key;
        if (!strcmp(names->names[i], PL_RANK_KEY))
            continue;
        int status = pl_results_keys(results, &one, &key, err);
        if (status)
            return status;
        spelt->names[spelt->count++] = (char *)pl_results_key_name(results, key);
    }
    return 0;
}

size_t pl_results_filter(const struct pl_results *results, const struct pl_condition *condition, size_t *configs,
                         size_t count)
{
    size_t key = pl_results_key(results, condition->key), passed = 0;
    if (key == SIZE_MAX)
        return 0;
    const struct pl_column *column = &results->columns[key];
    bool *admits = pl_new(column->value_count + 1); /* by rank: who has no such setting meets no condition on it */
    for (size_t i = 0; i < column->value_count; i++)
        admits[i + 1] = pl_condition_admits(condition, &column->values[i].value);
    for (size_t i = 0; i < count; i++)
        if (admits[column->ranks[configs[i]]])
            configs[passed++] = configs[i];
    free(admits);
    return passed;
}

/* Does some configuration have the which-th alternative? one becomes a condition of it alone. */
static bool has_alternative(const struct pl_column *column, const struct pl_condition *condition, size_t which,
                            struct pl_condition *one)
{
    bool value = which < condition->count;
    *one = (struct pl_condition){.key = condition->key, .count = value, .range_count = !value};
    one->values = value ? &condition->values[which] : NULL;
    one->ranges = value ? NULL : &condition->ranges[which - condition->count];
    for (size_t i = 0; i < column->value_count; i++)
        if (pl_condition_admits(one, &column->values[i].value))
            return true;
    return false;
}

bool pl_results_has(const struct pl_results *results, const struct pl_condition *condition, size_t which)
{
    size_t key = pl_results_key(results, condition->key);
    struct pl_condition one;
    return key != SIZE_MAX && has_alternative(&results->columns[key], condition, which, &one);
}

/* What no configuration has: says which, and what there is. One of several alternatives that is unknown is a slip
 * too, unless another study has it. */
static int check_values(const struct pl_results *results, const struct pl_condition *condition,
                        const struct pl_column *column, struct pl_error *err)
{
    enum { SHOWN = 12 };
    size_t which = 0, all = condition->count + condition->range_count;
    struct pl_condition one;
    while (which < all && has_alternative(column, condition, which, &one))
        which++;
    if (!condition->known || condition->elsewhere || which == all)
        return 0;
    struct pl_text why = {0}, there = {0}, of = {0};
    bool numbers = column->value_count > 0;
    for (size_t i = 0; i < column->value_count; i++)
        numbers = numbers && (column->values[i].value.type == PL_REAL || column->values[i].value.type == PL_INTEGER);
    pl_text_addf(&of, " of study %s", results->name);
    pl_condition_slip(condition, which, pl_text(&of), numbers, &why);
    for (size_t i = 0; i < column->value_count && i < SHOWN; i++) {
        pl_text_add(&there, i ? ", " : "");
        pl_value_write(&column->values[i].value, &there);
    }
    pl_text_add(&there, column->value_count > SHOWN ? ", ..." : "");
    int status = pl_fail(err, PL_EMISSING, "%s; there %s: %.500s", pl_text(&why),
                         column->value_count == 1 ? "is" : "are", pl_text(&there));
    pl_text_release(&why);
    pl_text_release(&there);
    pl_text_release(&of);
    return status;
}

int pl_results_where(const struct pl_results *results, const struct pl_condition *where, size_t where_count,
                     size_t **configs, size_t *count, struct pl_error *err)
{
    for (size_t i = 0; i < where_count; i++)
        if (pl_results_key(results, where[i].key) == SIZE_MAX)
            return where[i].elsewhere
                       ? pl_fail(err, PL_EMISSING, "no run of study %s has a setting '%s'", results->name, where[i].key)
                       : unknown_key(results, where[i].key, err);
    for (size_t i = 0; i < where_count; i++) {
        int status = check_values(results, &where[i], &results->columns[pl_results_key(results, where[i].key)], err);
        if (status)
            return status;
    }
    size_t *kept = pl_new(results->count * sizeof *kept), left = results->count;
    for (size_t i = 0; i < left; i++)
        kept[i] = i;
    for (size_t w = 0; w < where_count; w++)
        left = pl_results_filter(results, &where[w], kept, left);
    *configs = kept;
    *count = left;
    return 0;
}
