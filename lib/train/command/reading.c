/* The lines of a program: metrics as JSON objects or key=value words, everything else is log. */
#include "train/command/command_priv.h"

#include <jansson.h>

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_LENGTH_MOST = 100, SERIES_MOST = 1000 };

struct pl_reading_series {
    char *metric;
    int number;        /* the sink's */
    int64_t bad_since; /* epoch from which on it is not finite; -1: it is finite */
};

/* One metric of a line. */
struct pair {
    char *name;
    double value;
};

struct line {
    struct pair *pairs;
    size_t count, capacity;
    bool has_epoch, bad_epoch;
    int64_t epoch;
    bool left_over; /* something numeric had a name that no metric can have */
};

static void line_release(struct line *line)
{
    for (size_t i = 0; i < line->count; i++)
        free(line->pairs[i].name);
    free(line->pairs);
}

static bool is_name(const char *name, size_t length)
{
    if (!length || length > NAME_LENGTH_MOST || !(isalpha((unsigned char)*name) || *name == '_'))
        return false;
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)name[i]) && !strchr("_./-", name[i]))
            return false;
    return true;
}

/* The non-finite values as Python, C and awk print them. */
static bool read_nonfinite(const char *text, double *value)
{
    double sign = *text == '-' ? -1 : 1;
    const char *word = text + (*text == '-' || *text == '+');
    if (!strcasecmp(word, "nan"))
        *value = NAN;
    else if (!strcasecmp(word, "inf") || !strcasecmp(word, "infinity"))
        *value = sign * INFINITY;
    else
        return false;
    return true;
}

static void add_pair(struct line *line, const char *name, size_t length, double value)
{
    if (length == 5 && !memcmp(name, "epoch", 5)) {
        line->has_epoch = true;
        line->bad_epoch = !(value >= 0 && value <= 0x1p53 && value == floor(value));
        line->epoch = line->bad_epoch ? 0 : (int64_t)value;
        return;
    }
    if (!is_name(name, length)) {
        line->left_over = true;
        return;
    }
    void *list = line->pairs;
    pl_grow(&list, &line->capacity, line->count + 1, sizeof *line->pairs);
    line->pairs = list;
    line->pairs[line->count++] = (struct pair){pl_copy_bytes(name, length), value};
}

/* Puts quotes around the bare NaN, Infinity and -Infinity that Python's json module writes. */
static void quote_nonfinite(const char *json, struct pl_text *out)
{
    static const char *const words[] = {"NaN", "-Infinity", "Infinity"};
    bool in_string = false;
    while (*json) {
        const char *found = NULL;
        for (size_t i = 0; i < sizeof words / sizeof *words && !in_string && !found; i++)
            if (!strncmp(json, words[i], strlen(words[i])))
                found = words[i];
        if (found) {
            pl_text_addf(out, "\"%s\"", found);
            json += strlen(found);
            continue;
        }
        if (in_string && *json == '\\' && json[1])
            pl_text_add_char(out, *json++);
        else if (*json == '"')
            in_string = !in_string;
        pl_text_add_char(out, *json++);
    }
}

static bool parse_json(const char *text, struct line *line)
{
    struct pl_text quoted = {0};
    quote_nonfinite(text, &quoted);
    json_t *object = json_loads(pl_text(&quoted), 0, NULL);
    pl_text_release(&quoted);
    if (!json_is_object(object)) {
        json_decref(object);
        return false;
    }
    const char *name;
    json_t *member;
    json_object_foreach(object, name, member) {
        double value = NAN;
        if (json_is_number(member))
            value = json_number_value(member);
        else if (json_is_string(member) && !read_nonfinite(json_string_value(member), &value))
            continue;
        else if (!json_is_string(member) && !json_is_null(member))
            continue;
        add_pair(line, name, strlen(name), value);
    }
    json_decref(object);
    return true;
}

/* Every word of the line must be name=number. */
static bool parse_words(const char *text, struct line *line)
{
    size_t length;
    bool any = false;
    for (const char *word = text; (word = pl_next_word(word, &length)); word += length) {
        const char *equals = memchr(word, '=', length);
        size_t name_length = equals ? (size_t)(equals - word) : 0;
        if (!is_name(word, name_length))
            return false;
        char *spelling = pl_copy_bytes(equals + 1, length - name_length - 1);
        double value;
        bool number = pl_number_read(spelling, &value) || read_nonfinite(spelling, &value);
        free(spelling);
        if (!number)
            return false;
        add_pair(line, word, name_length, value);
        any = true;
    }
    return any;
}

