#include "base/setting.h"

#include "base/number.h"

#include <jansson.h>

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *pl_type_name(enum pl_type type)
{
    switch (type) {
    case PL_REAL:
        return "number";
    case PL_INTEGER:
        return "whole number";
    case PL_BOOLEAN:
        return "true or false";
    case PL_STRING:
        return "text";
    }
    return "?";
}

const struct pl_setting *pl_setting_find(const struct pl_setting *table, size_t count, const char *key)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(table[i].key, key) || pl_has_word(table[i].aliases, key))
            return &table[i];
    return NULL;
}

static bool in_range(const char *range, double value)
{
    if (isnan(value))
        return false;
    if (!range)
        return isfinite(value);
    char open, close;
    double low, high;
    int got = sscanf(range, "%c%lf,%lf%c", &open, &low, &high, &close);
    assert(got == 4);
    (void)got;
    return (open == '[' ? value >= low : value > low) && (close == ']' ? value <= high : value < high);
}

static int wrong(const struct pl_setting *setting, const struct pl_value *value, struct pl_error *err)
{
    struct pl_text spelled = {0};
    pl_value_write(value, &spelled);
    const char *range = setting->type == PL_BOOLEAN ? NULL : setting->range;
    if (range && !strcmp(range, "[-inf,inf]"))
        range = NULL; /* any number will do */
    if (value->type == PL_STRING && setting->type != PL_STRING)
        pl_fail(err, PL_EINPUT, "%s is \"%.100s\", but must be a %s%s%s", setting->key, pl_text(&spelled),
                pl_type_name(setting->type), range ? " in " : "", range ? range : "");
    else if (setting->type == PL_STRING && setting->range)
        pl_fail(err, PL_EINPUT, "%s is \"%.100s\", but must be one of: %s", setting->key, pl_text(&spelled),
                setting->range);
    else
        pl_fail(err, PL_EINPUT, "%s is %.100s, but must be %s%s%s%s", setting->key, pl_text(&spelled),
                setting->type == PL_BOOLEAN ? "" : "a ", pl_type_name(setting->type), range ? " in " : "",
                range ? range : "");
    pl_text_release(&spelled);
    return PL_EINPUT;
}

/* A list is the text of a JSON array whose elements must each be legal. */
static int check_list(const struct pl_setting *setting, const struct pl_value *value, struct pl_error *err)
{
    struct pl_setting scalar = *setting;
    scalar.list = false;
    json_t *list = value->type == PL_STRING ? json_loads(value->string, 0, NULL) : NULL;
    if (!json_is_array(list)) {
        json_decref(list);
        return pl_fail(err, PL_EINPUT, "%s must be a list, each element a %s", setting->key,
                       pl_type_name(setting->type));
    }
    int status = 0;
    for (size_t i = 0; i < json_array_size(list) && !status; i++) {
        json_t *item = json_array_get(list, i);
        struct pl_value v = {PL_STRING, {.string = json_is_string(item) ? json_string_value(item) : ""}};
        if (json_is_integer(item))
            v = (struct pl_value){PL_INTEGER, {.integer = json_integer_value(item)}};
        else if (json_is_real(item))
            v = (struct pl_value){PL_REAL, {.real = json_real_value(item)}};
        else if (json_is_boolean(item))
            v = (struct pl_value){PL_BOOLEAN, {.boolean = json_boolean_value(item)}};
        status = pl_setting_check(&scalar, &v, err);
    }
    json_decref(list);
    return status;
}

/* The scalar that spelling stands for, as the type wanted where it can be one, else as text. */
static struct pl_value read_scalar(enum pl_type wanted, const char *spelling)
{
    double real;
    int64_t integer;
    if (wanted == PL_BOOLEAN && (!strcmp(spelling, "true") || !strcmp(spelling, "false")))
        return (struct pl_value){PL_BOOLEAN, {.boolean = *spelling == 't'}};
    if (wanted == PL_INTEGER && pl_integer_read(spelling, &integer))
        return (struct pl_value){PL_INTEGER, {.integer = integer}};
    if ((wanted == PL_REAL || wanted == PL_INTEGER) && pl_number_read(spelling, &real))
        return (struct pl_value){PL_REAL, {.real = real}};
    return (struct pl_value){PL_STRING, {.string = spelling}};
}

