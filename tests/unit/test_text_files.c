/* ---- sources */
#include "text_files_parts.h"

static void expect_failure(int code, const char *what, const char *more)
{
    struct pl_corpus corpus;
    struct pl_error err;
    assert_int_equal(open_tiny(&corpus, &err), code);
    if (!strstr(err.text, what) || !strstr(err.text, more))
        fail_msg("no '%s' and '%s' in: %s", what, more, err.text);
    pl_corpus_forget(&corpus);
    assert_int_not_equal(access(in_folder("ptb.tokens"), F_OK), 0);
}

static void archives_and_folders_give_the_same_text(void **state)
{
    (void)state;
    write_archive(in_folder("ptb.zip"), true, "zip:compression=deflate", "ptb/ptb.valid.txt");
    expect_whole(true);
    assert_int_equal(count_entries(folder), 2); /* archive and cache */
    write_archive(in_folder("ptb.zip"), true, "zip:compression=store", "ptb/ptb.valid.txt");
    expect_whole(true);
    write_archive(in_folder("simple-examples.tgz"), false, NULL, "ptb/ptb.valid.txt");
    unlink(in_folder("ptb.zip"));
    expect_whole(true);
    unlink(in_folder("simple-examples.tgz"));
    write_folder(in_folder("penn"), "", ".txt");
    expect_whole(true);
    write_folder(in_folder("ptb"), "ptb.", ".txt");
    expect_whole(true);
    assert_int_equal(count_entries(folder), 3);
}

static void other_checksums_are_official_unofficial_or_damage(void **state)
{
    (void)state;
    write_folder(in_folder("ptb"), "ptb.", ".txt");
    digests[0][0] ^= 1;
    expect_failure(PL_ECORRUPT, "ptb.train.txt is not the official file, though the others are", digests[0]);
    digests[1][0] ^= 1;
    expect_failure(PL_ECORRUPT, "ptb.valid.txt is not the official file, though one of the others is", digests[1]);
    digests[2][0] ^= 1;
    expect_whole(false);
    expect_whole(false); /* from the cache too */
    unlink(in_folder("ptb.tokens"));
    digest_contents();
    expect_whole(true);
}

static void what_is_missing_or_wrong_is_named(void **state)
{
    (void)state;
    expect_failure(PL_EMISSING, "there is no tiny in", "ptb.valid.txt");
    write_archive(in_folder("ptb.zip"), true, "zip:compression=deflate", NULL);
    expect_failure(PL_ECORRUPT, "ptb.zip holds no valid.txt", "ptb.valid.txt");
    write_archive(in_folder("ptb.zip"), true, "zip:compression=deflate", "other/train.txt");
    expect_failure(PL_ECORRUPT, "ptb.zip holds two files for the train split, ", "other/train.txt");
    digests[0][0] = digests[1][0] = digests[2][0] = 'x';
    contents[PL_SPLIT_VALID] = "dog\nbird\n";
    write_archive(in_folder("ptb.zip"), true, "zip:compression=deflate", "ptb/ptb.valid.txt");
    expect_failure(PL_ECORRUPT, "ptb.zip: ptb/ptb.valid.txt:2: the word \"bird\"", "training text");
    contents[PL_SPLIT_VALID] = "";
    write_archive(in_folder("ptb.zip"), true, "zip:compression=deflate", "ptb/ptb.valid.txt");
    expect_failure(PL_ECORRUPT, "ptb.zip: ptb/ptb.valid.txt is empty", "must hold text");
    write_file(in_folder("ptb.zip"), "", 0);
    expect_failure(PL_ECORRUPT, "ptb.zip", "");
    write_file(in_folder("ptb.zip"), "this is no archive, but some text", 33);
    expect_failure(PL_ECORRUPT, "ptb.zip is cut or damaged", "a text is a folder or an archive");
}

