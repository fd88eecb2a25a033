/* What could be typed next, for the completion scripts of shells (cmd_completion.c): from the tables of commands and
 * settings, and for studies, metrics and runs from the database. The first line of the answer says what else to offer
 * (files, folders) and whether a blank follows a word (nospace); each further line is a word and, behind a tab, its
 * help. */
#include "answer.h"
#include "cmd.h"
#include "experiments.h"

#include "train/train.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RUNS = 60 };

struct request {
    const struct pl_args *args;
    const char *const *words; /* behind the program's name, without the one that is being typed */
    size_t count;
    const struct pl_command *command;
    struct pl_text prefix; /* what the typed word has before the part that is completed: "--set=", "lambda," */
    const char *typed;     /* that part */
    const char *key;       /* the setting whose value it is */
    struct pl_text found;
    bool files, folders;
    bool assigned; /* names have the sign = behind them */
    bool whole;    /* something was offered that ends otherwise: a blank belongs behind it */
};

/* Words that no shell takes apart; a name with other characters in it is not offered. */
static bool is_plain(const char *word)
{
    for (const unsigned char *c = (const unsigned char *)word; *c; c++)
        if (*c < 0x80 && !isalnum(*c) && !strchr("_-./=,:+%@", *c))
            return false;
    return *word && *word != '-';
}

static void put(struct request *r, const char *word, const char *help)
{
    if (strncmp(word, r->typed, strlen(r->typed)) != 0)
        return;
    pl_text_addf(&r->found, "%s%s\t", pl_text(&r->prefix), word);
    r->whole = r->whole || word[strlen(word) - 1] != '=';
    pl_escape_terminal(&r->found, help);
    pl_text_add_char(&r->found, '\n');
}

static void offer(struct request *r, const char *word, const char *help)
{
    if (is_plain(word))
        put(r, word, help ? help : "");
}

/* From here on, what is completed begins behind the first length characters of typed. */
static void skip(struct request *r, size_t length)
{
    pl_text_add_bytes(&r->prefix, r->typed, length);
    r->typed += length;
}

static void offer_words(struct request *r, const char *list)
{
    size_t length;
    for (const char *word = list; (word = pl_next_word(word, &length)); word += length) {
        char *copy = pl_copy_bytes(word, length);
        offer(r, copy, NULL);
        free(copy);
    }
}

static void offer_choices(struct request *r, const char *key)
{
    struct pl_candidates names = {0};
    pl_train_choices(key, &names);
    for (size_t i = 0; i < names.count; i++)
        offer(r, names.names[i], NULL);
    pl_candidates_release(&names);
}

static void offer_commands(struct request *r)
{
    for (size_t i = 0; i < pl_command_registry.count; i++)
        if (!pl_command_at(i)->hidden)
            offer(r, pl_command_at(i)->name, pl_command_at(i)->summary);
}

static void offer_experiments(struct request *r)
{
    struct pl_text names = {0};
    struct pl_candidates list = {0};
    struct pl_error err;
    if (!pl_cmd_experiments(&names, &list, &err))
        for (size_t i = 0; i < list.count; i++)
            offer(r, list.names[i], NULL);
    pl_candidates_release(&list);
    pl_text_release(&names);
}

/* ---- settings ---- */

/* Is it among the words found already? */
static bool is_found(const struct request *r, const char *word)
{
    struct pl_text line = {0};
    const char *found = pl_text(&r->found);
    pl_text_addf(&line, "\n%s%s\t", pl_text(&r->prefix), word);
    bool is = !strncmp(found, pl_text(&line) + 1, line.length - 1) || strstr(found, pl_text(&line));
    pl_text_release(&line);
    return is;
}

/* A name that may come several times, with the sign = behind it where its value is to be typed. */
static void offer_once(struct request *r, const char *name, const char *help)
{
    struct pl_text word = {0};
    pl_text_addf(&word, "%s%s", name, r->assigned ? "=" : "");
    if (!is_found(r, pl_text(&word)))
        offer(r, pl_text(&word), help);
    pl_text_release(&word);
}

/* Calls each for every setting that --set of the command takes. */
static void each_setting(struct request *r, void (*each)(struct request *r, const struct pl_setting *setting))
{
    const struct pl_schema_sources *sources = pl_train_schema_sources();
    size_t count = 0;
    const struct pl_setting *own = r->command->settings ? r->command->settings(&count) : NULL;
    for (size_t i = 0; i < count; i++)
        each(r, &own[i]);
    for (size_t i = 0; !own && i < sources->count; i++)
        for (size_t j = 0; j < sources->items[i].part.count; j++)
            each(r, &sources->items[i].part.settings[j]);
}