bool pl_setting_is_silent(const struct pl_setting *setting, const struct pl_value *value)
{
    if (!setting->late)
        return false;
    struct pl_value initial = read_scalar(setting->type, setting->initial);
    return pl_value_equal(value, &initial);
}

int pl_setting_check(const struct pl_setting *setting, struct pl_value *value, struct pl_error *err)
{
    if (setting->list)
        return check_list(setting, value, err);
    struct pl_value v = *value;
    if (setting->type == PL_REAL && v.type == PL_INTEGER)
        v = (struct pl_value){PL_REAL, {.real = (double)v.integer}};
    if (setting->type == PL_INTEGER && v.type == PL_REAL && v.real == floor(v.real) && fabs(v.real) < 9e18)
        v = (struct pl_value){PL_INTEGER, {.integer = (int64_t)v.real}};
    bool legal = v.type == setting->type;
    if (legal && v.type == PL_REAL)
        legal = in_range(setting->range, v.real);
    else if (legal && v.type == PL_INTEGER)
        legal = in_range(setting->range, (double)v.integer);
    else if (legal && v.type == PL_STRING && setting->range)
        legal = pl_has_word(setting->range, v.string);
    if (!legal)
        return wrong(setting, value, err);
    *value = v;
    value->silent = pl_setting_is_silent(setting, value);
    return 0;
}

int pl_setting_read(const struct pl_setting *setting, const char *spelling, struct pl_value *value,
                    struct pl_error *err)
{
    struct pl_value v = read_scalar(setting->list ? PL_STRING : setting->type, spelling);
    int status = pl_setting_check(setting, &v, err);
    if (!status)
        *value = v;
    return status;
}

