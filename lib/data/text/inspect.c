/* What there is of each corpus, and reading all of it again. */
#include "data/text/corpus_priv.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* SHA-256 of markov with its default settings: the same on every machine, or something is wrong with this one. */
static const char markov_checksum[] = "42342afdf01edb4c48bf8d12ca604e1b1b52a081469ac9966a5d0c276663cdc2";

/* A place as the settings {dataset: text, corpus: NAME} (of ptb: no corpus) give it. A text was read with one of the
 * ways of unknown_words: the one whose cache is good, or else refuse. */
static void find_place(struct pl_text_place *place, const struct pl_corpus_type *type, const char *name,
                       const char *folder)
{
    static const char *const ways[] = {"add", "replace", "refuse"};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct pl_settings settings = {0};
        struct pl_corpus corpus = {.type = type};
        pl_settings_set_string(&settings, "corpus", name);
        pl_settings_set_string(&settings, "unknown_words", ways[i]);
        pl_text_place_find(place, type, &settings, folder, NULL);
        pl_settings_release(&settings);
        bool good = pl_text_open_cache(&corpus, place, false);
        pl_corpus_forget(&corpus);
        if (good || i + 1 == sizeof ways / sizeof *ways)
            return;
        pl_text_place_release(place);
    }
}

/* ---- list */

struct listing {
    const char *folder;
    void *self;
    void (*item)(void *self, const struct pl_corpus_item *item);
};

static void list_built_in(const struct listing *listing, const struct pl_corpus_type *type)
{
    struct pl_settings settings = {0};
    struct pl_corpus_item item = {.name = type->info.name,
                                  .dataset = type->info.name,
                                  .state = PL_DATA_BUILT_IN,
                                  .path = "",
                                  .checksum = "",
                                  .note = "",
                                  .official = true};
    pl_settings_fill(&settings, type->info.settings, type->info.setting_count);
    type->expect(&settings, &item.vocabulary, item.tokens);
    listing->item(listing->self, &item);
    pl_settings_release(&settings);
}

static uint64_t file_bytes(const char *path)
{
    struct stat info;
    return stat(path, &info) || !S_ISREG(info.st_mode) ? 0 : (uint64_t)info.st_size;
}

static void list_text(const struct listing *listing, const struct pl_corpus_type *type, const char *name)
{
    struct pl_text_place place;
    struct pl_corpus corpus = {.type = type};
    struct pl_error err = {0};
    struct pl_corpus_item item = {.name = name, .dataset = type->info.name, .path = "", .note = ""};
    find_place(&place, type, name, listing->folder);
    if (pl_text_open_cache(&corpus, &place, false)) {
        item.state = PL_DATA_READY;
        item.path = pl_text(&place.cache);
        item.note = corpus.warning;
    } else if (place.found) {
        item.state = PL_DATA_UNCHECKED;
        item.path = pl_text(&place.source.path);
    } else if (pl_text_missing(type, &place, listing->folder, &err) == PL_EMISSING) {
        item.state = PL_DATA_MISSING;
    } else {
        item.state = PL_DATA_BROKEN;
        item.path = pl_text(&place.cache);
        item.note = err.text;
    }
    item.bytes = file_bytes(item.path);
    item.vocabulary = corpus.vocabulary;
    memcpy(item.tokens, corpus.sizes, sizeof item.tokens);
    item.checksum = corpus.checksum;
    item.official = corpus.official;
    listing->item(listing->self, &item);
    pl_corpus_forget(&corpus);
    pl_text_place_release(&place);
}

struct names {
    char **names;
    size_t count, capacity;
};

static void add_name(struct names *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++)
        if (!strcmp(names->names[i], name))
            return;
    pl_grow((void **)&names->names, &names->capacity, names->count + 1, sizeof *names->names);
    names->names[names->count++] = pl_copy(name);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Of a cache file that was made from a text, the name of that; else "". */
static void cached_name(const char *path, struct pl_text *name)
{
    struct pl_corpus corpus = {0};
    struct pl_settings header = {0};
    pl_text_clear(name);
    if (!pl_corpus_cache_open(&corpus, path, &header, NULL) && !strcmp(pl_settings_string(&header, "kind", ""), "text"))
        pl_text_add(name, pl_settings_string(&header, "corpus", ""));
    pl_corpus_forget(&corpus);
    pl_settings_release(&header);
}

/* Of an archive with the files of a text its name, which is that of the file without its ending; else "". Those of
 * images are large, and known by their names. */
static void archive_name(const char *path, const char *entry, struct pl_text *name)
{
    static const char *const endings[] = {".zip", ".tgz", ".tar.gz"};
    size_t length = strlen(entry);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t end = strlen(endings[i]);
        if (length <= end || strcmp(entry + length - end, endings[i]) || *entry == '.' || !strncmp(entry, "cifar-", 6))
            continue;
        struct pl_text stem = {0};
        pl_text_add_bytes(&stem, entry, length - end);
        if (!pl_text_is_ptb_place(pl_text(&stem)) && strcmp(pl_text(&stem), "simple-examples") &&
            pl_text_in_archive(path))
            pl_text_add(name, pl_text(&stem));
        pl_text_release(&stem);
        return;
    }
}

