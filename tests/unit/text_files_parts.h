/* Archives and folders of texts, for the tests of how they are read. */
#ifndef PL_TEST_TEXT_FILES_PARTS_H
#define PL_TEST_TEXT_FILES_PARTS_H

#include "data_fixture.h"
#include "data/text/corpus_priv.h"

#include <limits.h>
#include <sys/resource.h>

/* A text like ptb, but of few words, with checksums of its own. */
static const char *contents[PL_SPLIT_COUNT];

static char digests[PL_SPLIT_COUNT][2 * PL_DIGEST_SIZE + 1];

static struct pl_ptb published = {.files = {{0, 0, digests[0]}, {0, 0, digests[1]}, {0, 0, digests[2]}}};

static const struct pl_corpus_type tiny = {.info = {.name = "tiny"}, .open = pl_text_open, .official = &published};

enum { TRAIN = 9, VALID = 4, TEST = 5, WORDS = 5 };

static inline void digest_contents(void)
{
    for (int i = 0; i < PL_SPLIT_COUNT; i++) {
        unsigned char digest[PL_DIGEST_SIZE];
        pl_digest(contents[i], strlen(contents[i]), digest);
        pl_digest_hex(digest, sizeof digest, digests[i]);
    }
}

static inline int make_contents(void **state)
{
    contents[PL_SPLIT_TRAIN] = " the cat sat \n the dog \n the \n";
    contents[PL_SPLIT_VALID] = "dog sat cat\n";
    contents[PL_SPLIT_TEST] = "cat\n\nsat";
    digest_contents();
    return make_folder(state);
}

static inline void write_folder(const char *path, const char *before, const char *after)
{
    mkdir(path, 0777);
    for (enum pl_split i = 0; i < PL_SPLIT_COUNT; i++) {
        struct pl_text name = {0};
        pl_text_addf(&name, "%s/%s%s%s", path, before, pl_split_name(i), after);
        write_file(pl_text(&name), contents[i], strlen(contents[i]));
        pl_text_release(&name);
    }
}

static inline void add_entry(struct archive *archive, const char *name, const char *text)
{
    struct archive_entry *entry = archive_entry_new();
    archive_entry_set_pathname(entry, name);
    archive_entry_set_size(entry, (la_int64_t)strlen(text));
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, 0644);
    assert_int_equal(archive_write_header(archive, entry), ARCHIVE_OK);
    assert_int_equal(archive_write_data(archive, text, strlen(text)), strlen(text));
    archive_entry_free(entry);
}

/* The files of ptb; more is the name of another one, or NULL. */
static inline void write_archive(const char *path, bool zip, const char *options, const char *more)
{
    struct archive *archive = archive_write_new();
    if (zip) {
        archive_write_set_format_zip(archive);
        archive_write_set_options(archive, options);
    } else {
        archive_write_add_filter_gzip(archive);
        archive_write_set_format_ustar(archive);
    }
    assert_int_equal(archive_write_open_filename(archive, path), ARCHIVE_OK);
    add_entry(archive, "ptb/README", "read me");
    add_entry(archive, "ptb/ptb.char.train.txt", "t h e");
    add_entry(archive, "ptb/ptb.test.txt", contents[PL_SPLIT_TEST]);
    add_entry(archive, "./ptb/ptb.train.txt", contents[PL_SPLIT_TRAIN]);
    if (more)
        add_entry(archive, more, contents[PL_SPLIT_VALID]);
    assert_int_equal(archive_write_free(archive), ARCHIVE_OK);
}

static inline int open_tiny(struct pl_corpus *corpus, struct pl_error *err)
{
    struct pl_settings settings = {0};
    *corpus = (struct pl_corpus){.type = &tiny};
    *err = (struct pl_error){0};
    return pl_text_open(corpus, &settings, folder, err);
}

static inline void expect_tokens(const struct pl_corpus *corpus)
{
    static const int32_t tokens[TRAIN + VALID + TEST] = {0, 1, 2, 3, 0, 4, 3, 0, 3, 4, 2, 1, 3, 1, 3, 3, 2, 3};
    static const char spelling[] = "the\0cat\0sat\0<eos>\0dog";
    assert_int_equal(corpus->vocabulary, WORDS);
    assert_int_equal(corpus->spelling_size, sizeof spelling);
    assert_memory_equal(corpus->spelling, spelling, sizeof spelling);
    assert_int_equal(corpus->sizes[0], TRAIN);
    assert_int_equal(corpus->sizes[1], VALID);
    assert_int_equal(corpus->sizes[2], TEST);
    assert_memory_equal(corpus->tokens[0], tokens, TRAIN * sizeof *tokens);
    assert_memory_equal(corpus->tokens[1], tokens + TRAIN, VALID * sizeof *tokens);
    assert_memory_equal(corpus->tokens[2], tokens + TRAIN + VALID, TEST * sizeof *tokens);
}

/* Opens it, compares every token and closes it. */
static inline void expect_whole(bool official)
{
    struct pl_corpus corpus;
    struct pl_error err;
    if (open_tiny(&corpus, &err))
        fail_msg("%s", err.text);
    expect_tokens(&corpus);
    assert_non_null(corpus.block.bytes);
    assert_int_equal(corpus.official, official);
    assert_int_equal(*corpus.warning != 0, !official);
    assert_int_equal(strlen(corpus.checksum), 2 * PL_DIGEST_SIZE);
    pl_corpus_forget(&corpus);
}

#endif
