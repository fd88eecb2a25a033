/* safetensors: what is read can be used, and written and read again it is the same. */
#include "fuzz.h"
#include "train/network/safetensors.h"

#include <stdlib.h>
#include <string.h>

static void use(const struct pl_safetensors *file)
{
    for (size_t i = 0; i < file->count; i++) {
        const struct pl_safetensor *t = &file->tensors[i];
        double *values = malloc((t->count + 1) * sizeof *values);
        size_t product = 1;
        for (int k = 0; k < t->dims; k++)
            product *= t->shape[k];
        MUST(product == t->count && pl_safetensors_find(file, t->name) && t->count <= file->size);
        pl_safetensor_values(t, values);
        free(values);
        void *copy = malloc(8 * t->count + 1);
        int status = pl_safetensors_copy(file, t->name, t->type, t->count, copy, NULL);
        MUST(!status || pl_safetensors_find(file, t->name) != t);
        free(copy);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pl_safetensors file, again;
    struct pl_error err = {0};
    char one[2 * PL_DIGEST_SIZE + 1], two[2 * PL_DIGEST_SIZE + 1];
    int status = pl_safetensors_read(&file, fuzz_file("in", data, size), &err);
    fuzz_must_say(status, &err);
    if (status)
        return 0;
    use(&file);
    const char *path = fuzz_path("out");
    MUST(!pl_safetensors_write(path, &file.metadata, file.tensors, file.count, &err));
    MUST(!pl_safetensors_read(&again, path, &err) && again.count == file.count);
    pl_safetensors_digest(file.tensors, file.count, one);
    pl_safetensors_digest(again.tensors, again.count, two);
    MUST(!strcmp(one, two));
    pl_safetensors_release(&again);
    pl_safetensors_release(&file);
    return 0;
}
