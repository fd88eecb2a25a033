#include "train/network/safetensors.h"

#include <jansson.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "the file's numbers are little-endian, and are used in place");

enum { LENGTH_BYTES = 8, LONGEST_HEADER = 100 << 20 };

/* Bytes of an element; 0 for a type that the format does not have. */
static size_t type_size(const char *type)
{
    static const char *const types[] = {"BOOL U8 I8 F8_E4M3 F8_E5M2", "U16 I16 F16 BF16", "U32 I32 F32", "U64 I64 F64"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (pl_has_word(types[i], type))
            return (size_t)1 << i;
    return 0;
}

struct pl_safetensor pl_safetensor_list(const char *name, const char *type, const void *data, size_t count)
{
    return (struct pl_safetensor){
        .name = name, .type = type, .dims = 1, .shape = {count}, .count = count, .data = data};
}

const struct pl_safetensor *pl_safetensors_find(const struct pl_safetensors *file, const char *name)
{
    for (size_t i = 0; i < file->count; i++)
        if (!strcmp(file->tensors[i].name, name))
            return &file->tensors[i];
    return NULL;
}

int pl_safetensors_copy(const struct pl_safetensors *file, const char *name, const char *type, size_t count, void *to,
                        struct pl_error *err)
{
    const struct pl_safetensor *t = pl_safetensors_find(file, name);
    if (!t)
        return pl_fail(err, PL_ECORRUPT, "there is no tensor %s", name);
    if (strcmp(t->type, type) || t->count != count)
        return pl_fail(err, PL_ECORRUPT, "tensor %s is %zu x %s, but must be %zu x %s", name, t->count, t->type, count,
                       type);
    if (count)
        memcpy(to, t->data, count * type_size(type));
    return 0;
}

bool pl_safetensor_values(const struct pl_safetensor *tensor, double *values)
{
    if (!strcmp(tensor->type, "F64")) {
        memcpy(values, tensor->data, tensor->count * sizeof *values);
        return true;
    }
    if (strcmp(tensor->type, "F32"))
        return false;
    for (size_t i = 0; i < tensor->count; i++) {
        float value;
        memcpy(&value, (const char *)tensor->data + i * sizeof value, sizeof value);
        values[i] = value;
    }
    return true;
}

static int by_name(const void *a, const void *b)
{
    const struct pl_safetensor *const *x = a, *const *y = b;
    return strcmp((*x)->name, (*y)->name);
}

void pl_safetensors_digest(const struct pl_safetensor *tensors, size_t count, char hex[2 * PL_DIGEST_SIZE + 1])
{
    unsigned char digest[PL_DIGEST_SIZE];
    struct pl_text all = {0};
    const struct pl_safetensor **sorted = pl_new((count + 1) * sizeof *sorted);
    for (size_t i = 0; i < count; i++)
        sorted[i] = &tensors[i];
    qsort(sorted, count, sizeof *sorted, by_name);
    for (size_t i = 0; i < count; i++) {
        pl_digest(sorted[i]->data, sorted[i]->count * type_size(sorted[i]->type), digest);
        pl_text_addf(&all, "%s %s ", sorted[i]->name, sorted[i]->type);
        pl_text_add_bytes(&all, (const char *)digest, sizeof digest);
    }
    pl_digest(pl_text(&all), all.length, digest);
    pl_digest_hex(digest, sizeof digest, hex);
    pl_text_release(&all);
    free(sorted);
}

/* ---- writing ---- */

static void add_tensor(struct pl_text *header, const struct pl_safetensor *t, size_t offset)
{
    pl_text_add_char(header, ',');
    pl_text_add_json(header, t->name);
    pl_text_addf(header, ":{\"dtype\":\"%s\",\"shape\":[", t->type);
    for (int i = 0; i < t->dims; i++)
        pl_text_addf(header, "%s%zu", i ? "," : "", t->shape[i]);
    pl_text_addf(header, "],\"data_offsets\":[%zu,%zu]}", offset, offset + t->count * type_size(t->type));
}

int pl_safetensors_write(const char *path, const struct pl_settings *metadata, const struct pl_safetensor *tensors,
                         size_t count, struct pl_error *err)
{
    struct pl_text header = {0};
    struct pl_piece *pieces = pl_new((count + 2) * sizeof *pieces);
    size_t offset = 0, piece = 2;
    pl_text_add(&header, "{\"__metadata__\":");
    pl_settings_write(metadata, &header);
    /* Larger elements first, so that all are aligned. */
    for (size_t size = 8; size; size /= 2)
        for (size_t i = 0; i < count; i++) {
            if (type_size(tensors[i].type) != size)
                continue;
            add_tensor(&header, &tensors[i], offset);
            pieces[piece++] = (struct pl_piece){tensors[i].data, tensors[i].count * size};
            offset += tensors[i].count * size;
        }
    pl_text_add_char(&header, '}');
    while (header.length % LENGTH_BYTES)
        pl_text_add_char(&header, ' ');
    uint64_t length = header.length;
    pieces[0] = (struct pl_piece){&length, sizeof length};
    pieces[1] = (struct pl_piece){header.text, header.length};
    int status = pl_file_write_pieces(path, pieces, piece, err);
    pl_text_release(&header);
    free(pieces);
    return status;
}

/* ---- reading ---- */

static int map_file(struct pl_safetensors *file, const char *path, struct pl_error *err)
{
    int handle = pl_file_open(path, err);
    struct stat info;
    if (handle < 0)
        return handle;
    int status = 0;
    if (fstat(handle, &info))
        status = pl_fail(err, PL_EIO, "cannot read %s: %s", path, strerror(errno));
    else if (info.st_size < LENGTH_BYTES)
        status = pl_fail(err, PL_ECORRUPT, "%s has only %lld bytes", path, (long long)info.st_size);
    else {
        file->size = (size_t)info.st_size;
        file->file = mmap(NULL, file->size, PROT_READ, MAP_PRIVATE, handle, 0);
        if (file->file == MAP_FAILED) {
            file->file = NULL;
            status = pl_fail(err, PL_EIO, "cannot read %s: %s", path, strerror(errno));
        }
    }
    close(handle);
    return status;
}

/* A whole number of at most most. */
static bool take_size(const json_t *number, size_t most, size_t *value)
{
    json_int_t got = json_integer_value(number);
    if (!json_is_integer(number) || got < 0 || (uint64_t)got > most)
        return false;
    *value = (size_t)got;
    return true;
}

/* One entry of the header; room is the number of bytes behind the header. */
static bool read_tensor(struct pl_safetensors *file, const char *name, const json_t *entry, const char *data,
                        size_t room, size_t *bytes)
{
    struct pl_safetensor *t = &file->tensors[file->count];
    const char *type = json_string_value(json_object_get(entry, "dtype"));
    const json_t *shape = json_object_get(entry, "shape"), *offsets = json_object_get(entry, "data_offsets");
    size_t element = type ? type_size(type) : 0, from, to;
    if (!element || !json_is_array(shape) || json_array_size(shape) > PL_SAFETENSORS_DIMS ||
        json_array_size(offsets) != 2 || !take_size(json_array_get(offsets, 0), room, &from) ||
        !take_size(json_array_get(offsets, 1), room, &to) || from > to)
        return false;
    *t = (struct pl_safetensor){.name = pl_pool_copy(&file->pool, name),
                                .type = pl_pool_copy(&file->pool, type),
                                .dims = (int)json_array_size(shape),
                                .count = 1,
                                .data = data + from};
    for (int i = 0; i < t->dims; i++) {
        if (!take_size(json_array_get(shape, (size_t)i), room, &t->shape[i]))
            return false;
        if (__builtin_mul_overflow(t->count, t->shape[i], &t->count))
            return false;
    }
    *bytes += to - from;
    file->count++;
    return t->count <= room && t->count * element == to - from;
}

static bool read_header(struct pl_safetensors *file, const json_t *header, const char *data, size_t room)
{
    const char *name;
    json_t *entry;
    size_t bytes = 0;
    json_object_foreach((json_t *)(uintptr_t)header, name, entry)
    {
        if (strcmp(name, "__metadata__")) {
            if (!read_tensor(file, name, entry, data, room, &bytes))
                return false;
            continue;
        }
        const char *key;
        json_t *value;
        json_object_foreach(entry, key, value)
        {
            if (!json_is_string(value))
                return false;
            pl_settings_set_string(&file->metadata, key, json_string_value(value));
        }
    }
    return bytes == room;
}

int pl_safetensors_read(struct pl_safetensors *file, const char *path, struct pl_error *err)
{
    *file = (struct pl_safetensors){0};
    int status = map_file(file, path, err);
    if (status)
        return status;
    uint64_t length;
    memcpy(&length, file->file, sizeof length);
    const char *start = (const char *)file->file + LENGTH_BYTES;
    json_t *header = NULL;
    if (length <= LONGEST_HEADER && length <= file->size - LENGTH_BYTES)
        header = json_loadb(start, (size_t)length, JSON_REJECT_DUPLICATES, NULL);
    if (json_is_object(header)) {
        file->tensors = pl_new((json_object_size(header) + 1) * sizeof *file->tensors);
        if (!read_header(file, header, start + length, file->size - LENGTH_BYTES - (size_t)length))
            status = pl_fail(err, PL_ECORRUPT, "%s is cut or altered: its header does not describe its %zu bytes", path,
                             file->size);
    } else {
        status = pl_fail(err, PL_ECORRUPT, "%s is not a safetensors file", path);
    }
    json_decref(header);
    if (status)
        pl_safetensors_release(file);
    return status;
}

void pl_safetensors_release(struct pl_safetensors *file)
{
    if (file->file)
        munmap(file->file, file->size);
    free(file->tensors);
    pl_settings_release(&file->metadata);
    pl_pool_release(&file->pool);
    *file = (struct pl_safetensors){0};
}
