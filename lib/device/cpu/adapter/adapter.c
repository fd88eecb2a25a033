#include "device/cpu/adapter/adapter.h"

#include <stdlib.h>
#include <string.h>

struct pl_cpu_shape cpu_shape(const struct pl_view *v)
{
    int channels = v->pieces[v->piece_count - 1];
    for (int i = 0; i < v->piece_count - 1; i++)
        channels += 16 * pl_cpu_blocks(v->pieces[i]);
    return pl_cpu_shape(v->batch, channels, v->height, v->width);
}

size_t cpu_elements(const struct pl_cpu_shape *s)
{
    return (size_t)s->batch * (size_t)s->channels * (size_t)s->height * (size_t)s->width;
}

float *cpu_data(const struct pl_view *v)
{
    struct pl_cpu_shape shape = pl_cpu_shape(v->batch, 16, v->height, v->width);
    return (float *)v->data + (size_t)v->first / 16 * shape.block;
}

bool cpu_has_gaps(const struct pl_view *v)
{
    for (int i = 0; i < v->piece_count - 1; i++)
        if (v->pieces[i] % 16)
            return true;
    return false;
}

void cpu_spread(const struct pl_view *v, const float *plain, size_t rows, size_t size, float *spread)
{
    size_t channels = (size_t)cpu_shape(v).channels;
    memset(spread, 0, rows * channels * size * sizeof *spread);
    for (size_t r = 0; r < rows; r++) {
        float *to = spread + r * channels * size;
        for (int i = 0; i < v->piece_count; i++) {
            size_t count = (size_t)v->pieces[i] * size;
            memcpy(to, plain, count * sizeof *to);
            plain += count;
            to += (size_t)pl_cpu_blocks(v->pieces[i]) * 16 * size;
        }
    }
}

void cpu_gather(const struct pl_view *v, const float *spread, size_t rows, size_t size, float *plain)
{
    size_t channels = (size_t)cpu_shape(v).channels;
    for (size_t r = 0; r < rows; r++) {
        const float *from = spread + r * channels * size;
        for (int i = 0; i < v->piece_count; i++) {
            size_t count = (size_t)v->pieces[i] * size;
            memcpy(plain, from, count * sizeof *plain);
            plain += count;
            from += (size_t)pl_cpu_blocks(v->pieces[i]) * 16 * size;
        }
    }
}

void *cpu_cut(void **work, size_t count, size_t size)
{
    void *cut = *work;
    *work = (char *)cut + cpu_cut_bytes(count, size);
    return cut;
}

static bool cpu_has_kernels(enum pl_isa isa)
{
    return pl_cpu_kernels(isa);
}

static int cpu_open(struct pl_device *d, struct pl_error *err)
{
    const struct pl_cpu_kernels *kernels = pl_cpu_kernels(pl_host_isa());
    d->state = (void *)(uintptr_t)kernels;
    return kernels ? 0
                   : pl_fail(err, PL_EINPUT, "this build has no kernels for the instruction set %s",
                             pl_isa_name(pl_host_isa()));
}

static size_t cpu_buffer_size(int batch, int stored, int height, int width)
{
    struct pl_cpu_shape shape = pl_cpu_shape(batch, stored, height, width);
    return pl_cpu_floats(&shape) * sizeof(float);
}

/* Outside of a step: a temporary array changes doubles to floats and makes room for gaps. */
void cpu_write(struct pl_device *d, const struct pl_view *y, const void *host, enum pl_element element)
{
    struct pl_cpu_shape shape = cpu_shape(y);
    if (element == PL_FLOAT32 && !cpu_has_gaps(y)) {
        cpu_kernels(d)->from_nchw(&shape, host, cpu_data(y), d->options.threads);
        return;
    }
    size_t area = (size_t)y->height * (size_t)y->width, count = (size_t)y->batch * (size_t)y->channels * area;
    float *narrow = pl_new(count * sizeof *narrow), *spread = pl_new(cpu_elements(&shape) * sizeof *spread);
    for (size_t i = 0; i < count; i++)
        narrow[i] = element == PL_FLOAT32 ? ((const float *)host)[i] : (float)((const double *)host)[i];
    cpu_spread(y, narrow, (size_t)y->batch, area, spread);
    cpu_kernels(d)->from_nchw(&shape, spread, cpu_data(y), d->options.threads);
    free(narrow);
    free(spread);
}

