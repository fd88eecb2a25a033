/* ---- corpora of few words */
#include "data_fixture.h"
#include "data/text/corpus_priv.h"
#include <math.h>

static void write_text(const char *name, const char *text)
{
    write_file(in_folder("%s", name), text, strlen(text));
}

static void write_three(const char *train, const char *valid, const char *test)
{
    mkdir(in_folder("own"), 0777);
    write_text("own/train.txt", train);
    write_text("own/valid.txt", valid);
    write_text("own/test.txt", test);
}

static int open_text(struct pl_corpus **corpus, const char *name, const char *unknown, struct pl_error *err)
{
    struct pl_settings s = {0};
    pl_settings_set_string(&s, "dataset", "text");
    pl_settings_set_string(&s, "corpus", name);
    if (unknown)
        pl_settings_set_string(&s, "unknown_words", unknown);
    *err = (struct pl_error){0};
    int status = pl_corpus_open(corpus, &s, folder, err);
    pl_settings_release(&s);
    return status;
}

static struct pl_corpus *open_good(const char *name, const char *unknown)
{
    struct pl_corpus *corpus;
    struct pl_error err;
    if (open_text(&corpus, name, unknown, &err))
        fail_msg("%s", err.text);
    return corpus;
}

static void expect_failure(const char *name, const char *unknown, int code, const char *what, const char *more)
{
    struct pl_corpus *corpus;
    struct pl_error err;
    assert_int_equal(open_text(&corpus, name, unknown, &err), code);
    assert_null(corpus);
    if (!strstr(err.text, what) || !strstr(err.text, more))
        fail_msg("no '%s' and '%s' in: %s", what, more, err.text);
}

/* Tokens as text, <eos> as a line's end. */
static void expect_words(const struct pl_corpus *corpus, enum pl_split split, const char *wanted)
{
    struct pl_text text = {0};
    for (size_t i = 0; i < pl_corpus_size(corpus, split); i++)
        pl_text_addf(&text, "%s ", pl_corpus_word(corpus, pl_corpus_tokens(corpus, split)[i]));
    assert_string_equal(pl_text(&text), wanted);
    pl_text_release(&text);
}

static void corpora_are_in_order_and_defaults_are_legal(void **state)
{
    (void)state;
    size_t count;
    const struct pl_setting *common = pl_corpus_common_settings(&count);
    for (size_t i = 0; i < pl_corpus_count(); i++) {
        const struct pl_corpus_info *info = pl_corpus_at(i);
        assert_ptr_equal(pl_corpus_find(info->name), info);
        assert_null(pl_data_find(info->name));
        if (i)
            assert_true(strcmp(pl_corpus_at(i - 1)->name, info->name) < 0);
        for (size_t k = 0; k < info->setting_count + count; k++) {
            const struct pl_setting *setting = k < info->setting_count ? &info->settings[k]
                                                                       : &common[k - info->setting_count];
            struct pl_value value;
            struct pl_error err = {0};
            if (setting->initial && pl_setting_read(setting, setting->initial, &value, &err))
                fail_msg("%s: %s", info->name, err.text);
            if (k < info->setting_count)
                assert_null(pl_setting_find(common, count, setting->key));
        }
    }
    assert_null(pl_corpus_find("penn"));
}

static void words_are_numbered_by_first_appearance(void **state)
{
    (void)state;
    write_three(" the cat  sat\nthe\tdog \n\nsat", "cat\n", "the \xc3\xa9t\xc3\xa9 ran\r\nran \xc3\xa9t\xc3\xa9\n");
    struct pl_corpus *corpus = open_good("own", "add");
    static const char *const words[] = {"the", "cat", "sat", "<eos>", "dog", "\xc3\xa9t\xc3\xa9", "ran"};
    assert_int_equal(pl_corpus_vocabulary(corpus), 7);
    for (int32_t i = 0; i < 7; i++) {
        assert_string_equal(pl_corpus_word(corpus, i), words[i]);
        assert_int_equal(pl_corpus_number(corpus, words[i]), i);
    }
    assert_string_equal(pl_corpus_word(corpus, 7), "");
    assert_string_equal(pl_corpus_word(corpus, -1), "");
    assert_int_equal(pl_corpus_number(corpus, "bird"), -1);
    expect_words(corpus, PL_SPLIT_TRAIN, "the cat sat <eos> the dog <eos> <eos> sat <eos> ");
    expect_words(corpus, PL_SPLIT_VALID, "cat <eos> ");
    expect_words(corpus, PL_SPLIT_TEST, "the \xc3\xa9t\xc3\xa9 ran <eos> ran \xc3\xa9t\xc3\xa9 <eos> ");
    assert_true(isnan(pl_corpus_entropy(corpus)));
    assert_true(isnan(pl_corpus_source_loss(corpus, PL_SPLIT_TEST)));
    assert_false(pl_corpus_official(corpus));
    assert_null(pl_corpus_warning(corpus));
    pl_corpus_close(corpus);
}