static void offer_key(struct request *r, const struct pl_setting *setting)
{
    offer_once(r, setting->key, setting->help);
}

/* The values of the setting that stands before the sign =. */
static void offer_value(struct request *r, const struct pl_setting *setting)
{
    if (strcmp(setting->key, r->key) != 0 || r->found.length)
        return;
    if (setting->type == PL_STRING && setting->range)
        offer_words(r, setting->range);
    if (setting->type == PL_BOOLEAN)
        offer_words(r, "true false");
}

static void offer_assignment(struct request *r)
{
    const char *equals = strchr(r->typed, '=');
    if (!equals) {
        r->assigned = true;
        each_setting(r, offer_key);
        return;
    }
    char *key = pl_copy_bytes(r->typed, (size_t)(equals - r->typed));
    skip(r, (size_t)(equals - r->typed) + 1);
    const char *comma = strrchr(r->typed, ',');
    if (comma && !strchr(comma, '='))
        skip(r, (size_t)(comma - r->typed) + 1);
    r->key = key;
    offer_choices(r, key);
    each_setting(r, offer_value);
    free(key);
}

/* ---- the database ---- */

/* The value of an option among the words before, or NULL. */
static const char *given(const struct request *r, const char *option)
{
    const char *value = NULL;
    size_t length = strlen(option);
    for (size_t i = 0; i < r->count; i++)
        if (!strncmp(r->words[i], option, length) && r->words[i][length] == '=')
            value = r->words[i] + length + 1;
        else if (!strcmp(r->words[i], option) && i + 1 < r->count)
            value = r->words[i + 1];
    return value;
}

/* Opens what --db among the words, or else the environment, says. Nothing waits long for another program. */
static bool open_database(const struct request *r, struct pl_store **store)
{
    struct pl_error err;
    struct pl_text path = {0};
    const char *db = given(r, "--db"), *home = getenv("HOME");
    bool tilde = db && db[0] == '~' && db[1] == '/' && home; /* shells hand words over as they were typed */
    pl_text_addf(&path, "%s%s", tilde ? home : "", db ? db + tilde : pl_args_db(r->args));
    bool opened = !pl_store_open(store, pl_text(&path), PL_STORE_READ, &err);
    if (opened)
        pl_store_set_patience(*store, 0.2, NULL, NULL);
    pl_text_release(&path);
    return opened;
}

static int take_run(void *self, const struct pl_cell *cells, size_t count)
{
    struct pl_text number = {0};
    (void)count;
    pl_text_addf(&number, "%lld", (long long)cells[0].integer);
    offer(self, pl_text(&number), cells[1].text);
    pl_text_release(&number);
    return 0;
}

/* Does it stand in the list before what is being typed? */
static bool is_listed(const struct request *r, const char *name)
{
    const char *at = strrchr(pl_text(&r->prefix), '=');
    size_t length;
    for (at = at ? at + 1 : pl_text(&r->prefix); *at; at += length + (at[length] == ',')) {
        length = strcspn(at, ",");
        if (length == strlen(name) && !strncmp(at, name, length))
            return true;
    }
    return false;
}

static int take_name(void *self, const char *name)
{
    if (!is_listed(self, name))
        offer(self, name, NULL);
    return 0;
}

static void offer_stored(struct request *r,
                         int (*each_name)(struct pl_store *store, int (*each)(void *self, const char *name), void *self,
                                          struct pl_error *err))
{
    struct pl_store *store;
    struct pl_error err;
    if (!open_database(r, &store))
        return;
    each_name(store, take_name, r, &err);
    pl_store_close(store);
}

/* Of one study, or (NULL) of the last launch. */
static void offer_metrics_of(struct request *r, struct pl_store *store, const char *study)
{
    struct pl_error err;
    const struct pl_sweep_info *sweeps;
    const struct pl_metric_info *metrics;
    size_t count, metric_count;
    if (pl_store_sweeps(store, study, &sweeps, &count, &err))
        return;
    int64_t *ids = pl_new((count + 1) * sizeof *ids);
    for (size_t i = 0; i < count; i++) /* the sweeps themselves live until the next call */
        ids[i] = sweeps[i].id;
    for (size_t i = 0; i < count && !pl_store_metrics(store, ids[i], &metrics, &metric_count, &err); i++)
        for (size_t k = 0; k < metric_count; k++)
            offer_once(r, metrics[k].name, NULL);
    free(ids);
}

