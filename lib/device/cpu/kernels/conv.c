/* Convolutions, as far as they do not depend on the instruction set: which algorithm, and what it needs. */
#include "device/cpu/kernels/kernels_priv.h"

static bool winograd(enum pl_cpu_algorithm algorithm)
{
    return algorithm == PL_CPU_WINOGRAD2 || algorithm == PL_CPU_WINOGRAD4;
}

bool pl_cpu_conv_can(const struct pl_cpu_conv *conv, enum pl_cpu_pass pass, enum pl_cpu_algorithm algorithm)
{
    if (winograd(algorithm))
        return !conv->norm && conv->kernel[0] == 3 && conv->kernel[1] == 3 && conv->stride[0] == 1 &&
               conv->stride[1] == 1;
    return algorithm == PL_CPU_DIRECT || (!conv->norm && pass != PL_CPU_BACKWARD_DATA);
}

/* Taps that the direct algorithm multiplies, over all positions along one axis of y. */
static int taps_inside(const struct pl_cpu_conv *conv, int axis)
{
    int count = 0;
    for (int at = 0; at < (axis ? conv->y.width : conv->y.height); at++)
        for (int k = 0; k < conv->kernel[axis]; k++)
            count += pl_cpu_source(conv, PL_CPU_FORWARD, axis, at, k) >= 0;
    return count;
}

/* Products a channel pair and sample that tiles of m x m outputs cost. */
static double winograd_products(const struct pl_cpu_shape *out, int m)
{
    const int down = (out->height + m - 1) / m, across = (out->width + m - 1) / m;
    return (double)down * across * (m + 2) * (m + 2);
}

enum pl_cpu_algorithm pl_cpu_conv_choose(const struct pl_cpu_conv *conv, enum pl_cpu_pass pass, bool exact)
{
    const int blocks = pl_cpu_blocks(conv->x.channels) * pl_cpu_taps(conv);
    if (pl_cpu_conv_can(conv, pass, PL_CPU_PATCHES) && conv->x.channels <= 8 && 2 * pl_cpu_patch_blocks(conv) <= blocks)
        return PL_CPU_PATCHES;
    if (exact || !pl_cpu_conv_can(conv, pass, PL_CPU_WINOGRAD4))
        return PL_CPU_DIRECT;
    /* The transforms cost about as much again as half the products of F(2x2) save. */
    const struct pl_cpu_shape *out = pass == PL_CPU_BACKWARD_DATA ? &conv->x : &conv->y;
    const double direct = (double)taps_inside(conv, 0) * taps_inside(conv, 1);
    const double two = 1.4 * winograd_products(out, 2), four = 1.4 * winograd_products(out, 4);
    if (four < direct && four <= two)
        return PL_CPU_WINOGRAD4;
    return two < direct ? PL_CPU_WINOGRAD2 : PL_CPU_DIRECT;
}

struct pl_cpu_weight_plan pl_cpu_weight_plan(const struct pl_cpu_conv *conv, enum pl_cpu_algorithm algorithm)
{
    enum { TASKS = 16 };
    const int taps = pl_cpu_taps(conv), outs = pl_cpu_blocks(conv->y.channels), pixels = pl_cpu_pixels(&conv->y);
    const int rows = pl_cpu_blocks(conv->x.channels);
    /* about 256 KB of gradients in a group */
    struct pl_cpu_weight_plan plan = {.side = taps == 1 ? 16 : taps <= 4 ? 8 : 4, .down = 1, .across = 1};
    if (algorithm == PL_CPU_DIRECT) {
        plan.down = (rows + plan.side - 1) / plan.side;
        plan.across = (outs + plan.side - 1) / plan.side;
    }
    const int groups = plan.down * plan.across;
    plan.splits = pl_cpu_min((TASKS + groups - 1) / groups, pixels);
    return plan;
}

