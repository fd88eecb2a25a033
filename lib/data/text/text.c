/* Corpora that are read from text files once, and from a cache file ever after: ptb, whose files are published, and
 * text, which is anybody's.
 *
 * ptb is official when all three files have the SHA-256 of the published ones. Files that all differ are somebody's
 * own: used, with a warning. When only some differ, they were damaged: refused. */
#include "data/text/corpus_priv.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct pl_ptb ptb = {
    .files = {{5101618, 929589, "fcea919f6cf83f35d4d00c6cbf08040d13d4155226340912e2fef9c9c4102cbf"},
              {399782, 73760, "c9fe6985fe0d4ccb578183407d7668fc6066c20700cb4cf87d8ff1cc34df1bf2"},
              {449945, 82430, "dd65dff31e70846b2a6030a87482edcd5d199130cdcfa1f3dccbb033728deee0"}},
    .vocabulary = 10000,
};

/* Where ptb may lie in the data folder: the first that is there. */
static const char *const ptb_places[] = {"ptb.zip", "simple-examples.tgz", "ptb", "penn", "simple-examples/data"};
enum { PTB_PLACE_COUNT = sizeof ptb_places / sizeof *ptb_places };

bool pl_text_is_ptb_place(const char *name)
{
    return !strcmp(name, "ptb") || !strcmp(name, "penn");
}

/* ---- places */

static void find_ptb(struct pl_text_place *place, const char *folder)
{
    struct pl_text path = {0};
    for (size_t i = 0; i < PTB_PLACE_COUNT && !place->found; i++) {
        pl_text_clear(&path);
        pl_text_addf(&path, "%s/%s", folder, ptb_places[i]);
        place->found = pl_text_find(&place->source, pl_text(&path));
    }
    pl_text_addf(&place->cache, "%s/ptb.tokens", folder);
    pl_text_release(&path);
}

/* A name is looked for in the data folder. */
static void find_name(struct pl_text_place *place, const char *name, const char *folder)
{
    static const char *const endings[] = {".zip", ".tgz", ".tar.gz", ""};
    struct pl_text path = {0};
    for (size_t i = 0; i < sizeof endings / sizeof *endings && !place->found; i++) {
        pl_text_clear(&path);
        pl_text_addf(&path, "%s/%s%s", folder, name, endings[i]);
        place->found = pl_text_find(&place->source, pl_text(&path));
    }
    pl_text_add(&place->name, name);
    pl_text_addf(&place->cache, "%s/text-%s.tokens", folder, name);
    pl_text_release(&path);
}

/* Adds the names of a path to an absolute one, without . and .. and needless slashes. By its letters alone: what was
 * read of a text must be found when the text itself is gone. */
static void add_names(struct pl_text *path, const char *names)
{
    while (*names) {
        size_t length = strcspn(names, "/");
        if (length == 2 && !strncmp(names, "..", 2)) {
            const char *slash = strrchr(pl_text(path), '/');
            pl_text_cut(path, slash ? (size_t)(slash - pl_text(path)) : 0);
        } else if (length && (length > 1 || *names != '.')) {
            pl_text_add_char(path, '/');
            pl_text_add_bytes(path, names, length);
        }
        names += length + (names[length] == '/');
    }
}

/* A path's cache file has the last name in it and a few digits that tell equal names apart. */
static void find_path(struct pl_text_place *place, const char *given, const char *folder)
{
    unsigned char digest[PL_DIGEST_SIZE];
    char hex[9], here[PATH_MAX];
    if (*given != '/' && getcwd(here, sizeof here))
        add_names(&place->name, here);
    add_names(&place->name, given);
    if (!place->name.length)
        pl_text_add(&place->name, "/");
    const char *path = pl_text(&place->name);
    place->found = pl_text_find(&place->source, path);
    pl_digest(path, strlen(path), digest);
    pl_digest_hex(digest, 4, hex);
    pl_text_addf(&place->cache, "%s/text-%.100s-%s.tokens", folder, strrchr(path, '/') + 1, hex);
}

int pl_text_place_find(struct pl_text_place *place, const struct pl_corpus_type *type,
                       const struct pl_settings *settings, const char *folder, struct pl_error *err)
{
    const char *name = pl_settings_string(settings, "corpus", ""), *unknown;
    *place = (struct pl_text_place){.unknown = PL_UNKNOWN_REFUSE};
    if (type->official) {
        find_ptb(place, folder);
        return 0;
    }
    if (!*name)
        return pl_fail(err, PL_EINPUT,
                       "corpus is empty, but must name a folder or an archive with the files of a text");
    unknown = pl_settings_string(settings, "unknown_words", "refuse");
    if (!strcmp(unknown, "replace"))
        place->unknown = PL_UNKNOWN_REPLACE;
    else if (!strcmp(unknown, "add"))
        place->unknown = PL_UNKNOWN_ADD;
    if (strchr(name, '/'))
        find_path(place, name, folder);
    else
        find_name(place, name, folder);
    return 0;
}

