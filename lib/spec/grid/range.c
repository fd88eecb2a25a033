#include "spec/grid/range.h"

#include "spec/read/complaint.h"
#include "spec/read/content.h"
#include "spec/read/node.h"
#include "spec/read/reader.h"

#include <gsl/gsl_qrng.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS_MOST = 10000000, CHOICES_MOST = 1000 };

static int kind_of(const struct node *map)
{
    for (int i = 0; map->count == 1 && i < PL_PRIOR_KIND_COUNT; i++)
        if (!strcmp(map->items[0]->text, pl_prior_kind_names[i]))
            return i;
    return -1;
}

bool pl_is_range(const struct node *node)
{
    return node && node->kind == NODE_MAP && kind_of(node) >= 0;
}

/* ---- reading ---- */

static bool complain(struct reader *reader, const struct node *at, const char *key, const char *kind, const char *what)
{
    pl_complain(&reader->complaints, at, "%s: {%s: ...} %s", key, kind, what);
    return false;
}

static bool read_choices(struct reader *reader, const char *key, const struct pl_setting *setting,
                         const struct node *list, struct pl_prior *range)
{
    if (list->kind != NODE_LIST || list->count < 2 || list->count > CHOICES_MOST)
        return complain(reader, list, key, "choice", "needs a list of two values or more");
    range->values = pl_pool_new(reader->pool, list->count, sizeof *range->values);
    for (size_t i = 0; i < list->count; i++) {
        struct cell one;
        if (!pl_cell_read(reader, key, setting, list->items[i], &one))
            return false;
        if (one.expression)
            return complain(reader, list->items[i], key, "choice", "takes values, not expressions");
        range->values[range->count++] = one.value;
    }
    return true;
}

/* An end of a range, which must itself be legal for the setting. */
static bool read_end(struct reader *reader, const char *key, const struct pl_setting *setting, const struct node *node,
                     double *end)
{
    static const struct pl_setting any = {.key = "range", .type = PL_REAL, .range = "[-inf,inf]"};
    struct cell one;
    if (!pl_cell_read(reader, key, &any, node, &one))
        return false;
    if (one.expression) {
        pl_complain(&reader->complaints, node, "%s: the end of a range must be a number", key);
        return false;
    }
    *end = one.value.real;
    struct pl_error err;
    struct pl_value value = one.value;
    if (setting && pl_setting_check(setting, &value, &err)) {
        pl_complain(&reader->complaints, node, "%s", err.text);
        return false;
    }
    return true;
}

static bool check_ends(struct reader *reader, const char *key, const struct pl_setting *setting,
                       const struct node *list, const struct pl_prior *range)
{
    const char *kind = pl_prior_kind_names[range->kind];
    bool number = !setting || setting->type == PL_REAL || setting->type == PL_INTEGER;
    bool logarithmic = range->kind == PL_PRIOR_LOG || range->kind == PL_PRIOR_ONE_MINUS_LOG;
    if (!number)
        return complain(reader, list, key, kind, "draws numbers, and this is no number: choice: [...] draws others");
    if (range->whole && range->kind != PL_PRIOR_INTEGER && range->kind != PL_PRIOR_LOG)
        return complain(reader, list, key, kind, "draws fractions, and this is a whole number: integer: [LOW, HIGH]");
    if (!isfinite(range->low) || !isfinite(range->high) || !(range->low < range->high))
        return complain(reader, list, key, kind, "needs two finite ends, the lower one first");
    if (logarithmic && !(range->low > 0))
        return complain(reader, list, key, kind, "needs ends above 0");
    if (range->kind == PL_PRIOR_INTEGER && (range->low != floor(range->low) || range->high != floor(range->high) ||
                                            fabs(range->low) > 0x1p53 || fabs(range->high) > 0x1p53))
        return complain(reader, list, key, kind, "needs whole numbers");
    return true;
}

/* The ends as the setting has them: 1 - x of a range that is drawn near 1. */
static bool read_ends(struct reader *reader, const char *key, const struct pl_setting *setting, const struct node *list,
                      struct pl_prior *range)
{
    bool mirrored = range->kind == PL_PRIOR_ONE_MINUS_LOG;
    if (list->kind != NODE_LIST || list->count != 2)
        return complain(reader, list, key, pl_prior_kind_names[range->kind], "needs two ends: [LOW, HIGH]");
    if (!read_end(reader, key, mirrored ? NULL : setting, list->items[0], &range->low) ||
        !read_end(reader, key, mirrored ? NULL : setting, list->items[1], &range->high) ||
        !check_ends(reader, key, setting, list, range))
        return false;
    for (int i = 0; i < 2 && mirrored && setting; i++) {
        struct pl_value value = {PL_REAL, {.real = 1 - (i ? range->high : range->low)}};
        struct pl_error err;
        if (!pl_setting_check(setting, &value, &err))
            continue;
        pl_complain(&reader->complaints, list->items[i], "%s", err.text);
        return false;
    }
    return true;
}