/* Of the studies that were named, else of the last launch, as commands that take a metric read them. */
static void offer_metrics(struct request *r)
{
    struct pl_store *store;
    const char *studies = given(r, "--study");
    if (!open_database(r, &store))
        return;
    if (!studies)
        offer_metrics_of(r, store, NULL);
    for (size_t length; studies && *studies; studies += length + (studies[length] == ',')) {
        length = strcspn(studies, ",");
        char *study = pl_copy_bytes(studies, length);
        offer_metrics_of(r, store, study);
        free(study);
    }
    pl_store_close(store);
}

/* The newest runs whose numbers begin with what was typed. */
static void offer_runs(struct request *r)
{
    struct pl_store *store;
    struct pl_error err;
    struct pl_text sql = {0};
    int64_t low = 0, length = (int64_t)strlen(r->typed);
    if ((length && (!pl_integer_read(r->typed, &low) || low <= 0)) || length > 12 || !open_database(r, &store))
        return;
    pl_text_add(&sql, "SELECT run, status || coalesce(', ' || study, '') FROM runs WHERE ");
    pl_text_add(&sql, length ? "0" : "1");
    for (int64_t width = 1; length && width < 1000000000000; width *= 10)
        pl_text_addf(&sql, " OR run BETWEEN %lld AND %lld", (long long)(low * width),
                     (long long)(low * width + width - 1));
    pl_text_addf(&sql, " ORDER BY run DESC LIMIT %d", MOST_RUNS);
    pl_store_query(store, pl_text(&sql), NULL, take_run, r, &err);
    pl_text_release(&sql);
    pl_store_close(store);
}

/* ---- what an argument is: from the words that help shows ---- */

static void offer_names(struct request *r, const char *of)
{
    if (!strcmp(of, "study"))
        offer_stored(r, pl_store_each_study);
    else if (pl_has_word("tag add remove", of))
        offer_stored(r, pl_store_each_tag);
    else if (!strcmp(of, "metric"))
        offer_metrics(r);
    else if (!strcmp(of, "experiment"))
        offer_experiments(r);
    else
        offer_choices(r, pl_has_word("verify fetch import", of) ? "dataset" : of);
}

/* One of "RUN", "[NAME...]", "KEY=VALUE,...", "latex"; of is the option, or the word before it. */
static void offer_token(struct request *r, const char *token, size_t length, const char *of)
{
    token += *token == '[';
    length = strcspn(token, "].|, ") < length ? strcspn(token, "].|, ") : length;
    char *word = pl_copy_bytes(token, length);
    const char *last = strrchr(r->typed, ',');
    if (!isupper((unsigned char)*word)) {
        offer(r, word, NULL);
    } else if (!strncmp(word, "KEY=", 4) || !strcmp(word, "CONDITION")) {
        offer_assignment(r);
    } else if (!strcmp(word, "KEY")) {
        if (last)
            skip(r, (size_t)(last - r->typed) + 1);
        each_setting(r, offer_key);
    } else if (!strncmp(word, "METRIC", 6)) {
        r->assigned = strchr(word, '=') != NULL;
        offer_metrics(r);
    } else if (!strcmp(word, "STUDY")) {
        offer_stored(r, pl_store_each_study);
    } else if (!strcmp(word, "RUN")) {
        offer_runs(r);
    } else if (!strcmp(word, "COMMAND")) {
        offer_commands(r);
    } else if (!strcmp(word, "SPEC")) {
        offer_experiments(r);
        r->files = true;
    } else if (pl_has_word("FILE PATH", word)) {
        r->files = true;
    } else if (pl_has_word("DIR FOLDER", word)) {
        r->folders = true;
    } else if (!strcmp(word, "NAME")) {
        if (last && token[length] == ',') /* "NAME,..." */
            skip(r, (size_t)(last - r->typed) + 1);
        offer_names(r, of);
    }
    free(word);
}

/* Alternatives as help writes them: "RUN|optimizers|optimizer NAME". at: how many arguments stand before, of which
 * first is the first. */
