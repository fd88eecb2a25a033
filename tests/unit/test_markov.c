/* The text that is made from a seed: its entropy, its words, its seeds. */
#include "data_fixture.h"
#include "data/text/corpus_priv.h"
#include <math.h>

/* ---- markov */

static struct pl_corpus *open_markov(int vocabulary, int order, int branches, int skew, int seed)
{
    struct pl_settings s = {0};
    struct pl_corpus *corpus;
    struct pl_error err = {0};
    pl_settings_set_string(&s, "dataset", "markov");
    pl_settings_set_integer(&s, "vocabulary", vocabulary);
    pl_settings_set_integer(&s, "order", order);
    pl_settings_set_integer(&s, "branches", branches);
    pl_settings_set_integer(&s, "skew", skew);
    pl_settings_set_integer(&s, "train_tokens", 200000);
    pl_settings_set_integer(&s, "data_seed", seed);
    if (pl_corpus_open(&corpus, &s, "no-such-folder", &err))
        fail_msg("%s", err.text);
    size_t expected, sizes[PL_SPLIT_COUNT];
    assert_true(pl_corpus_expect(&s, &expected, sizes));
    assert_int_equal(expected, pl_corpus_vocabulary(corpus));
    for (enum pl_split split = 0; split < PL_SPLIT_COUNT; split++)
        assert_int_equal(sizes[split], pl_corpus_size(corpus, split));
    pl_settings_release(&s);
    return corpus;
}

static void a_subset_is_the_beginning(void **state)
{
    (void)state;
    enum { TOKENS = 5000, SUBSET = 1234 };
    static const int64_t subsets[] = {0, SUBSET, TOKENS, 2 * TOKENS};
    static const size_t sizes[] = {TOKENS, SUBSET, TOKENS, TOKENS};
    struct pl_corpus *all = NULL;
    for (size_t i = 0; i < sizeof subsets / sizeof *subsets; i++) {
        struct pl_settings s = {0};
        struct pl_corpus *corpus;
        struct pl_error err = {0};
        size_t words, expected[PL_SPLIT_COUNT];
        pl_settings_set_string(&s, "dataset", "markov");
        pl_settings_set_integer(&s, "train_tokens", TOKENS);
        pl_settings_set_integer(&s, "subset", subsets[i]);
        assert_int_equal(pl_corpus_open(&corpus, &s, "no-such-folder", &err), 0);
        assert_int_equal(pl_corpus_size(corpus, PL_SPLIT_TRAIN), sizes[i]);
        assert_true(pl_corpus_expect(&s, &words, expected));
        assert_int_equal(expected[PL_SPLIT_TRAIN], sizes[i]);
        assert_int_equal(pl_corpus_vocabulary(corpus), words);
        assert_true(isnan(pl_corpus_source_loss(corpus, PL_SPLIT_TRAIN)) == (sizes[i] < TOKENS));
        assert_false(isnan(pl_corpus_source_loss(corpus, PL_SPLIT_TEST)));
        pl_settings_release(&s);
        if (!all) {
            all = corpus;
            continue;
        }
        assert_memory_equal(pl_corpus_tokens(corpus, PL_SPLIT_TRAIN), pl_corpus_tokens(all, PL_SPLIT_TRAIN),
                            sizes[i] * sizeof(int32_t));
        assert_int_equal(pl_corpus_size(corpus, PL_SPLIT_TEST), pl_corpus_size(all, PL_SPLIT_TEST));
        pl_corpus_close(corpus);
    }
    pl_corpus_close(all);
}

static int compare_counts(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x < y) - (x > y);
}

/* Loss of the best model that looks at `order` words, fitted to the training split itself: counts of each branch after
 * each context. Every context must have its branches and no more. */
static double fit(const struct pl_corpus *corpus, int order, int branches)
{
    size_t words = pl_corpus_vocabulary(corpus), contexts = 1, count = pl_corpus_size(corpus, PL_SPLIT_TRAIN);
    const int32_t *tokens = pl_corpus_tokens(corpus, PL_SPLIT_TRAIN);
    for (int i = 0; i < order; i++)
        contexts *= words;
    int *counts = pl_new(contexts * words * sizeof *counts);
    double loss = 0, total = 0;
    for (size_t i = (size_t)order; i < count; i++) {
        size_t context = 0;
        for (int k = order; k > 0; k--)
            context = context * words + (size_t)tokens[i - (size_t)k];
        counts[context * words + (size_t)tokens[i]]++;
    }
    for (size_t c = 0; c < contexts; c++) {
        int *of = counts + c * words, sum = 0;
        qsort(of, words, sizeof *of, compare_counts);
        for (size_t w = 0; w < words; w++)
            sum += of[w];
        if ((size_t)branches < words)
            assert_int_equal(of[branches], 0);
        for (size_t w = 0; w < words && of[w]; w++)
            loss -= of[w] * log((double)of[w] / sum);
        total += sum;
    }
    free(counts);
    return loss / total;
}

