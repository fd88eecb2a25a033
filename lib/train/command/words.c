/* The words that a program is started with: those of the spec with what stands for every placeholder. */
#include "train/command/command_priv.h"

#include <jansson.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Makes the run's folder and appends its absolute path, because the program may start in another one. */
static int add_run_folder(const char *folder, struct pl_text *out, struct pl_error *err)
{
    if (!folder) { /* words are only tried */
        pl_text_add(out, PL_NO_FOLDER);
        return 0;
    }
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

/* `null` in settings is kept as that text. */
static bool is_null(const struct pl_value *value)
{
    return value->type == PL_STRING && !strcmp(value->string, "null");
}

static void add_json(const struct pl_value *value, struct pl_text *out)
{
    bool text = (value->type == PL_STRING && !is_null(value)) || (value->type == PL_REAL && !isfinite(value->real));
    struct pl_text spelling = {0};
    pl_value_write(value, &spelling);
    if (text)
        pl_text_add_json(out, pl_text(&spelling));
    else
        pl_text_add(out, pl_text(&spelling));
    pl_text_release(&spelling);
}

/* Writes the settings of the program as a JSON object and appends the file's absolute path. */
static int add_settings_file(const struct pl_run_request *request, struct pl_text *out, struct pl_error *err)
{
    if (!request->scratch) {
        pl_text_add(out, "/settings.json");
        return 0;
    }
    struct pl_text path = {0}, json = {0};
    for (size_t i = 0; i < request->settings->count; i++) {
        const struct pl_entry *entry = &request->settings->entries[i];
        if (pl_command_is_own(entry->key))
            continue;
        pl_text_add(&json, json.length ? ",\n " : "{\n ");
        pl_text_add_json(&json, entry->key);
        pl_text_add(&json, ": ");
        add_json(&entry->value, &json);
    }
    pl_text_add(&json, json.length ? "\n}\n" : "{}\n");
    pl_text_addf(&path, "%s/settings.json", request->scratch);
    int status = pl_file_write(pl_text(&path), pl_text(&json), json.length, err);
    if (!status)
        pl_text_add(out, pl_text(&path));
    pl_text_release(&path);
    pl_text_release(&json);
    return status;
}

static int fail_unknown(const struct pl_run_request *request, const char *name, struct pl_error *err)
{
    struct pl_text known = {0};
    for (size_t i = 0; i < request->settings->count; i++)
        if (!pl_command_is_own(request->settings->entries[i].key))
            pl_text_addf(&known, "{%s}, ", request->settings->entries[i].key);
    pl_fail(err, PL_EINPUT,
            "the command has the placeholder {%.100s}, but there are only %.600s{args}, {settings_file}, "
            "{seed}, {threads}, {slot}, {until} and {run_folder}; write {{ for a brace",
            name, pl_text(&known));
    pl_text_release(&known);
    return PL_EINPUT;
}

static const struct pl_value *find(const struct pl_run_request *request, const char *name)
{
    return pl_command_is_own(name) ? NULL : pl_settings_find(request->settings, name);
}

/* Appends what stands for {name}. */
static int replace(const struct pl_run_request *request, const char *name, struct pl_text *out, struct pl_error *err)
{
    size_t length = strlen(name);
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
    const struct pl_value *value = find(request, name);
    if (value) { /* a setting that is called settings_file, args, slot or until keeps its meaning */
        pl_value_write(value, out);
        return 0;
    }
    if (!strcmp(name, "settings_file"))
        return add_settings_file(request, out, err);
    if (!strcmp(name, "until")) {
        pl_text_add_number(out, request->until > 0 ? request->until : request->epochs);
        return 0;
    }
    if (!strcmp(name, "slot")) {
        pl_text_addf(out, "%d", request->slot);
        return 0;
    }
    if (!strcmp(name, "args") || (length && name[length - 1] == '?'))
        return pl_fail(err, PL_EINPUT,
                       "{%.100s} stands for words of its own, so nothing else can be in its word of the command", name);
    return fail_unknown(request, name, err);
}

int pl_word_expand(const struct pl_run_request *request, const char *word, struct pl_text *out, struct pl_error *err)
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
            return pl_fail(err, PL_EINPUT,
                           "the command has an opening brace without a closing one: \"%.100s\"; write "
                           "{{ for a brace",
                           word);
        char *name = pl_copy_bytes(word + 1, (size_t)(end - word - 1));
        int status = replace(request, name, out, err);
        free(name);
        if (status)
            return status;
        word = end + 1;
    }
    return 0;
}

static void add_word(struct pl_words *words, char *word)
{
    void *list = words->words;
    pl_grow(&list, &words->capacity, words->count + 2, sizeof *words->words);
    words->words = list;
    words->words[words->count++] = word;
    words->words[words->count] = NULL;
}

/* --key=value; of true only --key, of false and null nothing. */
static void add_argument(struct pl_words *words, const struct pl_entry *entry, bool booleans_are_words)
{
    const struct pl_value *value = &entry->value;
    struct pl_text word = {0};
    bool flag = value->type == PL_BOOLEAN && !booleans_are_words;
    if (is_null(value) || (flag && !value->boolean))
        return;
    pl_text_addf(&word, "--%s", entry->key);
    if (!flag) {
        pl_text_add_char(&word, '=');
        pl_value_write(value, &word);
    }
    add_word(words, pl_text_take(&word));
}