bool pl_range_read(struct reader *reader, const char *key, const struct pl_setting *setting, const struct node *node,
                   struct cell *cell)
{
    struct pl_prior *range = pl_pool_new(reader->pool, 1, sizeof *range);
    const struct node *list = node->items[1];
    *range = (struct pl_prior){.kind = (enum pl_prior_kind)kind_of(node),
                               .whole = setting && setting->type == PL_INTEGER};
    bool good;
    if (setting && setting->list) {
        pl_complain(&reader->complaints, node, "%s is a list of values, which cannot be drawn", key);
        return false;
    }
    if (range->kind == PL_PRIOR_CHOICE)
        good = read_choices(reader, key, setting, list, range);
    else
        good = read_ends(reader, key, setting, list, range);
    *cell = (struct cell){.at = node, .range = range};
    if (good)
        cell->value = pl_range_value(range, 0);
    return good;
}

/* ---- values ---- */

bool pl_range_repeats(const struct pl_prior *range)
{
    return range->kind == PL_PRIOR_CHOICE || range->kind == PL_PRIOR_INTEGER || range->whole;
}

struct pl_value pl_range_value(const struct pl_prior *r, double u)
{
    double x = 0;
    switch (r->kind) {
    case PL_PRIOR_CHOICE:
        return r->values[(size_t)(u * (double)r->count)];
    case PL_PRIOR_INTEGER:
        return (struct pl_value){PL_INTEGER, {.integer = (int64_t)r->low + (int64_t)(u * (r->high - r->low + 1))}};
    case PL_PRIOR_UNIFORM:
        x = r->high - r->low;
        x = isfinite(x) ? r->low + u * x : (1 - u) * r->low + u * r->high;
        break;
    default:
        x = exp(log(r->low) + u * (log(r->high) - log(r->low)));
        break;
    }
    x = fmin(fmax(x, r->low), r->high);
    if (r->kind == PL_PRIOR_ONE_MINUS_LOG)
        x = 1 - x;
    if (r->whole)
        return (struct pl_value){PL_INTEGER, {.integer = (int64_t)llround(x)}};
    return (struct pl_value){PL_REAL, {.real = x}};
}

/* ---- the search ---- */

static bool read_whole(struct reader *reader, const struct node *map, const char *key, const char *bounds,
                       int64_t *value)
{
    const struct pl_setting whole = {.key = key, .type = PL_INTEGER, .range = bounds};
    const struct node *node = pl_node_find(map, key);
    struct cell cell;
    if (!node)
        return true;
    if (!pl_cell_read(reader, key, &whole, node, &cell))
        return false;
    if (cell.expression) {
        pl_complain(&reader->complaints, node, "%s must be a whole number", key);
        return false;
    }
    *value = cell.value.integer;
    return true;
}

static bool read_method(struct reader *reader, const struct node *map, struct pl_search *search)
{
    const struct node *node = pl_node_find(map, "method");
    const char *name = node ? pl_node_text(reader, node, "method") : NULL;
    if (!node)
        return true;
    for (int i = 0; name && i < PL_SEARCH_METHOD_COUNT; i++)
        if (!strcmp(name, pl_search_method_names[i])) {
            search->method = (enum pl_search_method)i;
            return true;
        }
    if (name) {
        struct pl_text text = {0};
        pl_text_addf(&text, "search: there is no method %.100s", name);
        pl_hint(&text, name, pl_search_method_names, PL_SEARCH_METHOD_COUNT);
        pl_complain(&reader->complaints, node, "%s", pl_text(&text));
        pl_text_release(&text);
    }
    return false;
}

static bool check_keys(struct reader *reader, const struct node *map)
{
    static const char *const legal[] = {"points", "method", "seed"};
    bool good = true;
    for (size_t i = 0; i < map->count; i++) {
        const struct node *key = map->items[2 * i];
        bool known = false;
        for (size_t k = 0; k < sizeof legal / sizeof *legal; k++)
            known = known || !strcmp(key->text, legal[k]);
        if (known)
            continue;
        struct pl_text text = {0};
        pl_text_addf(&text, "search cannot have the key %.60s", key->text);
        pl_hint(&text, key->text, legal, sizeof legal / sizeof *legal);
        pl_complain(&reader->complaints, key, "%s", pl_text(&text));
        pl_text_release(&text);
        good = false;
    }
    return good;
}

