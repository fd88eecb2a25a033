/* How a study wants the output of its command read, as the JSON text that an attempt records. */
#include "train/command/command_priv.h"

#include <jansson.h>

#include <stdlib.h>
#include <string.h>

enum { PATTERNS_MOST = 50 };

void pl_reading_options_release(struct pl_reading_options *options)
{
    for (size_t i = 0; i < options->pattern_count; i++)
        pl_pattern_free(options->patterns[i]);
    free(options->patterns);
    free(options->metrics_file);
    *options = (struct pl_reading_options){0};
}

static int read_patterns(struct pl_reading_options *options, const json_t *list, struct pl_error *err)
{
    size_t count = json_array_size(list);
    if (count > PATTERNS_MOST)
        return pl_fail(err, PL_EINPUT, "there are %zu patterns; at most %d are supported", count, PATTERNS_MOST);
    options->patterns = pl_new((count + 1) * sizeof *options->patterns);
    for (size_t i = 0; i < count; i++) {
        const char *text = json_string_value(json_array_get(list, i));
        int status = pl_pattern_new(&options->patterns[i], text ? text : "", err);
        if (status)
            return status;
        options->pattern_count++;
    }
    return 0;
}

int pl_reading_options_read(struct pl_reading_options *options, const char *json, struct pl_error *err)
{
    *options = (struct pl_reading_options){0};
    if (!json)
        return 0;
    json_t *object = json_loads(json, 0, NULL);
    if (!json_is_object(object)) {
        json_decref(object);
        return pl_fail(err, PL_EINPUT, "how output is read is no JSON object: %.200s", json);
    }
    const char *file = json_string_value(json_object_get(object, "metrics_file"));
    int status = read_patterns(options, json_object_get(object, "pattern"), err);
    options->metrics_file = pl_copy(file);
    options->error_too = json_is_true(json_object_get(object, "stderr"));
    options->stall = json_number_value(json_object_get(object, "stall"));
    if (!status && file && !strstr(file, "{run_folder}"))
        status = pl_fail(err, PL_EINPUT,
                         "metrics_file must have {run_folder} in it, so that every run writes its own: "
                         "\"%.200s\"",
                         file);
    json_decref(object);
    return status;
}

int pl_train_check_reading(const char *reading, struct pl_error *err)
{
    struct pl_reading_options options;
    int status = pl_reading_options_read(&options, reading, err);
    pl_reading_options_release(&options);
    return status;
}
