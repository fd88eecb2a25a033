/* Scalars of the file as typed values. */
#include "spec/read/value.h"

#include "base/expression.h"
#include "optim/formula.h"
#include "spec/read/complaint.h"
#include "spec/read/formula.h"
#include "spec/read/node.h"
#include "spec/read/reader.h"

#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

bool pl_cell_is_constant(const struct cell *cell)
{
    return !cell->expression && !cell->pick && !cell->range;
}

static bool digits_and(const char *text, const char *others)
{
    if (!isdigit((unsigned char)*text))
        return false;
    for (; *text; text++)
        if (!isdigit((unsigned char)*text) && !strchr(others, *text))
            return false;
    return true;
}

/* Why a text that a reader may take for a number is none here; NULL: it does not look like one. YAML 1.1
 * and 1.2 (and people) read these differently, so none is right. */
static const char *why_no_number(const char *text)
{
    const char *s = text + (*text == '+' || *text == '-');
    if (!*text)
        return "is empty";
    if (!strcasecmp(s, "infinity"))
        return "is spelled .inf in a spec";
    if (!strcmp(s, ".nan") || !strcmp(s, ".NaN") || !strcmp(s, ".NAN") || !strcmp(s, "nan") || !strcmp(s, "NaN"))
        return "is not a number, and no setting can be that";
    if (s[0] == '0' && s[1] && strchr("xXoObB", s[1]) && isxdigit((unsigned char)s[2]))
        return "is a number in another base; write it in decimal";
    if (digits_and(s, ":.") && strchr(s, ':'))
        return "is a time or a base-60 number to some readers; write a plain decimal number";
    if (digits_and(s, "_.eE+-") && strchr(s, '_'))
        return "has _ between its digits; leave them out";
    if (digits_and(s, ",.") && strchr(s, ','))
        return "has a comma; write a decimal point, and no thousands separators";
    if (s[0] == '0' && isdigit((unsigned char)s[1]) && digits_and(s, ".eE+-"))
        return "starts with 0, which some readers take for octal; write it without";
    size_t plain = strspn(s, "0123456789.");
    bool exponent = plain && (s[plain] == 'e' || s[plain] == 'E');
    const char *rest = s + plain + exponent;
    rest += exponent && (*rest == '+' || *rest == '-');
    if (exponent && isdigit((unsigned char)*rest) && !rest[strspn(rest, "0123456789")])
        return "is too large for a number";
    if (plain && !s[plain] && strlen(s) > 1)
        return strchr(s, '.') ? "has too many points for a number" : "is too large for a number";
    return NULL;
}

/* What a real number has lost of its text, or NULL. */
static const char *what_is_lost(const char *text, double real, bool every_digit)
{
    char kept[400] = "";
    if (real == 0 && strcspn(text, "123456789") < strcspn(text, "eE"))
        return "is too small for a number";
    text += *text == '+';
    if (!every_digit || !digits_and(text + (*text == '-'), ""))
        return NULL;
    snprintf(kept, sizeof kept, "%.0f", real);
    return strcmp(text, kept) ? "has more digits than a number keeps" : NULL;
}

/* Returns false where the text is no number here, with *why (else NULL) where it looks like one. */
static bool read_real(const char *text, bool every_digit, double *real, const char **why)
{
    bool number = pl_number_read(text, real);
    *why = number ? what_is_lost(text, *real, every_digit) : why_no_number(text);
    return number && !*why;
}

static bool is_boolean_word(const char *text)
{
    return pl_has_word("yes Yes YES no No NO on On ON off Off OFF True TRUE False FALSE y n Y N", text);
}

/* "a number in (0,inf]", as in the messages of pl_setting_check. */
static void add_legal(struct pl_text *out, const struct pl_setting *setting)
{
    pl_text_addf(out, "%s%s", setting->type == PL_REAL || setting->type == PL_INTEGER ? "a " : "",
                 pl_type_name(setting->type));
    if (setting->range && setting->type == PL_STRING)
        pl_text_addf(out, ", one of: %s", setting->range);
    else if (setting->range && setting->type != PL_BOOLEAN && strcmp(setting->range, "[-inf,inf]"))
        pl_text_addf(out, " in %s", setting->range);
}

