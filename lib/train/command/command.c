/* The task kind `command`: any program as a trainer. docs/command-tasks.md is its protocol. */
#include "train/command/command_priv.h"

#include <jansson.h>

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct pl_setting command_settings[] = {
    {.key = "command", .type = PL_STRING,
     .help = "program and its arguments; {key} stands for a setting's value", .list = true},
    {.key = "directory", .type = PL_STRING, .initial = ".", .help = "folder that the program starts in"},
};
enum { COMMAND_SETTING_COUNT = sizeof command_settings / sizeof *command_settings };

/* Names that identify a run in the results database's views, and those of placeholders and of this task. */
static const char reserved[] = "command config directory epoch id key metric run run_folder seed seeds status study "
                               "sweep threads value";

enum { KEY_LENGTH_MOST = 64 };

int pl_train_check_free_key(const char *key, struct pl_error *err)
{
    size_t length = strlen(key);
    bool legal = isalpha((unsigned char)*key) && length <= KEY_LENGTH_MOST;
    for (size_t i = 0; i < length; i++)
        legal = legal && (isalnum((unsigned char)key[i]) || key[i] == '_');
    if (!legal)
        return pl_fail(err, PL_EINPUT, "\"%.100s\" cannot be a setting of a command: a key is a letter followed by "
                                       "letters, digits and _, at most %d in all", key, KEY_LENGTH_MOST);
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
static void command_choices(const char *key, const char **names, size_t capacity, size_t *count)
{
    (void)key;
    (void)names;
    (void)capacity;
    (void)count;
}

static void command_sources(struct pl_schema_source *sources, size_t capacity, size_t *count)
{
    pl_source_add(sources, capacity, count, "command", PL_SECTION_TASK, command_settings, COMMAND_SETTING_COUNT);
}

static bool is_own_setting(const char *key)
{
    return pl_setting_find(command_settings, COMMAND_SETTING_COUNT, key);
}

/* Makes the run's folder and appends its absolute path, because the program may start in another one. */
static int add_run_folder(const char *folder, struct pl_text *out, struct pl_error *err)
{
    int status = pl_folder_make(folder, err);
    if (status)
        return status;
    char *path = realpath(folder, NULL);
    if (!path)
        return pl_fail(err, PL_EIO, "cannot find folder %s: %s", folder, strerror(errno));
    pl_text_add(out, path);
    free(path);
    return 0;
}

/* Appends what stands for {name}. */
static int replace(const struct pl_run_request *request, const char *name, struct pl_text *out, struct pl_error *err)
{
    if (!strcmp(name, "seed")) {
        pl_text_addf(out, "%lld", (long long)request->seed);
        return 0;
    }
    if (!strcmp(name, "threads")) {
        pl_text_addf(out, "%d", request->threads);
        return 0;
    }
    if (!strcmp(name, "run_folder"))
        return add_run_folder(request->folder, out, err);
    const struct pl_value *value = is_own_setting(name) ? NULL : pl_settings_find(request->settings, name);
    if (value) {
        pl_value_write(value, out);
        return 0;
    }
    struct pl_text known = {0};
    for (size_t i = 0; i < request->settings->count; i++)
        if (!is_own_setting(request->settings->entries[i].key))
            pl_text_addf(&known, "{%s}, ", request->settings->entries[i].key);
    pl_fail(err, PL_EINPUT, "the command has the placeholder {%.100s}, but there are only %.600s{seed}, {threads} and "
                            "{run_folder}; write {{ for a brace", name, pl_text(&known));
    pl_text_release(&known);
    return PL_EINPUT;
}

/* Replaces the placeholders of one word: {key} by its value, {{ by a brace; } alone is itself. */
static int expand_word(const struct pl_run_request *request, const char *word, struct pl_text *out,
                       struct pl_error *err)
{
    while (*word) {
        if (*word != '{') {
            pl_text_add_char(out, *word++);
            continue;
        }
        if (word[1] == '{') {
            pl_text_add_char(out, '{');
            word += 2;
            continue;
        }
        const char *end = strchr(word, '}');
        if (!end)
            return pl_fail(err, PL_EINPUT, "the command has an opening brace without a closing one: \"%.100s\"; write "
                                           "{{ for a brace", word);
        char *name = pl_copy_bytes(word + 1, (size_t)(end - word - 1));
        int status = replace(request, name, out, err);
        free(name);
        if (status)
            return status;
        word = end + 1;
    }
    return 0;
}

int pl_words_expand(struct pl_words *words, const struct pl_run_request *request, struct pl_error *err)
{
    *words = (struct pl_words){0};
    json_t *list = json_loads(pl_settings_string(request->settings, "command", ""), 0, NULL);
    int status = 0;
    size_t count = json_is_array(list) ? json_array_size(list) : 0;
    const char *first = json_string_value(json_array_get(list, 0));
    if (!first || !*first) {
        status = pl_fail(err, PL_EINPUT, "command must be a list of words, the program first, as in "
                                         "command: [sh, train.sh, \"{lambda}\", \"{seed}\"]");
        goto done;
    }
    words->words = pl_new((count + 1) * sizeof *words->words);
    for (size_t i = 0; i < count && !status; i++) {
        const char *word = json_string_value(json_array_get(list, i));
        struct pl_text expanded = {0};
        status = word ? expand_word(request, word, &expanded, err)
                      : pl_fail(err, PL_EINPUT, "word %zu of command is not text", i + 1);
        words->words[words->count++] = pl_text_take(&expanded);
    }
done:
    json_decref(list);
    return status;
}

bool pl_words_ask_folder(const struct pl_settings *settings)
{
    static const char placeholder[] = "{run_folder}";
    const char *command = pl_settings_string(settings, "command", "");
    for (const char *found = command; (found = strstr(found, placeholder)); found++)
        if (found == command || found[-1] != '{')
            return true;
    return false;
}

void pl_words_release(struct pl_words *words)
{
    for (size_t i = 0; i < words->count; i++)
        free(words->words[i]);
    free(words->words);
    *words = (struct pl_words){0};
}

static int command_check(const struct pl_settings *settings, struct pl_error *err)
{
    for (size_t i = 0; i < settings->count; i++) {
        const char *key = settings->entries[i].key;
        int status = is_own_setting(key) ? 0 : pl_train_check_free_key(key, err);
        if (status)
            return status;
    }
    struct pl_run_request trial = {.settings = settings, .seed = 0, .threads = 1, .folder = "."};
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

/* Runs the program in a request that has a folder. */
static int run_in_folder(const struct pl_run_request *request, const struct pl_sink *sink, struct pl_run_result *result,
                         struct pl_error *err)
{
    struct pl_words words = {0};
    struct pl_attempt attempt;
    struct pl_sink watching = pl_attempt_begin(&attempt, request, sink);
    struct pl_reading reading = {.sink = &watching};
    struct pl_error own;
    int status = pl_train_folder_check(request, &own);
    if (!status)
        status = pl_words_expand(&words, request, &own);
    if (status == PL_EINPUT) {
        pl_fail(err, status, "%s", own.text);
        goto done;
    }
    if (status) {
        pl_result_set(result, PL_FAILED, "%s", own.text);
        status = 0;
        goto done;
    }
    if (request->kept && pl_words_ask_folder(request->settings)) /* others cannot but begin anew */
        pl_reading_continue(&reading, request->kept[PL_BY_EPOCH].last);
    pl_process_run(words.words, pl_settings_string(request->settings, "directory", "."), &watching, &reading, result);
    pl_attempt_mark(&attempt);
    pl_reading_end(&reading);
    if (result->outcome == PL_FINISHED)
        judge(&attempt, &reading, result);
done:
    pl_attempt_release(&attempt);
    pl_words_release(&words);
    pl_reading_release(&reading);
    return status;
}

static int command_run(const struct pl_run_request *request, const struct pl_sink *sink,
                       struct pl_run_result *result, struct pl_error *err)
{
    if (request->folder)
        return run_in_folder(request, sink, result, err);
    struct pl_run_request passing = *request;
    struct pl_text folder = {0};
    struct pl_error own;
    int status = 0;
    if (pl_folder_make_temporary(&folder, &own)) {
        pl_result_set(result, PL_FAILED, "%s", own.text);
        goto done;
    }
    passing.folder = pl_text(&folder);
    status = run_in_folder(&passing, sink, result, err);
    if (!pl_folder_is_empty(passing.folder, NULL))
        sink->log(sink->self, "poula: {run_folder} was a temporary folder, which is removed with all that is in it");
    pl_folder_remove(passing.folder);
done:
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
