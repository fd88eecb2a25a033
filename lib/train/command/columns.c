/* Tables in text: a header of names, then rows of numbers, parted by commas, semicolons, tabs, bars or blanks. */
#include "train/command/vocabulary.h"

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
    free(table->starts);
    free(table->ends);
    free(table->set);
    free(table->section);
    free(table->batch_set);
    *table = (struct pl_line_table){0};
}

static void trim(struct field *field)
{
    while (field->length && strchr(" \t\"'", *field->text))
        field->text++, field->length--;
    while (field->length && strchr(" \t\"'", field->text[field->length - 1]))
        field->length--;
}

/* Behind the field in quotation marks at c, in which delimiters and "" may stand; c if there is none. */
static const char *quoted_end(const char *c, const char *end, char delimiter)
{
    const char *start = c;
    while (start < end && *start == ' ')
        start++;
    if (start == end || *start != '"')
        return c;
    for (const char *close = start + 1; close < end; close++) {
        if (*close != '"')
            continue;
        if (close + 1 < end && close[1] == '"') {
            close++;
            continue;
        }
        const char *next = close + 1;
        while (next < end && *next == ' ')
            next++;
        return next == end || *next == delimiter ? next : c;
    }
    return c;
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
        const char *stop = strchr(",;\t", delimiter) ? quoted_end(c, end, delimiter) : c;
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

/* A header has names only, one of which is a position or something measured; in a file (any) all may be others. A
 * column of row numbers, the first, has no name. */
static bool is_header(const struct field *fields, size_t count, char delimiter, bool any)
{
    bool known = any;
    if (count < 2 || (delimiter == ' ' && !pl_line_is_position(fields[0].text, fields[0].length)))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (!i && !fields[i].length && delimiter != ' ')
            continue;
        if (!is_name(&fields[i]))
            return false;
        known = known || pl_line_is_position(fields[i].text, fields[i].length) ||
                (count > 2 && pl_line_is_measure(fields[i].text, fields[i].length));
    }
    return known;
}

/* What a cell holds. */
static enum pl_spelling cell_spelling(const struct field *field, double *value)
{
    const char *end = field->text + field->length, *after;
    enum pl_spelling spelling = field->length ? pl_line_value(field->text, end, value, &after) : PL_SPELLED_NOTHING;
    bool whole = !field->length || after == end;
    return whole                                                           ? spelling
           : spelling == PL_SPELLED_NOT || spelling == PL_SPELLED_CLOCK    ? PL_SPELLED_NOT
           : strspn(after, " ") && (after[1] == '(' || after[1] == '\xC2') ? PL_SPELLED_ODD
                                                                           : PL_SPELLED_NOT;
}

static bool is_a_number(enum pl_spelling spelling)
{
    return spelling == PL_SPELLED_NUMBER || spelling == PL_SPELLED_PERCENT || spelling == PL_SPELLED_DURATION;
}

/* What the texts of a row say of its numbers. */
struct texts {
    const struct field *set;   /* val */
    const struct field *named; /* loss, in a table of names and values */
    bool of_one;               /* the row is of one class, trial, ... of several */
};

static bool is_named(const char *name, const char *list)
{
    return pl_word_among((struct pl_word){name, strlen(name)}, list);
}

/* Trial name, class: what a row is of. */
static bool is_division(const char *name)
{
    for (size_t length; *name; name += length + (name[length] == ' ')) {
        length = strcspn(name, " ");
        if (pl_word_among((struct pl_word){name, length}, "class category trial label layer"))
            return true;
    }
    return false;
}

static bool has_values(const struct pl_line_table *table)
{
    for (size_t i = 0; i < table->count; i++)
        if (is_named(table->names[i], "value"))
            return true;
    return false;
}