static void unknown_words_are_refused_replaced_or_added(void **state)
{
    (void)state;
    write_three("a <unk> b\n", "a\nb c\n", "d\n");
    expect_failure("own", NULL, PL_ECORRUPT, "own/valid.txt:2: the word \"c\" does not occur in the training text",
                   "add");
    expect_failure("own", "refuse", PL_ECORRUPT, "own/valid.txt:2:", "replace");
    struct pl_corpus *corpus = open_good("own", "replace");
    assert_int_equal(pl_corpus_vocabulary(corpus), 4);
    expect_words(corpus, PL_SPLIT_VALID, "a <eos> b <unk> <eos> ");
    expect_words(corpus, PL_SPLIT_TEST, "<unk> <eos> ");
    pl_corpus_close(corpus);
    corpus = open_good("own", "add"); /* not the cache that was made by another rule */
    assert_int_equal(pl_corpus_vocabulary(corpus), 6);
    expect_words(corpus, PL_SPLIT_TEST, "d <eos> ");
    pl_corpus_close(corpus);
    write_three("a b\n", "a\n", "b\nb\na x\n");
    expect_failure("own", "replace", PL_ECORRUPT, "own/test.txt:3: the word \"x\"", "neither does <unk>");
}

static void bad_files_are_named_with_their_line(void **state)
{
    (void)state;
    expect_failure("own", NULL, PL_EMISSING, "there is no text own in", "train.txt, valid.txt and test.txt");
    expect_failure("/no/such/folder/", NULL, PL_EMISSING, "there is no text in /no/such/folder:", "train.txt");
    expect_failure("", NULL, PL_EINPUT, "corpus is empty", "folder");
    write_three("a b\n", "a\n", "b\n");
    unlink(in_folder("own/valid.txt"));
    expect_failure("own", NULL, PL_EMISSING, "own/valid.txt", "three files, train, valid and test");
    write_three("a b\n", "", "b\n");
    expect_failure("own", NULL, PL_ECORRUPT, "own/valid.txt is empty", "must hold text");
    write_three("\xef\xbb\xbf", "a\n", "b\n");
    expect_failure("own", NULL, PL_ECORRUPT, "own/train.txt is empty", "must hold text");
    write_three("a b\nb\n\nb \xff a\n", "a\n", "b\n");
    expect_failure("own", NULL, PL_ECORRUPT, "own/train.txt:4: byte 3 of the line is 0xff", "UTF-8");
    write_three("a b\n", "a\n", "b\na \xe2\x82"); /* cut in the middle of a character */
    expect_failure("own", NULL, PL_ECORRUPT, "own/test.txt:2: byte 3 of the line is 0xe2", "UTF-8");
    write_three("a b\n", "a\n", "b\n");
    write_file(in_folder("own/test.txt"), "a\nb\0\n", 5);
    expect_failure("own", NULL, PL_ECORRUPT, "own/test.txt:2: byte 2 of the line is zero", "plain text");
    char long_word[1200];
    memset(long_word, 'x', sizeof long_word - 1);
    long_word[sizeof long_word - 1] = '\0';
    write_three(long_word, "a\n", "b\n");
    expect_failure("own", NULL, PL_ECORRUPT, "own/train.txt:1: there is a word of 1199 bytes", "white space");
    assert_int_equal(count_entries(folder), 1); /* no cache of any of them */
    struct pl_corpus *corpus;
    struct pl_error err;
    struct pl_settings s = {0};
    pl_settings_set_string(&s, "dataset", "txt");
    assert_int_equal(pl_corpus_open(&corpus, &s, folder, &err), PL_EINPUT);
    pl_settings_release(&s);
}

static void a_mark_at_the_start_is_no_word(void **state)
{
    (void)state;
    write_three("\xef\xbb\xbf"
                "a b\n",
                "a\n", "b");
    struct pl_corpus *corpus = open_good("own", NULL);
    expect_words(corpus, PL_SPLIT_TRAIN, "a b <eos> ");
    pl_corpus_close(corpus);
}

