/* What the lines of a program come to: metrics at positions, log, and what was not understood. */
#include "train/command/command_priv.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOGGED_MOST = 64 * 1024 }; /* bytes of a line in the log */

struct pl_reading_series {
    char *metric;
    enum pl_series_axis axis;
    int number;             /* the sink's */
    double position;        /* of the last value */
    double lowest, highest; /* positions of values */
    double value;           /* the last one */
    double bad_since;       /* position from which on it is not finite; NaN: it is finite */
    double *nulls;          /* positions since the last value where it was null */
    size_t null_count, null_capacity;
    bool nulls_mean_nothing; /* a number came behind one: so they are what was not measured */
};

/* Cuts text at length bytes, between characters. */
static void cut(char *text, size_t length)
{
    size_t bad;
    if (strlen(text) <= length)
        return;
    text[length] = '\0';
    if (!pl_utf8_valid(text, length, &bad))
        text[bad] = '\0';
}

static void keep(const char *text, char *out, size_t size)
{
    char *copy = pl_copy(text);
    cut(copy, size - 1);
    snprintf(out, size, "%s", copy);
    free(copy);
}

void pl_reading_unread(struct pl_reading *reading, const char *text)
{
    if (!reading->unread++)
        keep(text + strspn(text, " \t"), reading->unread_example, sizeof reading->unread_example);
}

static void write_log(struct pl_reading *reading, char *text)
{
    cut(text, LOGGED_MOST);
    reading->sink->log(reading->sink->self, text);
}

/* The series of a metric on an axis; NULL: none. Lines mostly have the metrics of the line before, in that order. */
static struct pl_reading_series *find_series(struct pl_reading *reading, const char *metric, enum pl_series_axis axis)
{
    for (size_t i = 0; i < reading->count; i++) {
        size_t at = (reading->next + i) % reading->count;
        if (reading->series[at].axis == axis && !strcmp(reading->series[at].metric, metric)) {
            reading->next = at + 1;
            return &reading->series[at];
        }
    }
    return NULL;
}

static struct pl_reading_series *series_of(struct pl_reading *reading, const char *metric, enum pl_series_axis axis)
{
    struct pl_reading_series *series = find_series(reading, metric, axis);
    if (series || reading->count == PL_READING_SERIES_MOST)
        return series;
    void *list = reading->series;
    pl_grow(&list, &reading->capacity, reading->count + 1, sizeof *reading->series);
    reading->series = list;
    series = &reading->series[reading->count++];
    int number = reading->sink->series(reading->sink->self, metric, axis);
    *series = (struct pl_reading_series){
        .metric = pl_copy(metric), .axis = axis, .number = number, .position = NAN, .value = NAN, .bad_since = NAN};
    return series;
}

/* null: whether that was not measured or not finite is told by what comes later, a number (also at the same position)
 * or none. */
static void take_null(struct pl_reading_series *series, double position)
{
    series->nulls_mean_nothing = series->nulls_mean_nothing || series->position == position;
    if (series->nulls_mean_nothing)
        return;
    void *list = series->nulls;
    pl_grow(&list, &series->null_capacity, series->null_count + 1, sizeof *series->nulls);
    series->nulls = list;
    series->nulls[series->null_count++] = position;
}

static void add_value(struct pl_reading *reading, struct pl_reading_series *series, double position, double value)
{
    series->position = position;
    series->lowest = fmin(series->lowest, position); /* of a number and NaN: the number */
    series->highest = fmax(series->highest, position);
    series->value = value;
    reading->sink->value(reading->sink->self, series->number, position, value);
    if (isfinite(value))
        series->bad_since = NAN;
    else if (isnan(series->bad_since))
        series->bad_since = position;
}

bool pl_reading_record(struct pl_reading *reading, const struct pl_line_pair *pair, enum pl_series_axis axis,
                       double position)
{
    struct pl_reading_series *series = series_of(reading, pair->name, axis);
    if (!series) {
        if (!reading->crowded) {
            char text[200];
            snprintf(text, sizeof text,
                     "poula: there are more than %d metrics; %.60s and those after it are not recorded",
                     PL_READING_SERIES_MOST, pair->name);
            reading->sink->log(reading->sink->self, text);
            reading->crowded = true;
        }
        return false;
    }
    reading->any = true;
    if (pair->null) {
        reading->nulls++;
        take_null(series, position);
        return true;
    }
    series->nulls_mean_nothing = series->nulls_mean_nothing || series->null_count;
    series->null_count = 0;
    add_value(reading, series, position, pair->value);
    return true;
}