void pl_text_place_release(struct pl_text_place *place)
{
    pl_source_release(&place->source);
    pl_text_release(&place->cache);
    pl_text_release(&place->name);
}

int pl_text_missing(const struct pl_corpus_type *type, const struct pl_text_place *place, const char *folder,
                    struct pl_error *err)
{
    struct pl_corpus cached = {.type = type};
    struct pl_settings header = {0};
    struct pl_error trouble;
    int status = pl_corpus_cache_open_checked(&cached, pl_text(&place->cache), &header, &trouble);
    pl_corpus_forget(&cached);
    if (status && status != PL_EMISSING)
        pl_fail(err, status, "%s; the text it was made from is not there", trouble.text);
    else if (type->official)
        status = pl_fail(
            err, PL_EMISSING,
            "there is no %s in %s: neither ptb.zip nor simple-examples.tgz, nor a folder ptb with "
            "ptb.train.txt, ptb.valid.txt and ptb.test.txt, nor a cache made from them; `poula show dataset ptb` "
            "says where to get it",
            type->info.name, folder);
    else if (strchr(pl_text(&place->name), '/'))
        status = pl_fail(err, PL_EMISSING,
                         "there is no text in %s: it must be a folder with train.txt, valid.txt and test.txt, or "
                         "an archive (.zip, .tgz) of them",
                         pl_text(&place->name));
    else
        status = pl_fail(err, PL_EMISSING,
                         "there is no text %s in %s: neither a folder %s with train.txt, valid.txt and test.txt, "
                         "nor %s.zip or %s.tgz; a corpus elsewhere is named by a path with a /",
                         pl_text(&place->name), folder, pl_text(&place->name), pl_text(&place->name),
                         pl_text(&place->name));
    pl_settings_release(&header);
    return status;
}

/* ---- reading */

/* All files that differ, none or all of them. */
static int judge(struct pl_corpus *corpus, const struct pl_text_files *files, const struct pl_text_place *place,
                 struct pl_error *err)
{
    const struct pl_ptb *official = corpus->type->official;
    char hex[PL_SPLIT_COUNT][2 * PL_DIGEST_SIZE + 1];
    int right = 0, odd = -1;
    for (int i = 0; i < PL_SPLIT_COUNT; i++) {
        unsigned char digest[PL_DIGEST_SIZE];
        pl_digest(files->of[i].bytes, files->of[i].size, digest);
        pl_digest_hex(digest, sizeof digest, hex[i]);
        bool same = !strcmp(hex[i], official->files[i].sha256);
        right += same;
        odd = same ? odd : i;
    }
    corpus->official = odd < 0;
    if (odd < 0)
        return 0;
    if (right)
        return pl_fail(err, PL_ECORRUPT,
                       "%s is not the official file, though %s: it has %zu bytes and the SHA-256 %s, but must "
                       "have %zu and %s",
                       files->of[odd].name, right == 1 ? "one of the others is" : "the others are", files->of[odd].size,
                       hex[odd], official->files[odd].size, official->files[odd].sha256);
    snprintf(
        corpus->warning, sizeof corpus->warning,
        "%.200s is not the official text of that name: none of its files has the published SHA-256, so results are "
        "recorded as unofficial",
        pl_text(&place->source.path));
    return 0;
}

static int store(struct pl_corpus *corpus, const struct pl_tokens *tokens, const size_t ends[PL_SPLIT_COUNT],
                 const struct pl_vocabulary *vocabulary, struct pl_error *err)
{
    size_t sizes[PL_SPLIT_COUNT], from = 0;
    int32_t *to[PL_SPLIT_COUNT];
    char *words;
    for (int i = 0; i < PL_SPLIT_COUNT; from = ends[i++])
        sizes[i] = ends[i] - from;
    corpus->vocabulary = vocabulary->count;
    int status = pl_corpus_allocate(corpus, sizes, vocabulary->spelling.length, to, &words, err);
    if (status)
        return status;
    memcpy(to[0], tokens->numbers, tokens->count * sizeof *tokens->numbers); /* the splits lie one behind the other */
    memcpy(words, pl_text(&vocabulary->spelling), vocabulary->spelling.length);
    pl_corpus_digest(corpus, corpus->checksum);
    return 0;
}

static int read_text(struct pl_corpus *corpus, const struct pl_text_place *place, struct pl_error *err)
{
    struct pl_text_files files;
    struct pl_vocabulary vocabulary = {0};
    struct pl_tokens tokens = {0};
    size_t ends[PL_SPLIT_COUNT];
    int status = pl_text_read(&files, &place->source, err);
    if (!status && corpus->type->official)
        status = judge(corpus, &files, place, err);
    for (enum pl_split i = 0; i < PL_SPLIT_COUNT && !status; i++) {
        const struct pl_text_file *file = &files.of[i];
        status = pl_tokenize(&tokens, &vocabulary, file->name, file->bytes, file->size,
                             i == PL_SPLIT_TRAIN ? PL_UNKNOWN_ADD : place->unknown, err);
        ends[i] = tokens.count;
    }
    if (!status)
        status = store(corpus, &tokens, ends, &vocabulary, err);
    pl_text_files_release(&files);
    pl_vocabulary_release(&vocabulary);
    free(tokens.numbers);
    return status;
}

