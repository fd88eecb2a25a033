/* Caches of texts: when they are used and when they are made anew. */
#include "text_files_parts.h"

/* ---- the cache file */

static void caches_outlive_and_follow_their_source(void **state)
{
    (void)state;
    struct pl_corpus corpus;
    struct pl_error err;
    write_archive(in_folder("ptb.zip"), true, "zip:compression=deflate", "ptb/ptb.valid.txt");
    expect_whole(true);
    unlink(in_folder("ptb.zip"));
    expect_whole(true);
    contents[PL_SPLIT_TRAIN] = "the cat sat\n\ndog the\n";
    write_folder(in_folder("ptb"), "ptb.", ".txt");
    digest_contents();
    assert_int_equal(open_tiny(&corpus, &err), 0);
    assert_int_equal(corpus.sizes[0], 8);
    pl_corpus_forget(&corpus);
    for (enum pl_split i = 0; i < PL_SPLIT_COUNT; i++)
        unlink(in_folder("ptb/ptb.%s.txt", pl_split_name(i)));
    assert_int_equal(truncate(in_folder("ptb.tokens"), 200), 0);
    assert_int_equal(open_tiny(&corpus, &err), PL_ECORRUPT);
    assert_non_null(strstr(err.text, "ptb.tokens is no whole corpus: it has 200 bytes"));
    pl_corpus_forget(&corpus);
}

static void torn_and_altered_caches_are_made_anew(void **state)
{
    (void)state;
    struct pl_text whole = {0};
    struct pl_corpus corpus;
    struct pl_error err;
    write_folder(in_folder("ptb"), "ptb.", ".txt");
    expect_whole(true);
    read_file(in_folder("ptb.tokens"), &whole);
    for (size_t length = 0; length < whole.length; length += 1 + whole.length / 40) {
        write_file(in_folder("ptb.tokens"), whole.text, length);
        expect_whole(true);
    }
    assert_int_equal(open_tiny(&corpus, &err), 0);
    size_t body = corpus.block.body;
    pl_corpus_forget(&corpus);
    for (size_t at = 0; at < body + 4 * (TRAIN + VALID + TEST); at++) {
        if (at >= body && at % 4 == 0) /* the low byte may say another word of the vocabulary */
            continue;
        whole.text[at] ^= 0x40;
        write_file(in_folder("ptb.tokens"), whole.text, whole.length);
        whole.text[at] ^= 0x40;
        expect_whole(true);
    }
    whole.text[whole.length - 1] = 'x'; /* a word without its end */
    write_file(in_folder("ptb.tokens"), whole.text, whole.length);
    expect_whole(true);
    pl_text_release(&whole);
    assert_int_equal(count_entries(folder), 2);
}

static void without_a_cache_file_there_is_memory(void **state)
{
    (void)state;
    struct pl_corpus corpus;
    struct pl_error err;
    write_folder(in_folder("ptb"), "ptb.", ".txt");
    mkdir(in_folder("ptb.tokens"), 0777);
    assert_int_equal(open_tiny(&corpus, &err), 0);
    assert_null(corpus.block.bytes);
    assert_non_null(strstr(corpus.warning, "keeps its own copy of the text"));
    assert_int_equal(corpus.tokens[2][4], 3);
    assert_true(pl_corpus_memory(&corpus) > 4 * (TRAIN + VALID + TEST));
    pl_corpus_forget(&corpus);
    assert_int_equal(count_entries(folder), 2); /* nothing half-written is left */
}

int main(void)
{
#define TEST_IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_contents, remove_folder)
    const struct CMUnitTest tests[] = {
        TEST_IN_FOLDER(caches_outlive_and_follow_their_source),
        TEST_IN_FOLDER(torn_and_altered_caches_are_made_anew),
        TEST_IN_FOLDER(without_a_cache_file_there_is_memory),
    };
    return cmocka_run_group_tests_name("text files", tests, NULL, NULL);
}
