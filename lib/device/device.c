#include "device/device_priv.h"

#include <stdlib.h>
#include <string.h>

#define ADDRESS(name, help) &pl_device_##name
#define COMMA ,
static const void *const types[] = {PL_DEVICES(ADDRESS, COMMA)};
const struct pl_registry pl_device_registry = PL_REGISTRY("device", types, struct pl_device_type, name);

const struct pl_device_type *pl_device_type_at(size_t index)
{
    return types[index];
}

const char *pl_device_help(size_t index)
{
#define HELP(name, help) help
    static const char *const helps[] = {PL_DEVICES(HELP, COMMA)};
#undef HELP
    return helps[index];
}

int pl_device_open(struct pl_device **device, const char *name, const struct pl_device_options *options,
                   struct pl_error *err)
{
    const struct pl_device_type *type = pl_registry_find(&pl_device_registry, name);
    if (!type)
        return pl_registry_fail(&pl_device_registry, name, err);
    struct pl_device *d = pl_new(sizeof *d);
    d->type = type;
    d->options = *options;
    if (d->options.threads < 1)
        d->options.threads = 1;
    int status = type->open ? type->open(d, err) : 0;
    if (status)
        free(d);
    else
        *device = d;
    return status;
}

void pl_device_close(struct pl_device *device)
{
    if (device && device->type->close)
        device->type->close(device);
    free(device);
}

int pl_device_synchronize(struct pl_device *device, struct pl_error *err)
{
    return device->type->synchronize ? device->type->synchronize(device, err) : 0;
}

const char *pl_device_lacks(const struct pl_device_type *type, enum pl_operation operation)
{
    switch (operation) {
#define LACKS(name, parameters, arguments)                                                                             \
    if (!type->name)                                                                                                   \
        return #name;
#define OPERATION(name, PASS, SIZE)                                                                                    \
    case PL_OPERATION_##name:                                                                                          \
        PL_PASSES_##name(PASS, SIZE) break;
        PL_EACH_OPERATION(OPERATION, LACKS, LACKS)
#undef OPERATION
#undef LACKS
    case PL_OPERATIONS:
        break;
    }
    /* A sum may take over the ReLU behind it. */
    return operation == PL_OPERATION_ADD ? pl_device_lacks(type, PL_OPERATION_RELU) : NULL;
}

bool pl_device_supports(const struct pl_device_type *type, enum pl_operation operation)
{
    return !pl_device_lacks(type, operation);
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

void *pl_host_lend(struct pl_device *d, void *memory, size_t bytes, enum pl_lending how)
{
    (void)d;
    (void)bytes;
    (void)how;
    return memory;
}

void pl_host_take_back(struct pl_device *d, void *memory, void *lent, size_t bytes, enum pl_lending how)
{
    (void)d;
    (void)memory;
    (void)lent;
    (void)bytes;
    (void)how;
}

void pl_drop_mask(const struct pl_drop *drop, uint64_t first, size_t count, uint8_t *keep)
{
    enum { BLOCKS = 64 };
    const uint32_t bound = (uint32_t)(drop->probability * 0x1p32);
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
        const uint32_t *word = &bits[0][0] + skipped;
        for (size_t i = 0; i < some; i++)
            keep[done + i] = word[i] >= bound;
    }
}