void pl_search_read(struct reader *reader, const struct content *defaults, const struct content *content,
                    struct pl_search *search)
{
    const struct node *map = content->search ? content->search : defaults ? defaults->search : NULL;
    *search = (struct pl_search){0};
    if (!map)
        return;
    struct pl_search read = {.seed = 1};
    if (map->kind != NODE_MAP || !pl_node_find(map, "points")) {
        pl_complain(&reader->complaints, map, "search must say how many points are drawn: search: {points: 64}");
        search->points = 1;
        return;
    }
    if (!check_keys(reader, map) || !read_whole(reader, map, "points", "[1,10000000]", &read.points) ||
        !read_whole(reader, map, "seed", "[0,9007199254740992]", &read.seed) || !read_method(reader, map, &read))
        read.points = 1; /* refused, and so that nobody says that it is missing */
    *search = read;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* A range where it cannot be: among the values of a list, or for what chooses other settings. */
static bool check_field(struct reader *reader, const struct field *field)
{
    bool good = true;
    for (size_t i = 0; (field->axis || field->count > 1) && i < field->count; i++)
        if (pl_is_range(pl_field_value(field, i))) {
            pl_complain(&reader->complaints, pl_field_value(field, i), "%s: a range cannot stand in a list of values",
                        field->key);
            good = false;
        }
    if (good && field->choice && pl_is_range(pl_field_value(field, 0))) {
        pl_complain(&reader->complaints, pl_field_value(field, 0),
                    "%s says which other settings there are, and cannot be drawn", field->key);
        good = false;
    }
    return good;
}

void pl_part_draw(struct reader *reader, struct part *part, const struct pl_search *search, const struct node *at)
{
    size_t drawn = 0;
    const char **keys = pl_pool_new(reader->pool, part->field_count + 1, sizeof *keys);
    const struct node *first = NULL;
    for (size_t f = 0; f < part->field_count; f++) {
        struct field *field = &part->fields[f];
        if (!check_field(reader, field)) {
            field->items = NULL; /* the part gets no variants */
            continue;
        }
        if (field->dimension != NONE || !pl_is_range(pl_field_value(field, 0)))
            continue;
        field->drawn = true;
        first = first ? first : pl_field_value(field, 0);
        keys[drawn++] = field->key;
    }
    part->drawn_keys = keys;
    part->drawn_count = drawn;
    qsort(keys, drawn, sizeof *keys, by_text);
    if (!drawn)
        return;
    if (!search->points) {
        pl_complain(&reader->complaints, first, "a range is drawn from: search: {points: 64} must say how often");
        for (size_t f = 0; f < part->field_count; f++)
            part->fields[f].items = part->fields[f].drawn ? NULL : part->fields[f].items;
        return;
    }
    static const unsigned most[PL_SEARCH_METHOD_COUNT] = {
        [PL_SEARCH_SOBOL] = 40, [PL_SEARCH_HALTON] = 1229, [PL_SEARCH_NIEDERREITER] = 12};
    if (most[search->method] && drawn > most[search->method])
        pl_complain(&reader->complaints, at,
                    "search: %s draws at most %u settings, and these are %zu; random draws any number",
                    pl_search_method_names[search->method], most[search->method], drawn);
    for (size_t f = 0; f < part->field_count; f++) {
        struct field *field = &part->fields[f];
        if (!field->drawn)
            continue;
        const char **place = bsearch(&field->key, keys, drawn, sizeof *keys, by_text);
        field->coordinate = (size_t)(place - keys);
        field->dimension = (int)part->dimension_count;
    }
    part->dimensions[part->dimension_count++] = (struct dimension){.count = (size_t)search->points, .drawn = true};
}

static bool same_prior(const struct pl_prior *a, const struct pl_prior *b)
{
    bool same = a->kind == b->kind && a->low == b->low && a->high == b->high && a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++)
        same = pl_value_equal(&a->values[i], &b->values[i]);
    return same;
}