/* A text in column i. first: it is the first of a row that states no position. */
static void note_text(const struct pl_line_table *table, size_t i, const struct field *field, bool first,
                      struct texts *texts)
{
    struct pl_word word = {field->text, field->length};
    if (pl_word_is_other_set(word))
        texts->set = field;
    else if (is_named(table->names[i], "metric metric_name key tag name variable") && has_values(table))
        texts->named = field;
    else if (is_division(table->names[i]) ||
             (first && !table->of_file && isalpha((unsigned char)*field->text) && !pl_word_is_set(word)))
        texts->of_one = true;
}

static bool has_letter(const struct field *field)
{
    for (size_t i = 0; i < field->length; i++)
        if (isalpha((unsigned char)field->text[i]) || (unsigned char)field->text[i] >= 0x80)
            return true;
    return false;
}

/* Is it a row of the table? Cells may be texts (a phase, a host) where bars or commas part them and the position, or
 * most of the rest, is a number; between blanks only marks (+, 0.4*), as a text may be of a sentence. A row of a class
 * or a trial has not the metrics of the columns. */
static bool is_row(const struct field *fields, const struct pl_line_table *table, struct texts *texts, bool *odd)
{
    size_t numbers = 0, others = 0;
    bool stated = false, blanks = table->delimiter == ' ', words = false;
    *texts = (struct texts){0};
    for (size_t i = 0; i < table->count; i++) {
        double value;
        enum pl_spelling spelling = cell_spelling(&fields[i], &value);
        bool position = pl_line_is_position(table->names[i], strlen(table->names[i]));
        if (position && (spelling == PL_SPELLED_NOT || spelling == PL_SPELLED_CLOCK))
            return false;
        stated = stated || (position && (is_a_number(spelling) || spelling == PL_SPELLED_FRACTION));
        numbers += is_a_number(spelling);
        others += spelling == PL_SPELLED_NOT;
        words = words || (spelling == PL_SPELLED_NOT && has_letter(&fields[i]));
    }
    for (size_t i = 0; i < table->count; i++) {
        double value;
        if (cell_spelling(&fields[i], &value) == PL_SPELLED_NOT)
            note_text(table, i, &fields[i], !i && !stated, texts);
    }
    if ((texts->of_one && numbers && !blanks) || (blanks && words && stated && numbers > 1))
        *odd = true;
    return numbers && !texts->of_one &&
           (!others || (blanks ? stated && numbers > others && !words : stated || numbers > others));
}

static bool read_row(const struct field *fields, const struct pl_line_table *table, struct pl_line *line)
{
    struct texts texts;
    if (!is_row(fields, table, &texts, &line->odd))
        return false;
    for (size_t i = 0; i < table->count; i++) {
        double value;
        const char *name = table->names[i];
        enum pl_spelling spelling = cell_spelling(&fields[i], &value);
        bool position = pl_line_is_position(name, strlen(name));
        if (!*name)
            continue;
        if (is_a_number(spelling) || (spelling == PL_SPELLED_FRACTION && position)) {
            struct pl_text whole = {0}, own = {0};
            if (texts.named && is_named(name, "value"))
                pl_text_add_bytes(&own, texts.named->text, texts.named->length);
            else
                pl_text_add(&own, name);
            if (texts.set && !position && strncmp(pl_text(&own), texts.set->text, texts.set->length) != 0)
                pl_text_addf(&whole, "%.*s_", (int)texts.set->length, texts.set->text);
            pl_text_add(&whole, pl_text(&own));
            pl_line_add(line, pl_text(&whole), whole.length, value);
            pl_text_release(&whole);
            pl_text_release(&own);
        } else if (spelling == PL_SPELLED_ODD || spelling == PL_SPELLED_FRACTION ||
                   (spelling == PL_SPELLED_NOT &&
                    (pl_line_is_measure(name, strlen(name)) ||
                     (table->delimiter == ' ' && isdigit((unsigned char)*fields[i].text))))) {
            line->odd = true;
        }
    }
    return true;
}