/* Cut anywhere, an archive is refused; with any bit turned, it is refused or nothing of the text was changed. */
static void check_damage(const char *name, bool zip, const char *options, int most)
{
    struct pl_text whole = {0};
    int survived = 0, tried = 0;
    write_archive(in_folder("%s", name), zip, options, "ptb/ptb.valid.txt");
    read_file(in_folder("%s", name), &whole);
    digests[0][0] = digests[1][0] = digests[2][0] = 'x'; /* so that only the archive's own checksum can tell */
    for (size_t length = 0; length < whole.length; length += length < 20 || length > whole.length - 30 ? 1 : 7) {
        write_file(in_folder("%s", name), whole.text, length);
        expect_failure(PL_ECORRUPT, name, "");
    }
    for (size_t at = 0; at < whole.length; at += 3, tried++) {
        struct pl_corpus corpus;
        struct pl_error err;
        whole.text[at] ^= 0x10;
        write_file(in_folder("%s", name), whole.text, whole.length);
        whole.text[at] ^= 0x10;
        if (open_tiny(&corpus, &err)) {
            assert_non_null(strstr(err.text, name));
        } else {
            survived++;
            expect_tokens(&corpus);
            unlink(in_folder("ptb.tokens"));
        }
        pl_corpus_forget(&corpus);
    }
    if (survived > most)
        fail_msg("%d of %d damaged archives were read", survived, tried);
    unlink(in_folder("%s", name));
    pl_text_release(&whole);
}

static void damaged_archives_are_refused(void **state)
{
    (void)state;
    check_damage("simple-examples.tgz", false, NULL, 10); /* time and system in the header are nobody's business */
}

static void damaged_zips_are_refused(void **state)
{
    (void)state;
    struct pl_text whole = {0};
    write_archive(in_folder("ptb.zip"), true, "zip:compression=store", "ptb/ptb.valid.txt");
    read_file(in_folder("ptb.zip"), &whole);
    digests[0][0] = digests[1][0] = digests[2][0] = 'x'; /* so that only the archive's own checksum can tell */
    for (size_t length = 0; length<whole.length; length += length> whole.length - 30 ? 1 : 11) {
        write_file(in_folder("ptb.zip"), whole.text, length);
        expect_failure(PL_ECORRUPT, "ptb.zip", "");
    }
    for (int i = 0; i < PL_SPLIT_COUNT; i++) {
        char *text = memmem(whole.text, whole.length, contents[i], strlen(contents[i]));
        for (size_t k = 0; k < strlen(contents[i]); k++) {
            text[k] ^= 1;
            write_file(in_folder("ptb.zip"), whole.text, whole.length);
            text[k] ^= 1;
            expect_failure(PL_ECORRUPT, "ptb.zip is cut or damaged", "CRC");
        }
    }
    pl_text_release(&whole);
    check_damage("ptb.zip", true, "zip:compression=deflate", INT_MAX); /* names, times and rights are no text */
}

/* ---- texts of anybody's, and what the command `data` says of them */

static int open_text(const char *name)
{
    struct pl_settings settings = {0};
    struct pl_corpus *corpus;
    struct pl_error err = {0};
    pl_settings_set_string(&settings, "dataset", "text");
    pl_settings_set_string(&settings, "corpus", name);
    int status = pl_corpus_open(&corpus, &settings, folder, &err);
    if (status)
        print_message("%s\n", err.text);
    else
        assert_int_equal(pl_corpus_size(corpus, PL_SPLIT_TRAIN), TRAIN);
    pl_corpus_close(corpus);
    pl_settings_release(&settings);
    return status;
}

