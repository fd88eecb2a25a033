/* The settings of all configurations of a sweep, column by column: each value is stored once and named by its rank. */
#include "report/report_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t mix(uint64_t hash, const void *bytes, size_t count)
{
    const unsigned char *b = bytes;
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ b[i]) * 0x100000001b3u;
    return hash;
}

/* Equal values hash alike: 1 and 1.0 do. */
static uint64_t hash_value(const struct pl_value *value)
{
    double number = 0;
    switch (value->type) {
    case PL_STRING: return mix(0xcbf29ce484222325u, value->string, strlen(value->string));
    case PL_BOOLEAN: return value->boolean ? 0x9e3779b97f4a7c15u : 0x7f4a7c159e3779b9u;
    case PL_INTEGER: number = (double)value->integer; break;
    case PL_REAL: number = value->real == 0 ? 0 : value->real; break;
    }
    return mix(0xcbf29ce484222325u, &number, sizeof number);
}

static void place(struct pl_column *column, uint32_t rank)
{
    size_t mask = column->slot_count - 1;
    size_t slot = (hash_value(&column->values[rank - 1]) * 0x9e3779b97f4a7c15u >> 20) & mask;
    while (column->slots[slot])
        slot = (slot + 1) & mask;
    column->slots[slot] = rank;
}

static void widen(struct pl_column *column)
{
    free(column->slots);
    column->slot_count = column->slot_count ? 2 * column->slot_count : 16;
    column->slots = pl_new(column->slot_count * sizeof *column->slots);
    for (size_t i = 0; i < column->value_count; i++)
        place(column, (uint32_t)i + 1);
}

static uint32_t rank_of(struct pl_column *column, const struct pl_value *value, struct pl_pool *pool)
{
    if (2 * column->value_count >= column->slot_count)
        widen(column);
    size_t mask = column->slot_count - 1;
    size_t slot = (hash_value(value) * 0x9e3779b97f4a7c15u >> 20) & mask;
    for (; column->slots[slot]; slot = (slot + 1) & mask)
        if (pl_value_equal(&column->values[column->slots[slot] - 1], value))
            return column->slots[slot];
    void *values = column->values;
    pl_grow(&values, &column->value_capacity, column->value_count + 1, sizeof *column->values);
    column->values = values;
    column->values[column->value_count] = *value;
    if (value->type == PL_STRING)
        column->values[column->value_count].string = pl_pool_copy(pool, value->string);
    column->slots[slot] = (uint32_t)++column->value_count;
    return column->slots[slot];
}

/* The column of a key, made when new. Settings come sorted, so the one after the last is the likely one. */
static struct pl_column *column_of(struct pl_results *results, const char *key, size_t *hint)
{
    for (size_t i = 0; i < results->column_count; i++) {
        size_t at = (*hint + i) % results->column_count;
        if (!strcmp(results->columns[at].name, key)) {
            *hint = at + 1;
            return &results->columns[at];
        }
    }
    void *columns = results->columns;
    pl_grow(&columns, &results->column_capacity, results->column_count + 1, sizeof *results->columns);
    results->columns = columns;
    struct pl_column *column = &results->columns[results->column_count++];
    *column = (struct pl_column){.name = pl_copy(key), .ranks = pl_new(results->count * sizeof *column->ranks)};
    *hint = results->column_count;
    return column;
}

static void take_settings(struct pl_results *results, size_t config, const struct pl_settings *settings)
{
    size_t hint = 0;
    for (size_t i = 0; i < settings->count; i++) {
        const struct pl_entry *entry = &settings->entries[i];
        struct pl_column *column = column_of(results, entry->key, &hint);
        struct pl_value value = entry->value;
        /* Canonical settings spell infinities as words. */
        if (value.type == PL_STRING && (!strcmp(value.string, "inf") || !strcmp(value.string, "-inf")))
            value = (struct pl_value){PL_REAL, {.real = value.string[0] == '-' ? -INFINITY : INFINITY}};
        column->ranks[config] = rank_of(column, &value, &results->pool);
    }
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct pl_column *)a)->name, ((const struct pl_column *)b)->name);
}

int pl_columns_read(struct pl_results *results, struct pl_error *err)
{
    struct pl_settings settings = {0};
    int status = 0;
    for (size_t i = 0; !status && i < results->count; i++) {
        status = pl_store_config(results->store, results->configs[i], &settings, err);
        if (!status)
            take_settings(results, i, &settings);
    }
    pl_settings_release(&settings);
    if (results->column_count)
        qsort(results->columns, results->column_count, sizeof *results->columns, by_name);
    return status;
}

void pl_columns_free(struct pl_results *results)
{
    for (size_t i = 0; i < results->column_count; i++) {
        free(results->columns[i].name);
        free(results->columns[i].ranks);
        free(results->columns[i].values);
        free(results->columns[i].slots);
    }
    free(results->columns);
    results->columns = NULL;
    results->column_count = results->column_capacity = 0;
    pl_pool_release(&results->pool);
}