static void add_drawn(struct pl_search *search, struct pl_drawn *drawn, const struct pl_drawn *one)
{
    for (size_t i = 0; i < search->drawn_count; i++)
        if (!strcmp(drawn[i].key, one->key) && same_prior(drawn[i].prior, one->prior) &&
            !strcmp(drawn[i].optimizer, one->optimizer))
            return;
    drawn[search->drawn_count++] = *one;
}

static void add_key(struct pl_search *search, const char **keys, const char *key)
{
    for (size_t i = 0; i < search->key_count; i++)
        if (!strcmp(keys[i], key))
            return;
    keys[search->key_count++] = key;
}

void pl_search_drawn(struct reader *reader, const struct part *parts, size_t count, struct pl_search *search)
{
    size_t most = 0;
    for (size_t i = 0; i < count; i++)
        most += parts[i].field_count * (parts[i].variant_count + 1);
    struct pl_drawn *drawn = pl_pool_new(reader->pool, most, sizeof *drawn);
    const char **keys = pl_pool_new(reader->pool, most, sizeof *keys);
    for (size_t i = 0; i < count; i++)
        for (size_t f = 0; f < parts[i].field_count; f++) {
            const struct field *field = &parts[i].fields[f];
            if (!field->drawn)
                continue;
            add_key(search, keys, field->key);
            for (size_t v = 0; v < parts[i].variant_count; v++) {
                const struct variant *variant = &parts[i].variants[v];
                const struct cell *cell = variant->good ? variant->slots[f].cells : NULL;
                const char *optimizer = variant->good ? pl_settings_string(&variant->settings, "optimizer", "") : "";
                if (cell && cell->range)
                    add_drawn(search, drawn, &(struct pl_drawn){field->key, optimizer, cell->range});
            }
        }
    qsort(keys, search->key_count, sizeof *keys, by_text);
    search->keys = keys;
    search->drawn = drawn;
}

/* ---- drawing ---- */

struct draws {
    const struct pl_search *search;
    const struct part *part;
    gsl_qrng *sequence; /* NULL: random */
    uint64_t next;      /* the point that the sequence gives next */
    double *point;      /* the one before */
    double *shifts;     /* by which the seed moves each coordinate */
};

/* A number for a key, the same on every machine. */
static uint64_t number_of(const char *key)
{
    unsigned char digest[PL_DIGEST_SIZE];
    uint64_t number = 0;
    pl_digest(key, strlen(key), digest);
    for (int i = 0; i < 8; i++)
        number = number << 8 | digest[i];
    return number;
}

struct draws *pl_draws_new(const struct pl_search *search, const struct part *part)
{
    static const gsl_qrng_type *const *const types[PL_SEARCH_METHOD_COUNT] = {
        [PL_SEARCH_SOBOL] = &gsl_qrng_sobol,
        [PL_SEARCH_HALTON] = &gsl_qrng_halton,
        [PL_SEARCH_NIEDERREITER] = &gsl_qrng_niederreiter_2};
    struct draws *d = pl_new(sizeof *d);
    *d = (struct draws){.search = search, .part = part};
    d->point = pl_new((part->drawn_count + 1) * sizeof *d->point);
    d->shifts = pl_new((part->drawn_count + 1) * sizeof *d->shifts);
    if (types[search->method] && part->drawn_count)
        d->sequence = gsl_qrng_alloc(*types[search->method], (unsigned)part->drawn_count);
    struct pl_random r = pl_random_stream((uint64_t)search->seed, PL_STREAM_SEARCH);
    for (size_t i = 0; i < part->drawn_count; i++)
        d->shifts[i] = pl_random_uniform(&r, number_of(part->drawn_keys[i]), UINT64_MAX);
    return d;
}

double pl_draws_at(struct draws *d, const struct field *field, uint64_t k)
{
    if (!d->sequence) {
        struct pl_random r = pl_random_stream((uint64_t)d->search->seed, PL_STREAM_SEARCH);
        return pl_random_uniform(&r, number_of(field->key), k);
    }
    if (k + 1 < d->next) {
        gsl_qrng_init(d->sequence);
        d->next = 0;
    }
    for (; d->next <= k; d->next++)
        gsl_qrng_get(d->sequence, d->point);
    /* Moved around the unit interval by what the seed says (Cranley and Patterson 1976): still as even. */
    double u = d->point[field->coordinate] + d->shifts[field->coordinate];
    u -= floor(u);
    return u < 1 ? u : 0;
}

void pl_draws_free(struct draws *d)
{
    if (!d)
        return;
    if (d->sequence)
        gsl_qrng_free(d->sequence);
    free(d->point);
    free(d->shifts);
    free(d);
}
