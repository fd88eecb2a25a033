/* What the fuzz targets share. Each fuzz_NAME.c has one function that takes any bytes and aborts where the reader it
 * tries breaks a promise. tools/fuzz runs it with libFuzzer; replay.c runs it over corpus/NAME as an ordinary test. */
#ifndef PL_FUZZ_H
#define PL_FUZZ_H

#include "base/base.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Aborts, naming the promise that was broken. */
#define MUST(promise) fuzz_must(promise, #promise, __FILE__, __LINE__)
void fuzz_must(bool kept, const char *promise, const char *file, int line);
/* A failure has a sentence, and a success has not touched it: err must have been zero before the call. */
void fuzz_must_say(int status, const struct pl_error *err);

/* A folder of this process's own, in $TMPDIR; removed at its end. */
const char *fuzz_folder(void);
/* The path of a name in it; good until the fourth call after. */
const char *fuzz_path(const char *name);
/* Writes a file there, and returns its path. */
const char *fuzz_file(const char *name, const void *bytes, size_t size);
/* Removes a folder or file with all that it holds; path need not exist. */
void fuzz_remove(const char *path);

/* Takes an input apart from its front; at its end everything is 0. */
struct fuzz_bytes {
    const uint8_t *at;
    size_t left;
};
uint64_t fuzz_take(struct fuzz_bytes *bytes, size_t count); /* little-endian */
/* Up to size bytes; returns how many there were. */
size_t fuzz_take_bytes(struct fuzz_bytes *bytes, void *out, size_t size);

#endif
