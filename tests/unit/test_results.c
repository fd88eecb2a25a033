#include "results_db.h"

#include "base/random.h"

#include <float.h>

/* ---- statistics of generated values ---- */

/* Sizes at which sums and squares overflow, vanish or lose their last digits. */
static const double sizes[] = {5e-324, 1e-310, 1e-160, 1e-3,  1,       1e9,    1e153,
                               1e155,  1e290,  1e300,  1e307, 1.5e308, DBL_MAX};
enum { SIZES = sizeof sizes / sizeof *sizes, KINDS = 4, MOST_SEEDS = 6, MOST_RUNS = SIZES * KINDS * MOST_SEEDS };

/* A value of at most this size: near it, anywhere, of either sign, or the last number below it or itself. */
static double draw(uint64_t seed, int kind, double size)
{
    struct pl_random stream = pl_random_stream(seed, PL_STREAM_DATA);
    double u = pl_random_uniform(&stream, 0, 0);
    switch (kind) {
    case 0:
        return size * (1 - 1e-9 * u);
    case 1:
        return size * (2 * u - 1);
    case 2:
        return u < 0.5 ? -size : size;
    default:
        return u < 0.5 ? size : nextafter(size, 0);
    }
}

static size_t generate(struct known_run *runs, char (*names)[32])
{
    size_t count = 0;
    for (int s = 0; s < SIZES; s++)
        for (int kind = 0; kind < KINDS; kind++) {
            size_t at = (size_t)(s * KINDS + kind);
            snprintf(names[at], sizeof names[at], "optimizer=o%d lambda=%d", kind, s);
            for (int64_t seed = 0; seed < 1 + (int64_t)(at % MOST_SEEDS); seed++)
                runs[count++] = (struct known_run){
                    names[at], seed, PL_FINISHED, {draw(at * MOST_SEEDS + (uint64_t)seed, kind, sizes[s])}, 1, 0, NULL};
        }
    return count;
}

struct row {
    int64_t config, n;
    double mean, std, least, most;
};

struct rows {
    struct row rows[SIZES * KINDS];
    size_t count;
};

static int take_row(void *self, const struct pl_cell *cells, size_t count)
{
    struct rows *rows = self;
    assert_int_equal(count, 6);
    assert_true(rows->count < sizeof rows->rows / sizeof *rows->rows);
    double numbers[6];
    for (size_t i = 0; i < 6; i++)
        numbers[i] = cells[i].kind == PL_CELL_NULL      ? NAN
                     : cells[i].kind == PL_CELL_INTEGER ? (double)cells[i].integer
                                                        : cells[i].real;
    rows->rows[rows->count++] = (struct row){(int64_t)numbers[0], (int64_t)numbers[1], numbers[2],
                                             numbers[3],          numbers[4],          numbers[5]};
    return 0;
}

static void compare(const char *what, const struct row *row, double view, double report, double scale)
{
    if (isnan(view) && isnan(report))
        return;
    if (!isfinite(view) || !isfinite(report) || !(fabs(view / 4 - report / 4) <= 1e-13 * scale / 4 + 5e-324))
        fail_msg("%s of configuration %lld, %lld values from %.17g to %.17g: %.17g in the view, %.17g in the report",
                 what, (long long)row->config, (long long)row->n, row->least, row->most, view, report);
}

