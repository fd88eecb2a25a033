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

bool pl_device_supports(const struct pl_device_type *type, enum pl_operation operation)
{
    switch (operation) {
    case PL_OPERATION_CONVOLUTION:
        return type->convolution_choose && type->convolution_forward && type->convolution_backward_data &&
               type->convolution_backward_weights;
    case PL_OPERATION_NORM:
        return type->moments && type->norm_running && type->norm_forward && type->norm_backward;
    case PL_OPERATION_RELU:
        return type->relu_forward && type->relu_backward;
    case PL_OPERATION_ADD:
        return type->add && type->relu_backward; /* it may have taken over a ReLU */
    case PL_OPERATION_POOL:
        return type->pool_forward && type->pool_backward;
    case PL_OPERATION_DROPOUT:
        return type->dropout;
    case PL_OPERATION_EMBEDDING:
        return type->embedding_forward && type->embedding_backward;
    case PL_OPERATION_LSTM:
        return type->lstm_reserve && type->lstm_workspace && type->lstm_forward && type->lstm_backward;
    case PL_OPERATION_PENALTY:
        return type->penalty_forward && type->penalty_backward;
    case PL_OPERATION_LOSS:
        return type->cross_entropy;
    case PL_OPERATION_NONE:
    case PL_OPERATIONS:
        break;
    }
    return true;
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
