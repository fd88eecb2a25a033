/* What a worker says, as the supervisor reads it. */
#include "sweep/protocol/cursor.h"

#include <stdlib.h>

/* Whole numbers up to the closing bracket. */
static bool take_runs(struct pl_cursor *c, struct pl_event_reader *reader, struct pl_event *event)
{
    size_t count = 0;
    bool more = !pl_cursor_skip(c, "]");
    while (more) {
        void *block = reader->runs;
        pl_grow(&block, &reader->run_capacity, count + 1, sizeof *reader->runs);
        reader->runs = block;
        if (!pl_cursor_integer(c, &reader->runs[count++]))
            return false;
        more = pl_cursor_skip(c, ",");
        if (!more && !pl_cursor_skip(c, "]"))
            return false;
    }
    event->runs = reader->runs;
    event->count = count;
    return true;
}

static bool take_position(struct pl_cursor *c, double *position)
{
    int64_t whole;
    char *start = c->at;
    if (pl_cursor_integer(c, &whole) && *c->at != '.' && *c->at != 'e') {
        *position = (double)whole;
        return true;
    }
    c->at = start;
    return pl_cursor_real(c, position);
}

/* Positions up to the closing bracket. */
static bool take_epochs(struct pl_cursor *c, struct pl_event_reader *reader, struct pl_event *event)
{
    size_t count = 0;
    bool more = !pl_cursor_skip(c, "]");
    while (more) {
        if (count == reader->epoch_capacity) {
            void *block = reader->epochs;
            pl_grow(&block, &reader->epoch_capacity, count + 1, sizeof *reader->epochs);
            reader->epochs = block;
        }
        if (!take_position(c, &reader->epochs[count++]))
            return false;
        more = pl_cursor_skip(c, ",");
        if (!more && !pl_cursor_skip(c, "]"))
            return false;
    }
    event->epochs = reader->epochs;
    event->count = count;
    return true;
}

static bool take_series(struct pl_cursor *c, struct pl_event_reader *reader, size_t number, size_t values)
{
    void *block = reader->series;
    pl_grow(&block, &reader->series_capacity, number + 1, sizeof *reader->series);
    reader->series = block;
    block = reader->values;
    pl_grow(&block, &reader->value_capacity, (number + 1) * values, sizeof *reader->values);
    reader->values = block;
    struct pl_event_series *series = &reader->series[number];
    int axis;
    if (!pl_cursor_skip(c, "[") || !(series->metric = pl_cursor_string(c)) || !pl_cursor_skip(c, ",") ||
        !pl_cursor_word(c, pl_axis_names, 2, &axis) || !pl_cursor_skip(c, ",\"") ||
        (size_t)(c->end - c->at) < 16 * values || !pl_bits_read(c->at, values, reader->values + number * values))
        return false;
    series->axis = (enum pl_series_axis)axis;
    c->at += 16 * values;
    return pl_cursor_skip(c, "\"]");
}

static bool take_points(struct pl_cursor *c, struct pl_event_reader *reader, struct pl_event *event)
{
    if (!pl_cursor_skip(c, ",\"epochs\":[") || !take_epochs(c, reader, event) || !event->count ||
        !pl_cursor_skip(c, ",\"series\":["))
        return false;
    size_t count = 0;
    do
        if (!take_series(c, reader, count++, event->count))
            return false;
    while (pl_cursor_skip(c, ","));
    for (size_t i = 0; i < count; i++) /* the block may have moved while it grew */
        reader->series[i].values = reader->values + i * event->count;
    event->series = reader->series;
    event->series_count = count;
    return pl_cursor_skip(c, "]}");
}

