/* The lines of programs: whatever they are, each is metrics or log. */
#include "fuzz.h"
#include "train/command/command_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct seen {
    int series;
    size_t values, lines;
};

static int take_series(void *self, const char *metric, enum pl_series_axis axis)
{
    struct seen *seen = self;
    size_t bad;
    MUST(*metric && pl_utf8_valid(metric, strlen(metric), &bad));
    MUST(axis == PL_BY_EPOCH || axis == PL_BY_STEP);
    return seen->series++;
}

static void take_value(void *self, int series, double epoch, double value)
{
    struct seen *seen = self;
    (void)value;
    MUST(series >= 0 && series < seen->series);
    MUST(epoch >= 0 && isfinite(epoch));
    seen->values++;
}

static void take_log(void *self, const char *line)
{
    struct seen *seen = self;
    size_t bad;
    MUST(*line && pl_utf8_valid(line, strlen(line), &bad) && !strchr(line, '\n'));
    seen->lines++;
}

static bool never(void *self)
{
    (void)self;
    return false;
}

/* A line that begins with ! or & comes from standard error, one that begins with & or ^ is not whole. */
static void take_line(struct pl_reading *reading, const char *bytes, size_t length)
{
    char first = length ? *bytes : '\0';
    bool marked = first == '!' || first == '&' || first == '^';
    char *line = malloc(length + 1); /* exactly the line: a byte beyond it is noticed */
    memcpy(line, bytes, length);
    pl_reading_line(reading, first == '!' || first == '&' ? PL_FROM_ERROR : PL_FROM_OUTPUT, line + marked, length - marked,
                    first != '&' && first != '^');
    free(line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct seen seen = {0};
    struct pl_sink sink = {&seen, take_series, take_value, take_log, never};
    struct pl_reading_options options = {.error_too = size % 2};
    struct pl_reading reading = {.sink = &sink, .options = &options};
    const char *at = (const char *)data, *end = at + size, *metric = NULL;
    enum pl_series_axis axis;
    size_t lines = 0;
    for (; at < end; lines++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((newline ? newline : end) - at), before = seen.values + seen.lines;
        int64_t unread = reading.unread;
        take_line(&reading, at, length);
        MUST(reading.unread == unread || seen.values + seen.lines > before); /* what was not understood is in the log */
        at += length + 1;
    }
    double bad = pl_reading_bad_since(&reading, &metric, &axis);
    MUST(isnan(bad) == (metric == NULL) && reading.any == (seen.values > 0));
    MUST(reading.unread >= 0 && (size_t)reading.unread <= lines);
    pl_reading_end(&reading);
    pl_reading_release(&reading);
    return 0;
}
