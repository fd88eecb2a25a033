/* Devices behind a fence: the devices of the program, but in memory that faults when the host touches it. It is opened
 * for the length of a call of the device and closed again, as that of a graphics card is never open. What is lent is a
 * copy, which is closed when it is taken back; what the host only read or spent is not copied back.
 *
 * pl_device_open is wrapped (see meson.build), so whatever opens a device by its name gets the fenced one. */
#ifndef PL_TEST_FENCED_H
#define PL_TEST_FENCED_H

#include "device/device.h"

#include <assert.h>
#include <string.h>
#include <sys/mman.h>

static struct {
    bool on;            /* else devices are what they are */
    int fail_after;     /* synchronize fails from this call on; 0: never */
    int opened, closed; /* devices */
    enum pl_operation lacks;
    long loans, copied_back;
} fence;

/* What a device has allocated, and the copies that it lends. */
static struct fenced_memory {
    void *memory, *copy;
    size_t bytes;
} fenced_all[200];
static size_t fenced_count;
static const struct pl_device_type *fenced_base;
/* One region for all that is allocated, so that one request opens it; the copies lie elsewhere. */
enum { FENCED_REGION = 1 << 28 };
static char *fenced_region;
static size_t fenced_used;

static inline size_t fenced_pages(size_t bytes)
{
    return (bytes + 4095) / 4096 * 4096 + 4096;
}

static inline void *fenced_map(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert(memory != MAP_FAILED);
    return memory;
}

static inline void fenced_protect(void *memory, size_t bytes, bool open)
{
    int status = mprotect(memory, fenced_pages(bytes), open ? PROT_READ | PROT_WRITE : PROT_NONE);
    assert(!status);
}

static inline void fenced_open_all(bool open)
{
    if (fenced_used)
        assert(!mprotect(fenced_region, fenced_used, open ? PROT_READ | PROT_WRITE : PROT_NONE));
}

static inline void *fenced_allocate(struct pl_device *d, size_t bytes)
{
    (void)d;
    assert(fenced_count < sizeof fenced_all / sizeof *fenced_all && fenced_used + fenced_pages(bytes) <= FENCED_REGION);
    if (!fenced_region)
        fenced_region = fenced_map(FENCED_REGION);
    struct fenced_memory *m = &fenced_all[fenced_count++];
    *m = (struct fenced_memory){fenced_region + fenced_used, fenced_map(fenced_pages(bytes)), bytes};
    fenced_used += fenced_pages(bytes);
    return m->memory;
}

static inline struct fenced_memory *fenced_find(const void *memory)
{
    size_t i = 0;
    while (i < fenced_count && fenced_all[i].memory != memory)
        i++;
    assert(i < fenced_count);
    return &fenced_all[i];
}

static inline void fenced_release(struct pl_device *d, void *memory)
{
    (void)d;
    if (!memory)
        return;
    struct fenced_memory *m = fenced_find(memory);
    munmap(m->copy, fenced_pages(m->bytes));
    *m = fenced_all[--fenced_count];
    if (fenced_count)
        return;
    munmap(fenced_region, FENCED_REGION); /* the next device finds zeros */
    fenced_region = NULL;
    fenced_used = 0;
}

static inline void *fenced_lend(struct pl_device *d, void *memory, size_t bytes, enum pl_lending how)
{
    struct fenced_memory *m = fenced_find(memory);
    (void)d;
    (void)how;
    assert(bytes == m->bytes);
    fenced_protect(m->copy, bytes, true);
    fenced_protect(memory, bytes, true);
    memcpy(m->copy, memory, bytes);
    fenced_protect(memory, bytes, false);
    fence.loans++;
    return m->copy;
}

static inline void fenced_take_back(struct pl_device *d, void *memory, void *lent, size_t bytes, enum pl_lending how)
{
    struct fenced_memory *m = fenced_find(memory);
    (void)d;
    assert(lent == m->copy && bytes == m->bytes);
    fenced_protect(memory, bytes, true);
    if (how == PL_LEND_CHANGE)
        memcpy(memory, lent, bytes);
    fence.copied_back += how == PL_LEND_CHANGE;
    fenced_protect(memory, bytes, false);
    fenced_protect(lent, bytes, false);
}

static inline void fenced_close(struct pl_device *d)
{
    assert(!fenced_count); /* all was released before */
    fence.closed++;
    if (fenced_base->close)
        fenced_base->close(d);
}

static inline int fenced_synchronize(struct pl_device *d, struct pl_error *err)
{
    static int calls;
    (void)d;
    if (!fence.fail_after)
        return calls = 0;
    return ++calls < fence.fail_after ? 0 : pl_fail(err, PL_EIO, "the fence fell over");
}

/* A function of the device between opening and closing the memory. */
#define FENCED(name, parameters, arguments)                                                                            \
    static void fenced_##name parameters                                                                               \
    {                                                                                                                  \
        fenced_open_all(true);                                                                                         \
        fenced_base->name arguments;                                                                                   \
        fenced_open_all(false);                                                                                        \
    }
#define D struct pl_device *d
#define V const struct pl_view
#define DROP const struct pl_drop *drop
#define WINDOW const struct pl_window *c
FENCED(upload, (D, void *to, const void *host, size_t bytes), (d, to, host, bytes))
FENCED(download, (D, const void *from, void *host, size_t bytes), (d, from, host, bytes))
FENCED(write, (D, V *y, const void *host, enum pl_element element), (d, y, host, element))
FENCED(read, (D, V *x, void *host, enum pl_element element), (d, x, host, element))
FENCED(copy, (D, V *x, V *y), (d, x, y))
FENCED(accumulate, (D, V *x, V *y), (d, x, y))
FENCED(convolution_forward, (D, WINDOW, V *x, const void *w, const void *b, V *y, bool moments, void *work),
       (d, c, x, w, b, y, moments, work))
