/* safetensors: named arrays in one file, the format in which PyTorch users exchange weights
 * (huggingface/safetensors). Eight bytes with the length of the header (little-endian), the header as JSON, then
 * the arrays one behind the other:
 *
 *   {"__metadata__": {"format": "pt"}, "conv1.weight": {"dtype": "F32", "shape": [64,3,3,3], "data_offsets": [0,6912]}}
 *
 * Threading: none of its own. */
#ifndef PL_TRAIN_SAFETENSORS_H
#define PL_TRAIN_SAFETENSORS_H

#include "base/base.h"

enum { PL_SAFETENSORS_DIMS = 8 };

struct pl_safetensor {
    const char *name, *type; /* "F32", "F64", "U64"; others are read but not understood */
    int dims;
    size_t shape[PL_SAFETENSORS_DIMS];
    size_t count;     /* elements */
    const void *data; /* count elements; in a file that was read at any address: copy them */
};

/* A tensor of one dimension. */
struct pl_safetensor pl_safetensor_list(const char *name, const char *type, const void *data, size_t count);

/* A file that was read. Zero-initialise. */
struct pl_safetensors {
    struct pl_safetensor *tensors;
    size_t count;
    struct pl_settings metadata; /* texts */
    void *file;                  /* the mapped file */
    size_t size;
    struct pl_pool pool;
};

/* Writes path whole or not at all. metadata holds texts; names must differ. */
int pl_safetensors_write(const char *path, const struct pl_settings *metadata, const struct pl_safetensor *tensors,
                         size_t count, struct pl_error *err);
/* Fails with PL_EMISSING when there is no such file, PL_ECORRUPT when it is cut or no such file as it claims to be. */
int pl_safetensors_read(struct pl_safetensors *file, const char *path, struct pl_error *err);
void pl_safetensors_release(struct pl_safetensors *file);

const struct pl_safetensor *pl_safetensors_find(const struct pl_safetensors *file, const char *name); /* or NULL */
/* Copies a tensor that must be there with this type and number of elements. Fails with PL_ECORRUPT. */
int pl_safetensors_copy(const struct pl_safetensors *file, const char *name, const char *type, size_t count, void *to,
                        struct pl_error *err);
/* The elements of an F32 or F64 tensor as doubles; false for another type. */
bool pl_safetensor_values(const struct pl_safetensor *tensor, double *values);

/* SHA-256 over names, types and elements in the order of the names, as hex: what a checkpoint says of itself. */
void pl_safetensors_digest(const struct pl_safetensor *tensors, size_t count, char hex[2 * PL_DIGEST_SIZE + 1]);

#endif