/* text-NAME.tokens, and folders and archives with the files of a text. */
static void look_at(const char *folder, const char *entry, struct names *names)
{
    static const char begin[] = "text-", end[] = ".tokens";
    struct pl_text path = {0}, name = {0};
    struct pl_source source = {0};
    struct stat info;
    size_t length = strlen(entry);
    pl_text_addf(&path, "%s/%s", folder, entry);
    if (length > sizeof begin + sizeof end - 2 && !strncmp(entry, begin, sizeof begin - 1) &&
        !strcmp(entry + length - (sizeof end - 1), end)) {
        cached_name(pl_text(&path), &name);
        if (!name.length) /* broken: its file says what it was */
            pl_text_add_bytes(&name, entry + sizeof begin - 1, length - (sizeof begin + sizeof end - 2));
    } else if (*entry != '.' && !pl_text_is_ptb_place(entry) && !stat(pl_text(&path), &info) && S_ISDIR(info.st_mode) &&
               pl_text_find(&source, pl_text(&path))) {
        pl_text_add(&name, entry);
    } else if (!stat(pl_text(&path), &info) && S_ISREG(info.st_mode)) {
        archive_name(pl_text(&path), entry, &name);
    }
    if (name.length)
        add_name(names, pl_text(&name));
    pl_source_release(&source);
    pl_text_release(&path);
    pl_text_release(&name);
}

void pl_corpus_list(const char *folder, void *self, void (*item)(void *self, const struct pl_corpus_item *item))
{
    struct listing listing = {folder, self, item};
    struct names texts = {0};
    DIR *handle = opendir(folder);
    struct dirent *entry;
    list_built_in(&listing, &pl_corpus_markov);
    list_text(&listing, &pl_corpus_ptb, "ptb");
    while (handle && (entry = readdir(handle)))
        look_at(folder, entry->d_name, &texts);
    if (handle)
        closedir(handle);
    if (texts.count)
        qsort(texts.names, texts.count, sizeof *texts.names, compare_names);
    for (size_t i = 0; i < texts.count; i++) {
        list_text(&listing, &pl_corpus_text, texts.names[i]);
        free(texts.names[i]);
    }
    free(texts.names);
}

/* ---- verify */

static void say(struct pl_text *verdict, const char *name, const struct pl_corpus *corpus, const char *more)
{
    pl_text_clear(verdict);
    pl_text_addf(verdict, "%s: %zu training, %zu validation and %zu test tokens of %zu words, SHA-256 %s, %s", name,
                 corpus->sizes[PL_SPLIT_TRAIN], corpus->sizes[PL_SPLIT_VALID], corpus->sizes[PL_SPLIT_TEST],
                 corpus->vocabulary, corpus->checksum, more);
}

static int verify_built_in(const char *name, struct pl_text *verdict, struct pl_error *err)
{
    struct pl_settings settings = {0};
    struct pl_corpus *corpus;
    pl_settings_set_string(&settings, "dataset", name);
    int status = pl_corpus_open(&corpus, &settings, "", err);
    pl_settings_release(&settings);
    if (status)
        return status;
    if (strcmp(corpus->checksum, markov_checksum))
        status = pl_fail(err, PL_ECORRUPT, "%s has the SHA-256 %s, but every machine must make the one with %s", name,
                         corpus->checksum, markov_checksum);
    else
        say(verdict, name, corpus, "as on every machine");
    pl_corpus_close(corpus);
    return status;
}

/* A mapped file against the checksum in its header. */
static int verify_file(const struct pl_corpus *corpus, const char *path, struct pl_error *err)
{
    char hex[2 * PL_DIGEST_SIZE + 1];
    pl_corpus_digest(corpus, hex);
    if (strcmp(hex, corpus->checksum))
        return pl_fail(err, PL_ECORRUPT, "%s was altered: its text has the SHA-256 %s, but must have %s", path, hex,
                       corpus->checksum);
    return 0;
}

static const char *describe(const struct pl_corpus *corpus, bool replaced)
{
    if (!corpus->type->official)
        return replaced ? "as its files say; a cache that differed was replaced" : "as its files say";
    if (corpus->official)
        return replaced ? "official; a cache that differed was replaced" : "official";
    return replaced ? "not the official text; a cache that differed was replaced" : "not the official text";
}

static int verify_text(const struct pl_corpus_type *type, const char *name, const char *folder, struct pl_text *verdict,
                       struct pl_error *err)
{
    struct pl_text_place place;
    struct pl_corpus corpus = {.type = type}, cached = {.type = type};
    int status = 0;
    find_place(&place, type, name, folder);
    bool had = pl_text_open_cache(&cached, &place, false);
    if (place.found) {
        bool whole = had && !verify_file(&cached, pl_text(&place.cache), NULL);
        status = pl_text_decode(&corpus, &place, err);
        if (!status)
            say(verdict, name, &corpus, describe(&corpus, had && (!whole || strcmp(corpus.checksum, cached.checksum))));
    } else if (had) {
        status = verify_file(&cached, pl_text(&place.cache), err);
        if (!status)
            say(verdict, name, &cached,
                type->official ? describe(&cached, false) : "as its files said, which are gone");
    } else {
        status = pl_text_missing(type, &place, folder, err);
    }
    pl_corpus_forget(&corpus);
    pl_corpus_forget(&cached);
    pl_text_place_release(&place);
    return status;
}

bool pl_corpus_exists(const char *name, const char *folder)
{
    struct pl_text_place place;
    if (pl_corpus_find(name))
        return strcmp(name, pl_corpus_text.info.name) != 0;
    if (!*name || strchr(name, '/'))
        return *name != '\0';
    find_place(&place, &pl_corpus_text, name, folder);
    bool exists = place.found || pl_file_exists(pl_text(&place.cache));
    pl_text_place_release(&place);
    return exists;
}

int pl_corpus_verify(const char *name, const char *folder, struct pl_text *verdict, struct pl_error *err)
{
    const struct pl_corpus_type *type = pl_corpus_type_find(name);
    if (type == &pl_corpus_markov)
        return verify_built_in(name, verdict, err);
    return verify_text(type == &pl_corpus_ptb ? type : &pl_corpus_text, name, folder, verdict, err);
}
