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

/* What computes or transports, between opening and closing the memory: all passes of the device, and what every device
 * has besides them. */
#define FENCED(name, parameters, arguments)                                                                            \
    static void fenced_##name(struct pl_device *d, PL_LIST parameters)                                                 \
    {                                                                                                                  \
        fenced_open_all(true);                                                                                         \
        fenced_base->name(d, PL_LIST arguments);                                                                       \
        fenced_open_all(false);                                                                                        \
    }
#define IS_THE_BASES(name, parameters, arguments) /* sizes look into no memory */
PL_EACH_PASS(FENCED, IS_THE_BASES)
FENCED(upload, (void *to, const void *host, size_t bytes), (to, host, bytes))
FENCED(download, (const void *from, void *host, size_t bytes), (from, host, bytes))
#undef FENCED

/* The fenced form of a device. */
static inline struct pl_device_type fenced_type(const struct pl_device_type *base)
{
    struct pl_device_type t = *base;
#define FENCE(name, parameters, arguments) t.name = fenced_##name;
    PL_EACH_PASS(FENCE, IS_THE_BASES)
#undef FENCE
#undef IS_THE_BASES
    t.upload = fenced_upload;
    t.download = fenced_download;
    t.allocate = fenced_allocate;
    t.release = fenced_release;
    t.lend = fenced_lend;
    t.take_back = fenced_take_back;
    t.close = fenced_close;
    t.synchronize = fenced_synchronize;
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