/* epoch<tab>3<tab>loss<tab>0.5: names and numbers in turn. */
static bool read_alternating(const char *text, struct pl_line *line)
{
    struct field fields[COLUMNS_MOST];
    size_t count = split(text, '\t', fields), known = 0;
    double value;
    for (size_t i = 0; i + 1 < count; i += 2) {
        if (!is_name(&fields[i]) || !is_a_number(cell_spelling(&fields[i + 1], &value)))
            return false;
        known += pl_line_is_measure(fields[i].text, fields[i].length) ||
                 pl_line_is_position(fields[i].text, fields[i].length);
    }
    if (count < 4 || count % 2 || !known)
        return false;
    for (size_t i = 0; i < count; i += 2) {
        cell_spelling(&fields[i + 1], &value);
        pl_line_add(line, fields[i].text, fields[i].length, value);
    }
    return true;
}

/* | name | 0.5 |, or the name of something measured, a tab and a number: a row of a table of two columns without a
 * header. */
static bool read_framed(const char *text, struct pl_line *line)
{
    if (read_alternating(text, line))
        return true;
    struct field fields[COLUMNS_MOST];
    const char *start = text + strspn(text, " \t");
    bool bars = *start == '|' && start[strlen(start) - 1] == '|';
    double value;
    const char *at = memchr(start, '@', strcspn(start, "\t")); /* P@1 */
    bool ranked = at && isdigit((unsigned char)at[1]);
    if (split(text, bars ? '|' : '\t', fields) != 2 || !is_name(&fields[0]) ||
        !pl_line_number(fields[1].text, fields[1].text + fields[1].length, &value) ||
        !(bars || ranked || pl_line_is_measure(fields[0].text, fields[0].length)))
        return false;
    pl_line_add(line, fields[0].text, fields[0].length, value);
    return true;
}

/* Times may stand among them. */
static bool only_numbers(const struct field *fields, size_t count)
{
    double value;
    size_t clocks = 0;
    for (size_t i = 0; i < count; i++) {
        enum pl_spelling spelling = cell_spelling(&fields[i], &value);
        clocks += i && spelling == PL_SPELLED_CLOCK;
        if (!is_a_number(spelling) && fields[i].length && !(i && spelling == PL_SPELLED_CLOCK))
            return false;
    }
    return count > clocks + 1;
}

/* The cells of a row that has fewer than its header, as some are blank: each is of the one column whose name stands
 * above it. Returns whether that is so. */
static bool align(const char *text, const struct field *fields, size_t count, const struct pl_line_table *table,
                  struct field *aligned)
{
    size_t column = 0;
    if (table->delimiter != ' ' || count < 2 || count > table->count || strchr(text, '\t'))
        return false;
    for (size_t i = 0; i < table->count; i++)
        aligned[i] = (struct field){.text = ""};
    for (size_t i = 0; i < count; i++) {
        size_t start = (size_t)(fields[i].text - text), end = start + fields[i].length;
        while (column < table->count && table->ends[column] <= start)
            column++;
        if (column == table->count || table->starts[column] >= end || (!i && column) || aligned[column].length ||
            (column + 1 < table->count && table->starts[column + 1] < end))
            return false;
        aligned[column] = fields[i];
    }
    return true;
}

/* Names in columns, none of which is a position, or whose names have blanks: the header of a table that is not read.
 * Its columns, or 0. */
static size_t foreign_header(const char *text, struct field *fields)
{
    size_t count = split(text, ' ', fields), wide = 0, known = 0;
    for (size_t i = 0; i < count; i++) {
        const struct field *f = &fields[i];
        if (!f->length || strchr("0123456789+-.=<>|", *f->text) || memchr(f->text, '=', f->length) ||
            strchr(":,.", f->text[f->length - 1]) || pl_word_is_level((struct pl_word){f->text, f->length}))
            return 0;
        wide += i && f->text - (f[-1].text + f[-1].length) > 1;
        known += pl_line_is_measure(f->text, f->length) || pl_word_is_other_set((struct pl_word){f->text, f->length});
    }
    return count > 1 && 2 * wide >= count - 1 && (wide == count - 1 || count > 3) && known ? count : 0;
}