bool pl_reading_replaces(struct pl_reading *reading, const struct pl_line_pair *pair, enum pl_series_axis axis,
                         double position)
{
    const struct pl_reading_series *series = find_series(reading, pair->name, axis);
    return series && series->lowest <= position && position <= series->highest;
}

bool pl_reading_has(struct pl_reading *reading, const struct pl_line_pair *pair, enum pl_series_axis axis,
                    double position, bool alike)
{
    const struct pl_reading_series *series = find_series(reading, pair->name, axis);
    if (series && pair->null && series->null_count && series->nulls[series->null_count - 1] == position)
        return true;
    return series && series->position == position && !(alike && series->value == pair->value);
}

/* Is it a line for one of the user's patterns? */
static bool match(struct pl_reading *reading, const char *text)
{
    for (size_t i = 0; reading->options && i < reading->options->pattern_count; i++)
        if (pl_pattern_read(reading->options->patterns[i], text, &reading->lines))
            return true;
    return false;
}

static bool has_pairs(const struct pl_lines *lines)
{
    for (size_t i = 0; i < lines->count; i++)
        if (lines->list[i].count)
            return true;
    return false;
}

static bool is_file(enum pl_line_origin origin)
{
    return origin == PL_FROM_FILE || origin == PL_FROM_METRICS;
}

/* Records what was read of a text. Returns whether it had metrics. */
static bool take(struct pl_reading *reading, enum pl_line_origin origin, const char *text)
{
    bool metrics = false, whole = true;
    struct pl_reading_source *source = &reading->sources[origin];
    for (size_t i = 0; i < reading->lines.count; i++) {
        const struct pl_line *line = &reading->lines.list[i];
        metrics = metrics || line->count;
        whole = pl_reading_place(reading, source, line) && whole;
        whole = whole && !(line->numbered && line->count && source->counted);
    }
    if (reading->lines.odd || !whole)
        pl_reading_unread(reading, text);
    return metrics;
}

static void log_line(struct pl_reading *reading, enum pl_line_origin origin, char *text)
{
    if (is_file(origin))
        return;
    if (origin == PL_FROM_ERROR)
        keep(text, reading->last_error, sizeof reading->last_error);
    write_log(reading, text);
}

/* Takes a clean line by itself. matched: one of the user's patterns has read it. */
static void take_line(struct pl_reading *reading, enum pl_line_origin origin, char *text, bool matched)
{
    bool file = is_file(origin);
    struct pl_reading_source *source = &reading->sources[origin];
    source->table.of_file = file;
    if (!matched)
        pl_line_read(text, &source->table, &reading->lines);
    if (file && !has_pairs(&reading->lines) && strchr("0123456789+-.", text[strspn(text, " \t\"")]))
        reading->lines.odd = true; /* a row of numbers without names */
    if (!take(reading, origin, text))
        log_line(reading, origin, text);
}

/* The lines of an object that have come so far, each by itself. read: they state nothing that is not read yet. */
static void take_apart(struct pl_reading *reading, enum pl_line_origin origin, bool read)
{
    struct pl_open_object open = reading->sources[origin].open;
    reading->sources[origin].open = (struct pl_open_object){0};
    for (char *line = open.text.text, *next; open.pieces && line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        if (read)
            log_line(reading, origin, line);
        else
            take_line(reading, origin, line, false);
    }
    pl_open_object_release(&open);
}

/* The lines of an object have come. */
static void take_object(struct pl_reading *reading, enum pl_line_origin origin)
{
    char *text = pl_copy(pl_text(&reading->sources[origin].open.text));
    for (char *c = text; (c = strchr(c, '\n'));)
        *c = ' ';
    bool object = pl_line_read_object(text, &reading->lines);
    if (object && take(reading, origin, text))
        pl_open_object_release(&reading->sources[origin].open);
    else
        take_apart(reading, origin, object);
    free(text);
}

/* Takes a clean line, which may be one of an object. */
static void take_piece(struct pl_reading *reading, enum pl_line_origin origin, char *text)
{
    bool matched = !is_file(origin) && match(reading, text);
    struct pl_open_object *open = &reading->sources[origin].open;
    enum pl_joining joining = matched ? PL_JOIN_BROKEN : pl_object_join(open, text);
    if (joining == PL_JOIN_BROKEN && open->pieces) {
        take_apart(reading, origin, false);
        matched = matched && match(reading, text); /* the lines before it were read in between */
        joining = matched ? PL_JOIN_NOT : pl_object_join(open, text);
    }
    if (joining == PL_JOIN_WHOLE)
        take_object(reading, origin);
    else if (joining != PL_JOIN_MORE)
        take_line(reading, origin, text, matched);
}