/* {flag?}: nothing for an empty text, false and null, --flag for true, else the value. */
static int add_optional(struct pl_words *words, const struct pl_run_request *request, const char *name,
                        struct pl_error *err)
{
    const struct pl_value *value = find(request, name);
    struct pl_text word = {0};
    if (!value)
        return fail_unknown(request, name, err);
    if (value->type == PL_BOOLEAN && value->boolean)
        pl_text_addf(&word, "--%s", name);
    else if (value->type != PL_BOOLEAN && !is_null(value))
        pl_value_write(value, &word);
    if (word.length)
        add_word(words, pl_text_take(&word));
    pl_text_release(&word);
    return 0;
}

/* Appends what a word of the spec stands for: a word, or several, or none. */
static int add_words(struct pl_words *words, const struct pl_run_request *request, const char *word,
                     struct pl_error *err)
{
    size_t length = strlen(word);
    bool words_are_booleans = !strcmp(pl_settings_string(request->settings, "booleans", ""), "words");
    if (!strcmp(word, "{args}") && !find(request, "args")) {
        for (size_t i = 0; i < request->settings->count; i++)
            if (!pl_command_is_own(request->settings->entries[i].key))
                add_argument(words, &request->settings->entries[i], words_are_booleans);
        return 0;
    }
    if (length > 3 && *word == '{' && !strcmp(word + length - 2, "?}") && strcspn(word, "}") == length - 1 &&
        word[1] != '{') {
        char *name = pl_copy_bytes(word + 1, length - 3);
        int status = add_optional(words, request, name, err);
        free(name);
        return status;
    }
    struct pl_text expanded = {0};
    int status = pl_word_expand(request, word, &expanded, err);
    add_word(words, pl_text_take(&expanded));
    return status;
}

int pl_words_expand(struct pl_words *words, const struct pl_run_request *request, struct pl_error *err)
{
    *words = (struct pl_words){0};
    json_t *list = json_loads(pl_settings_string(request->settings, "command", ""), 0, NULL);
    int status = 0;
    size_t count = json_is_array(list) ? json_array_size(list) : 0;
    const char *first = json_string_value(json_array_get(list, 0));
    if (!first || !*first) {
        status = pl_fail(err, PL_EINPUT,
                         "command must be a list of words, the program first, as in "
                         "command: [sh, train.sh, \"{lambda}\", \"{seed}\"]");
        goto done;
    }
    for (size_t i = 0; i < count && !status; i++) {
        const char *word = json_string_value(json_array_get(list, i));
        status = word ? add_words(words, request, word, err)
                      : pl_fail(err, PL_EINPUT, "word %zu of command is not text", i + 1);
        if (!status && !i && (!words->count || !*words->words[0]))
            status = pl_fail(err, PL_EINPUT, "the first word of the command, its program, is empty: %.200s", word);
    }
done:
    json_decref(list);
    return status;
}

void pl_words_release(struct pl_words *words)
{
    for (size_t i = 0; i < words->count; i++)
        free(words->words[i]);
    free(words->words);
    *words = (struct pl_words){0};
}

/* ---- what the words use ---- */

bool pl_words_ask_folder(const struct pl_settings *settings)
{
    static const char placeholder[] = "{run_folder}";
    const char *command = pl_settings_string(settings, "command", "");
    for (const char *found = command; (found = strstr(found, placeholder)); found++)
        if (found == command || found[-1] != '{')
            return true;
    return false;
}

/* Does some word have {name} or {name?}? */
static bool has_placeholder(const json_t *list, const char *name)
{
    size_t length = strlen(name), i;
    const json_t *member;
    json_array_foreach(list, i, member)
    {
        const char *word = json_string_value(member);
        while (word && (word = strchr(word, '{'))) {
            if (word[1] == '{') {
                word += 2;
                continue;
            }
            const char *end = strchr(++word, '}');
            size_t n = end ? (size_t)(end - word) : 0;
            n -= n && word[n - 1] == '?';
            if (end && n == length && !memcmp(word, name, n))
                return true;
        }
    }
    return false;
}

bool pl_train_asks_until(const struct pl_settings *settings)
{
    json_t *list = json_loads(pl_settings_string(settings, "command", "[]"), 0, NULL);
    bool asks = has_placeholder(list, "until") && !pl_settings_find(settings, "until");
    json_decref(list);
    return asks;
}

bool pl_train_keeps_folder(const struct pl_settings *settings)
{
    return !pl_settings_find(settings, "command") || pl_words_ask_folder(settings);
}

bool pl_train_uses(const struct pl_settings *settings, const char *name)
{
    const char *command = pl_settings_string(settings, "command", NULL);
    if (!command || pl_command_is_own(name))
        return true;
    json_t *list = json_loads(command, 0, NULL);
    bool setting = strcmp(name, "seed") != 0;
    bool uses = has_placeholder(list, name) ||
                (setting && (has_placeholder(list, "args") || has_placeholder(list, "settings_file")));
    json_decref(list);
    return uses;
}