struct pl_cpu_winograd_plan pl_cpu_winograd_plan(const struct pl_cpu_conv *conv, enum pl_cpu_pass pass,
                                                 enum pl_cpu_algorithm algorithm)
{
    const bool back = pass == PL_CPU_BACKWARD_DATA, weights = pass == PL_CPU_BACKWARD_WEIGHTS;
    const struct pl_cpu_shape *in = back ? &conv->y : &conv->x, *out = back ? &conv->x : &conv->y;
    struct pl_cpu_winograd_plan plan = {.m = algorithm == PL_CPU_WINOGRAD4 ? 4 : 2};
    plan.edge = plan.m + 2;
    plan.points = plan.edge * plan.edge;
    for (int axis = 0; axis < 2; axis++)
        plan.pad[axis] = back ? 2 - conv->pad[axis] : conv->pad[axis];
    plan.down = (out->height + plan.m - 1) / plan.m;
    plan.across = (out->width + plan.m - 1) / plan.m;
    plan.tiles = plan.down * plan.across;
    plan.in_blocks = pl_cpu_blocks(in->channels);
    plan.out_blocks = pl_cpu_blocks(out->channels);
    plan.operand_point = (size_t)plan.in_blocks * plan.out_blocks * 256 + 80;
    /* Few weights: a task's rows stay in L2 with them. Many: more rows share each load of the weights. */
    int most = plan.in_blocks <= 8 ? 32 : 64;
    if (weights) {
        plan.splits = plan.in_blocks * plan.out_blocks <= 64 ? 8 : 0;
        most = plan.splits ? 32 : PL_CPU_WINOGRAD_SAMPLES;
    }
    plan.pieces = (in->batch + most - 1) / most;
    plan.samples = (in->batch + plan.pieces - 1) / plan.pieces;
    plan.together = pl_cpu_min(most / plan.samples, plan.tiles);
    plan.rows = plan.samples * plan.together;
    plan.tasks = plan.pieces * ((plan.tiles + plan.together - 1) / plan.together);
    plan.splits = pl_cpu_min(plan.splits, plan.tasks);
    return plan;
}

static size_t winograd_workspace(const struct pl_cpu_conv *conv, enum pl_cpu_pass pass, enum pl_cpu_algorithm algorithm,
                                 int threads)
{
    const struct pl_cpu_winograd_plan plan = pl_cpu_winograd_plan(conv, pass, algorithm);
    const size_t in = plan.points * pl_cpu_winograd_point(&plan, plan.in_blocks);
    if (pass != PL_CPU_BACKWARD_WEIGHTS)
        return threads * (in + plan.points * pl_cpu_winograd_point(&plan, 2));
    const size_t out = plan.points * pl_cpu_winograd_point(&plan, plan.out_blocks);
    return plan.splits ? threads * (in + out) + plan.splits * plan.points * plan.operand_point
                       : in + out + plan.points * plan.operand_point;
}

static size_t direct_operand(const struct pl_cpu_conv *conv)
{
    return (size_t)pl_cpu_blocks(conv->x.channels) * pl_cpu_blocks(conv->y.channels) * pl_cpu_taps(conv) * 256;
}

static size_t patches_operand(const struct pl_cpu_conv *conv)
{
    return (size_t)pl_cpu_patch_blocks(conv) * pl_cpu_blocks(conv->y.channels) * 256;
}

size_t pl_cpu_conv_operand(const struct pl_cpu_conv *conv, enum pl_cpu_pass pass, enum pl_cpu_algorithm algorithm)
{
    if (pass == PL_CPU_BACKWARD_WEIGHTS)
        return 0;
    if (winograd(algorithm)) {
        const struct pl_cpu_winograd_plan plan = pl_cpu_winograd_plan(conv, pass, algorithm);
        return plan.points * plan.operand_point;
    }
    return algorithm == PL_CPU_PATCHES ? patches_operand(conv) : direct_operand(conv);
}

size_t pl_cpu_conv_workspace(const struct pl_cpu_conv *conv, enum pl_cpu_pass pass, enum pl_cpu_algorithm algorithm,
                             int threads)
{
    const size_t patches = algorithm == PL_CPU_PATCHES ? (size_t)threads * pl_cpu_patch_floats(conv) : 0;
    size_t own = 0, normalised = 0;
    if (conv->norm && pass != PL_CPU_BACKWARD_DATA)
        normalised = (size_t)pl_cpu_blocks(conv->x.channels) * 48 +
                     (size_t)threads * pl_cpu_normalised_floats(conv, pass);
    if (winograd(algorithm))
        own = winograd_workspace(conv, pass, algorithm, threads);
    else if (pass == PL_CPU_BACKWARD_WEIGHTS)
        own = (size_t)pl_cpu_weight_plan(conv, algorithm).splits *
              (algorithm == PL_CPU_PATCHES ? patches_operand(conv) : direct_operand(conv));
    const size_t statistics = pass == PL_CPU_FORWARD ? pl_cpu_norm_workspace(&conv->y) : 0;
    own += patches + normalised;
    return own > statistics ? own : statistics;
}