static void offer_arguments(struct request *r, const char *arguments, size_t at, const char *first)
{
    for (const char *way = arguments; *way;) {
        size_t way_length = strcspn(way, "|"), length = 0, place = 0;
        const char *token = way, *before = way, *end = way + way_length;
        size_t word = strcspn(way, " |[].");
        bool literal = !at || (strlen(first) == word && !strncmp(way, first, word));
        for (; literal && (token = pl_next_word(token, &length)) && token < end; token += length, place++) {
            length = length < (size_t)(end - token) ? length : (size_t)(end - token);
            bool rest = memmem(token, length, "...", 3) != NULL;
            char *of = pl_copy_bytes(before, strcspn(before, " |[]."));
            if (place == at || (rest && place < at))
                offer_token(r, token, length, of);
            free(of);
            before = token;
        }
        bool repeats = (arguments[0] == '[' && strstr(arguments, "...]")) || memmem(way, way_length, "...", 3);
        if (!literal && repeats && isupper((unsigned char)way[*way == '[']))
            offer_token(r, way, way_length, "");
        way = end + (*end == '|');
    }
}

static const struct pl_option *find_option(const struct pl_command *command, const char *word)
{
    const struct pl_option *option;
    for (size_t i = 0; (option = pl_command_option(command, i)); i++)
        if ((word[0] == '-' && word[1] == '-' && !strcmp(option->name, word + 2)) ||
            (word[0] == '-' && option->letter && word[1] == option->letter && !word[2]))
            return option;
    return NULL;
}

static void offer_argument_of(struct request *r, const struct pl_option *option)
{
    if (option->words)
        offer_words(r, option->words);
    else
        for (const char *way = option->argument; *way; way += strcspn(way, "|") + (way[strcspn(way, "|")] == '|'))
            offer_token(r, way, strcspn(way, "|"), option->name);
}

static void offer_options(struct request *r)
{
    const struct pl_option *option;
    struct pl_text word = {0}, help = {0};
    for (size_t i = 0; (option = pl_command_option(r->command, i)); i++) {
        pl_text_clear(&word);
        pl_text_clear(&help);
        pl_text_addf(&word, "--%s", option->name);
        pl_help_option(option, &help);
        put(r, pl_text(&word), pl_text(&help));
    }
    pl_text_release(&word);
    pl_text_release(&help);
}

/* Behind the command: an option's argument, an option, or an argument of the command. */
static void offer_next(struct request *r)
{
    const struct pl_option *waiting = NULL;
    const char *first = NULL;
    size_t arguments = 0;
    bool only_arguments = false;
    for (size_t i = 1; i < r->count; i++) {
        const char *word = r->words[i];
        if (waiting) {
            waiting = NULL;
        } else if (!only_arguments && word[0] == '-' && word[1]) {
            const struct pl_option *option = find_option(r->command, word);
            only_arguments = !strcmp(word, "--");
            waiting = option && option->argument ? option : NULL;
        } else {
            first = arguments++ ? first : word;
        }
    }
    const char *equals = strchr(r->typed, '=');
    if (waiting) {
        offer_argument_of(r, waiting);
    } else if (!only_arguments && !strncmp(r->typed, "--", 2) && equals) {
        char *name = pl_copy_bytes(r->typed, (size_t)(equals - r->typed));
        const struct pl_option *option = find_option(r->command, name);
        free(name);
        skip(r, (size_t)(equals - r->typed) + 1);
        if (option && option->argument)
            offer_argument_of(r, option);
    } else if (!only_arguments && r->typed[0] == '-') {
        offer_options(r);
    } else {
        offer_arguments(r, r->command->arguments ? r->command->arguments : "", arguments, first);
    }
}

static int run(const struct pl_args *args)
{
    struct request r = {.args = args, .words = args->arguments, .count = args->count};
    r.typed = pl_args_get(args, "word", "");
    r.command = r.count ? pl_command_find(r.words[0]) : NULL;
    if (!r.count) {
        offer_commands(&r);
        put(&r, "--help", "show the commands");
        put(&r, "--version", "show the version");
    } else if (r.command) {
        offer_next(&r);
    }
    printf("%s%s%s-\n%s", r.files ? "files " : "", r.folders ? "folders " : "",
           r.found.length && !r.whole ? "nospace " : "", pl_text(&r.found));
    pl_text_release(&r.found);
    pl_text_release(&r.prefix);
    return 0;
}

static const struct pl_option options[] = {
    {.name = "word", .argument = "WORD", .help = "the word that is being typed"},
};

const struct pl_command pl_cmd_complete = {
    .name = "complete",
    .summary = "say what could be typed next (asked by shells)",
    .arguments = "[-- WORD...]",
    .description = "Prints how a command line of poula, of which the words behind poula are given, could go on: first "
                   "'files', 'folders' and 'nospace' where they apply, then a word a line with its help. The scripts "
                   "of 'poula completion' ask it.",
    .example = "poula complete --word th -- show optimizer",
    PL_OPTIONS(options),
    .most = 1000,
    .hidden = true,
    .run = run,
};
