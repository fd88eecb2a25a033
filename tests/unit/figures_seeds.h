/* Box and strip figures, for test_figures.c: runs of a few seeds and of many, and what should be shown of them. */
#ifndef PL_TEST_FIGURES_SEEDS_H
#define PL_TEST_FIGURES_SEEDS_H

#include "figures_search.h"

enum { CATEGORIES = 3, MOST_SEEDS = 12, SEED_LINES = 2, CELLS = 2 * SEED_LINES * CATEGORIES };

static struct known_run seed_runs[CELLS * MOST_SEEDS];
static size_t seed_run_count;
static const double categories[CATEGORIES] = {0.1, 10, 1}; /* as the grid has them */

/* What one line has in one category of a panel. */
static struct cell {
    char settings[80];
    double values[MOST_SEEDS], sorted[MOST_SEEDS];
    int n;
    bool boxed;
    double middle, low, high, ends[2];
} cells[CELLS];
static unsigned boxed, unboxed, beyond_whiskers;

static inline struct cell *cell_of(int panel, int line, int category)
{
    return &cells[(panel * SEED_LINES + line) * CATEGORIES + category];
}

/* Between the two order statistics on both sides of a share of the way from the least to the greatest. */
static inline double quartile_of(const struct cell *cell, int quarter)
{
    int at = (cell->n - 1) * quarter;
    long double part = at % 4 / 4.0L, below = cell->sorted[at / 4], above = cell->sorted[at / 4 + (at % 4 > 0)];
    return (double)(below + part * (above - below));
}

static inline void work_out(struct cell *cell)
{
    memcpy(cell->sorted, cell->values, sizeof cell->sorted);
    qsort(cell->sorted, (size_t)cell->n, sizeof *cell->sorted, by_size);
    cell->boxed = cell->n >= 5;
    cell->middle = cell->low = cell->high = cell->ends[0] = cell->ends[1] = NAN;
    if (!cell->n)
        return;
    cell->low = quartile_of(cell, 1);
    cell->middle = quartile_of(cell, 2);
    cell->high = quartile_of(cell, 3);
    long double reach = 1.5L * ((long double)cell->high - cell->low);
    for (int i = 0; i < cell->n && cell->boxed; i++) {
        double value = cell->sorted[i];
        if (isnan(cell->ends[0]) && value >= cell->low - reach)
            cell->ends[0] = fmin(value, cell->low);
        if (value <= cell->high + reach)
            cell->ends[1] = fmax(value, cell->high);
    }
}

static inline void draw_seeds(unsigned round)
{
    state_of_draw = 4711 + round;
    seed_run_count = 0;
    for (int i = 0; i < CELLS; i++) {
        struct cell *cell = &cells[i];
        unsigned kind = draw(8), seeds = 1 + draw(MOST_SEEDS);
        int panel = i / SEED_LINES / CATEGORIES, line = i / CATEGORIES % SEED_LINES;
        snprintf(cell->settings, sizeof cell->settings, "where=p%d name=l%d lambda=%g", panel, line,
                 categories[i % CATEGORIES]);
        cell->n = 0;
        for (unsigned s = 0; s < seeds; s++) {
            struct known_run *run = &seed_runs[seed_run_count++];
            *run = (struct known_run){.settings = cell->settings, .seed = s + 1, .count = 1};
            run->values[0] = draw_value(kind) * (draw(6) ? 1 : 5);
            run->outcome = !draw(12) ? -1 : isfinite(run->values[0]) ? PL_FINISHED : PL_DIVERGED;
            if (run->outcome == PL_FINISHED)
                cell->values[cell->n++] = run->values[0];
        }
        work_out(cell);
    }
}

/* Up to what is lost where values of both signs are added. */
static inline bool near(const struct cell *cell, double a, double b)
{
    double size = cell->n ? fmax(fabs(cell->sorted[0]), fabs(cell->sorted[cell->n - 1])) : 0;
    return alike(a, b, 1e-12) || fabs(a - b) <= 1e-12 * size;
}

static inline bool is_beyond(const struct cell *cell, double value)
{
    return !cell->boxed || value < cell->ends[0] || value > cell->ends[1];
}

