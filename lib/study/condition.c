/* Conditions on settings: what they admit, and how the command line spells them. */
#include "study/condition.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool spelled_alike(const struct pl_value *a, const struct pl_value *b)
{
    struct pl_text x = {0}, y = {0};
    pl_value_write(a, &x);
    pl_value_write(b, &y);
    bool alike = !strcmp(pl_text(&x), pl_text(&y));
    pl_text_release(&x);
    pl_text_release(&y);
    return alike;
}

static bool is_within(const struct pl_range *range, const struct pl_value *value)
{
    if (value->type != PL_REAL && value->type != PL_INTEGER)
        return false;
    double number = value->type == PL_REAL ? value->real : (double)value->integer;
    return (range->low_open ? number > range->low : number >= range->low) &&
           (range->high_open ? number < range->high : number <= range->high);
}

bool pl_condition_admits(const struct pl_condition *condition, const struct pl_value *value)
{
    bool found = false;
    for (size_t i = 0; value && i < condition->count && !found; i++)
        found = pl_value_equal(&condition->values[i], value) || spelled_alike(&condition->values[i], value);
    for (size_t i = 0; value && i < condition->range_count && !found; i++)
        found = is_within(&condition->ranges[i], value);
    return value && found != condition->negated;
}

static void add_value(struct pl_condition *condition, const char *word, size_t length)
{
    char *spelling = pl_copy_bytes(word, length);
    struct pl_value value = {PL_STRING, {.string = spelling}};
    double real;
    int64_t integer;
    if (pl_integer_read(spelling, &integer))
        value = (struct pl_value){PL_INTEGER, {.integer = integer}};
    else if (pl_number_read(spelling, &real))
        value = (struct pl_value){PL_REAL, {.real = real}};
    else if (!strcmp(spelling, "true") || !strcmp(spelling, "false"))
        value = (struct pl_value){PL_BOOLEAN, {.boolean = spelling[0] == 't'}};
    if (value.type != PL_STRING)
        free(spelling);
    condition->values = pl_resize(condition->values, condition->count + 1, sizeof *condition->values);
    condition->values[condition->count++] = value;
}

/* "0.1..1": both ends inside. */
static bool read_range(const char *word, struct pl_range *range)
{
    const char *dots = strstr(word, "..");
    if (!dots)
        return false;
    char *low = pl_copy_bytes(word, (size_t)(dots - word));
    *range = (struct pl_range){-INFINITY, INFINITY, false, false};
    bool good = pl_number_read(low, &range->low) && pl_number_read(dots + 2, &range->high);
    free(low);
    return good;
}

/* "<0.1", ">= 3": *wrong is set when a comparison has no number. */
static bool read_comparison(const char *word, struct pl_range *range, bool *wrong)
{
    char sign = *word;
    if (sign != '<' && sign != '>')
        return false;
    bool open = word[1] != '=';
    double end;
    word += open ? 1 : 2;
    word += strspn(word, " ");
    *wrong = !pl_number_read(word, &end);
    *range = sign == '<' ? (struct pl_range){-INFINITY, end, false, open}
                         : (struct pl_range){end, INFINITY, open, false};
    return !*wrong;
}

/* One alternative of a condition. */
static bool add_word(struct pl_condition *condition, const char *text, size_t length)
{
    while (length && *text == ' ')
        text++, length--;
    while (length && text[length - 1] == ' ')
        length--;
    char *word = pl_copy_bytes(text, length);
    struct pl_range range;
    bool wrong = !length;
    if (!wrong && (read_comparison(word, &range, &wrong) || (!wrong && read_range(word, &range)))) {
        condition->ranges = pl_resize(condition->ranges, condition->range_count + 1, sizeof *condition->ranges);
        condition->ranges[condition->range_count++] = range;
    } else if (!wrong) {
        add_value(condition, word, length);
    }
    free(word);
    return !wrong;
}

bool pl_where_read(const char *text, struct pl_condition **list, size_t *count)
{
    size_t key = strcspn(text, "=<>!");
    const char *sign = text + key, *word = sign;
    while (key && text[key - 1] == ' ')
        key--;
    if (!key || !*sign)
        return false;
    struct pl_condition condition = {.key = pl_copy_bytes(text, key), .negated = *sign == '!', .known = true};
    bool good = !condition.negated || sign[1] == '=';
    word += condition.negated ? 2 : *sign == '=';
    while (good) {
        size_t length = strcspn(word, ",");
        good = add_word(&condition, word, length);
        word += length;
        if (!*word)
            break;
        word++;
    }
    *list = pl_resize(*list, *count + 1, sizeof **list);
    (*list)[(*count)++] = condition; /* a bad one too, so that it is released with the others */
    return good;
}

void pl_where_write(const struct pl_condition *condition, struct pl_text *out)
{
    pl_text_addf(out, "%s%s", condition->key, condition->negated ? "!=" : "=");
    for (size_t i = 0; i < condition->count; i++) {
        pl_text_add(out, i ? "," : "");
        pl_value_write(&condition->values[i], out);
    }
    for (size_t i = 0; i < condition->range_count; i++) {
        const struct pl_range *r = &condition->ranges[i];
        pl_text_add(out, i || condition->count ? "," : "");
        if (isinf(r->low) || isinf(r->high)) {
            bool below = isinf(r->low), open = below ? r->high_open : r->low_open;
            pl_text_addf(out, "%s%s", below ? "<" : ">", open ? "" : "=");
            pl_text_add_number(out, below ? r->high : r->low);
        } else {
            pl_text_add_number(out, r->low);
            pl_text_add(out, "..");
            pl_text_add_number(out, r->high);
        }
    }
}

bool pl_condition_is_word(const struct pl_condition *condition, size_t which)
{
    return which < condition->count && condition->values[which].type == PL_STRING;
}

void pl_condition_slip(const struct pl_condition *condition, size_t which, const char *of, bool numbers,
                       struct pl_text *why)
{
    bool value = which < condition->count;
    struct pl_condition one = {.key = condition->key, .count = value, .range_count = !value};
    one.values = value ? &condition->values[which] : NULL;
    one.ranges = value ? NULL : &condition->ranges[which - condition->count];
    if (numbers && pl_condition_is_word(condition, which)) {
        pl_text_addf(why, "%s is a number, and cannot be '%.200s'", condition->key, condition->values[which].string);
        return;
    }
    struct pl_text wanted = {0};
    pl_where_write(&one, &wanted);
    pl_text_addf(why, "no run%s has %.200s", of, pl_text(&wanted));
    pl_text_release(&wanted);
}

void pl_where_free(struct pl_condition *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < list[i].count; j++)
            if (list[i].values[j].type == PL_STRING)
                free((char *)list[i].values[j].string);
        free(list[i].values);
        free(list[i].ranges);
        free(list[i].key);
    }
    free(list);
}