static void texts_have_names_or_paths(void **state)
{
    (void)state;
    struct pl_text path = {0};
    write_folder(in_folder("a"), "", ".txt");
    write_folder(in_folder("b"), "ptb.", ".txt");
    write_folder(in_folder("c"), "wiki.", ".tokens");
    write_archive(in_folder("d.zip"), true, "zip:compression=deflate", "valid.txt");
    write_archive(in_folder("e.tgz"), false, NULL, "valid.txt");
    static const char *const names[] = {"a", "b", "c", "d", "d.zip", "e", "e.tgz"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_int_equal(open_text(names[i]), 0);
    pl_text_addf(&path, "%s/a", folder);
    assert_int_equal(open_text(pl_text(&path)), 0);
    pl_text_add(&path, "//.././a/");
    assert_int_equal(open_text(pl_text(&path)), 0);
    assert_int_equal(open_text("../../../../../../../../../.."), PL_EMISSING);
    assert_int_equal(open_text("/"), PL_EMISSING);
    assert_int_equal(open_text("f"), PL_EMISSING);
    assert_int_equal(count_entries(folder), 5 + 8); /* however the path is written, it is the same text */
    pl_text_release(&path);
}

static void note_item(void *self, const struct pl_corpus_item *item)
{
    pl_text_addf(self, "%s %s %s %zu %zu%s%s\n", item->name, item->dataset, pl_data_state_name(item->state),
                 item->vocabulary, item->tokens[PL_SPLIT_TRAIN], item->official ? " official" : "",
                 *item->note ? " note" : "");
}

static void expect_list(const char *wanted)
{
    struct pl_text text = {0};
    pl_corpus_list(folder, &text, note_item);
    assert_string_equal(pl_text(&text), wanted);
    pl_text_release(&text);
}

static void what_is_there_is_listed(void **state)
{
    (void)state;
    expect_list("markov markov built in 64 50000 official\nptb ptb missing 0 0\n");
    write_folder(in_folder("ptb"), "ptb.", ".txt");
    write_folder(in_folder("own"), "", ".txt");
    mkdir(in_folder("images"), 0777);
    expect_list("markov markov built in 64 50000 official\nptb ptb unchecked 0 0\nown text unchecked 0 0\n");
    assert_int_equal(open_text("own"), 0);
    expect_list("markov markov built in 64 50000 official\nptb ptb unchecked 0 0\nown text ready 5 9\n");
    for (enum pl_split i = 0; i < PL_SPLIT_COUNT; i++)
        unlink(in_folder("own/%s.txt", pl_split_name(i)));
    expect_list("markov markov built in 64 50000 official\nptb ptb unchecked 0 0\nown text ready 5 9\n");
    assert_int_equal(truncate(in_folder("text-own.tokens"), 100), 0);
    expect_list("markov markov built in 64 50000 official\nptb ptb unchecked 0 0\nown text broken 0 0 note\n");
}

static void expect_verdict(const char *name, int code, const char *what)
{
    struct pl_text verdict = {0};
    struct pl_error err = {0};
    assert_int_equal(pl_corpus_verify(name, folder, &verdict, &err), code);
    if (!strstr(code ? err.text : pl_text(&verdict), what))
        fail_msg("no '%s' in: %s%s", what, err.text, pl_text(&verdict));
    pl_text_release(&verdict);
}

static void verifying_reads_everything_again(void **state)
{
    (void)state;
    struct pl_text whole = {0};
    assert_true(pl_corpus_exists("ptb", folder) && pl_corpus_exists("markov", folder));
    assert_false(pl_corpus_exists("own", folder) || pl_corpus_exists("text", folder) || pl_corpus_exists("", folder));
    expect_verdict("own", PL_EMISSING, "there is no text own");
    expect_verdict("ptb", PL_EMISSING, "there is no ptb");
    write_folder(in_folder("own"), "", ".txt");
    assert_true(pl_corpus_exists("own", folder));
    expect_verdict("own", 0, "own: 9 training, 4 validation and 5 test tokens of 5 words, SHA-256 ");
    expect_verdict("own", 0, "as its files say");
    read_file(in_folder("text-own.tokens"), &whole);
    char *last = memmem(whole.text, whole.length, "dog", 4);
    assert_non_null(last);
    last[0] = 'f';
    write_file(in_folder("text-own.tokens"), whole.text, whole.length);
    expect_verdict("own", 0, "a cache that differed was replaced");
    expect_verdict("own", 0, "as its files say");
    for (enum pl_split i = 0; i < PL_SPLIT_COUNT; i++)
        unlink(in_folder("own/%s.txt", pl_split_name(i)));
    expect_verdict("own", 0, "which are gone");
    write_file(in_folder("text-own.tokens"), whole.text, whole.length);
    expect_verdict("own", PL_ECORRUPT, "text-own.tokens was altered");
    write_folder(in_folder("ptb"), "ptb.", ".txt");
    expect_verdict("ptb", 0, "not the official text");
    pl_text_release(&whole);
}

/* ---- Penn Treebank itself, where it is */

static void ptb_has_its_published_size(void **state)
{
    (void)state;
    struct pl_settings settings = {0};
    struct pl_corpus *corpus;
    struct pl_error err = {0};
    const char *place = getenv("POULA_DATA");
    pl_settings_set_string(&settings, "dataset", "ptb");
    int status = pl_corpus_open(&corpus, &settings, place && *place ? place : "data", &err);
    size_t words, sizes[PL_SPLIT_COUNT];
    assert_true(pl_corpus_expect(&settings, &words, sizes));
    pl_settings_release(&settings);
    if (status == PL_EMISSING) {
        print_message("skipped: %s; POULA_DATA names the folder\n", err.text);
        skip();
    }
    if (status)
        fail_msg("%s", err.text);
    assert_true(pl_corpus_official(corpus));
    assert_int_equal(pl_corpus_vocabulary(corpus), 10000);
    assert_int_equal(words, 10000);
    static const size_t wanted[PL_SPLIT_COUNT] = {929589, 73760, 82430}, lines[PL_SPLIT_COUNT] = {42068, 3370, 3761};
    static const char *const first[PL_SPLIT_COUNT] = {"aer", "consumers", "no"};
    int32_t eos = pl_corpus_number(corpus, "<eos>");
    assert_true(eos > 0 && pl_corpus_number(corpus, "<unk>") > 0);
    for (enum pl_split split = 0; split < PL_SPLIT_COUNT; split++) {
        const int32_t *tokens = pl_corpus_tokens(corpus, split);
        size_t ends = 0;
        assert_int_equal(pl_corpus_size(corpus, split), wanted[split]);
        assert_int_equal(sizes[split], wanted[split]);
        assert_string_equal(pl_corpus_word(corpus, tokens[0]), first[split]);
        for (size_t i = 0; i < wanted[split]; i++)
            ends += tokens[i] == eos;
        assert_int_equal(ends, lines[split]);
    }
    struct pl_columns columns;
    assert_int_equal(pl_columns_fold(&columns, corpus, PL_SPLIT_TRAIN, 20, &err), 0);
    assert_int_equal(columns.rows, 46479);
    pl_columns_release(&columns);
    pl_corpus_close(corpus);
}

/* D6: a header that claims 2 GB takes memory only for the bytes that come. In a process of its own, to see its peak. */
static void claims_of_size_take_no_memory(void **state)
{
    (void)state;
    int status;
    unsigned sum = 0;
    char header[512] = "train.txt";
    memcpy(header + 100, "0000644", 7);
    memcpy(header + 124, "20000000000", 11); /* octal */
    memcpy(header + 136, "00000000000", 11);
    memset(header + 148, ' ', 8);
    header[156] = '0';
    memcpy(header + 257,
           "ustar\0"
           "00",
           8);
    for (size_t i = 0; i < sizeof header; i++)
        sum += (unsigned char)header[i];
    snprintf(header + 148, 8, "%06o", sum);
    write_file(in_folder("claim.tgz"), header, sizeof header);
    pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        struct rusage before, after;
        struct pl_text_files files;
        struct pl_source source = {.archive = true};
        struct pl_error err = {0};
        pl_text_add(&source.path, in_folder("claim.tgz"));
        getrusage(RUSAGE_SELF, &before);
        int got = pl_text_read(&files, &source, &err);
        getrusage(RUSAGE_SELF, &after);
        _exit(got != PL_ECORRUPT ? 1 : (after.ru_maxrss - before.ru_maxrss) / 1024 > 30 ? 2 : 0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
#define TEST_IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_contents, remove_folder)
    const struct CMUnitTest tests[] = {
        TEST_IN_FOLDER(archives_and_folders_give_the_same_text),
        TEST_IN_FOLDER(other_checksums_are_official_unofficial_or_damage),
        TEST_IN_FOLDER(what_is_missing_or_wrong_is_named),
        TEST_IN_FOLDER(damaged_archives_are_refused),
        TEST_IN_FOLDER(claims_of_size_take_no_memory),
        TEST_IN_FOLDER(damaged_zips_are_refused),
        TEST_IN_FOLDER(texts_have_names_or_paths),
        TEST_IN_FOLDER(what_is_there_is_listed),
        TEST_IN_FOLDER(verifying_reads_everything_again),
        cmocka_unit_test(ptb_has_its_published_size),
    };
    return cmocka_run_group_tests_name("text files", tests, NULL, NULL);
}
