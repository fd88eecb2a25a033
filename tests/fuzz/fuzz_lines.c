/* The lines of programs and of their files of metrics, with patterns of the user's or without: each is metrics or log.
 */
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

/* A line that begins with ! or & comes from standard error, one that begins with & or ^ is not whole; one with % is a
 * row of a file of metrics, one with ~ a row that the file had before the program began. Returns whether it has to be
 * seen again. */
static bool take_line(struct pl_reading *reading, const char *bytes, size_t length)
{
    char first = length ? *bytes : '\0';
    bool marked = first && strchr("!&^%~", first);
    char *line = malloc(length + 1); /* exactly the line: a byte beyond it is noticed */
    memcpy(line, bytes, length);
    if (first == '%')
        pl_reading_row(reading, PL_FROM_FILE, line + marked, length - marked, true);
    else if (first == '~')
        pl_reading_old_row(reading, PL_FROM_FILE, line + marked, length - marked);
    else
        pl_reading_line(reading, first == '!' || first == '&' ? PL_FROM_ERROR : PL_FROM_OUTPUT, line + marked,
                        length - marked, first != '&' && first != '^');
    free(line);
    return first != '%' && first != '~';
}

/* The lines at the start that begin with \1 are patterns of the user's own; those that do not compile are told. */
static void take_patterns(struct pl_reading_options *options, const char **at, const char *end)
{
    while (*at < end && **at == '\1') {
        const char *begin = *at + 1, *newline = memchr(begin, '\n', (size_t)(end - begin)),
                   *stop = newline ? newline : end;
        char *text = strndup(begin, (size_t)(stop - begin));
        struct pl_error err = {0};
        struct pl_pattern *pattern = NULL;
        int status = pl_pattern_new(&pattern, text, &err);
        fuzz_must_say(status, &err);
        MUST(!status == !!pattern);
        if (pattern) {
            options->patterns = realloc(options->patterns, (options->pattern_count + 1) * sizeof *options->patterns);
            options->patterns[options->pattern_count++] = pattern;
        }
        free(text);
        *at = newline ? newline + 1 : end;
    }
}

/* Values and lines that have come out, and metrics that waited or were null. */
static size_t handled(const struct seen *seen, const struct pl_reading *reading)
{
    size_t count = seen->values + seen->lines + reading->nulls;
    for (int i = 0; i < PL_ORIGIN_COUNT; i++)
        count += reading->sources[i].waiting.taken;
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct seen seen = {0};
    struct pl_sink sink = {.self = &seen, .series = take_series, .value = take_value, .log = take_log, .stop = never};
    struct pl_reading_options options = {.error_too = size % 2};
    const char *at = (const char *)data, *end = at + size, *metric = NULL;
    take_patterns(&options, &at, end);
    struct pl_reading reading = {.sink = &sink, .options = &options};
    enum pl_series_axis axis;
    size_t lines = 0;
    for (; at < end; lines++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((newline ? newline : end) - at), before = handled(&seen, &reading);
        int64_t unread = reading.unread;
        bool told = take_line(&reading, at, length);
        MUST(!told || reading.unread == unread ||
             handled(&seen, &reading) > before); /* what was not understood is logged */
        at += length + 1;
    }
    pl_reading_end(&reading);
    double bad = pl_reading_bad_since(&reading, &metric, &axis);
    MUST(isnan(bad) == (metric == NULL) && reading.any == (seen.values > 0));
    MUST(reading.unread >= 0 && (size_t)reading.unread <= lines + 1 + PL_ORIGIN_COUNT); /* and what is told of all */
    pl_reading_release(&reading);
    pl_reading_options_release(&options);
    return 0;
}