/* A row below such a header. */
static bool is_foreign_row(const struct field *fields, size_t count, size_t columns)
{
    size_t numbers = 0;
    double value;
    for (size_t i = 0; i < count; i++)
        numbers += is_a_number(cell_spelling(&fields[i], &value));
    return numbers > 1 && count <= columns + 1 && 2 * numbers > count;
}

/* | loss | 0.5 | 0.6 |: a name, and nobody knows which of the numbers is its. */
static bool is_framed_row(const char *text, struct field *fields)
{
    const char *start = text + strspn(text, " \t");
    size_t count = *start == '|' && start[strlen(start) - 1] == '|' ? split(text, '|', fields) : 0, numbers = 0;
    double value;
    for (size_t i = 1; i < count; i++)
        numbers += is_a_number(cell_spelling(&fields[i], &value));
    return count > 2 && numbers + 1 == count && is_name(&fields[0]);
}

/* Without the progress bar that ends the line (640: 100%|####| 8/8), which is no column. */
static char *without_bar(const char *text)
{
    const char *bar = strstr(text, "%|");
    bar = bar ? bar : strstr(text, "% \xE2\x94\x81");
    if (!bar)
        return NULL;
    while (bar > text && isdigit((unsigned char)bar[-1]))
        bar--;
    while (bar > text && strchr(" :", bar[-1]))
        bar--;
    return bar > text ? pl_copy_bytes(text, (size_t)(bar - text)) : NULL;
}

static void keep_header(const char *text, const struct field *fields, size_t count, struct pl_line_table *table)
{
    pl_line_table_release(table);
    table->names = pl_new(count * sizeof *table->names);
    table->starts = pl_new(count * sizeof *table->starts);
    table->ends = pl_new(count * sizeof *table->ends);
    for (size_t i = 0; i < count; i++) {
        table->names[i] = pl_copy_bytes(fields[i].text, fields[i].length);
        table->starts[i] = (size_t)(fields[i].text - text);
        table->ends[i] = table->starts[i] + fields[i].length;
    }
    table->count = count;
}

static int read_columns(const char *text, struct pl_line_table *table, struct pl_line *line)
{
    static const char delimiters[] = ",;\t| ";
    struct field fields[COLUMNS_MOST], aligned[COLUMNS_MOST];
    bool any = table->of_file && !table->count;
    size_t count = table->count ? split(text, table->delimiter, fields) : 0;
    if (count && count == table->count && read_row(fields, table, line))
        return 2;
    if (count < table->count && align(text, fields, count, table, aligned) && only_numbers(fields, count) &&
        read_row(aligned, table, line))
        return 2;
    if (count > 1 && only_numbers(fields, count))
        line->odd = true; /* it does not fit its header */
    if (table->unknown && (count = split(text, ' ', fields)) && is_foreign_row(fields, count, table->unknown))
        line->odd = true;
    if (read_framed(text, line))
        return 2;
    line->odd = line->odd || is_framed_row(text, fields);
    for (const char *d = delimiters; *d; d++) {
        const char *names = *text == '#' ? text + 1 + strspn(text + 1, " \t") : text; /* # epoch loss */
        count = strchr(names, *d) ? split(names, *d, fields) : 0;
        if (!is_header(fields, count, *d, any && *d != ' '))
            continue;
        keep_header(text, fields, count, table);
        table->delimiter = *d;
        return 1;
    }
    count = foreign_header(text, fields);
    if (count && !table->of_file) {
        pl_line_table_release(table);
        table->unknown = count;
    }
    return 0;
}

int pl_line_columns(const char *text, struct pl_line_table *table, struct pl_line *line)
{
    char *cut = table ? without_bar(text) : NULL;
    int kind = table ? read_columns(cut ? cut : text, table, line) : 0;
    free(cut);
    return kind;
}