static struct pl_reading_series *series_of(struct pl_reading *reading, const char *metric)
{
    for (size_t i = 0; i < reading->count; i++)
        if (!strcmp(reading->series[i].metric, metric))
            return &reading->series[i];
    if (reading->count == SERIES_MOST)
        return NULL;
    void *list = reading->series;
    pl_grow(&list, &reading->capacity, reading->count + 1, sizeof *reading->series);
    reading->series = list;
    struct pl_reading_series *series = &reading->series[reading->count++];
    int number = reading->sink->series(reading->sink->self, metric, PL_BY_EPOCH);
    *series = (struct pl_reading_series){pl_copy(metric), number, -1};
    return series;
}

static void report(struct pl_reading *reading, const struct line *line)
{
    reading->epoch = line->has_epoch ? line->epoch : reading->epoch + 1;
    for (size_t i = 0; i < line->count; i++) {
        double value = line->pairs[i].value;
        struct pl_reading_series *series = series_of(reading, line->pairs[i].name);
        if (!series)
            continue;
        reading->any = true;
        reading->sink->value(reading->sink->self, series->number, (double)reading->epoch, value);
        if (isfinite(value))
            series->bad_since = -1;
        else if (series->bad_since < 0)
            series->bad_since = reading->epoch;
    }
}

/* What a terminal would show of a line: the part after the last carriage return; bytes that are not text as
 * question marks. */
static char *printable(const char *bytes, size_t length)
{
    while (length && isspace((unsigned char)bytes[length - 1]))
        length--;
    for (size_t i = length; i > 0; i--)
        if (bytes[i - 1] == '\r') {
            bytes += i;
            length -= i;
            break;
        }
    char *line = pl_copy_bytes(bytes, length);
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)line[i] < ' ' && line[i] != '\t')
            line[i] = '?';
    size_t bad;
    while (!pl_utf8_valid(line, length, &bad))
        line[bad] = '?';
    return line;
}

void pl_reading_output(struct pl_reading *reading, const char *bytes, size_t length)
{
    const struct pl_sink *sink = reading->sink;
    char *text = printable(bytes, length);
    const char *start = text + strspn(text, " \t");
    struct line line = {0};
    bool metrics = (*start == '{' ? parse_json(start, &line) : parse_words(start, &line)) && line.count > 0;
    if (metrics && line.bad_epoch)
        sink->log(sink->self, "poula: the next line has metrics, but its epoch is not a whole number from 0 on");
    if (metrics && !line.bad_epoch)
        report(reading, &line);
    else if (*start)
        sink->log(sink->self, text);
    if (metrics && line.left_over)
        sink->log(sink->self, "poula: a metric was ignored: a name is made of letters, digits, _, ., / and -");
    line_release(&line);
    free(text);
}

void pl_reading_error(struct pl_reading *reading, const char *bytes, size_t length)
{
    char *text = printable(bytes, length);
    if (text[strspn(text, " \t")]) {
        snprintf(reading->last_error, sizeof reading->last_error, "%s", text);
        size_t bad, kept = strlen(reading->last_error);
        if (!pl_utf8_valid(reading->last_error, kept, &bad)) /* cut within a character */
            reading->last_error[bad] = '\0';
        reading->sink->log(reading->sink->self, text);
    }
    free(text);
}

/* Metrics whose end tells whether training diverged. */
static bool is_loss_like(const char *metric)
{
    return strstr(metric, "loss") || strstr(metric, "perplexity") || strstr(metric, "ppl") ||
           strstr(metric, "objective");
}

int64_t pl_reading_bad_epoch(const struct pl_reading *reading, const char **metric)
{
    int64_t first = -1;
    for (size_t i = 0; i < reading->count; i++) {
        const struct pl_reading_series *series = &reading->series[i];
        if (is_loss_like(series->metric) && series->bad_since >= 0 && (first < 0 || series->bad_since < first)) {
            first = series->bad_since;
            *metric = series->metric;
        }
    }
    return first;
}

void pl_reading_release(struct pl_reading *reading)
{
    for (size_t i = 0; i < reading->count; i++)
        free(reading->series[i].metric);
    free(reading->series);
}
