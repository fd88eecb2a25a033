/* The lines between supervisor and workers. They are JSON, but both ends are this program, so a line is read in
 * the one order in which it is written, and anything else is refused. Values travel as the hexadecimal bits of
 * doubles, in one string per series: exact, and cheap enough for thousands of runs a second. */
#include "sweep/sweep_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const axis_names[] = {"epoch", "step"};

void pl_bits_write(const double *values, size_t count, struct pl_text *out)
{
    static const char digits[] = "0123456789abcdef";
    char text[16 * 64];
    while (count) {
        size_t n = count < 64 ? count : 64;
        for (size_t i = 0; i < n; i++) {
            uint64_t bits;
            memcpy(&bits, &values[i], sizeof bits);
            for (int d = 15; d >= 0; d--, bits >>= 4)
                text[16 * i + (size_t)d] = digits[bits & 15];
        }
        pl_text_add_bytes(out, text, 16 * n);
        values += n;
        count -= n;
    }
}

bool pl_bits_read(const char *text, size_t count, double *values)
{
    unsigned bad = 0;
    for (size_t i = 0; i < count; i++, text += 16) {
        uint64_t bits = 0;
        for (int d = 0; d < 16; d++) {
            unsigned c = (unsigned char)text[d];
            unsigned decimal = c - '0', letter = c - 'a';
            bad |= decimal > 9 && letter > 5;
            bits = bits << 4 | (decimal <= 9 ? decimal : letter + 10) % 16;
        }
        memcpy(&values[i], &bits, sizeof bits);
    }
    return !bad;
}

static void add_integer(struct pl_text *out, int64_t value)
{
    char text[24], *c = text + sizeof text;
    uint64_t left = value < 0 ? -(uint64_t)value : (uint64_t)value;
    do
        *--c = (char)('0' + left % 10);
    while (left /= 10);
    if (value < 0)
        *--c = '-';
    pl_text_add_bytes(out, c, (size_t)(text + sizeof text - c));
}

static void add_field(struct pl_text *out, const char *prefix, int64_t value)
{
    pl_text_add(out, prefix);
    add_integer(out, value);
}

/* ---- reading a line from left to right ---- */

struct cursor {
    char *at, *end; /* *end is a NUL */
};

static bool skip(struct cursor *c, const char *literal)
{
    size_t length = strlen(literal);
    if ((size_t)(c->end - c->at) < length || memcmp(c->at, literal, length))
        return false;
    c->at += length;
    return true;
}

static bool take_integer(struct cursor *c, int64_t *value)
{
    bool negative = *c->at == '-';
    uint64_t number = 0, most = (uint64_t)INT64_MAX + negative;
    c->at += negative;
    if (*c->at < '0' || *c->at > '9')
        return false;
    for (; *c->at >= '0' && *c->at <= '9'; c->at++) {
        unsigned d = (unsigned)(*c->at - '0');
        if (number > (most - d) / 10)
            return false;
        number = 10 * number + d;
    }
    *value = negative ? (int64_t)-number : (int64_t)number;
    return true;
}

static bool take_real(struct cursor *c, double *value)
{
    char *after;
    *value = strtod(c->at, &after);
    bool any = after > c->at && isfinite(*value);
    c->at = after;
    return any;
}

static int digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* What stands behind a backslash: those escapes that pl_text_add_json writes. */
static bool take_escape(struct cursor *c, char *out)
{
    static const char from[] = "\"\\ntr", to[] = "\"\\\n\t\r";
    const char *found = *c->at ? strchr(from, *c->at) : NULL;
    if (found) {
        *out = to[found - from];
        c->at++;
        return true;
    }
    if (!skip(c, "u00") || c->end - c->at < 2 || digit(c->at[0]) < 0 || digit(c->at[1]) < 0)
        return false;
    *out = (char)(digit(c->at[0]) << 4 | digit(c->at[1]));
    c->at += 2;
    return *out != '\0' && !(*out & 0x80);
}

/* A quoted string, decoded in place, or NULL. */
static char *take_string(struct cursor *c)
{
    if (!skip(c, "\""))
        return NULL;
    char *start = c->at, *out = start;
    while (c->at < c->end && *c->at != '"') {
        char plain = *c->at++;
        if (plain == '\0' || (plain == '\\' && !take_escape(c, &plain)))
            return NULL;
        *out++ = plain;
    }
    if (!skip(c, "\""))
        return NULL;
    *out = '\0';
    return start;
}

