/* What the lines of a program come to: metrics at positions, log, and what was not understood. */
#include "train/command/command_priv.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SERIES_MOST = 1000,
    LOGGED_MOST = 64 * 1024, /* bytes of a line in the log */
};

struct pl_reading_series {
    char *metric;
    enum pl_series_axis axis;
    int number;       /* the sink's */
    double position;  /* of the last value */
    double value;     /* the last one */
    double bad_since; /* position from which on it is not finite; NaN: it is finite */
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
    if (series || reading->count == SERIES_MOST)
        return series;
    void *list = reading->series;
    pl_grow(&list, &reading->capacity, reading->count + 1, sizeof *reading->series);
    reading->series = list;
    series = &reading->series[reading->count++];
    int number = reading->sink->series(reading->sink->self, metric, axis);
    *series = (struct pl_reading_series){pl_copy(metric), axis, number, NAN, NAN, NAN};
    return series;
}

/* Returns false where the program has too many metrics. */
static bool record(struct pl_reading *reading, const struct pl_line_pair *pair, enum pl_series_axis axis,
                   double position)
{
    struct pl_reading_series *series = series_of(reading, pair->name, axis);
    if (!series) {
        if (!reading->crowded) {
            char text[200];
            snprintf(text, sizeof text,
                     "poula: there are more than %d metrics; %.60s and those after it are not recorded", SERIES_MOST,
                     pair->name);
            reading->sink->log(reading->sink->self, text);
            reading->crowded = true;
        }
        return false;
    }
    reading->any = true;
    series->position = position;
    series->value = pair->value;
    reading->sink->value(reading->sink->self, series->number, position, pair->value);
    if (isfinite(pair->value))
        series->bad_since = NAN;
    else if (isnan(series->bad_since))
        series->bad_since = position;
    return true;
}

/* Has the source's position one of the line's metrics already? Then the line belongs to the next one. A value that is
 * told again (a step's loss, and the same in a line of its own) is not another one, where positions are steps. */
static bool is_taken(struct pl_reading *reading, const struct pl_reading_source *source, const struct pl_line *line)
{
    for (size_t i = 0; i < line->count; i++) {
        const struct pl_reading_series *series = find_series(reading, line->pairs[i].name, source->axis);
        if (series && series->position == source->position &&
            !(source->axis == PL_BY_STEP && series->value == line->pairs[i].value))
            return true;
    }
    return false;
}

void pl_reading_continue(struct pl_reading *reading, double kept)
{
    for (size_t i = 0; i < PL_ORIGIN_COUNT && !isnan(kept); i++) {
        reading->sources[i].axis = PL_BY_EPOCH;
        reading->sources[i].position = floor(kept) + 1;
        reading->sources[i].begun = true;
    }
}

/* Moves the source to where the line belongs. */
static void move(struct pl_reading *reading, struct pl_reading_source *source, const struct pl_line *line)
{
    bool epoch = !isnan(line->epoch), step = !isnan(line->step);
    if (!epoch && step && line->step_in_epoch && line->count && source->begun && source->heading &&
        source->axis == PL_BY_EPOCH)
        return; /* below "Epoch 2/10", step 100/600 is one of that epoch's */
    if (epoch || step) {
        source->axis = epoch ? PL_BY_EPOCH : PL_BY_STEP;
        source->position = epoch ? line->epoch : line->step;
        source->heading = !line->count;
        source->counted = false;
        source->stated += !source->heading;
    } else if (!source->begun) {
        source->axis = PL_BY_EPOCH;
        source->position = 1;
        source->counted = true;
    } else if (!source->heading && source->stated < 2 && !(line->within && source->stated) &&
               is_taken(reading, source, line)) {
        source->position += 1;
        source->counted = true;
    }
    source->begun = true;
}

/* Returns false where not all metrics of the line could be recorded. */
static bool report(struct pl_reading *reading, struct pl_reading_source *source, const struct pl_line *line)
{
    bool whole = true;
    if (!line->count && isnan(line->epoch) && isnan(line->step))
        return true;
    move(reading, source, line);
    for (size_t i = 0; i < line->count; i++)
        whole = record(reading, &line->pairs[i], source->axis, source->position) && whole;
    return whole;
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

/* Takes a clean line. Returns whether it had metrics. */
static bool take(struct pl_reading *reading, enum pl_line_origin origin, const char *text)
{
    bool metrics = false, whole = true, file = origin == PL_FROM_FILE || origin == PL_FROM_METRICS;
    struct pl_reading_source *source = &reading->sources[origin];
    source->table.of_file = file;
    if (file || !match(reading, text))
        pl_line_read(text, &source->table, &reading->lines);
    if (file && !has_pairs(&reading->lines) && strchr("0123456789+-.", text[strspn(text, " \t\"")]))
        reading->lines.odd = true; /* a row of numbers without names */
    for (size_t i = 0; i < reading->lines.count; i++) {
        const struct pl_line *line = &reading->lines.list[i];
        metrics = metrics || line->count;
        whole = report(reading, source, line) && whole;
        whole = whole && !(line->numbered && line->count && source->counted);
    }
    if (reading->lines.odd || !whole)
        pl_reading_unread(reading, text);
    return metrics;
}

void pl_reading_line(struct pl_reading *reading, enum pl_line_origin origin, const char *bytes, size_t length,
                     bool whole)
{
    char *text = pl_line_clean(bytes, length);
    bool said = text[strspn(text, " \t")], metrics = false;
    if (said && !whole) {
        pl_reading_unread(reading, text);
        reading->sink->log(reading->sink->self, "poula: the next line is not whole, so no metrics are read from it");
    } else if (said && (origin == PL_FROM_OUTPUT || (reading->options && reading->options->error_too))) {
        metrics = take(reading, origin, text);
    }
    if (said && !metrics) {
        if (origin == PL_FROM_ERROR)
            keep(text, reading->last_error, sizeof reading->last_error);
        write_log(reading, text);
    }
    free(text);
}

void pl_reading_row(struct pl_reading *reading, enum pl_line_origin origin, const char *bytes, size_t length,
                    bool whole)
{
    char *text = pl_line_clean(bytes, length);
    if (text[strspn(text, " \t")]) {
        if (whole)
            take(reading, origin, text);
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
    pl_line_table_release(&reading->sources[origin].table);
    reading->sources[origin] = (struct pl_reading_source){0};
}

void pl_reading_end(struct pl_reading *reading)
{
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
    for (size_t i = 0; i < reading->count; i++)
        free(reading->series[i].metric);
    free(reading->series);
    for (int i = 0; i < PL_ORIGIN_COUNT; i++)
        pl_line_table_release(&reading->sources[i].table);
    pl_lines_release(&reading->lines);
}
