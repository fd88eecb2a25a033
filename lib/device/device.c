#include "device/device_priv.h"

#include <stdlib.h>
#include <string.h>

const struct pl_device_type *const pl_device_types[] = {
    &pl_device_cpu,
    &pl_device_ref,
};
const size_t pl_device_type_count = sizeof pl_device_types / sizeof *pl_device_types;

int pl_device_open(struct pl_device **device, const char *name, const struct pl_device_options *options,
                   struct pl_error *err)
{
    for (size_t i = 0; i < pl_device_type_count; i++)
        if (!strcmp(pl_device_types[i]->name, name)) {
            *device = pl_new(sizeof **device);
            (*device)->type = pl_device_types[i];
            (*device)->options = *options;
            if ((*device)->options.threads < 1)
                (*device)->options.threads = 1;
            int status = pl_device_types[i]->open ? pl_device_types[i]->open(*device, err) : 0;
            if (status) {
                pl_device_close(*device);
                *device = NULL;
            }
            return status;
        }
    struct pl_text known = {0};
    for (size_t i = 0; i < pl_device_type_count; i++)
        pl_text_addf(&known, "%s%s", i ? ", " : "", pl_device_types[i]->name);
    int status = pl_fail(err, PL_EINPUT, "there is no device \"%.100s\" (known: %s)", name, pl_text(&known));
    pl_text_release(&known);
    return status;
}

void pl_device_close(struct pl_device *device)
{
    free(device);
}

void *pl_host_allocate(struct pl_device *d, size_t bytes)
{
    (void)d;
    return pl_arena(bytes, 1);
}

void pl_host_release(struct pl_device *d, void *memory)
{
    (void)d;
    free(memory);
}

void pl_host_upload(struct pl_device *d, void *to, const void *host, size_t bytes)
{
    (void)d;
    memcpy(to, host, bytes);
}

void pl_host_download(struct pl_device *d, const void *from, void *host, size_t bytes)
{
    (void)d;
    memcpy(host, from, bytes);
}

void *pl_host_address(struct pl_device *d, void *memory)
{
    (void)d;
    return memory;
}

void pl_drop_mask(const struct pl_drop *drop, uint64_t first, size_t count, uint8_t *keep)
{
    enum { BLOCKS = 64 };
    const uint64_t bound = (uint64_t)(drop->probability * 0x1p32);
    uint32_t bits[BLOCKS][4];
    if (drop->keep) {
        memcpy(keep, drop->keep + first, count);
        return;
    }
    for (size_t done = 0, some; done < count; done += some) {
        const uint64_t element = first + done;
        const size_t skipped = element % 4, left = skipped + count - done;
        const size_t words = left < 4 * BLOCKS ? left : 4 * BLOCKS;
        pl_random_blocks(&drop->stream, drop->step, drop->layer << 40 | element / 4, (words + 3) / 4, bits);
        some = words - skipped;
        for (size_t i = 0; i < some; i++)
            keep[done + i] = bits[(skipped + i) / 4][(skipped + i) % 4] >= bound;
    }
}