/* The next row of a block, as numbers; false at its end. */
static inline bool next_row(const char **row, double numbers[9], int count)
{
    char *end = (char *)*row;
    if (!*row || !**row || **row == '\n')
        return false;
    for (int i = 0; i < count; i++)
        numbers[i] = strtod(end, &end);
    *row += strcspn(*row, "\n") + 1;
    return true;
}

/* The data hold every run, in the order of the seeds; those beyond the whiskers once more. */
static inline void compare_seed_data(const char *data, int panel, int line, bool box)
{
    char name[8];
    double at[9] = {0}, run[9], beyond[9];
    snprintf(name, sizeof name, "l%d", line);
    const char *row = block_of(data, panel, name, "median over the runs"),
               *runs = block_of(data, panel, name, ": single runs: "),
               *outside = block_of(data, panel, name, "single runs beyond");
    for (int c = 0; c < CATEGORIES; c++) {
        const struct cell *cell = cell_of(panel, line, c);
        assert_true(next_row(&row, at, box ? 9 : 7));
        assert_true(at[0] == categories[c] && at[4] == cell->n);
        assert_true(fabs(at[6] - (c + 1 + 0.4 * line - 0.2)) < 1e-9);
        if (!near(cell, at[1], cell->middle) || !near(cell, at[2], cell->low) || !near(cell, at[3], cell->high))
            fail_msg("%s: the data say %.17g %.17g %.17g, not %.17g %.17g %.17g", cell->settings, at[1], at[2], at[3],
                     cell->middle, cell->low, cell->high);
        if (box && (!near(cell, at[7], cell->ends[0]) || !near(cell, at[8], cell->ends[1])))
            fail_msg("%s: the whiskers end at %.17g and %.17g, not %.17g and %.17g", cell->settings, at[7], at[8],
                     cell->ends[0], cell->ends[1]);
        boxed += box && cell->boxed;
        unboxed += box && !cell->boxed;
        for (int i = 0; i < cell->n; i++) {
            assert_true(next_row(&runs, run, 7));
            if (run[0] != categories[c] || run[1] != cell->values[i])
                fail_msg("%s: the data have %.17g at %g in the place of %.17g", cell->settings, run[1], run[0],
                         cell->values[i]);
            if (!box || !is_beyond(cell, cell->values[i]))
                continue;
            beyond_whiskers += cell->boxed;
            assert_true(next_row(&outside, beyond, 7));
            assert_true(beyond[0] == run[0] && beyond[1] == run[1] && beyond[6] == run[6]);
        }
    }
    assert_false(next_row(&row, at, 7) || next_row(&runs, run, 7) || next_row(&outside, beyond, 7));
}

/* As boxes are drawn: what is not above zero lies below a logarithmic axis. */
static inline bool is_end(const struct pl_panel *panel, double value, double shown)
{
    double unit = pow(10, pl_scale_power(panel->y_range, panel->log_y));
    return panel->log_y && value <= 0 ? shown < panel->y_range[0] / unit : is_right(panel, value, shown, true);
}

static inline void compare_boxes(const struct pl_panel *p, const struct curve *boxes, int panel, int line)
{
    assert_int_equal(boxes->count, CATEGORIES);
    for (int c = 0; c < CATEGORIES; c++) {
        const struct cell *cell = cell_of(panel, line, c);
        const double *shown = boxes->rows[c].all;
        assert_true(boxes->rows[c].drawn == cell->boxed);
        if (cell->boxed && (!is_end(p, cell->low, shown[1]) || !is_end(p, cell->ends[0], shown[2]) ||
                            !is_end(p, cell->ends[1], shown[3]) || !is_end(p, cell->high, shown[4])))
            fail_msg("%s: the box is drawn at %.17g %.17g %.17g %.17g, not %.17g %.17g %.17g %.17g", cell->settings,
                     shown[2], shown[1], shown[4], shown[3], cell->ends[0], cell->low, cell->high, cell->ends[1]);
    }
}

/* Points of single runs, within what their line has of the category and apart from each other where they stand alone.
 */
