/* Tables in text: a header of names, then rows of numbers, parted by commas, semicolons, tabs, bars or blanks. */
#include "train/command/line.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_MOST = 200 };

struct field {
    const char *text;
    size_t length;
};

void pl_line_table_release(struct pl_line_table *table)
{
    for (size_t i = 0; i < table->count; i++)
        free(table->names[i]);
    free(table->names);
    *table = (struct pl_line_table){0};
}

static void trim(struct field *field)
{
    while (field->length && strchr(" \t\"'", *field->text))
        field->text++, field->length--;
    while (field->length && strchr(" \t\"'", field->text[field->length - 1]))
        field->length--;
}

/* Divides text; 0 if there are too many fields. */
static size_t split(const char *text, char delimiter, struct field *fields)
{
    size_t count = 0;
    struct field whole = {text, strlen(text)};
    while (whole.length && strchr(" \t", *whole.text) && delimiter != '\t')
        whole.text++, whole.length--;
    if (delimiter == '|' && whole.length > 1 && *whole.text == '|' && whole.text[whole.length - 1] == '|') {
        whole.text++;
        whole.length -= 2;
    }
    const char *c = whole.text, *end = c + whole.length;
    for (;;) {
        const char *stop = c;
        while (stop < end && *stop != delimiter)
            stop++;
        if (count == COLUMNS_MOST)
            return 0;
        fields[count] = (struct field){c, (size_t)(stop - c)};
        trim(&fields[count++]);
        if (stop == end)
            return count;
        c = stop + 1;
        while (delimiter == ' ' && c < end && *c == ' ')
            c++;
    }
}

static bool is_name(const struct field *field)
{
    if (!field->length || field->length > 60 ||
        !(isalpha((unsigned char)*field->text) || *field->text == '_' || (unsigned char)*field->text >= 0x80))
        return false;
    size_t words = 1;
    for (size_t i = 0; i < field->length; i++) {
        bool first = i > 0 && field->text[i - 1] == ' ';
        if (strchr("=,;|{}[]\":", field->text[i]) || (first && strchr("0123456789+-.", field->text[i])))
            return false;
        words += field->text[i] == ' ';
    }
    return words <= 4;
}

/* A header has names only, one of which is a position or something measured. */
static bool is_header(const struct field *fields, size_t count, char delimiter)
{
    bool known = false;
    if (count < 2 || (delimiter == ' ' && !pl_line_is_position(fields[0].text, fields[0].length)))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (!is_name(&fields[i]))
            return false;
        known = known || pl_line_is_position(fields[i].text, fields[i].length) ||
                (count > 2 && pl_line_is_measure(fields[i].text, fields[i].length));
    }
    return known;
}

static bool read_row(const struct field *fields, const struct pl_line_table *table, struct pl_line *line)
{
    size_t numbers = 0;
    for (size_t i = 0; i < table->count; i++) {
        double value;
        const char *end = fields[i].text + fields[i].length, *after;
        enum pl_spelling spelling = fields[i].length ? pl_line_value(fields[i].text, end, &value, &after)
                                                     : PL_SPELLED_NOTHING;
        bool position = pl_line_is_position(table->names[i], strlen(table->names[i]));
        if (spelling == PL_SPELLED_NOT || (fields[i].length && after != end) ||
            (position && spelling == PL_SPELLED_CLOCK))
            return false;
        numbers += spelling == PL_SPELLED_NUMBER || spelling == PL_SPELLED_PERCENT || spelling == PL_SPELLED_DURATION;
    }
    if (!numbers)
        return false;
    for (size_t i = 0; i < table->count; i++) {
        double value;
        const char *end = fields[i].text + fields[i].length, *after;
        enum pl_spelling spelling = fields[i].length ? pl_line_value(fields[i].text, end, &value, &after)
                                                     : PL_SPELLED_NOTHING;
        bool position = pl_line_is_position(table->names[i], strlen(table->names[i]));
        if (spelling == PL_SPELLED_NUMBER || spelling == PL_SPELLED_PERCENT || spelling == PL_SPELLED_DURATION ||
            (spelling == PL_SPELLED_FRACTION && position))
            pl_line_add(line, table->names[i], strlen(table->names[i]), value);
        else if (spelling == PL_SPELLED_ODD || spelling == PL_SPELLED_FRACTION)
            line->odd = true;
    }
    return true;
}

/* | name | 0.5 |, or the name of something measured, a tab and a number: a row of a table of two columns without a
 * header. */
static bool read_framed(const char *text, struct pl_line *line)
{
    struct field fields[COLUMNS_MOST];
    const char *start = text + strspn(text, " \t");
    bool bars = *start == '|' && start[strlen(start) - 1] == '|';
    double value;
    if (split(text, bars ? '|' : '\t', fields) != 2 || !is_name(&fields[0]) ||
        !pl_line_number(fields[1].text, fields[1].text + fields[1].length, &value) ||
        !(bars || pl_line_is_measure(fields[0].text, fields[0].length)))
        return false;
    pl_line_add(line, fields[0].text, fields[0].length, value);
    return true;
}

int pl_line_columns(const char *text, struct pl_line_table *table, struct pl_line *line)
{
    static const char delimiters[] = ",;\t| ";
    struct field fields[COLUMNS_MOST];
    if (!table)
        return 0;
    if (table->count && split(text, table->delimiter, fields) == table->count && read_row(fields, table, line))
        return 2;
    if (read_framed(text, line))
        return 2;
    for (const char *d = delimiters; *d; d++) {
        size_t count = strchr(text, *d) ? split(text, *d, fields) : 0;
        if (!is_header(fields, count, *d))
            continue;
        pl_line_table_release(table);
        table->names = pl_new(count * sizeof *table->names);
        for (size_t i = 0; i < count; i++)
            table->names[i] = pl_copy_bytes(fields[i].text, fields[i].length);
        table->count = count;
        table->delimiter = *d;
        return 1;
    }
    return 0;
}
