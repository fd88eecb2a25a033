/* What a worker says, as it writes it. */
#include "sweep/protocol/cursor.h"

#include <math.h>

static void begin_event(int64_t run, const char *event, struct pl_text *out)
{
    pl_add_field(out, "{\"run\":", run);
    pl_text_add(out, ",\"event\":\"");
    pl_text_add(out, event);
    pl_text_add_char(out, '"');
}

void pl_event_write_ready(const struct pl_provenance *worker, struct pl_text *out)
{
    pl_add_field(out, "{\"event\":\"ready\",\"protocol\":", PL_PROTOCOL_VERSION);
    pl_add_foreign(out, ",\"version\":", worker->version);
    pl_add_foreign(out, ",\"host\":", worker->host);
    pl_add_foreign(out, ",\"cpu\":", worker->cpu);
    pl_add_foreign(out, ",\"isa\":", worker->isa);
    pl_add_foreign(out, ",\"compiler\":", worker->compiler);
    pl_add_foreign(out, ",\"libraries\":", worker->libraries);
    pl_text_add(out, "}\n");
}

void pl_event_write_start(int64_t run, double time, struct pl_text *out)
{
    begin_event(run, "start", out);
    pl_text_addf(out, ",\"time\":%.6f}\n", time);
}

/* Nearly all are whole numbers, which are quickly written. */
static void add_position(struct pl_text *out, const char *prefix, double position)
{
    if (fabs(position) <= 0x1p53 && position == floor(position)) {
        pl_add_field(out, prefix, (int64_t)position);
        return;
    }
    pl_text_add(out, prefix);
    pl_text_add_number(out, position);
}

static bool same_epochs(const struct pl_series *a, const struct pl_series *b)
{
    return a->count == b->count && !memcmp(a->epochs, b->epochs, a->count * sizeof *a->epochs);
}

static void add_series(const struct pl_series *series, struct pl_text *out)
{
    pl_text_add_char(out, '[');
    pl_text_add_json(out, series->metric);
    pl_text_add(out, ",\"");
    pl_text_add(out, pl_axis_names[series->axis]);
    pl_text_add(out, "\",\"");
    pl_bits_write(series->values, series->count, out);
    pl_text_add(out, "\"]");
}

int64_t pl_event_write_points(int64_t run, const struct pl_series_list *list, struct pl_text *out)
{
    int64_t values = 0;
    for (size_t i = 0; i < list->count; i++) {
        const struct pl_series *first = &list->all[i];
        bool written = !first->count;
        for (size_t j = 0; j < i && !written; j++)
            written = same_epochs(first, &list->all[j]);
        if (written)
            continue;
        begin_event(run, "points", out);
        pl_text_add(out, ",\"epochs\":[");
        for (size_t k = 0; k < first->count; k++)
            add_position(out, k ? "," : "", first->epochs[k]);
        pl_text_add(out, "],\"series\":[");
        for (size_t j = i; j < list->count; j++) {
            if (!same_epochs(first, &list->all[j]))
                continue;
            if (j > i)
                pl_text_add_char(out, ',');
            add_series(&list->all[j], out);
            values += (int64_t)first->count;
        }
        pl_text_add(out, "]}\n");
    }
    return values;
}

void pl_event_write_log(int64_t run, const char *line, struct pl_text *out)
{
    begin_event(run, "log", out);
    pl_add_foreign(out, ",\"line\":", line);
    pl_text_add(out, "}\n");
}

void pl_event_write_log_lines(int64_t run, const char *log, struct pl_text *out)
{
    const char *newline;
    struct pl_text line = {0};
    for (; (newline = strchr(log, '\n')); log = newline + 1) {
        pl_text_clear(&line);
        pl_text_add_bytes(&line, log, (size_t)(newline - log));
        pl_event_write_log(run, pl_text(&line), out);
    }
    pl_text_release(&line);
}

void pl_event_write_end(int64_t run, const struct pl_run_result *result, int64_t values, double seconds,
                        struct pl_text *out)
{
    begin_event(run, "end", out);
    pl_text_addf(out, ",\"outcome\":\"%s\",\"seconds\":%.9f", pl_outcome_name(result->outcome), seconds);
    pl_add_field(out, ",\"values\":", values);
    add_position(out, ",\"bad_epoch\":", result->bad_epoch);
    if (result->reached > 0)
        add_position(out, ",\"reached\":", result->reached);
    pl_add_field(out, ",\"exit_code\":", result->exit_code);
    pl_add_field(out, ",\"signal\":", result->signal);
    if (result->reason[0]) {
        pl_text_add(out, ",\"reason\":");
        size_t bad;
        pl_text_add_json(out, pl_utf8_valid(result->reason, strlen(result->reason), &bad)
                                  ? result->reason
                                  : "the reason was not valid UTF-8");
    }
    if (result->unread) {
        pl_add_field(out, ",\"unread\":", result->unread);
        pl_text_add(out, ",\"example\":");
        pl_text_add_json(out, result->unread_example);
    }
    if (result->unsaved) {
        pl_add_field(out, ",\"unsaved\":", result->unsaved);
        pl_add_foreign(out, ",\"why\":", result->unsaved_example);
    }
    pl_text_add(out, "}\n");
}