/* A hash table that grows, against what it must hold. */
static void many_words_keep_their_numbers(void **state)
{
    (void)state;
    enum { WORDS = 20000 };
    struct pl_vocabulary v = {0};
    char word[32];
    assert_int_equal(pl_vocabulary_find(&v, "a", 1), -1);
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < WORDS; i++) {
            int length = snprintf(word, sizeof word, "w%dx", i);
            assert_int_equal(pl_vocabulary_find(&v, word, (size_t)length), round ? i : -1);
            assert_int_equal(pl_vocabulary_add(&v, word, (size_t)length), i);
            assert_int_equal(pl_vocabulary_find(&v, word, (size_t)length - 1), -1); /* a word's beginning is no word */
        }
    assert_int_equal(v.count, WORDS);
    pl_vocabulary_release(&v);
}

/* ---- columns and windows */

static struct pl_corpus numbered(size_t train, int32_t **tokens)
{
    struct pl_corpus corpus = {.sizes = {train, 0, 0}};
    *tokens = pl_new((train + 1) * sizeof **tokens);
    for (size_t i = 0; i < train; i++)
        (*tokens)[i] = (int32_t)i;
    corpus.tokens[PL_SPLIT_TRAIN] = *tokens;
    return corpus;
}

static void columns_are_contiguous_stretches(void **state)
{
    (void)state;
    int32_t *tokens;
    struct pl_corpus corpus = numbered(103, &tokens);
    struct pl_columns columns;
    struct pl_error err = {0};
    for (size_t batch = 1; batch <= 51; batch++) {
        assert_int_equal(pl_columns_fold(&columns, &corpus, PL_SPLIT_TRAIN, batch, &err), 0);
        assert_int_equal(columns.rows, 103 / batch);
        assert_int_equal(columns.dropped, 103 % batch);
        assert_int_equal(pl_columns_predicted(&columns), (columns.rows - 1) * batch);
        for (size_t row = 0; row < columns.rows; row++)
            for (size_t b = 0; b < batch; b++)
                assert_int_equal(columns.tokens[row * batch + b], b * columns.rows + row);
        pl_columns_release(&columns);
    }
    assert_int_equal(pl_columns_fold(&columns, &corpus, PL_SPLIT_TRAIN, 52, &err), PL_EINPUT);
    assert_non_null(
        strstr(err.text, "the train split has 103 tokens: too few for 52 columns, which need at least 104"));
    pl_columns_release(&columns);
    free(tokens);
}

/* A model that answers uniformly has the vocabulary's size as perplexity whatever bptt and batch are: every target is
 * predicted exactly once. */
static void evaluation_predicts_every_target_once(void **state)
{
    (void)state;
    int32_t *tokens;
    struct pl_corpus corpus = numbered(211, &tokens);
    struct pl_columns columns;
    for (size_t batch = 1; batch < 12; batch++)
        for (size_t bptt = 1; bptt < 120; bptt += 7) {
            struct pl_corpus_window w;
            size_t start = 0, predicted = 0;
            double loss = 0;
            assert_int_equal(pl_columns_fold(&columns, &corpus, PL_SPLIT_TRAIN, batch, NULL), 0);
            for (; pl_window_evaluate(&columns, bptt, start, &w); start += w.length) {
                assert_int_equal(w.start, start);
                assert_true(w.length > 0 && w.length <= bptt);
                assert_true(w.length <= pl_window_longest(&columns, bptt, false));
                assert_true(w.start + w.length < columns.rows); /* targets lie inside */
                predicted += w.length * batch;
                loss += (double)(w.length * batch) * log(50);
            }
            assert_int_equal(predicted, pl_columns_predicted(&columns));
            assert_true(fabs(exp(loss / (double)pl_columns_predicted(&columns)) - 50) < 1e-10);
            pl_columns_release(&columns);
        }
    free(tokens);
}