static bool take_end(struct pl_cursor *c, struct pl_event *event)
{
    static const char *const outcomes[] = {"finished", "diverged", "failed", "interrupted"};
    int outcome;
    int64_t exit_code, signal;
    if (!pl_cursor_skip(c, ",\"outcome\":") || !pl_cursor_word(c, outcomes, 4, &outcome) ||
        !pl_cursor_skip(c, ",\"seconds\":") || !pl_cursor_real(c, &event->seconds) ||
        !pl_cursor_skip(c, ",\"values\":") || !pl_cursor_integer(c, &event->values) ||
        !pl_cursor_skip(c, ",\"bad_epoch\":") || !take_position(c, &event->bad_epoch) ||
        (pl_cursor_skip(c, ",\"reached\":") && !take_position(c, &event->reached)) ||
        !pl_cursor_skip(c, ",\"exit_code\":") || !pl_cursor_integer(c, &exit_code) ||
        !pl_cursor_skip(c, ",\"signal\":") || !pl_cursor_integer(c, &signal))
        return false;
    event->outcome = (enum pl_outcome)outcome;
    event->exit_code = (int)exit_code;
    event->signal = (int)signal;
    if (pl_cursor_skip(c, ",\"reason\":") && !(event->reason = pl_cursor_string(c)))
        return false;
    if (pl_cursor_skip(c, ",\"unread\":") &&
        (!pl_cursor_integer(c, &event->unread) || !pl_cursor_skip(c, ",\"example\":") ||
         !(event->unread_example = pl_cursor_string(c))))
        return false;
    if (pl_cursor_skip(c, ",\"unsaved\":") &&
        (!pl_cursor_integer(c, &event->unsaved) || !pl_cursor_skip(c, ",\"why\":") ||
         !(event->unsaved_example = pl_cursor_string(c))))
        return false;
    return pl_cursor_skip(c, "}");
}

static bool take_ready(struct pl_cursor *c, struct pl_event *event)
{
    struct pl_provenance *w = &event->worker;
    if (!pl_cursor_integer(c, &event->protocol))
        return false;
    if (event->protocol != PL_PROTOCOL_VERSION) {
        c->at = c->end; /* what it says is not ours to understand */
        return true;
    }
    return pl_cursor_skip(c, ",\"version\":") && (w->version = pl_cursor_string(c)) &&
           pl_cursor_skip(c, ",\"host\":") && (w->host = pl_cursor_string(c)) && pl_cursor_skip(c, ",\"cpu\":") &&
           (w->cpu = pl_cursor_string(c)) && pl_cursor_skip(c, ",\"isa\":") && (w->isa = pl_cursor_string(c)) &&
           pl_cursor_skip(c, ",\"compiler\":") && (w->compiler = pl_cursor_string(c)) &&
           pl_cursor_skip(c, ",\"libraries\":") && (w->libraries = pl_cursor_string(c)) && pl_cursor_skip(c, "}");
}

static bool take_event(struct pl_cursor *c, struct pl_event_reader *reader, struct pl_event *event)
{
    static const char *const names[] = {"start", "points", "log", "end"};
    static const enum pl_event_kind kinds[] = {PL_EVENT_START, PL_EVENT_POINTS, PL_EVENT_LOG, PL_EVENT_END};
    int kind;
    if (pl_cursor_skip(c, "{\"event\":\"ready\",\"protocol\":")) {
        event->kind = PL_EVENT_READY;
        return take_ready(c, event);
    }
    if (pl_cursor_skip(c, "{\"event\":\"dropped\",\"runs\":[")) {
        event->kind = PL_EVENT_DROPPED;
        return take_runs(c, reader, event) && pl_cursor_skip(c, "}");
    }
    if (!pl_cursor_skip(c, "{\"run\":") || !pl_cursor_integer(c, &event->run) || !pl_cursor_skip(c, ",\"event\":") ||
        !pl_cursor_word(c, names, 4, &kind))
        return false;
    event->kind = kinds[kind];
    switch (event->kind) {
    case PL_EVENT_START:
        return pl_cursor_skip(c, ",\"time\":") && pl_cursor_real(c, &event->time) && pl_cursor_skip(c, "}");
    case PL_EVENT_POINTS:
        return take_points(c, reader, event);
    case PL_EVENT_LOG:
        return pl_cursor_skip(c, ",\"line\":") && (event->line = pl_cursor_string(c)) && pl_cursor_skip(c, "}");
    default:
        return take_end(c, event);
    }
}

int pl_event_read(struct pl_event_reader *reader, char *line, size_t length, struct pl_event *event,
                  struct pl_error *err)
{
    char beginning[81]; /* for the message: reading decodes strings in place */
    size_t shown = length < sizeof beginning - 1 ? length : sizeof beginning - 1;
    memcpy(beginning, line, shown);
    beginning[shown] = '\0';
    struct pl_cursor c = {line, line + length};
    *event = (struct pl_event){0};
    if (take_event(&c, reader, event) && c.at == c.end)
        return 0;
    return pl_fail(err, PL_ECORRUPT, "it wrote a line that is not an event: %s", beginning);
}

void pl_event_reader_release(struct pl_event_reader *reader)
{
    free(reader->runs);
    free(reader->epochs);
    free(reader->series);
    free(reader->values);
    *reader = (struct pl_event_reader){0};
}