/* Index of key, or where it would be inserted. */
static size_t place(const struct pl_settings *s, const char *key, bool *found)
{
    size_t low = 0, high = s->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = strcmp(s->entries[middle].key, key);
        if (!order) {
            *found = true;
            return middle;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *found = false;
    return low;
}

void pl_settings_set(struct pl_settings *s, const char *key, struct pl_value value)
{
    if (value.type == PL_STRING)
        value.string = pl_pool_copy(&s->pool, value.string);
    bool found;
    size_t at = place(s, key, &found);
    if (!found) {
        void *list = s->entries;
        pl_grow(&list, &s->capacity, s->count + 1, sizeof *s->entries);
        s->entries = list;
        memmove(s->entries + at + 1, s->entries + at, (s->count - at) * sizeof *s->entries);
        s->entries[at].key = pl_pool_copy(&s->pool, key);
        s->count++;
    }
    s->entries[at].value = value;
}

void pl_settings_set_real(struct pl_settings *s, const char *key, double value)
{
    pl_settings_set(s, key, (struct pl_value){PL_REAL, {.real = value}});
}

void pl_settings_set_integer(struct pl_settings *s, const char *key, int64_t value)
{
    pl_settings_set(s, key, (struct pl_value){PL_INTEGER, {.integer = value}});
}

void pl_settings_set_boolean(struct pl_settings *s, const char *key, bool value)
{
    pl_settings_set(s, key, (struct pl_value){PL_BOOLEAN, {.boolean = value}});
}

void pl_settings_set_string(struct pl_settings *s, const char *key, const char *value)
{
    pl_settings_set(s, key, (struct pl_value){PL_STRING, {.string = value}});
}

void pl_settings_remove(struct pl_settings *s, const char *key)
{
    bool found;
    size_t at = place(s, key, &found);
    if (!found)
        return;
    s->count--;
    memmove(s->entries + at, s->entries + at + 1, (s->count - at) * sizeof *s->entries);
}

const struct pl_value *pl_settings_find(const struct pl_settings *s, const char *key)
{
    bool found;
    size_t at = place(s, key, &found);
    return found ? &s->entries[at].value : NULL;
}

static double real_of(const struct pl_value *v, double fallback)
{
    if (v && v->type == PL_REAL)
        return v->real;
    if (v && v->type == PL_INTEGER)
        return (double)v->integer;
    if (v && v->type == PL_STRING && !strcmp(v->string, "inf"))
        return INFINITY;
    if (v && v->type == PL_STRING && !strcmp(v->string, "-inf"))
        return -INFINITY;
    return fallback;
}

static int64_t integer_of(const struct pl_value *v, int64_t fallback)
{
    if (v && v->type == PL_INTEGER)
        return v->integer;
    if (v && v->type == PL_REAL && v->real == floor(v->real) && fabs(v->real) < 9e18)
        return (int64_t)v->real;
    return fallback;
}

static bool boolean_of(const struct pl_value *v, bool fallback)
{
    return v && v->type == PL_BOOLEAN ? v->boolean : fallback;
}

static const char *string_of(const struct pl_value *v, const char *fallback)
{
    return v && v->type == PL_STRING ? v->string : fallback;
}

double pl_settings_real(const struct pl_settings *s, const char *key, double fallback)
{
    return real_of(pl_settings_find(s, key), fallback);
}

int64_t pl_settings_integer(const struct pl_settings *s, const char *key, int64_t fallback)
{
    return integer_of(pl_settings_find(s, key), fallback);
}

bool pl_settings_boolean(const struct pl_settings *s, const char *key, bool fallback)
{
    return boolean_of(pl_settings_find(s, key), fallback);
}

const char *pl_settings_string(const struct pl_settings *s, const char *key, const char *fallback)
{
    return string_of(pl_settings_find(s, key), fallback);
}

/* ---- settings that are there ---- */

static const struct pl_value *need(const struct pl_settings *s, const char *key)
{
    const struct pl_value *v = pl_settings_find(s, key);
    assert(v);
    return v;
}

double pl_settings_need_real(const struct pl_settings *s, const char *key)
{
    return real_of(need(s, key), NAN);
}

int64_t pl_settings_need_integer(const struct pl_settings *s, const char *key)
{
    return integer_of(need(s, key), 0);
}

bool pl_settings_need_boolean(const struct pl_settings *s, const char *key)
{
    return boolean_of(need(s, key), false);
}

const char *pl_settings_need_string(const struct pl_settings *s, const char *key)
{
    return string_of(need(s, key), "");
}

/* Absent where it is not given: a setting that came late would change the keys of all runs that do without. */
static bool is_filled(const struct pl_setting *setting)
{
    return setting->initial && !setting->sparse &&
           (*setting->initial || (setting->type == PL_STRING && !setting->range));
}

static bool is_of_type(const struct pl_value *v, const struct pl_setting *setting)
{
    enum pl_type type = setting->list ? PL_STRING : setting->type;
    return v && (v->type == type || (type == PL_REAL && !isnan(real_of(v, NAN))) ||
                 (type == PL_INTEGER && integer_of(v, 0) == integer_of(v, 1)));
}

const struct pl_setting *pl_settings_lack(const struct pl_settings *s, const struct pl_setting *table, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (is_filled(&table[i]) && !is_of_type(pl_settings_find(s, table[i].key), &table[i]))
            return &table[i];
    return NULL;
}

void pl_settings_fill(struct pl_settings *s, const struct pl_setting *table, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!is_filled(&table[i]) || pl_settings_find(s, table[i].key))
            continue;
        if (table[i].list) {
            pl_settings_set_string(s, table[i].key, table[i].initial);
            continue;
        }
        struct pl_value value;
        int status = pl_setting_read(&table[i], table[i].initial, &value, NULL);
        assert(!status);
        if (!status)
            pl_settings_set(s, table[i].key, value);
    }
}

