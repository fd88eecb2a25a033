/* The task kind `command`: any program as a trainer. docs/command-tasks.md is its protocol. */
#include "train/command/follow.h"

#include <jansson.h>

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct pl_setting command_settings[] = {
    {.key = "command",
     .type = PL_STRING,
     .role = PL_CHOOSES | PL_SAYS_TASK,
     .help = "program and its arguments; {key} stands for a setting's value",
     .list = true},
    {.key = "booleans",
     .type = PL_STRING,
     .initial = "",
     .range = "words",
     .help = "words: {args} gives true and false as =true and =false, not as a flag that is there or not"},
    {.key = "directory", .type = PL_STRING, .initial = ".", .help = "folder that the program starts in"},
};
enum { COMMAND_SETTING_COUNT = sizeof command_settings / sizeof *command_settings };

/* Names that identify a run in the results database's views, and those of placeholders and of this task. */
static const char
    reserved[] = "booleans command config directory epoch id key metric run run_folder seed seeds status study "
                 "sweep threads value";

enum { KEY_LENGTH_MOST = 64 };

int pl_train_check_free_key(const char *key, struct pl_error *err)
{
    size_t length = strlen(key);
    bool legal = isalpha((unsigned char)*key) && length <= KEY_LENGTH_MOST;
    for (size_t i = 0; i < length; i++)
        legal = legal && (isalnum((unsigned char)key[i]) || key[i] == '_');
    if (!legal)
        return pl_fail(err, PL_EINPUT,
                       "\"%.100s\" cannot be a setting of a command: a key is a letter followed by "
                       "letters, digits and _, at most %d in all",
                       key, KEY_LENGTH_MOST);
    if (pl_has_word(reserved, key))
        return pl_fail(err, PL_EINPUT, "%s cannot be a setting of a command: poula uses that name itself", key);
    return 0;
}

static int command_schema(const struct pl_settings *chosen, struct pl_schema *schema, struct pl_error *err)
{
    (void)chosen;
    (void)err;
    pl_schema_add(schema, PL_SECTION_TASK, command_settings, COMMAND_SETTING_COUNT);
    schema->free_settings = true;
    return 0;
}

/* Any program will do: there are no names to choose from. */
static void command_choices(const char *key, struct pl_candidates *names)
{
    (void)key;
    (void)names;
}

static void command_sources(struct pl_schema_sources *sources)
{
    pl_source_add(sources, "command", PL_SECTION_TASK, command_settings, COMMAND_SETTING_COUNT);
}

void pl_command_directory(const struct pl_run_request *request, struct pl_text *out)
{
    const char *directory = pl_settings_string(request->settings, "directory", ".");
    pl_text_clear(out);
    if (request->home && *directory != '/')
        pl_text_addf(out, "%s/", request->home);
    pl_text_add(out, directory);
}

bool pl_command_is_own(const char *key)
{
    return pl_setting_find(command_settings, COMMAND_SETTING_COUNT, key);
}

static int command_check(const struct pl_settings *settings, struct pl_error *err)
{
    for (size_t i = 0; i < settings->count; i++) {
        const char *key = settings->entries[i].key;
        int status = pl_command_is_own(key) ? 0 : pl_train_check_free_key(key, err);
        if (status)
            return status;
    }
    struct pl_run_request trial = {.settings = settings, .seed = 0, .threads = 1};
    struct pl_words words;
    int status = pl_words_expand(&words, &trial, err);
    pl_words_release(&words);
    return status;
}

/* The outcome of a program that exited 0. */
static void judge(const struct pl_attempt *attempt, const struct pl_reading *reading, struct pl_run_result *result)
{
    const char *metric;
    enum pl_series_axis axis;
    double bad = pl_reading_bad_since(reading, &metric, &axis);
    struct pl_text unread = {0};
    if (!isnan(bad)) {
        char position[PL_NUMBER_SIZE];
        pl_number_write(bad, position);
        result->bad_epoch = bad;
        pl_result_set(result, PL_DIVERGED, "%.100s is not finite from %s %s on", metric,
                      axis == PL_BY_STEP ? "step" : "epoch", position);
    } else if (!pl_attempt_suffices(attempt, result) && reading->unread) {
        size_t length = strlen(result->reason);
        pl_reading_describe_unread(reading, &unread);
        snprintf(result->reason + length, sizeof result->reason - length, "; %s", pl_text(&unread));
    }
    pl_text_release(&unread);
}

/* The outcome of a program that exited 0, or was stopped behind the epoch it was to come to. Whether its loss stays not
 * finite cannot be told before the end. */
static void conclude(const struct pl_attempt *attempt, const struct pl_reading *reading, struct pl_run_result *result)
{
    bool complete = result->outcome == PL_FINISHED && pl_attempt_is_complete(attempt);
    if (!complete && pl_attempt_has_reached(attempt))
        pl_result_reached(result, attempt->request->until);
    else if (result->outcome == PL_FINISHED)
        judge(attempt, reading, result);
}