FENCED(convolution_backward_data, (D, WINDOW, V *dy, const void *w, V *dx, bool add, void *work),
       (d, c, dy, w, dx, add, work))
FENCED(convolution_backward_weights, (D, WINDOW, V *x, V *dy, void *dw, void *db, void *work),
       (d, c, x, dy, dw, db, work))
FENCED(moments, (D, V *x, void *work), (d, x, work))
FENCED(norm_running, (D, const struct pl_batch_norm *n, V *x, double *mean, double *variance),
       (d, n, x, mean, variance))
FENCED(norm_forward,
       (D, const struct pl_batch_norm *n, V *x, const void *w, const void *b, const double *mean,
        const double *variance, V *residual, V *y, void *work),
       (d, n, x, w, b, mean, variance, residual, y, work))
FENCED(norm_backward,
       (D, const struct pl_batch_norm *n, V *x, V *y, V *dy, const void *w, const void *b, void *dw, void *db, V *dx,
        bool add, V *dresidual, void *work),
       (d, n, x, y, dy, w, b, dw, db, dx, add, dresidual, work))
FENCED(relu_forward, (D, V *x, V *y), (d, x, y))
FENCED(relu_backward, (D, V *y, V *dy, V *dx), (d, y, dy, dx))
FENCED(add, (D, V *a, V *b, bool relu, V *y), (d, a, b, relu, y))
FENCED(pool_forward, (D, enum pl_pooling kind, WINDOW, V *x, V *y), (d, kind, c, x, y))
FENCED(pool_backward, (D, enum pl_pooling kind, WINDOW, V *x, V *y, V *dy, V *dx, bool add),
       (d, kind, c, x, y, dy, dx, add))
FENCED(dropout, (D, DROP, V *x, V *y, void *work), (d, drop, x, y, work))
FENCED(embedding_forward, (D, const void *matrix, const void *tokens, DROP, V *y, void *work),
       (d, matrix, tokens, drop, y, work))
FENCED(embedding_backward,
       (D, const void *tokens, DROP, V *dy, int vocabulary, int padding, void *dmatrix, bool add, void *work),
       (d, tokens, drop, dy, vocabulary, padding, dmatrix, add, work))
FENCED(lstm_forward, (D, const struct pl_lstm *w, DROP, V *x, void *state, V *y, void *reserve, void *work),
       (d, w, drop, x, state, y, reserve, work))
FENCED(lstm_backward,
       (D, const struct pl_lstm *w, DROP, V *x, V *dy, const struct pl_lstm *dw, V *dx, bool add, void *reserve,
        void *work),
       (d, w, drop, x, dy, dw, dx, add, reserve, work))
FENCED(penalty_forward, (D, enum pl_penalty kind, double coefficient, V *x, void *value, void *work),
       (d, kind, coefficient, x, value, work))
FENCED(penalty_backward, (D, enum pl_penalty kind, double coefficient, V *x, V *dy, V *dx),
       (d, kind, coefficient, x, dy, dx))
FENCED(cross_entropy, (D, V *x, const void *labels, double smoothing, V *dx, void *result, void *work),
       (d, x, labels, smoothing, dx, result, work))
#undef D
#undef V
#undef DROP
#undef WINDOW

/* The fenced form of a device. Every member is named here or is the base's: functions that compute nothing. */
static inline struct pl_device_type fenced_type(const struct pl_device_type *base)
{
    struct pl_device_type t = *base;
#define FENCE(name) t.name = fenced_##name
    FENCE(upload), FENCE(download), FENCE(write), FENCE(read), FENCE(copy), FENCE(accumulate);
    FENCE(convolution_forward), FENCE(convolution_backward_data), FENCE(convolution_backward_weights);
    FENCE(moments), FENCE(norm_running), FENCE(norm_forward), FENCE(norm_backward);
    FENCE(relu_forward), FENCE(relu_backward), FENCE(add), FENCE(pool_forward), FENCE(pool_backward), FENCE(dropout);
    FENCE(embedding_forward), FENCE(embedding_backward), FENCE(lstm_forward), FENCE(lstm_backward);
    FENCE(penalty_forward), FENCE(penalty_backward), FENCE(cross_entropy);
    FENCE(allocate), FENCE(release), FENCE(lend), FENCE(take_back), FENCE(close), FENCE(synchronize);
#undef FENCE
    return t;
}

int __real_pl_device_open(struct pl_device **device, const char *name, const struct pl_device_options *options,
                          struct pl_error *err);
int __wrap_pl_device_open(struct pl_device **device, const char *name, const struct pl_device_options *options,
                          struct pl_error *err);

int __wrap_pl_device_open(struct pl_device **device, const char *name, const struct pl_device_options *options,
                          struct pl_error *err)
{
    static struct pl_device_type type;
    int status = __real_pl_device_open(device, name, options, err);
    if (status || !fence.on)
        return status;
    assert(fence.opened == fence.closed); /* one at a time: memory is in one list */
    fence.opened++;
    fenced_base = (*device)->type;
    type = fenced_type(fenced_base);
    if (fence.lacks == PL_OPERATION_DROPOUT)
        type.dropout = NULL;
    else if (fence.lacks == PL_OPERATION_LSTM)
        type.lstm_forward = NULL;
    (*device)->type = &type;
    return 0;
}

#endif