bool pl_value_equal(const struct pl_value *a, const struct pl_value *b)
{
    if (a->type == PL_STRING || b->type == PL_STRING)
        return a->type == b->type && !strcmp(a->string, b->string);
    if (a->type == PL_BOOLEAN || b->type == PL_BOOLEAN)
        return a->type == b->type && a->boolean == b->boolean;
    if (a->type == PL_INTEGER && b->type == PL_INTEGER)
        return a->integer == b->integer;
    double x = a->type == PL_REAL ? a->real : (double)a->integer;
    double y = b->type == PL_REAL ? b->real : (double)b->integer;
    return x == y;
}

void pl_value_write(const struct pl_value *value, struct pl_text *out)
{
    switch (value->type) {
    case PL_REAL:
        pl_text_add_number(out, value->real);
        break;
    case PL_INTEGER:
        pl_text_addf(out, "%lld", (long long)value->integer);
        break;
    case PL_BOOLEAN:
        pl_text_add(out, value->boolean ? "true" : "false");
        break;
    case PL_STRING:
        pl_text_add(out, value->string);
        break;
    }
}

void pl_settings_write(const struct pl_settings *s, struct pl_text *out)
{
    bool first = true;
    pl_text_add_char(out, '{');
    for (size_t i = 0; i < s->count; i++) {
        const struct pl_value *v = &s->entries[i].value;
        if (v->silent)
            continue;
        if (!first)
            pl_text_add_char(out, ',');
        first = false;
        pl_text_add_json(out, s->entries[i].key);
        pl_text_add_char(out, ':');
        if (v->type == PL_STRING)
            pl_text_add_json(out, v->string);
        else if (v->type == PL_REAL && isinf(v->real))
            pl_text_add(out, v->real > 0 ? "\"inf\"" : "\"-inf\"");
        else if (v->type == PL_REAL && v->real == 0)
            pl_text_add_char(out, '0'); /* -0 and 0 are one setting */
        else
            pl_value_write(v, out);
    }
    pl_text_add_char(out, '}');
}

int pl_settings_read(struct pl_settings *s, const char *json, struct pl_error *err)
{
    json_error_t problem;
    json_t *object = json_loads(json, JSON_REJECT_DUPLICATES, &problem);
    if (!object)
        return pl_fail(err, PL_ECORRUPT, "settings are not JSON: %s at column %d", problem.text, problem.column);
    int status = 0;
    if (!json_is_object(object)) {
        status = pl_fail(err, PL_ECORRUPT, "settings are JSON, but not an object");
        goto done;
    }
    pl_settings_clear(s);
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value)
    {
        if (json_is_string(value))
            pl_settings_set_string(s, key, json_string_value(value));
        else if (json_is_integer(value))
            pl_settings_set_integer(s, key, json_integer_value(value));
        else if (json_is_real(value))
            pl_settings_set_real(s, key, json_real_value(value));
        else if (json_is_boolean(value))
            pl_settings_set_boolean(s, key, json_boolean_value(value));
        else {
            status = pl_fail(err, PL_ECORRUPT, "setting %s is neither a number, a text nor a boolean", key);
            goto done;
        }
    }
done:
    json_decref(object);
    return status;
}

void pl_settings_copy(struct pl_settings *to, const struct pl_settings *from)
{
    pl_settings_clear(to);
    for (size_t i = 0; i < from->count; i++)
        pl_settings_set(to, from->entries[i].key, from->entries[i].value);
}

void pl_settings_clear(struct pl_settings *s)
{
    s->count = 0;
    pl_pool_clear(&s->pool);
}

void pl_settings_release(struct pl_settings *s)
{
    free(s->entries);
    pl_pool_release(&s->pool);
    *s = (struct pl_settings){0};
}
