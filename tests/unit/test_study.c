/* What a study declares, without YAML: the words, lists and short forms that specs and the command line share. */
#include "study/study.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static void selections_are_read(void **state)
{
    (void)state;
    enum pl_select select;
    const char *metric;
    assert_true(pl_select_read("loss", &select, &metric));
    assert_int_equal(select, PL_SELECT_BEST);
    assert_string_equal(metric, "loss");
    assert_true(pl_select_read("last test_accuracy", &select, &metric));
    assert_int_equal(select, PL_SELECT_LAST);
    assert_string_equal(metric, "test_accuracy");
    assert_true(pl_select_read("best-valid x", &select, &metric));
    assert_int_equal(select, PL_SELECT_BEST_VALID);
    assert_false(pl_select_read("worst loss", &select, &metric));
    assert_false(pl_select_read("", &select, &metric));
    assert_false(pl_select_read("best a b", &select, &metric));
}

static void words_are_listed_in_the_order_of_their_enums(void **state)
{
    (void)state;
    enum pl_select select;
    enum pl_figure_kind kind;
    assert_string_equal(PL_SELECT_WORDS, "best last best-valid");
    assert_string_equal(PL_FIGURE_KIND_WORDS, "curves sensitivity heatmap trajectories scatter tuning profile ranks "
                                              "box strip parallel");
    assert_string_equal(PL_CELL_WORDS, "mean(std) mean median min max n mean+-std mean+-sem mean+-ci95");
    assert_string_equal(pl_cell_names[PL_CELL_COUNT - 1], "mean+-ci95");
    assert_string_equal(PL_UNIT_WORDS, "plain percent");
    assert_string_equal(PL_TEST_WORDS, "welch paired wilcoxon");
    assert_string_equal(pl_test_names[PL_TEST_WILCOXON], "wilcoxon");
    assert_string_equal(PL_CORRECTION_WORDS, "holm none");
    assert_string_equal(pl_correction_names[PL_CORRECT_NONE], "none");
    assert_true(pl_cell_is_mean(NULL) && pl_cell_is_mean("mean(std)") && !pl_cell_is_mean("max"));
    for (size_t i = 0; i < PL_SELECT_COUNT; i++) {
        assert_true(pl_select_find(pl_select_names[i], strlen(pl_select_names[i]), &select));
        assert_int_equal(select, i);
    }
    assert_false(pl_select_find("best-vali", 9, &select));
    for (size_t i = 0; i < PL_FIGURE_KIND_COUNT; i++) {
        assert_true(pl_figure_kind_read(pl_figure_kind_names[i], &kind));
        assert_int_equal(kind, i);
    }
    assert_false(pl_figure_kind_read("curve", &kind));
}