/* Follows the files of metrics and runs the program. */
static int launch(const struct pl_run_request *request, const struct pl_words *words, const struct pl_sink *sink,
                  struct pl_reading *reading, struct pl_run_result *result, struct pl_error *err)
{
    struct pl_follow follow[2];
    struct pl_text directory = {0}, metrics = {0}, file = {0};
    int status = 0;
    size_t count = 0;
    pl_command_directory(request, &directory);
    pl_text_addf(&metrics, "%s/metrics.jsonl", request->scratch);
    pl_follow_begin(&follow[count++], pl_text(&metrics), PL_FROM_METRICS, reading);
    if (reading->options->metrics_file) {
        struct pl_text name = {0};
        status = pl_word_expand(request, reading->options->metrics_file, &name, err);
        pl_text_addf(&file, "%s%s%s", *pl_text(&name) == '/' ? "" : pl_text(&directory),
                     *pl_text(&name) == '/' ? "" : "/", pl_text(&name));
        pl_text_release(&name);
    }
    if (!status && file.length)
        pl_follow_begin(&follow[count++], pl_text(&file), PL_FROM_FILE, reading);
    struct pl_launch start = {.words = words->words,
                              .directory = pl_text(&directory),
                              .metrics = pl_text(&metrics),
                              .follow = follow,
                              .follow_count = count,
                              .stall = reading->options->stall,
                              .grace = request->grace};
    if (!status)
        pl_process_run(&start, sink, reading, result);
    for (size_t i = 0; i < count; i++)
        pl_follow_release(&follow[i]);
    pl_text_release(&directory);
    pl_text_release(&metrics);
    pl_text_release(&file);
    return status;
}

/* Runs the program in a request that has its folders. */
static int run_in_folder(const struct pl_run_request *request, const struct pl_sink *sink, struct pl_run_result *result,
                         struct pl_error *err)
{
    struct pl_words words = {0};
    struct pl_attempt attempt;
    struct pl_sink watching = pl_attempt_begin(&attempt, request, sink);
    struct pl_reading_options options;
    struct pl_reading reading = {.sink = &watching, .options = &options};
    struct pl_error own;
    int status = pl_reading_options_read(&options, request->reading, &own);
    if (!status)
        status = pl_train_folder_check(request, &own);
    if (!status)
        status = pl_words_expand(&words, request, &own);
    if (!status && request->kept && pl_words_ask_folder(request->settings)) /* others cannot but begin anew */
        pl_reading_continue(&reading, request->kept[PL_BY_EPOCH].last, request->kept[PL_BY_STEP].last);
    reading.at_once = request->until > 0 || pl_words_ask_folder(request->settings);
    if (!status)
        status = launch(request, &words, &watching, &reading, result, &own);
    if (status == PL_EINPUT) {
        pl_fail(err, status, "%s", own.text);
        goto done;
    }
    if (status) {
        pl_result_set(result, PL_FAILED, "%s", own.text);
        status = 0;
        goto done;
    }
    pl_attempt_mark(&attempt);
    pl_reading_end(&reading);
    result->unread = reading.unread;
    snprintf(result->unread_example, sizeof result->unread_example, "%s", reading.unread_example);
    if (result->outcome == PL_FINISHED || attempt.beyond)
        conclude(&attempt, &reading, result);
done:
    pl_attempt_release(&attempt);
    pl_words_release(&words);
    pl_reading_release(&reading);
    pl_reading_options_release(&options);
    return status;
}

/* Gives the request the folders that it lacks: one for poula's own files, and one for {run_folder}. */
static int command_run(const struct pl_run_request *request, const struct pl_sink *sink, struct pl_run_result *result,
                       struct pl_error *err)
{
    struct pl_run_request passing = *request;
    struct pl_text scratch = {0}, folder = {0};
    struct pl_error own;
    int status = 0;
    if (pl_folder_make_temporary(&scratch, &own)) {
        pl_result_set(result, PL_FAILED, "%s", own.text);
        goto done;
    }
    passing.scratch = pl_text(&scratch);
    pl_text_addf(&folder, "%s/run", passing.scratch);
    if (!request->folder)
        passing.folder = pl_text(&folder);
    status = run_in_folder(&passing, sink, result, err);
    if (!request->folder && !pl_folder_is_empty(passing.folder, NULL))
        sink->log(sink->self, "poula: {run_folder} was a temporary folder, which is removed with all that is in it");
    pl_folder_remove(passing.scratch);
done:
    pl_text_release(&scratch);
    pl_text_release(&folder);
    return status;
}

const struct pl_task_kind pl_task_command = {
    .key = "command",
    .schema = command_schema,
    .choices = command_choices,
    .sources = command_sources,
    .check = command_check,
    .run = command_run,
};
