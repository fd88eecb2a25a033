/* How far each device may be from ref, relative to the largest number of an array. A device without a row fails the
 * tests that compare devices. */
#ifndef PL_TEST_DEVICES_H
#define PL_TEST_DEVICES_H

#include "device/device.h"

#include <string.h>

struct device_bounds {
    const char *name;
    double exact, fast; /* with and without `precision: exact` */
    double sequences;
};

static inline const struct device_bounds *device_bounds(const struct pl_device_type *type)
{
    static const struct device_bounds all[] = {
        {"cpu", 1e-4, 1e-3, 2e-5},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!strcmp(all[i].name, type->name))
            return &all[i];
    fail_msg("tests/numeric/devices.h does not say how far the device %s may be from ref", type->name);
    return NULL;
}

static inline bool is_ref(const struct pl_device_type *type)
{
    return !strcmp(type->name, "ref");
}

#endif
