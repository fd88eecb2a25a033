/* Runs with drawn values, of every kind that there can be, for test_figures.c. */
#ifndef PL_TEST_FIGURES_DATA_H
#define PL_TEST_FIGURES_DATA_H

#include "plot/plot_priv.h"
#include "results_db.h"

#include <float.h>
#include <sys/wait.h>

enum { LINES = 5, SEEDS = 2, EPOCHS = 12, ROUNDS = 6, MOST_CURVES = 128 };

static char folder[] = "/tmp/poula-figures.XXXXXX";

/* ---- generated data ---- */

static uint64_t state_of_draw;

static inline unsigned draw(unsigned below) /* Knuth's MMIX generator */
{
    state_of_draw = state_of_draw * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state_of_draw >> 33) % below;
}

static inline double draw_value(unsigned kind)
{
    double plain = 0.01 + draw(1000) / 250.0;
    static const double odd[] = {NAN, INFINITY, -INFINITY, 0, -0.5, 1e300, -1e308, 1e-300, 5e-324, 1e308};
    switch (kind) {
    case 0:
        return plain; /* ordinary */
    case 1:
        return draw(3) ? plain : odd[draw(10)]; /* anything in between */
    case 2:
        return draw(2) ? NAN : INFINITY; /* nothing finite */
    case 3:
        return draw(4) ? -plain : 0; /* nothing above zero */
    case 4:
        return plain * pow(10, (double)draw(60) - 30); /* over many decades */
    case 5:
        return 0.999 + draw(2) * 0.001; /* nearly one */
    case 6:
        return draw(2) ? plain : NAN; /* points between gaps */
    default:
        return 1e308 * (draw(2) ? 1 : -1); /* huge */
    }
}

static inline double draw_position(unsigned kind, int index)
{
    switch (kind) {
    case 0:
        return index + 1;
    case 1:
        return index; /* counted from 0 */
    case 2:
        return 9007199254740980.0 + index;
    case 3:
        return 0.25 * index + 0.25; /* fractions */
    case 4:
        return pow(10, index);
    default:
        return index - 3; /* below zero */
    }
}

static struct known_run drawn_runs[2 * LINES * SEEDS];
static double positions[2 * LINES * SEEDS][EPOCHS];
static char names[2 * LINES * SEEDS][120];
static size_t run_count;

/* What colours a point. */
static inline double epsilon_of(int panel, int line)
{
    return 0.5 * line + panel + 1;
}

/* Two panels of some lines; every run has values of its own, more or fewer of them. */
static inline void draw_runs(unsigned seed)
{
    state_of_draw = 77 + seed;
    unsigned axis = draw(6);
    run_count = 0;
    for (int panel = 0; panel < 2; panel++)
        for (int line = 0; line < LINES; line++)
            for (unsigned s = 0, kind = draw(8), few = draw(4); s < SEEDS; s++) {
                struct known_run *run = &drawn_runs[run_count];
                snprintf(names[run_count], sizeof names[0], "where=p%d dataset=p%d name=l%d lambda=%g epsilon=%g",
                         panel, panel, line, line == LINES - 1 ? (double)INFINITY : pow(10, -line),
                         epsilon_of(panel, line));
                *run = (struct known_run){.settings = names[run_count], .seed = s + 1, .outcome = PL_FINISHED};
                run->count = few == 0 ? 1 : few == 1 ? 1 + draw(EPOCHS) : EPOCHS;
                run->epochs = positions[run_count];
                for (size_t i = 0; i < run->count; i++) {
                    run->values[i] = draw_value(kind);
                    positions[run_count][i] = draw_position(axis, (int)i);
                }
                if (!isfinite(run->values[run->count - 1]))
                    run->outcome = PL_DIVERGED;
                if (!draw(12))
                    run->outcome = -1; /* never run */
                run_count++;
            }
}

#endif
