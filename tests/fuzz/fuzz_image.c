/* PNG and JPEG files: read whole into a small square, or refused with a sentence. */
#include "fuzz.h"
#include "data/images/images_priv.h"

#include <zlib.h>

#include <stdlib.h>
#include <string.h>

enum { SIDE = 4 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *planes = malloc(3 * SIDE * SIDE);
    struct pl_error err = {0};
    memset(planes, 7, 3 * SIDE * SIDE);
    int status = pl_image_read(fuzz_file("image", data, size), SIDE, planes, &err);
    fuzz_must_say(status, &err);
    struct pl_text seen = {0};
    if (!status)
        pl_text_add_bytes(&seen, (char *)planes, 3 * SIDE * SIDE);
    pl_text_release(&seen);
    free(planes);
    return 0;
}

#ifdef PL_LIBFUZZER
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

static uint32_t big_endian(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/* Mutates, and mostly mends the checksums of a PNG's chunks: with a wrong one nothing behind it is looked at. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    enum { HEAD = 8, AROUND = 12 };
    size = LLVMFuzzerMutate(data, size, most);
    if (seed % 8 == 0 || size < HEAD || memcmp(data, "\x89PNG", 4))
        return size;
    for (size_t at = HEAD; size - at >= AROUND;) {
        size_t length = big_endian(data + at);
        if (length > size - at - AROUND)
            break;
        uint32_t sum = (uint32_t)crc32(0, data + at + 4, (uInt)length + 4);
        for (int i = 0; i < 4; i++)
            data[at + 8 + length + (size_t)i] = (uint8_t)(sum >> (24 - 8 * i));
        at += length + AROUND;
    }
    return size;
}
#endif
