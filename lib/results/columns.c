/* The settings of all configurations of a sweep, column by column: each value is stored once and named by its rank.
 *
 * Tens of thousands of configurations must be read in a blink, so their canonical texts are only cut into members;
 * equal settings have equal bytes there. A member is read as JSON when its bytes are new to the column. */
#include "results/results_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t hash_bytes(const char *bytes, size_t count)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ (unsigned char)bytes[i]) * 0x100000001b3u;
    return hash ^ hash >> 29;
}

static void place(struct pl_column *column, uint32_t rank)
{
    const struct pl_column_value *value = &column->values[rank - 1];
    size_t mask = column->slot_count - 1, slot = hash_bytes(value->bytes, value->length) & mask;
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

void pl_column_renumber(struct pl_column *column, size_t configs)
{
    uint32_t *to = pl_new((column->value_count + 1) * sizeof *to), count = 0;
    struct pl_column_value *values = pl_new((column->value_count + 1) * sizeof *values);
    for (size_t i = 0; i < configs; i++) {
        uint32_t *rank = &column->ranks[i];
        if (*rank && !to[*rank]) {
            to[*rank] = ++count;
            values[count - 1] = column->values[*rank - 1];
        }
        *rank = to[*rank];
    }
    free(to);
    free(column->values);
    column->values = values;
    column->value_capacity = column->value_count + 1;
    column->value_count = count;
    memset(column->slots, 0, column->slot_count * sizeof *column->slots);
    for (uint32_t rank = 1; rank <= count; rank++)
        place(column, rank);
}

/* A member of a canonical text, as it stands there: "lambda":0.1 */
struct member {
    const char *key, *value; /* the key with its quotes */
    size_t key_length, value_length;
};

/* Reads a member by itself. */
static int decode(const struct member *member, struct pl_settings *settings, struct pl_error *err)
{
    struct pl_text object = {0};
    pl_text_addf(&object, "{%.*s:%.*s}", (int)member->key_length, member->key, (int)member->value_length,
                 member->value);
    int status = pl_settings_read(settings, pl_text(&object), err);
    if (!status && settings->count != 1)
        status = pl_fail(err, PL_ECORRUPT, "settings are damaged at '%.100s'", pl_text(&object));
    pl_text_release(&object);
    return status;
}

/* Canonical settings spell infinities as words. */
static struct pl_value as_number(struct pl_value value)
{
    if (value.type == PL_STRING && (!strcmp(value.string, "inf") || !strcmp(value.string, "-inf")))
        return (struct pl_value){PL_REAL, {.real = value.string[0] == '-' ? -INFINITY : INFINITY}};
    return value;
}

static int add_value(struct pl_results *results, struct pl_column *column, const struct member *member,
                     struct pl_error *err)
{
    struct pl_settings settings = {0};
    int status = decode(member, &settings, err);
    if (!status) {
        void *values = column->values;
        pl_grow(&values, &column->value_capacity, column->value_count + 1, sizeof *column->values);
        column->values = values;
        struct pl_column_value *added = &column->values[column->value_count++];
        char *bytes = pl_pool_take(&results->pool, member->value_length);
        memcpy(bytes, member->value, member->value_length);
        *added = (struct pl_column_value){bytes, member->value_length, as_number(settings.entries[0].value)};
        if (added->value.type == PL_STRING)
            added->value.string = pl_pool_copy(&results->pool, added->value.string);
        if (2 * column->value_count > column->slot_count)
            widen(column);
        else
            place(column, (uint32_t)column->value_count);
    }
    pl_settings_release(&settings);
    return status;
}

static int rank_of(struct pl_results *results, struct pl_column *column, const struct member *member, uint32_t *rank,
                   struct pl_error *err)
{
    if (column->slot_count) {
        size_t mask = column->slot_count - 1, slot = hash_bytes(member->value, member->value_length) & mask;
        for (; column->slots[slot]; slot = (slot + 1) & mask) {
            const struct pl_column_value *value = &column->values[column->slots[slot] - 1];
            if (value->length == member->value_length && !memcmp(value->bytes, member->value, value->length)) {
                *rank = column->slots[slot];
                return 0;
            }
        }
    }
    int status = add_value(results, column, member, err);
    *rank = (uint32_t)column->value_count;
    return status;
}

/* The column of a key, made when new. Members come sorted, so the one after the last is the likely one. */
static int column_of(struct pl_results *results, const struct member *member, size_t *hint, struct pl_column **column,
                     struct pl_error *err)
{
    for (size_t i = 0; i < results->column_count; i++) {
        struct pl_column *c = &results->columns[(*hint + i) % results->column_count];
        if (c->key_length == member->key_length && !memcmp(c->key, member->key, c->key_length)) {
            *hint = (size_t)(c - results->columns) + 1;
            *column = c;
            return 0;
        }
    }
    struct pl_settings settings = {0};
    int status = decode(member, &settings, err);
    if (!status) {
        void *columns = results->columns;
        pl_grow(&columns, &results->column_capacity, results->column_count + 1, sizeof *results->columns);
        results->columns = columns;
        *column = &results->columns[results->column_count++];
        char *key = pl_pool_take(&results->pool, member->key_length);
        memcpy(key, member->key, member->key_length);
        **column = (struct pl_column){.name = pl_copy(settings.entries[0].key),
                                      .key = key,
                                      .key_length = member->key_length,
                                      .ranks = pl_new(results->count * sizeof(uint32_t))};
        *hint = results->column_count;
    }
    pl_settings_release(&settings);
    return status;
}

/* The end of a JSON string or number that starts at text. */
static const char *skip_token(const char *text)
{
    if (*text != '"')
        return text + strcspn(text, ",}");
    for (text++; *text && *text != '"'; text++)
        text += *text == '\\' && text[1];
    return text + (*text == '"');
}

/* Cuts the next member off; false at the end of the object or where it is not what poula writes. */
static bool next_member(const char **text, struct member *member)
{
    if (**text != '{' && **text != ',')
        return false;
    member->key = *text + 1;
    const char *end = skip_token(member->key);
    member->key_length = (size_t)(end - member->key);
    if (*member->key != '"' || *end != ':')
        return false;
    member->value = end + 1;
    *text = skip_token(member->value);
    member->value_length = (size_t)(*text - member->value);
    return true;
}

int pl_column_rank(struct pl_results *results, struct pl_column *column, const char *canonical, uint32_t *rank,
                   struct pl_error *err)
{
    struct member member;
    if (!next_member(&canonical, &member))
        return pl_fail(err, PL_ECORRUPT, "\"%.100s\" is no setting", canonical);
    return rank_of(results, column, &member, rank, err);
}

int pl_columns_take(struct pl_results *results, size_t config, const char *text, struct pl_error *err)
{
    struct member member;
    struct pl_column *column;
    size_t hint = 0;
    int status = 0;
    while (!status && next_member(&text, &member)) {
        status = column_of(results, &member, &hint, &column, err);
        if (!status)
            status = rank_of(results, column, &member, &column->ranks[config], err);
    }
    if (!status && strcmp(text, "}") && strcmp(text, "{}"))
        status = pl_fail(err, PL_ECORRUPT, "the settings of configuration %lld are damaged at '%.100s'",
                         (long long)pl_results_config_number(results->configs[config]), text);
    return status;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct pl_column *)a)->name, ((const struct pl_column *)b)->name);
}

int pl_columns_read(struct pl_results *results, struct pl_error *err)
{
    struct pl_text canonical = {0};
    int status = 0;
    for (size_t i = 0; !status && i < results->count; i++) {
        status = pl_store_config_text(results->store, pl_results_config_number(results->configs[i]), &canonical, err);
        if (!status)
            status = pl_columns_take(results, i, pl_text(&canonical), err);
    }
    pl_text_release(&canonical);
    if (!status)
        status = pl_joined_add_column(results, err);
    if (results->column_count)
        qsort(results->columns, results->column_count, sizeof *results->columns, by_name);
    return status ? status : pl_columns_complete(results, err);
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