/* ---- the cache */

static void describe(const struct pl_corpus *corpus, const struct pl_text_place *place, struct pl_settings *header)
{
    pl_settings_set_string(header, "kind", corpus->type->info.name);
    pl_settings_set_string(header, "corpus", pl_text(&place->name));
    pl_settings_set_string(header, "source", pl_text(&place->source.path));
    pl_settings_set_string(header, "stamp", pl_text(&place->source.stamp));
    pl_settings_set_integer(header, "unknown_words", place->unknown);
}

bool pl_text_open_cache(struct pl_corpus *corpus, const struct pl_text_place *place, bool check)
{
    struct pl_settings header = {0};
    bool good = !(check ? pl_corpus_cache_open_checked : pl_corpus_cache_open)(corpus, pl_text(&place->cache), &header,
                                                                               NULL) &&
                !strcmp(pl_settings_string(&header, "kind", ""), corpus->type->info.name) &&
                !strcmp(pl_settings_string(&header, "corpus", ""), pl_text(&place->name)) &&
                pl_settings_integer(&header, "unknown_words", -1) == (int64_t)place->unknown &&
                (!place->found || !strcmp(pl_settings_string(&header, "stamp", ""), pl_text(&place->source.stamp)));
    pl_settings_release(&header);
    if (!good)
        pl_corpus_forget(corpus);
    return good;
}

int pl_text_decode(struct pl_corpus *corpus, const struct pl_text_place *place, struct pl_error *err)
{
    struct pl_settings header = {0};
    struct pl_error trouble;
    int status = read_text(corpus, place, err);
    if (status)
        return status;
    describe(corpus, place, &header);
    int wrote = pl_folder_make_parent(pl_text(&place->cache), &trouble);
    if (!wrote)
        wrote = pl_corpus_cache_write(corpus, pl_text(&place->cache), &header, &trouble);
    pl_settings_release(&header);
    if (wrote) {
        size_t length = strlen(corpus->warning);
        snprintf(corpus->warning + length, sizeof corpus->warning - length,
                 "%severy process keeps its own copy of the text, because it %.200s", length ? "; " : "", trouble.text);
        return 0;
    }
    pl_corpus_forget(corpus);
    if (pl_text_open_cache(corpus, place, true))
        return 0;
    return read_text(corpus, place, err); /* somebody has just removed or replaced it */
}

int pl_text_open(struct pl_corpus *corpus, const struct pl_settings *settings, const char *folder, struct pl_error *err)
{
    struct pl_text_place place;
    int status = pl_text_place_find(&place, corpus->type, settings, folder, err);
    if (!status && !pl_text_open_cache(corpus, &place, true))
        status = place.found ? pl_text_decode(corpus, &place, err) : pl_text_missing(corpus->type, &place, folder, err);
    pl_text_place_release(&place);
    return status;
}

/* ---- the two corpora */

static void ptb_expect(const struct pl_settings *settings, size_t *vocabulary, size_t tokens[PL_SPLIT_COUNT])
{
    (void)settings;
    *vocabulary = ptb.vocabulary;
    for (int i = 0; i < PL_SPLIT_COUNT; i++)
        tokens[i] = ptb.files[i].tokens;
}

const struct pl_corpus_type pl_corpus_ptb = {
    .info =
        {.name = "ptb",
         .help = "Penn Treebank as prepared by Mikolov (2010): a million words of newspaper",
         .obtain =
             "The files ptb.train.txt, ptb.valid.txt and ptb.test.txt are in T. Mikolov's simple-examples.tgz "
             "(http://www.fit.vutbr.cz/~imikolov/rnnlm/) and in many copies of it; put that archive, a ptb.zip with "
             "the "
             "three files or a folder ptb of them into the data folder, and `poula data verify ptb` says whether they "
             "are the published ones."},
    .expect = ptb_expect,
    .open = pl_text_open,
    .official = &ptb,
};

static const struct pl_setting settings[] = {
    {.key = "corpus",
     .type = PL_STRING,
     .help = "folder or archive with train.txt, valid.txt and test.txt: a name in the data folder, or a path with a /"},
    {.key = "unknown_words",
     .type = PL_STRING,
     .initial = "refuse",
     .range = "refuse replace add",
     .help =
         "what becomes of a validation or test word that training lacks: an error, <unk>, or a word of the vocabulary"},
};

const struct pl_corpus_type pl_corpus_text = {
    .info = {.name = "text",
             .help = "own text: a folder or an archive with train.txt, valid.txt and test.txt",
             .settings = settings,
             .setting_count = sizeof settings / sizeof *settings},
    .open = pl_text_open,
};