static inline void compare_points(const struct pl_panel *p, const struct curve *points, int panel, int line, bool box)
{
    size_t next = 0;
    for (int c = 0; c < CATEGORIES; c++) {
        const struct cell *cell = cell_of(panel, line, c);
        double before = -INFINITY, middle = c + 1 + 0.4 * line - 0.2;
        for (int i = 0; i < cell->n; i++) {
            if (box && !is_beyond(cell, cell->values[i]))
                continue;
            assert_true(next < points->count);
            double x = points->rows[next].x;
            assert_true(fabs(x - middle) < 0.2 && (x > before || (box && cell->boxed)));
            if (!is_right(p, cell->values[i], points->rows[next].y, points->rows[next].drawn))
                fail_msg("%s: a run of %.17g is drawn at %.17g", cell->settings, cell->values[i], points->rows[next].y);
            before = x;
            next++;
        }
    }
    assert_int_equal(next, points->count);
}

static inline void compare_medians(const struct pl_panel *p, const struct curve *medians, int panel, int line)
{
    assert_int_equal(medians->count, CATEGORIES);
    for (int c = 0; c < CATEGORIES; c++) {
        const struct cell *cell = cell_of(panel, line, c);
        if (cell->n == 1 && isfinite(cell->middle)) { /* which is its own median */
            assert_false(medians->rows[c].drawn);
            continue;
        }
        if (!is_right(p, cell->middle, medians->rows[c].y, medians->rows[c].drawn))
            fail_msg("%s: the median %.17g is drawn at %.17g", cell->settings, cell->middle, medians->rows[c].y);
    }
}

/* Arrows for all runs beyond the axis. */
static inline void compare_arrows(const struct pl_panel *p, const char *data, int panel, int line)
{
    char name[8];
    size_t above = 0, below = 0;
    snprintf(name, sizeof name, "l%d", line);
    for (int c = 0; c < CATEGORIES; c++)
        for (int i = 0; i < cell_of(panel, line, c)->n; i++) {
            above += cell_of(panel, line, c)->values[i] > p->y_range[1];
            below += cell_of(panel, line, c)->values[i] < p->y_range[0];
        }
    assert_int_equal(rows_of(block_of(data, panel, name, "above the axis")), above);
    assert_int_equal(rows_of(block_of(data, panel, name, "below the axis")), below);
}

/* Of a line gnuplot draws the boxes, then points if there are any, then medians; of a strip points and medians. */
static inline void read_back_seeds(struct pl_results *results, enum pl_figure_kind kind, unsigned round)
{
    struct pl_figure figure;
    struct pl_text data = {0}, notes = {0};
    struct pl_figure_spec spec = pl_figure_neutral;
    bool box = kind == PL_FIGURE_BOX;
    spec.kind = kind;
    spec.x = lambda_key;
    spec.y = loss;
    spec.panels = (struct pl_names){panels, 1};
    spec.lines = (struct pl_names){lines, 1};
    spec.log_y = round % 3 == 1;
    spec.share_y = round % 2;
    if (round % 4 == 2)
        spec.y_range[1] = 3;
    bool there = read_back(results, &spec, &figure, &data, &notes);
    for (int i = 0; there && i < 2 * SEED_LINES; i++) {
        int panel = i / SEED_LINES, line = i % SEED_LINES;
        char name[8];
        snprintf(name, sizeof name, "l%d", line);
        compare_seed_data(pl_text(&data), panel, line, box);
        compare_arrows(&figure.panels[panel], pl_text(&data), panel, line);
        const struct curve *named = curve_of(panel, name);
        bool points = block_of(pl_text(&data), panel, name, box ? "single runs beyond" : ": single runs: ");
        if (box) {
            assert_non_null(named);
            compare_boxes(&figure.panels[panel], named - 1 - points, panel, line);
        }
        if (points)
            compare_points(&figure.panels[panel], box ? named - 1 : named, panel, line, box);
        if (box || points)
            compare_medians(&figure.panels[panel], box ? named : named + 1, panel, line);
    }
    if (there)
        pl_figure_release(&figure);
    pl_text_release(&data);
    pl_text_release(&notes);
}

#endif