static bool refuse(struct reader *reader, const char *key, const struct pl_setting *setting, const struct node *node,
                   const char *why)
{
    struct pl_text legal = {0};
    if (setting) {
        pl_text_addf(&legal, "; %s must be ", key);
        add_legal(&legal, setting);
    }
    pl_complain(&reader->complaints, node, "%s: \"%.100s\" %s%s", key, node->text, why, pl_text(&legal));
    pl_text_release(&legal);
    return false;
}

static bool check(struct reader *reader, const struct pl_setting *setting, const struct node *node,
                  struct pl_value *value)
{
    struct pl_error err;
    if (!pl_setting_check(setting, value, &err))
        return true;
    pl_complain(&reader->complaints, node, "%s", err.text);
    return false;
}

static bool read_number(struct reader *reader, const char *key, const struct pl_setting *setting,
                        const struct node *node, struct cell *cell)
{
    const char *text = node->text, *why = NULL;
    int64_t integer;
    double real;
    if (pl_integer_read(text, &integer))
        cell->value = (struct pl_value){PL_INTEGER, {.integer = integer}};
    else if (read_real(text, false, &real, &why))
        cell->value = (struct pl_value){PL_REAL, {.real = real}};
    else {
        if (why)
            return refuse(reader, key, setting, node, why);
        if (node->plain && (is_boolean_word(text) || !strcmp(text, "true") || !strcmp(text, "false")))
            return refuse(reader, key, setting, node, "is not a number");
        struct expression_names names;
        struct pl_text wrong = {0};
        bool good = pl_expression_scan(text, &names, &wrong);
        if (good)
            cell->expression = text;
        else
            refuse(reader, key, setting, node, pl_text(&wrong));
        pl_text_release(&wrong);
        return good;
    }
    return check(reader, setting, node, &cell->value);
}

/* A setting without descriptor: the type is that of the value. Only a text that begins with = is an
 * expression, because any other may be meant as text. */
static bool read_free(struct reader *reader, const char *key, const struct node *node, struct cell *cell)
{
    const char *text = node->text, *why = NULL;
    int64_t integer;
    double real;
    struct expression_names names;
    struct pl_text wrong = {0};
    cell->value = (struct pl_value){PL_STRING, {.string = text}};
    if (*text == '=') {
        cell->expression = text;
        if (!pl_expression_scan(text, &names, &wrong))
            cell->expression = NULL, refuse(reader, key, NULL, node, pl_text(&wrong));
        bool good = cell->expression != NULL;
        pl_text_release(&wrong);
        return good;
    }
    if (!node->plain)
        return true;
    if (pl_integer_read(text, &integer))
        cell->value = (struct pl_value){PL_INTEGER, {.integer = integer}};
    else if (read_real(text, true, &real, &why))
        cell->value = (struct pl_value){PL_REAL, {.real = real}};
    else if (!strcmp(text, "true") || !strcmp(text, "false"))
        cell->value = (struct pl_value){PL_BOOLEAN, {.boolean = *text == 't'}};
    else if (is_boolean_word(text))
        return refuse(reader, key, NULL, node, "is a boolean to some readers; write true, false or \"in quotes\"");
    else if (why) {
        struct pl_text sentence = {0};
        pl_text_addf(&sentence, "%s (or \"in quotes\" as text)", why);
        refuse(reader, key, NULL, node, pl_text(&sentence));
        pl_text_release(&sentence);
        return false;
    }
    return true;
}

/* A command is a list of words; a text with blanks in it is mostly what one would type into a shell. */
static bool refuse_command_line(struct reader *reader, const struct node *node)
{
    const struct node *line = node->kind == NODE_LIST && node->count == 1 ? node->items[0] : node;
    struct pl_text words = {0};
    size_t length;
    if (line->kind != NODE_SCALAR || !strpbrk(line->text, " \t\n") || pl_file_exists(line->text))
        return false;
    for (const char *word = line->text + strspn(line->text, " \t\n"); *word;
         word += length, word += strspn(word, " \t\n")) {
        length = strcspn(word, " \t\n");
        bool plain = !memchr(word, '{', length) && !memchr(word, '"', length) && !memchr(word, ',', length);
        pl_text_addf(&words, "%s%s%.*s%s", words.length ? ", " : "", plain ? "" : "\"", (int)length, word,
                     plain ? "" : "\"");
    }
    pl_complain(&reader->complaints, node,
                "command is a list of words, the program and its arguments, not one text: "
                "command: [%.400s] (or [sh, -c, \"...\"] for what a shell is to understand)",
                pl_text(&words));
    pl_text_release(&words);
    return true;
}