/* One of the given words in quotes. */
static bool take_word(struct cursor *c, const char *const *words, int count, int *index)
{
    const char *word = take_string(c);
    for (int i = 0; word && i < count; i++)
        if (!strcmp(word, words[i])) {
            *index = i;
            return true;
        }
    return false;
}

/* ---- orders ---- */

/* Of what earlier attempts have left: first and last, by axis. */
enum { KEPT_NUMBERS = 2 * PL_AXIS_COUNT };
_Static_assert(sizeof(struct pl_kept) == 2 * sizeof(double), "written as so many numbers");

void pl_order_write(const struct pl_order *order, struct pl_text *out)
{
    add_field(out, "{\"run\":", order->run);
    add_field(out, ",\"seed\":", order->seed);
    add_field(out, ",\"threads\":", order->threads);
    if (order->folder) {
        pl_text_add(out, ",\"folder\":");
        pl_text_add_json(out, order->folder);
    }
    if (order->owner) {
        pl_text_add(out, ",\"owner\":");
        pl_text_add_json(out, order->owner);
    }
    if (order->epochs > 0) {
        pl_text_add(out, ",\"epochs\":");
        pl_text_add_number(out, order->epochs);
    }
    if (order->continued) {
        pl_text_add(out, ",\"kept\":\"");
        pl_bits_write(&order->kept[0].first, KEPT_NUMBERS, out);
        pl_text_add_char(out, '"');
    }
    if (order->reading) {
        pl_text_add(out, ",\"reading\":");
        pl_text_add_json(out, order->reading);
    }
    if (order->home) {
        pl_text_add(out, ",\"home\":");
        pl_text_add_json(out, order->home);
    }
    if (order->data) {
        pl_text_add(out, ",\"data\":");
        pl_text_add_json(out, order->data);
    }
    if (order->settings) {
        pl_text_add(out, ",\"settings\":");
        pl_text_add(out, order->settings);
    }
    pl_text_add(out, "}\n");
}

int pl_message_read(const char *line, size_t length, enum pl_message *kind, int64_t *run, struct pl_error *err)
{
    static const char run_first[] = "{\"run\":";
    if (length + 1 == sizeof PL_RECALL_LINE - 1 && !memcmp(line, PL_RECALL_LINE, length)) {
        *kind = PL_MESSAGE_RECALL;
    } else if (length + 1 == sizeof PL_STOP_LINE - 1 && !memcmp(line, PL_STOP_LINE, length)) {
        *kind = PL_MESSAGE_STOP;
    } else if (!strncmp(line, run_first, sizeof run_first - 1)) {
        *kind = PL_MESSAGE_ORDER;
        *run = strtoll(line + sizeof run_first - 1, NULL, 10);
    } else {
        return pl_fail(err, PL_ECORRUPT, "a line is not an order: %.100s", line);
    }
    return 0;
}

static bool take_kept(struct cursor *c, struct pl_order *order)
{
    order->continued = skip(c, ",\"kept\":\"");
    if (!order->continued)
        return true;
    if (c->end - c->at < 16 * KEPT_NUMBERS || !pl_bits_read(c->at, KEPT_NUMBERS, &order->kept[0].first))
        return false;
    c->at += 16 * KEPT_NUMBERS;
    return skip(c, "\"");
}

static bool read_order(struct cursor *c, struct pl_order *order)
{
    int64_t threads = 1;
    if (!skip(c, "{\"run\":") || !take_integer(c, &order->run) || !skip(c, ",\"seed\":") ||
        !take_integer(c, &order->seed) || !skip(c, ",\"threads\":") || !take_integer(c, &threads) || threads < 1 ||
        threads > 1 << 20)
        return false;
    order->threads = (int)threads;
    if ((skip(c, ",\"folder\":") && !(order->folder = take_string(c))) ||
        (skip(c, ",\"owner\":") && !(order->owner = take_string(c))) ||
        (skip(c, ",\"epochs\":") && !take_real(c, &order->epochs)) || !take_kept(c, order))
        return false;
    if ((skip(c, ",\"reading\":") && !(order->reading = take_string(c))) ||
        (skip(c, ",\"home\":") && !(order->home = take_string(c))) ||
        (skip(c, ",\"data\":") && !(order->data = take_string(c))))
        return false;
    return skip(c, ",\"settings\":{") && c->end - c->at >= 2 && c->end[-1] == '}';
}