/* Lengths against what the rule says of them, over many epochs. */
static void training_windows_are_drawn_by_the_published_rule(void **state)
{
    (void)state;
    enum { ROWS = 46479, EPOCHS = 20 };
    struct pl_columns columns = {.rows = ROWS, .batch = 20};
    struct pl_random lengths = pl_random_stream(7, PL_STREAM_SHUFFLE);
    struct pl_corpus_window w;
    double sum[2] = {0}, squares[2] = {0}, count[2] = {0}, windows = 0;
    for (uint64_t epoch = 0; epoch < EPOCHS; epoch++) {
        size_t start = 0;
        for (; pl_window_train(&columns, 70, &lengths, epoch, start, &w); start += w.length, windows++) {
            double drawn = w.factor * 70;
            int half = drawn < 52; /* 3.5 deviations from either base */
            assert_int_equal(w.start, start);
            assert_true(w.length >= 1 && w.length <= pl_window_longest(&columns, 70, true));
            assert_true(fabs(drawn - round(drawn)) < 1e-9);
            if (start + (size_t)round(drawn) < ROWS)
                assert_int_equal(w.length, (size_t)round(drawn));
            else
                assert_int_equal(start + w.length, ROWS - 1);
            sum[half] += drawn + 0.5; /* which truncation took away */
            squares[half] += (drawn + 0.5) * (drawn + 0.5);
            count[half]++;
        }
        assert_true(start >= ROWS - 2 && start < ROWS);
    }
    for (int half = 0; half < 2; half++) {
        double mean = sum[half] / count[half], deviation = sqrt(squares[half] / count[half] - mean * mean);
        assert_true(fabs(mean - (half ? 35 : 70)) < 4 * 5 / sqrt(count[half]));
        assert_true(fabs(deviation - 5) < 4 * 5 / sqrt(2 * count[half]));
    }
    double share = count[1] / (count[0] + count[1]);
    assert_true(fabs(share - 0.05) < 4 * sqrt(0.05 * 0.95 / windows));
    assert_true(fabs(windows / EPOCHS - 687) < 3);
}

static void training_windows_are_functions_of_epoch_and_row(void **state)
{
    (void)state;
    struct pl_columns columns = {.rows = 100000, .batch = 2};
    struct pl_random a = pl_random_stream(1, PL_STREAM_SHUFFLE), b = pl_random_stream(2, PL_STREAM_SHUFFLE);
    struct pl_corpus_window first, again, other;
    int same_epoch = 0, same_seed = 0, same_row = 0;
    for (size_t row = 0; row < 2000; row++) {
        assert_true(pl_window_train(&columns, 70, &a, 3, row, &first));
        assert_true(pl_window_train(&columns, 70, &a, 3, row, &again));
        assert_memory_equal(&first, &again, sizeof first);
        pl_window_train(&columns, 70, &a, 4, row, &other);
        same_epoch += other.length == first.length;
        pl_window_train(&columns, 70, &b, 3, row, &other);
        same_seed += other.length == first.length;
        pl_window_train(&columns, 70, &a, 3, row + 1, &other);
        same_row += other.length == first.length;
    }
    assert_true(same_epoch < 200 && same_seed < 200 && same_row < 200); /* by chance 5% agree */
}

static void training_ends_as_the_published_program_does(void **state)
{
    (void)state;
    struct pl_random lengths = pl_random_stream(1, PL_STREAM_SHUFFLE);
    struct pl_corpus_window w = {.length = 77};
    for (size_t rows = 2; rows < 30; rows++) {
        struct pl_columns columns = {.rows = rows, .batch = 1};
        for (size_t start = 0; start < rows + 3; start++) {
            bool more = pl_window_train(&columns, 3, NULL, 0, start, &w);
            assert_int_equal(more, start + 2 < rows);
            if (more) {
                assert_int_equal(w.length, rows - 1 - start < 3 ? rows - 1 - start : 3);
                assert_true(w.factor == 1);
            }
            if (pl_window_train(&columns, 70, &lengths, 0, start, &w)) { /* the cut does not change the learning rate */
                size_t drawn = (size_t)lround(w.factor * 70), left = rows - 1 - start;
                assert_int_equal(w.length, drawn < left ? drawn : left);
                assert_true(drawn > 10);
            }
        }
        assert_true(pl_window_train(&columns, 1, &lengths, 0, 0, &w) == (rows > 2));
        if (rows > 2)
            assert_true(w.factor >= 5); /* no window is drawn shorter than five */
        assert_int_equal(pl_window_longest(&columns, 70, true), rows - 1);
    }
}

int main(void)
{
#define TEST_IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(corpora_are_in_order_and_defaults_are_legal),
        TEST_IN_FOLDER(words_are_numbered_by_first_appearance),
        TEST_IN_FOLDER(unknown_words_are_refused_replaced_or_added),
        TEST_IN_FOLDER(bad_files_are_named_with_their_line),
        TEST_IN_FOLDER(a_mark_at_the_start_is_no_word),
        cmocka_unit_test(many_words_keep_their_numbers),
        cmocka_unit_test(columns_are_contiguous_stretches),
        cmocka_unit_test(evaluation_predicts_every_target_once),
        cmocka_unit_test(training_windows_are_drawn_by_the_published_rule),
        cmocka_unit_test(training_windows_are_functions_of_epoch_and_row),
        cmocka_unit_test(training_ends_as_the_published_program_does),
    };
    return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