/* A list setting: the string of a JSON array. */
static bool read_list(struct reader *reader, const char *key, const struct pl_setting *setting, const struct node *node,
                      struct cell *cell)
{
    if (!strcmp(key, "command") && refuse_command_line(reader, node))
        return false;
    struct node *self = (struct node *)node;
    size_t count;
    struct node **items = pl_node_list(&self, &count);
    struct pl_setting scalar = *setting;
    scalar.list = false;
    struct pl_settings one = {0};
    struct pl_text json = {0};
    bool good = true;
    if (!count) {
        pl_complain(&reader->complaints, node, "%s is an empty list", key);
        good = false;
    }
    pl_text_add_char(&json, '[');
    for (size_t i = 0; i < count; i++) {
        struct cell item;
        if (!pl_cell_read(reader, key, &scalar, items[i], &item)) {
            good = false;
            continue;
        }
        if (item.expression) {
            good = refuse(reader, key, &scalar, items[i], "is not a number, and a list takes no expressions");
            continue;
        }
        /* The canonical spelling of one value, taken out of {"":VALUE}. */
        struct pl_text text = {0};
        pl_settings_set(&one, "", item.value);
        pl_settings_write(&one, &text);
        pl_text_cut(&text, text.length - 1);
        pl_text_addf(&json, "%s%s", i ? "," : "", pl_text(&text) + strlen("{\"\":"));
        pl_text_release(&text);
    }
    pl_text_add_char(&json, ']');
    cell->value = (struct pl_value){PL_STRING, {.string = pl_pool_copy(reader->pool, pl_text(&json))}};
    pl_text_release(&json);
    pl_settings_release(&one);
    return good;
}

bool pl_cell_read(struct reader *reader, const char *key, const struct pl_setting *setting, const struct node *node,
                  struct cell *cell)
{
    *cell = (struct cell){.at = node};
    if (setting && setting->list)
        return read_list(reader, key, setting, node, cell);
    if (setting && pl_formula_kind_of(setting->key) != PL_NO_FORMULA)
        return pl_formula_cell_read(reader, key, node, cell);
    if (node->kind == NODE_MAP &&
        (pl_node_find(node, "values") || pl_node_find(node, "value") || pl_node_find(node, "min"))) {
        pl_complain(&reader->complaints, node,
                    "%s: {%s: ...} is how W&B writes it; here one value or a list of values "
                    "stands behind the key: %s: [0.1, 0.01]",
                    key,
                    pl_node_find(node, "values")  ? "values"
                    : pl_node_find(node, "value") ? "value"
                                                  : "min",
                    key);
        return false;
    }
    if (node->kind != NODE_SCALAR) {
        pl_complain(&reader->complaints, node, "%s must be one value or a list of values, not a %s", key,
                    node->kind == NODE_LIST ? "list in a list"
                                            : "mapping (a range is {log: [LOW, HIGH]}, or uniform, one_minus_log, "
                                              "integer, choice)");
        return false;
    }
    if (!setting && *node->text && pl_node_is_null(node)) { /* null, of a program: kept as that text */
        cell->value = (struct pl_value){PL_STRING, {.string = "null"}};
        return true;
    }
    if (pl_node_is_null(node)) {
        pl_complain(&reader->complaints, node, "%s has no value", key);
        return false;
    }
    if (!setting)
        return read_free(reader, key, node, cell);
    if (setting->type == PL_STRING) {
        cell->value = (struct pl_value){PL_STRING, {.string = node->text}};
        return check(reader, setting, node, &cell->value);
    }
    if (setting->type == PL_BOOLEAN) {
        bool yes = !strcmp(node->text, "true");
        if (!yes && strcmp(node->text, "false"))
            return refuse(reader, key, NULL, node, "must be true or false");
        if (!node->plain)
            return refuse(reader, key, NULL, node, "must be true or false, without quotes");
        cell->value = (struct pl_value){PL_BOOLEAN, {.boolean = yes}};
        return check(reader, setting, node, &cell->value);
    }
    return read_number(reader, key, setting, node, cell);
}