int pl_order_read(char *line, size_t length, struct pl_order_reader *reader, struct pl_order *order,
                  struct pl_error *err)
{
    struct cursor c = {line, line + length};
    *order = (struct pl_order){0};
    if (!read_order(&c, order))
        return pl_fail(err, PL_ECORRUPT, "run %lld: an order cannot be read", (long long)order->run);
    c.end[-1] = '\0'; /* of the order; what is left is the object of the settings */
    order->settings = c.at - 1;
    if (reader->text.length && !strcmp(reader->text.text, order->settings))
        return 0; /* runs of one configuration follow each other */
    pl_text_clear(&reader->text);
    int status = pl_settings_read(&reader->settings, order->settings, err);
    if (!status)
        pl_text_add(&reader->text, order->settings);
    return status;
}

void pl_order_reader_release(struct pl_order_reader *reader)
{
    pl_settings_release(&reader->settings);
    pl_text_release(&reader->text);
}

/* ---- events, written ---- */

static void begin_event(int64_t run, const char *event, struct pl_text *out)
{
    add_field(out, "{\"run\":", run);
    pl_text_add(out, ",\"event\":\"");
    pl_text_add(out, event);
    pl_text_add_char(out, '"');
}

/* Text from elsewhere: other encodings keep their ASCII. */
static void add_foreign(struct pl_text *out, const char *prefix, const char *text)
{
    size_t bad;
    pl_text_add(out, prefix);
    if (pl_utf8_valid(text, strlen(text), &bad)) {
        pl_text_add_json(out, text);
        return;
    }
    char *copy = pl_copy(text);
    for (char *c = copy; *c; c++)
        if ((unsigned char)*c >= 0x80)
            *c = '?';
    pl_text_add_json(out, copy);
    free(copy);
}

void pl_event_write_ready(const struct pl_provenance *worker, struct pl_text *out)
{
    add_field(out, "{\"event\":\"ready\",\"protocol\":", PL_PROTOCOL_VERSION);
    add_foreign(out, ",\"version\":", worker->version);
    add_foreign(out, ",\"host\":", worker->host);
    add_foreign(out, ",\"cpu\":", worker->cpu);
    add_foreign(out, ",\"isa\":", worker->isa);
    add_foreign(out, ",\"compiler\":", worker->compiler);
    add_foreign(out, ",\"libraries\":", worker->libraries);
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
        add_field(out, prefix, (int64_t)position);
        return;
    }
    pl_text_add(out, prefix);
    pl_text_add_number(out, position);
}

static bool same_epochs(const struct pl_run_values_series *a, const struct pl_run_values_series *b)
{
    return a->count == b->count && !memcmp(a->epochs, b->epochs, a->count * sizeof *a->epochs);
}

static void add_series(const struct pl_run_values_series *series, struct pl_text *out)
{
    pl_text_add_char(out, '[');
    pl_text_add_json(out, series->metric);
    pl_text_add(out, ",\"");
    pl_text_add(out, axis_names[series->axis]);
    pl_text_add(out, "\",\"");
    pl_bits_write(series->values, series->count, out);
    pl_text_add(out, "\"]");
}

int64_t pl_event_write_points(int64_t run, const struct pl_run_values *record, struct pl_text *out)
{
    int64_t values = 0;
    for (size_t i = 0; i < record->count; i++) {
        const struct pl_run_values_series *first = &record->series[i];
        bool written = !first->count;
        for (size_t j = 0; j < i && !written; j++)
            written = same_epochs(first, &record->series[j]);
        if (written)
            continue;
        begin_event(run, "points", out);
        pl_text_add(out, ",\"epochs\":[");
        for (size_t k = 0; k < first->count; k++)
            add_position(out, k ? "," : "", first->epochs[k]);
        pl_text_add(out, "],\"series\":[");
        for (size_t j = i; j < record->count; j++) {
            if (!same_epochs(first, &record->series[j]))
                continue;
            if (j > i)
                pl_text_add_char(out, ',');
            add_series(&record->series[j], out);
            values += (int64_t)first->count;
        }
        pl_text_add(out, "]}\n");
    }
    return values;
}