static void the_entropy_of_markov_is_what_it_says(void **state)
{
    (void)state;
    static const struct {
        int vocabulary, order, branches, skew;
        double entropy;
    } cases[] = {{64, 1, 4, 0, 1.3862943611198906}, /* log 4 */
                 {64, 1, 4, 1, 1.2424577879358718}, /* 12/25 6/25 4/25 3/25 */
                 {10, 2, 3, 1, 0.9949236325717751}, /* 6/11 3/11 2/11 */
                 {6, 3, 2, 2, 0.5004024235381879},  /* 4/5 1/5 */
                 {30, 1, 1, 1, 0},
                 {3, 1, 3, 0, 1.0986122886681098}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pl_corpus *corpus = open_markov(cases[i].vocabulary, cases[i].order, cases[i].branches, cases[i].skew,
                                               1);
        double entropy = pl_corpus_entropy(corpus), chance = 0.01;
        assert_true(fabs(entropy - cases[i].entropy) < 1e-12);
        assert_true(fabs(pl_corpus_source_loss(corpus, PL_SPLIT_TRAIN) - entropy) < chance);
        assert_true(fabs(pl_corpus_source_loss(corpus, PL_SPLIT_TEST) - entropy) < 6 * chance);
        assert_true(fabs(fit(corpus, cases[i].order, cases[i].branches) - entropy) < chance);
        pl_corpus_close(corpus);
    }
}

/* Counting words says nothing, and neither does a part of what came before. */
static void shorter_contexts_say_nothing(void **state)
{
    (void)state;
    struct pl_corpus *corpus = open_markov(12, 2, 3, 1, 5);
    assert_true(fit(corpus, 0, 12) > 0.999 * log(12));
    assert_true(fit(corpus, 1, 12) > 0.999 * log(12));
    assert_true(fit(corpus, 2, 3) < pl_corpus_entropy(corpus) + 0.01);
    pl_corpus_close(corpus);
}

static void markov_has_words_and_seeds(void **state)
{
    (void)state;
    struct pl_corpus *a = open_markov(6000, 1, 4, 1, 1), *b = open_markov(6000, 1, 4, 1, 2),
                     *c = open_markov(6000, 1, 4, 1, 1);
    struct pl_vocabulary v = {0};
    for (size_t i = 0; i < 6000; i++) {
        const char *word = pl_corpus_word(a, (int64_t)i);
        assert_int_equal(pl_vocabulary_add(&v, word, strlen(word)), i); /* all are different */
    }
    assert_string_equal(pl_corpus_word(a, 0), "<eos>");
    pl_vocabulary_release(&v);
    assert_string_equal(pl_corpus_checksum(a), pl_corpus_checksum(c));
    assert_string_not_equal(pl_corpus_checksum(a), pl_corpus_checksum(b));
    assert_true(memcmp(pl_corpus_tokens(a, PL_SPLIT_VALID), pl_corpus_tokens(a, PL_SPLIT_TEST), 4000) != 0);
    assert_true(pl_corpus_official(a));
    assert_true(pl_corpus_memory(a) >= 210000 * sizeof(int32_t));
    pl_corpus_close(a);
    pl_corpus_close(b);
    pl_corpus_close(c);
    struct pl_settings s = {0};
    struct pl_error err;
    pl_settings_set_string(&s, "dataset", "markov");
    pl_settings_set_integer(&s, "branches", 65);
    assert_int_equal(pl_corpus_open(&a, &s, "", &err), PL_EINPUT);
    assert_non_null(strstr(err.text, "branches is 65, but the vocabulary has only 64 words"));
    pl_settings_release(&s);
    struct pl_text verdict = {0};
    if (pl_corpus_verify("markov", "", &verdict, &err))
        fail_msg("%s", err.text);
    assert_non_null(strstr(pl_text(&verdict), "50000 training, 5000 validation and 5000 test tokens of 64 words"));
    pl_text_release(&verdict);
}

int main(void)
{
#define TEST_IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_entropy_of_markov_is_what_it_says),
        cmocka_unit_test(shorter_contexts_say_nothing),
        cmocka_unit_test(markov_has_words_and_seeds),
        cmocka_unit_test(a_subset_is_the_beginning),
    };
    return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
