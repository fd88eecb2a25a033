/* Tiles of an image for the Winograd algorithms: from activations to points, vectors of samples at a time. */
#ifndef PL_DEVICE_CPU_WINOGRAD_TILE_H
#define PL_DEVICE_CPU_WINOGRAD_TILE_H

#include "device/cpu/kernels/table.h"
#include "device/cpu/kernels/winograd.h"

enum { AHEAD = 64 }; /* floats: the pixels' lines are fetched so far before they are needed */

/* What a task covers: some tiles of some samples. */
struct winograd_task {
    int tile, tiles, sample, samples;
};

INLINE struct winograd_task winograd_task(const struct pl_cpu_winograd_plan *plan, int batch, int task)
{
    const int piece = task % plan->pieces, tile = task / plan->pieces * plan->together;
    const int sample = (int)((long)batch * piece / plan->pieces);
    return (struct winograd_task){tile, pl_cpu_min(plan->together, plan->tiles - tile), sample,
                                  (int)((long)batch * (piece + 1) / plan->pieces) - sample};
}

/* The pixels of an edge x edge window whose first is (top, left), for samples from `sample` on: outside the
 * image they read zeros. */
INLINE void window_pointers(const struct pl_cpu_shape *in, const float *block, int top, int left, const int edge,
                            int sample, const float **from)
{
    static const float zeros[PL_CPU_WINOGRAD_SAMPLES * 16] __attribute__((aligned(64)));
    for (int p = 0; p < edge * edge; p++) {
        const int y = top + p / edge, x = left + p % edge;
        const bool inside = y >= 0 && y < in->height && x >= 0 && x < in->width;
        from[p] = inside ? block + (size_t)(y * in->width + x) * in->pixel + (size_t)sample * 16 : zeros;
    }
}

/* Fetches a window's lines to L2, pixel after pixel: as many streams at a time as a window has pixels are more than
 * processors follow, so loads in the order of the transform would wait for each line. */
INLINE void fetch_pixels(const float *const *from, int first, int end, int step, size_t offset, int length)
{
    for (int p = first; p < end; p += step)
        for (int q = 0; q < length; q += 16)
            prefetch_later(from[p] + offset + q);
}

/* Which block of a task's channels: the first one's pixels are not fetched yet, behind the last one are no others. */
enum place { FIRST_BLOCK = 1, LAST_BLOCK = 2 };

INLINE int place_of(int block, int blocks)
{
    return (block == 0 ? FIRST_BLOCK : 0) | (block == blocks - 1 ? LAST_BLOCK : 0);
}

/* The points of one block of channels for all rows of a task: out[point * out_point + row * 16]. `gradient`
 * takes output tiles (A e A^T) instead of input tiles (B^T d B). Meanwhile the next block's pixels are fetched, some
 * with each sample. */
INLINE void task_points(const int m, const bool gradient, const struct pl_cpu_winograd_plan *plan,
                        const struct winograd_task *task, const struct pl_cpu_shape *in, const float *block, int place,
                        float *out, size_t out_point)
{
    const int edge = gradient ? m : m + 2;
    for (int t = 0; t < task->tiles; t++, out += task->samples * 16) {
        const float *from[36];
        const int top = (task->tile + t) / plan->across * m - (gradient ? 0 : plan->pad[0]);
        const int left = (task->tile + t) % plan->across * m - (gradient ? 0 : plan->pad[1]);
        window_pointers(in, block, top, left, edge, task->sample, from);
        const int length = task->samples * 16;
        if (place & FIRST_BLOCK)
            fetch_pixels(from, 0, edge * edge, 1, 0, length);
        for (int q = 0; q < length; q += LANES) {
            vec d[36], points[36];
            if (!(place & LAST_BLOCK) && q % 16 == 0)
                fetch_pixels(from, q / 16, edge * edge, task->samples, in->block, length);
            const size_t ahead = q + AHEAD < length ? (size_t)(q + AHEAD) : q + AHEAD - length + in->block;
            UNROLL_FOR (int p = 0; p < edge * edge; p++) {
                d[p] = load(from[p] + q);
                prefetch(from[p] + ahead);
            }
            if (gradient)
                transform_gradient(m, d, points);
            else
                transform_input(m, d, points);
            UNROLL_FOR (int p = 0; p < (m + 2) * (m + 2); p++)
                store(out + p * out_point + q, points[p]);
        }
    }
}

#endif