void pl_event_write_log(int64_t run, const char *line, struct pl_text *out)
{
    begin_event(run, "log", out);
    add_foreign(out, ",\"line\":", line);
    pl_text_add(out, "}\n");
}

void pl_event_write_end(int64_t run, const struct pl_run_result *result, int64_t values, double seconds,
                        struct pl_text *out)
{
    begin_event(run, "end", out);
    pl_text_addf(out, ",\"outcome\":\"%s\",\"seconds\":%.9f", pl_outcome_name(result->outcome), seconds);
    add_field(out, ",\"values\":", values);
    add_position(out, ",\"bad_epoch\":", result->bad_epoch);
    add_field(out, ",\"exit_code\":", result->exit_code);
    add_field(out, ",\"signal\":", result->signal);
    if (result->reason[0]) {
        pl_text_add(out, ",\"reason\":");
        size_t bad;
        pl_text_add_json(out, pl_utf8_valid(result->reason, strlen(result->reason), &bad)
                                  ? result->reason : "the reason was not valid UTF-8");
    }
    if (result->unread) {
        add_field(out, ",\"unread\":", result->unread);
        pl_text_add(out, ",\"example\":");
        pl_text_add_json(out, result->unread_example);
    }
    if (result->unsaved) {
        add_field(out, ",\"unsaved\":", result->unsaved);
        add_foreign(out, ",\"why\":", result->unsaved_example);
    }
    pl_text_add(out, "}\n");
}

/* ---- events, read ---- */

/* Whole numbers up to the closing bracket. */
static bool take_runs(struct cursor *c, struct pl_event_reader *reader, struct pl_event *event)
{
    size_t count = 0;
    bool more = !skip(c, "]");
    while (more) {
        void *block = reader->runs;
        pl_grow(&block, &reader->run_capacity, count + 1, sizeof *reader->runs);
        reader->runs = block;
        if (!take_integer(c, &reader->runs[count++]))
            return false;
        more = skip(c, ",");
        if (!more && !skip(c, "]"))
            return false;
    }
    event->runs = reader->runs;
    event->count = count;
    return true;
}

static bool take_position(struct cursor *c, double *position)
{
    int64_t whole;
    char *start = c->at;
    if (take_integer(c, &whole) && *c->at != '.' && *c->at != 'e') {
        *position = (double)whole;
        return true;
    }
    c->at = start;
    return take_real(c, position);
}

/* Positions up to the closing bracket. */
static bool take_epochs(struct cursor *c, struct pl_event_reader *reader, struct pl_event *event)
{
    size_t count = 0;
    bool more = !skip(c, "]");
    while (more) {
        if (count == reader->epoch_capacity) {
            void *block = reader->epochs;
            pl_grow(&block, &reader->epoch_capacity, count + 1, sizeof *reader->epochs);
            reader->epochs = block;
        }
        if (!take_position(c, &reader->epochs[count++]))
            return false;
        more = skip(c, ",");
        if (!more && !skip(c, "]"))
            return false;
    }
    event->epochs = reader->epochs;
    event->count = count;
    return true;
}

static bool take_series(struct cursor *c, struct pl_event_reader *reader, size_t number, size_t values)
{
    void *block = reader->series;
    pl_grow(&block, &reader->series_capacity, number + 1, sizeof *reader->series);
    reader->series = block;
    block = reader->values;
    pl_grow(&block, &reader->value_capacity, (number + 1) * values, sizeof *reader->values);
    reader->values = block;
    struct pl_event_series *series = &reader->series[number];
    int axis;
    if (!skip(c, "[") || !(series->metric = take_string(c)) || !skip(c, ",") ||
        !take_word(c, axis_names, 2, &axis) || !skip(c, ",\"") || (size_t)(c->end - c->at) < 16 * values ||
        !pl_bits_read(c->at, values, reader->values + number * values))
        return false;
    series->axis = (enum pl_series_axis)axis;
    c->at += 16 * values;
    return skip(c, "\"]");
}

