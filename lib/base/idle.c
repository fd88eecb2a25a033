/* When a setting changes nothing: the conditions that descriptors declare (idle_when). */
#include "base/number.h"
#include "base/setting.h"

#include <stdio.h>
#include <string.h>

enum { WORD = 100 };

/* The number that a value or a word stands for. */
static bool number_of(const struct pl_value *value, double *number)
{
    if (value->type == PL_REAL)
        *number = value->real;
    else if (value->type == PL_INTEGER)
        *number = (double)value->integer;
    else
        return value->type == PL_STRING && pl_number_read(value->string, number);
    return true;
}

static bool are_alike(const struct pl_value *a, const struct pl_value *b)
{
    double x, y;
    if (number_of(a, &x) && number_of(b, &y))
        return x == y;
    struct pl_text first = {0}, second = {0};
    pl_value_write(a, &first);
    pl_value_write(b, &second);
    bool alike = !strcmp(pl_text(&first), pl_text(&second));
    pl_text_release(&first);
    pl_text_release(&second);
    return alike;
}

/* "eta=0", "beta!=1", "every>=epochs", "problem=*" (any). */
static bool comparison_holds(const char *text, const struct pl_settings *among)
{
    size_t key_length = strcspn(text, "!>="), sign_length = strspn(text + key_length, "!>=");
    char key[WORD];
    snprintf(key, sizeof key, "%.*s", (int)key_length, text);
    const char *sign = text + key_length, *word = sign + sign_length;
    const struct pl_value *value = pl_settings_find(among, key), *other = pl_settings_find(among, word);
    struct pl_value literal = {PL_STRING, {.string = word}};
    double x, y;
    if (!value)
        return false;
    other = other ? other : &literal;
    if (*sign == '>')
        return number_of(value, &x) && number_of(other, &y) && x >= y;
    return *sign == '!' ? !are_alike(value, other) : !strcmp(word, "*") || are_alike(value, other);
}

bool pl_setting_is_idle(const struct pl_setting *setting, const struct pl_settings *among)
{
    const char *at = setting->idle_when;
    if (!at || !strcmp(at, "always"))
        return at;
    bool all = true; /* of this alternative so far */
    while (*at) {
        char word[WORD];
        size_t length = strcspn(at, " ");
        snprintf(word, sizeof word, "%.*s", (int)length, at);
        if (!strcmp(word, "or")) {
            if (all)
                return true;
            all = true;
        } else if (strcmp(word, "and")) {
            all = all && comparison_holds(word, among);
        }
        at += length + (at[length] == ' ');
    }
    return all;
}