static void views_say_what_reports_say(void **state)
{
    (void)state;
    static struct known_run runs[MOST_RUNS];
    static char setting_names[SIZES * KINDS][32];
    static struct rows rows;
    size_t count = generate(runs, setting_names);
    static const char *const views[] = {"summary", "study_summary"};
    struct pl_store *store = make_results("", "loss", runs, count);
    struct pl_results *results = open_results(store);
    ok(pl_results_load(results, "loss", PL_SELECT_BEST, &err));
    for (size_t v = 0; v < 2; v++) {
        char sql[200];
        snprintf(sql, sizeof sql, "SELECT config, n, mean, std, min, max FROM %s WHERE metric = 'loss'", views[v]);
        rows.count = 0;
        ok(pl_store_query(store, sql, NULL, take_row, &rows, &err));
        assert_int_equal(rows.count, SIZES * KINDS);
        for (size_t i = 0; i < rows.count; i++) {
            const struct row *row = &rows.rows[i];
            struct pl_summary summary;
            double scale = fmax(fabs(row->least), fabs(row->most));
            pl_results_summary(results, pl_results_position(results, row->config), &summary);
            assert_int_equal(summary.n, row->n);
            assert_true(summary.least == row->least && summary.most == row->most);
            assert_true(summary.least <= summary.median && summary.median <= summary.most);
            assert_true(summary.least <= summary.mean && summary.mean <= summary.most);
            compare("mean", row, row->mean, summary.mean, scale);
            compare("std", row, row->std, summary.deviation, scale);
        }
    }
    pl_results_free(results);
    pl_store_close(store);
}

/* ---- choices ---- */

static void choices_go_by_the_means_of_tables(void **state)
{
    (void)state;
    static struct known_run runs[MOST_RUNS];
    static char setting_names[SIZES * KINDS][32];
    size_t count = generate(runs, setting_names);
    char optimizer[] = "optimizer", by[] = "loss", *over[] = {optimizer};
    struct pl_table_spec table = {.choose = {.best = 1, .over = {over, 1}, .metric = by, .select = PL_SELECT_BEST}};
    struct pl_store *store = make_results("", "loss", runs, count);
    struct pl_results *results = open_results(store);
    struct pl_choice *choice;
    ok(pl_results_choose(results, &table, &choice, &err));
    assert_int_equal(choice->count, SIZES * KINDS);
    assert_int_equal(choice->group_count, SIZES);
    assert_int_equal(choice->groups.count, 1);
    assert_string_equal(choice->groups.names[0], "lambda");
    for (size_t i = 0; i < choice->count; i++) {
        const struct pl_rival *rival = &choice->rivals[i];
        struct pl_summary summary;
        pl_results_summary(results, pl_results_position(results, rival->config), &summary);
        assert_true(rival->mean == summary.mean && rival->n == summary.n);
        assert_int_equal(rival->place, i % KINDS + 1);
        if (i % KINDS)
            assert_true(rival->mean >= choice->rivals[i - 1].mean);
    }
    pl_choice_free(choice);
    pl_results_free(results);
    pl_store_close(store);
}

/* The same values in another order are as good: the first in the grid wins. */
static void order_of_seeds_does_not_choose(void **state)
{
    (void)state;
    static const struct known_run runs[] = {
        RUN("optimizer=a", 1, PL_FINISHED, 0.1),  RUN("optimizer=a", 2, PL_FINISHED, 0.7),
        RUN("optimizer=a", 3, PL_FINISHED, 1e16), RUN("optimizer=b", 1, PL_FINISHED, 1e16),
        RUN("optimizer=b", 2, PL_FINISHED, 0.7),  RUN("optimizer=b", 3, PL_FINISHED, 0.1),
    };
    char key[] = "optimizer", by[] = "loss", *over[] = {key};
    struct pl_table_spec table = {.choose = {.best = 1, .over = {over, 1}, .metric = by, .select = PL_SELECT_BEST}};
    struct pl_store *store = make_results("", "loss", runs, 6);
    struct pl_results *results = open_results(store);
    struct pl_choice *choice;
    ok(pl_results_choose(results, &table, &choice, &err));
    assert_int_equal(choice->count, 2);
    assert_true(choice->rivals[0].mean == choice->rivals[1].mean);
    assert_int_equal(pl_results_position(results, choice->rivals[0].config), 0);
    pl_choice_free(choice);
    pl_results_free(results);
    pl_store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(views_say_what_reports_say),
        cmocka_unit_test(choices_go_by_the_means_of_tables),
        cmocka_unit_test(order_of_seeds_does_not_choose),
    };
    return cmocka_run_group_tests(tests, make_db_name, remove_db);
}