static bool take_points(struct cursor *c, struct pl_event_reader *reader, struct pl_event *event)
{
    if (!skip(c, ",\"epochs\":[") || !take_epochs(c, reader, event) || !skip(c, ",\"series\":["))
        return false;
    size_t count = 0;
    do
        if (!take_series(c, reader, count++, event->count))
            return false;
    while (skip(c, ","));
    for (size_t i = 0; i < count; i++) /* the block may have moved while it grew */
        reader->series[i].values = reader->values + i * event->count;
    event->series = reader->series;
    event->series_count = count;
    return skip(c, "]}");
}

static bool take_end(struct cursor *c, struct pl_event *event)
{
    static const char *const outcomes[] = {"finished", "diverged", "failed", "interrupted"};
    int outcome;
    int64_t exit_code, signal;
    if (!skip(c, ",\"outcome\":") || !take_word(c, outcomes, 4, &outcome) || !skip(c, ",\"seconds\":") ||
        !take_real(c, &event->seconds) || !skip(c, ",\"values\":") || !take_integer(c, &event->values) ||
        !skip(c, ",\"bad_epoch\":") || !take_position(c, &event->bad_epoch) || !skip(c, ",\"exit_code\":") ||
        !take_integer(c, &exit_code) || !skip(c, ",\"signal\":") || !take_integer(c, &signal))
        return false;
    event->outcome = (enum pl_outcome)outcome;
    event->exit_code = (int)exit_code;
    event->signal = (int)signal;
    if (skip(c, ",\"reason\":") && !(event->reason = take_string(c)))
        return false;
    if (skip(c, ",\"unread\":") && (!take_integer(c, &event->unread) || !skip(c, ",\"example\":") ||
                                    !(event->unread_example = take_string(c))))
        return false;
    if (skip(c, ",\"unsaved\":") && (!take_integer(c, &event->unsaved) || !skip(c, ",\"why\":") ||
                                     !(event->unsaved_example = take_string(c))))
        return false;
    return skip(c, "}");
}

static bool take_ready(struct cursor *c, struct pl_event *event)
{
    struct pl_provenance *w = &event->worker;
    if (!take_integer(c, &event->protocol))
        return false;
    if (event->protocol != PL_PROTOCOL_VERSION) {
        c->at = c->end; /* what it says is not ours to understand */
        return true;
    }
    return skip(c, ",\"version\":") && (w->version = take_string(c)) && skip(c, ",\"host\":") &&
           (w->host = take_string(c)) && skip(c, ",\"cpu\":") && (w->cpu = take_string(c)) && skip(c, ",\"isa\":") &&
           (w->isa = take_string(c)) && skip(c, ",\"compiler\":") && (w->compiler = take_string(c)) &&
           skip(c, ",\"libraries\":") && (w->libraries = take_string(c)) && skip(c, "}");
}

static bool take_event(struct cursor *c, struct pl_event_reader *reader, struct pl_event *event)
{
    static const char *const names[] = {"start", "points", "log", "end"};
    static const enum pl_event_kind kinds[] = {PL_EVENT_START, PL_EVENT_POINTS, PL_EVENT_LOG, PL_EVENT_END};
    int kind;
    if (skip(c, "{\"event\":\"ready\",\"protocol\":")) {
        event->kind = PL_EVENT_READY;
        return take_ready(c, event);
    }
    if (skip(c, "{\"event\":\"dropped\",\"runs\":[")) {
        event->kind = PL_EVENT_DROPPED;
        return take_runs(c, reader, event) && skip(c, "}");
    }
    if (!skip(c, "{\"run\":") || !take_integer(c, &event->run) || !skip(c, ",\"event\":") ||
        !take_word(c, names, 4, &kind))
        return false;
    event->kind = kinds[kind];
    switch (event->kind) {
    case PL_EVENT_START:
        return skip(c, ",\"time\":") && take_real(c, &event->time) && skip(c, "}");
    case PL_EVENT_POINTS:
        return take_points(c, reader, event);
    case PL_EVENT_LOG:
        return skip(c, ",\"line\":") && (event->line = take_string(c)) && skip(c, "}");
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
    struct cursor c = {line, line + length};
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