void cpu_read(struct pl_device *d, const struct pl_view *x, void *host, enum pl_element element)
{
    struct pl_cpu_shape shape = cpu_shape(x);
    if (element == PL_FLOAT32 && !cpu_has_gaps(x)) {
        cpu_kernels(d)->to_nchw(&shape, cpu_data(x), host, d->options.threads);
        return;
    }
    size_t area = (size_t)x->height * (size_t)x->width, count = (size_t)x->batch * (size_t)x->channels * area;
    float *narrow = pl_new(count * sizeof *narrow), *spread = pl_new(cpu_elements(&shape) * sizeof *spread);
    cpu_kernels(d)->to_nchw(&shape, cpu_data(x), spread, d->options.threads);
    cpu_gather(x, spread, (size_t)x->batch, area, narrow);
    for (size_t i = 0; i < count; i++)
        if (element == PL_FLOAT32)
            ((float *)host)[i] = narrow[i];
        else
            ((double *)host)[i] = narrow[i];
    free(narrow);
    free(spread);
}

static bool same_pieces(const struct pl_view *x, const struct pl_view *y)
{
    return x->piece_count == y->piece_count &&
           !memcmp(x->pieces, y->pieces, (size_t)x->piece_count * sizeof *x->pieces);
}

static void clear(const struct pl_view *y)
{
    struct pl_cpu_shape shape = cpu_shape(y);
    for (int b = 0; b < pl_cpu_blocks(shape.channels); b++)
        for (size_t p = 0; p < (size_t)y->height * (size_t)y->width; p++)
            memset(cpu_data(y) + (size_t)b * shape.block + p * shape.pixel, 0, (size_t)y->batch * 16 * sizeof(float));
}

/* Runs of channels that lie together on both sides. */
static void transfer(struct pl_device *d, const struct pl_view *x, const struct pl_view *y, bool add)
{
    struct pl_cpu_shape from = cpu_shape(x), to = cpu_shape(y);
    if (same_pieces(x, y)) { /* whole blocks, the zeros of the padding with them */
        cpu_kernels(d)->copy_channels(&from, cpu_data(x), 0, &to, cpu_data(y), 0, 16 * pl_cpu_blocks(from.channels),
                                      add, d->options.threads);
        return;
    }
    if (!add)
        clear(y);
    int i = 0, j = 0, x_done = 0, y_done = 0, x_first = 0, y_first = 0;
    while (i < x->piece_count && j < y->piece_count) {
        int run = x->pieces[i] - x_done < y->pieces[j] - y_done ? x->pieces[i] - x_done : y->pieces[j] - y_done;
        cpu_kernels(d)->copy_channels(&from, cpu_data(x), x_first + x_done, &to, cpu_data(y), y_first + y_done, run,
                                      add, d->options.threads);
        x_done += run;
        y_done += run;
        if (x_done == x->pieces[i]) {
            x_first += 16 * pl_cpu_blocks(x->pieces[i++]);
            x_done = 0;
        }
        if (y_done == y->pieces[j]) {
            y_first += 16 * pl_cpu_blocks(y->pieces[j++]);
            y_done = 0;
        }
    }
}

void cpu_copy(struct pl_device *d, const struct pl_view *x, const struct pl_view *y)
{
    transfer(d, x, y, false);
}

void cpu_accumulate(struct pl_device *d, const struct pl_view *x, const struct pl_view *y)
{
    transfer(d, x, y, true);
}

const struct pl_device_type pl_device_cpu = {
    .name = "cpu",
    .element = PL_FLOAT32,
    .channel_block = 16,
    .normalises = true,
    .has_kernels = cpu_has_kernels,
    .open = cpu_open,
    .buffer_size = cpu_buffer_size,
#define PASS(name, parameters, arguments) .name = cpu_##name,
    PL_EACH_PASS(PASS, PASS)
#undef PASS
        .allocate = pl_host_allocate,
    .release = pl_host_release,
    .upload = pl_host_upload,
    .download = pl_host_download,
    .lend = pl_host_lend,
    .take_back = pl_host_take_back,
};