void pl_reading_line(struct pl_reading *reading, enum pl_line_origin origin, const char *bytes, size_t length,
                     bool whole)
{
    char *text = pl_line_clean(bytes, length);
    bool said = text[strspn(text, " \t")];
    if (said && !whole) {
        take_apart(reading, origin, false);
        pl_reading_unread(reading, text);
        reading->sink->log(reading->sink->self, "poula: the next line is not whole, so no metrics are read from it");
    }
    if (said && whole && (origin == PL_FROM_OUTPUT || (reading->options && reading->options->error_too)))
        take_piece(reading, origin, text);
    else if (said)
        log_line(reading, origin, text);
    free(text);
}

void pl_reading_row(struct pl_reading *reading, enum pl_line_origin origin, const char *bytes, size_t length,
                    bool whole)
{
    char *text = pl_line_clean(bytes, length);
    if (text[strspn(text, " \t")]) {
        if (whole)
            take_piece(reading, origin, text);
        else
            pl_reading_unread(reading, text);
    }
    free(text);
}

void pl_reading_old_row(struct pl_reading *reading, enum pl_line_origin origin, const char *bytes, size_t length)
{
    char *text = pl_line_clean(bytes, length);
    reading->sources[origin].table.of_file = true;
    pl_line_read(text, &reading->sources[origin].table, &reading->lines);
    free(text);
}

void pl_reading_restart(struct pl_reading *reading, enum pl_line_origin origin)
{
    take_apart(reading, origin, false);
    pl_reading_settle(reading, &reading->sources[origin]);
    pl_line_table_release(&reading->sources[origin].table);
    pl_reading_source_release(&reading->sources[origin]);
    reading->sources[origin] = (struct pl_reading_source){0};
}

void pl_reading_end(struct pl_reading *reading)
{
    for (int i = 0; i < PL_ORIGIN_COUNT; i++) {
        take_apart(reading, (enum pl_line_origin)i, false);
        pl_reading_settle(reading, &reading->sources[i]);
    }
    for (size_t i = 0; i < reading->count; i++) { /* null to the end: what was measured was not finite */
        struct pl_reading_series *series = &reading->series[i];
        for (size_t k = 0; k < series->null_count; k++)
            add_value(reading, series, series->nulls[k], NAN);
        series->null_count = 0;
    }
    if (!reading->unread)
        return;
    struct pl_text text = {0};
    pl_text_add(&text, "poula: ");
    pl_reading_describe_unread(reading, &text);
    reading->sink->log(reading->sink->self, pl_text(&text));
    pl_text_release(&text);
}

void pl_reading_describe_unread(const struct pl_reading *reading, struct pl_text *out)
{
    pl_text_addf(out, "%lld line%s looked like metrics and %s not wholly understood, the first: %s",
                 (long long)reading->unread, reading->unread == 1 ? "" : "s", reading->unread == 1 ? "was" : "were",
                 reading->unread_example);
}

double pl_reading_bad_since(const struct pl_reading *reading, const char **metric, enum pl_series_axis *axis)
{
    const struct pl_reading_series *first = NULL;
    for (size_t i = 0; i < reading->count; i++) {
        const struct pl_reading_series *series = &reading->series[i];
        if (pl_metric_judge(series->metric).loss && !isnan(series->bad_since) &&
            (!first || (series->axis == first->axis ? series->bad_since < first->bad_since : !series->axis)))
            first = series;
    }
    if (!first)
        return NAN;
    *metric = first->metric;
    *axis = first->axis;
    return first->bad_since;
}

void pl_reading_release(struct pl_reading *reading)
{
    for (size_t i = 0; i < reading->count; i++) {
        free(reading->series[i].metric);
        free(reading->series[i].nulls);
    }
    free(reading->series);
    for (int i = 0; i < PL_ORIGIN_COUNT; i++) {
        pl_line_table_release(&reading->sources[i].table);
        pl_reading_source_release(&reading->sources[i]);
        pl_open_object_release(&reading->sources[i].open);
    }
    pl_lines_release(&reading->lines);
}
