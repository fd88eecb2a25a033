#include "device/cpu/kernels/tile.h"

/* One function for every number of rows, so that the accumulators are registers. */
#define TILE_FUNCTION(rows, panels)                                                                                    \
    static __attribute__((noinline)) void tile_##rows##_##panels(const struct tile_sum *s,                             \
                                                                 const struct tile_start *start, const float *ahead,   \
                                                                 size_t pace, float *c, size_t c_panel, int finish)    \
    {                                                                                                                  \
        tile(rows, panels, s, start, ahead, pace, c, c_panel, finish);                                                 \
    }
#define TILE_ENTRY(rows, panels) tile_##rows##_##panels,

typedef void tile_function(const struct tile_sum *, const struct tile_start *, const float *, size_t, float *, size_t,
                           int);

FOR_TILE_ROWS(TILE_FUNCTION, 1)
#if defined(__AVX512F__)
FOR_TILE_ROWS(TILE_FUNCTION, 2)
#endif

static tile_function *const functions[TILE_PANELS][TILE_ROWS] = {
    {FOR_TILE_ROWS(TILE_ENTRY, 1)},
#if defined(__AVX512F__)
    {FOR_TILE_ROWS(TILE_ENTRY, 2)},
#endif
};

/* Tiles that share the fetching of one panel of the next weights: a power of two. */
static int sharers(int n, int panels, const struct tile_sum *s)
{
    const int tiles = (n + TILE_ROWS - 1) / TILE_ROWS;
    int share = 1;
    while (s->streams && share < 16 && 2 * share * panels <= tiles)
        share *= 2;
    return share;
}

void PL_CPU_NAME(tiles)(int n, int panels, const struct tile_sum *s, const struct tile_start *start, float *c,
                        size_t c_panel, int finish)
{
    const float *a[TILE_TAPS]; /* moved on from tile to tile */
    struct tile_sum sum = *s;
    struct tile_start begin = *start;
    sum.a = a;
    const int share = sharers(n, panels, s);
    const size_t part = (size_t)s->taps * s->blocks * 256 / share;
    for (int row = 0, tile = 0, rows; row < n; row += rows, tile++) {
        rows = tile_rows(n - row, TILE_ROWS);
        for (int t = 0; t < s->taps; t++)
            a[t] = s->a[t] + row * 16;
        begin.at = start->at + (size_t)row * start->row;
        /* Then there is nothing left to fetch. */
        const bool fetches = s->next && tile < panels * share;
        const float *ahead = fetches ? s->next + tile / share * s->b_panel + tile % share * part : s->b[0];
        size_t pace = 16 / share;
        if (tile < s->fetch.count) {
            ahead = s->fetch.at + (size_t)tile * s->fetch.step;
            pace = s->fetch.pace;
        }
        functions[panels - 1][rows - 1](&sum, &begin, ahead, pace, c + row * 16, c_panel, finish);
    }
}

#define OUTER_FUNCTION(rows, panels)                                                                                   \
    static __attribute__((noinline)) void outer_##rows##_##panels(const struct outer_sum *s, int first, int part,      \
                                                                  float *c, size_t c_panel)                            \
    {                                                                                                                  \
        outer(rows, panels, s, first, part, c, c_panel);                                                               \
    }

/* 16 = 8 + 8, 6 + 5 + 5 or 8 x 2 */
#if defined(__AVX512F__)
OUTER_FUNCTION(8, 1)
OUTER_FUNCTION(8, 2)
#elif defined(__AVX2__) || defined(__aarch64__)
OUTER_FUNCTION(6, 1)
OUTER_FUNCTION(5, 1)
#else
OUTER_FUNCTION(2, 1)
#endif

void PL_CPU_NAME(outers)(int panels, const struct outer_sum *s, float *c, size_t c_panel)
{
#if defined(__AVX512F__)
    for (int first = 0; first < 16; first += 8)
        (panels == 2 ? outer_8_2 : outer_8_1)(s, first, first / 8, c, c_panel);
#elif defined(__AVX2__) || defined(__aarch64__)
    (void)panels;
    outer_6_1(s, 0, 0, c, c_panel);
    outer_5_1(s, 6, 1, c, c_panel);
    outer_5_1(s, 11, 2, c, c_panel);
#else
    (void)panels;
    for (int first = 0; first < 16; first += 2)
        outer_2_1(s, first, first / 2, c, c_panel);
#endif
}