static void cells_are_spelled_in_several_ways(void **state)
{
    (void)state;
    bool beside;
    static const char *const same[] = {"mean+-sem", "mean +- sem", "mean±sem", " mean  ±  sem ", "mean± sem"};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        assert_string_equal(pl_cell_kind(same[i]), "mean+-sem");
    static const char *const wrong[] = {"",           "mean+",        "mean+-",  "mean-+sem",
                                        "mean+-sems", "mean ( std )", "meansem", "±"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_null(pl_cell_kind(wrong[i]));
    for (size_t i = 0; i < PL_CELL_COUNT; i++)
        assert_ptr_equal(pl_cell_kind(pl_cell_names[i]), pl_cell_names[i]);
    assert_int_equal(pl_cell_spread(NULL, &beside), PL_SPREAD_STD);
    assert_false(beside);
    assert_int_equal(pl_cell_spread("mean+-ci95", &beside), PL_SPREAD_CI95);
    assert_true(beside);
    assert_int_equal(pl_cell_spread("mean", &beside), PL_SPREAD_NONE);
    assert_true(pl_cell_is_mean("mean") && pl_cell_is_mean("mean+-sem") && !pl_cell_is_mean("median"));
    assert_string_equal(pl_cell_title("mean+-std"), "mean ± std");
    assert_string_equal(pl_cell_title("n"), "n");
}

static void labels_take_the_place_of_names(void **state)
{
    (void)state;
    struct pl_labels labels = {0};
    const char *wrong;
    assert_true(pl_labels_read("theopoula=TheoPouLa,0.1=a tenth,x=y=z", &labels, &wrong));
    assert_int_equal(labels.count, 3);
    assert_string_equal(pl_labels_find(&labels, "theopoula"), "TheoPouLa");
    assert_string_equal(pl_labels_find(&labels, "1e-1"), "a tenth");
    assert_string_equal(pl_labels_show(&labels, "x"), "y=z");
    assert_null(pl_labels_find(&labels, "theo"));
    assert_string_equal(pl_labels_show(&labels, "theo"), "theo");
    assert_false(pl_labels_read("a=b,1e-1=c,d=e", &labels, &wrong));
    assert_string_equal(wrong, "1e-1=c,d=e");
    static const char *const bad[] = {"", "a", "=a", "a=", "b=c,,d=e"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct pl_labels none = {0};
        assert_false(pl_labels_read(bad[i], &none, &wrong));
        pl_labels_release(&none);
    }
    pl_labels_release(&labels);
    assert_true(pl_table_label_is_legal("tab:main-2.a_b+c/d"));
    assert_false(pl_table_label_is_legal("") || pl_table_label_is_legal("a b") || pl_table_label_is_legal("a}"));
}

static void names_are_split_at_commas(void **state)
{
    (void)state;
    struct pl_names names;
    pl_names_read(",model,,lambda,", &names);
    assert_int_equal(names.count, 2);
    assert_true(pl_names_have(&names, "model") && pl_names_have(&names, "lambda"));
    assert_false(pl_names_have(&names, "lamb"));
    pl_names_release(&names);
    pl_names_read(NULL, &names);
    assert_int_equal(names.count, 0);
    pl_names_release(&names);
}

static void conditions_are_spelled_again(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"lambda=1e-1,0.2", "lambda=0.1,0.2"}, {"optimizer!=sgd", "optimizer!=sgd"}, {"beta<3", "beta=<3"},
        {" beta >= 1", " beta=>=1"},           {"beta=1..2,x", "beta=x,1..2"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        struct pl_condition *list = NULL;
        size_t count = 0;
        struct pl_text text = {0};
        assert_true(pl_where_read(pairs[i][0], &list, &count));
        assert_int_equal(count, 1);
        pl_where_write(list, &text);
        assert_string_equal(pl_text(&text), pairs[i][1]);
        pl_where_free(list, count);
        pl_text_release(&text);
    }
}

static void conditions_admit_values(void **state)
{
    (void)state;
    struct pl_condition *list = NULL;
    size_t count = 0;
    struct pl_value tenth = {PL_REAL, {.real = 0.1}}, ten = {PL_INTEGER, {.integer = 10}},
                    word = {PL_STRING, {.string = "10"}};
    assert_true(pl_where_read("x=0.1..10", &list, &count) && pl_where_read("x!=10", &list, &count) &&
                pl_where_read("x>10", &list, &count));
    assert_true(pl_condition_admits(&list[0], &tenth) && pl_condition_admits(&list[0], &ten));
    assert_false(pl_condition_admits(&list[0], &word)); /* a text is in no range */
    assert_false(pl_condition_admits(&list[1], &ten) || pl_condition_admits(&list[1], &word)); /* spelled alike */
    assert_true(pl_condition_admits(&list[1], &tenth));
    assert_false(pl_condition_admits(&list[1], NULL) || pl_condition_admits(&list[2], &ten));
    pl_where_free(list, count);
}

static void directions_are_declared_or_named(void **state)
{
    (void)state;
    char loss[] = "loss";
    struct pl_metric_spec metric = {.name = loss, .direction = PL_MAXIMIZE};
    struct pl_study study = {.metrics = &metric, .metric_count = 1};
    assert_int_equal(pl_study_direction(&study, "loss"), PL_MAXIMIZE);
    assert_int_equal(pl_study_direction(NULL, "loss"), PL_MINIMIZE);
    assert_int_equal(pl_study_direction(&study, "test_accuracy"), PL_MAXIMIZE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(selections_are_read),
        cmocka_unit_test(words_are_listed_in_the_order_of_their_enums),
        cmocka_unit_test(cells_are_spelled_in_several_ways),
        cmocka_unit_test(labels_take_the_place_of_names),
        cmocka_unit_test(names_are_split_at_commas),
        cmocka_unit_test(conditions_are_spelled_again),
        cmocka_unit_test(conditions_admit_values),
        cmocka_unit_test(directions_are_declared_or_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
