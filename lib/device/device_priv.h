/* What the devices of this module share. */
#ifndef PL_DEVICE_PRIV_H
#define PL_DEVICE_PRIV_H

#include "device/device.h"

extern const struct pl_device_type pl_device_cpu, pl_device_ref;

/* Memory functions of devices whose memory is the host's. */
void *pl_host_allocate(struct pl_device *d, size_t bytes);
void pl_host_release(struct pl_device *d, void *memory);
void pl_host_upload(struct pl_device *d, void *to, const void *host, size_t bytes);
void pl_host_download(struct pl_device *d, const void *from, void *host, size_t bytes);
void *pl_host_lend(struct pl_device *d, void *memory, size_t bytes, enum pl_lending how);
void pl_host_take_back(struct pl_device *d, void *memory, void *lent, size_t bytes, enum pl_lending how);

/* The dropout mask of elements first .. first+count-1: drop->keep's; or, where that is NULL, element e is kept when
 * word e%4 of the Philox block (step, layer * 2^40 + e/4) is at least probability * 2^32. */
void pl_drop_mask(const struct pl_drop *drop, uint64_t first, size_t count, uint8_t *keep);

#endif
