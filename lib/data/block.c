/* Files with a checked header that every process maps: the format is described in data_priv.h. */
#include "data/data_priv.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAGIC_WORDS = 13 }; /* characters of a magic that every version has: "poula-images " */

struct preamble {
    char magic[16];
    uint64_t header, file; /* lengths */
    unsigned char digest[PL_DIGEST_SIZE];
};
_Static_assert(sizeof(struct preamble) == 64, "the preamble is written as it is");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "block files are mapped as they are");

size_t pl_block_body(size_t header)
{
    return (sizeof(struct preamble) + header + 63) / 64 * 64;
}

int pl_block_write(const struct pl_block_format *format, const char *path, const struct pl_text *header,
                   const struct pl_piece *pieces, size_t count, struct pl_error *err)
{
    enum { OWN = 3, PIECES_MOST = 16 };
    static const char zeros[64];
    struct pl_piece all[OWN + PIECES_MOST];
    struct preamble preamble = {.header = header->length, .file = pl_block_body(header->length)};
    assert(count <= PIECES_MOST);
    memcpy(preamble.magic, format->magic, sizeof preamble.magic);
    pl_digest(pl_text(header), header->length, preamble.digest);
    all[0] = (struct pl_piece){&preamble, sizeof preamble};
    all[1] = (struct pl_piece){pl_text(header), header->length};
    all[2] = (struct pl_piece){zeros, preamble.file - sizeof preamble - header->length};
    for (size_t i = 0; i < count; i++) {
        all[OWN + i] = pieces[i];
        preamble.file += pieces[i].count;
    }
    return pl_file_write_pieces(path, all, OWN + count, err);
}

int pl_block_fail(const struct pl_block_format *format, const char *path, const char *why, struct pl_error *err)
{
    return pl_fail(err, PL_ECORRUPT, "%s is no whole %s: %s", path, format->what, why);
}

static int map_file(const struct pl_block_format *format, struct pl_block *block, const char *path,
                    struct pl_error *err)
{
    int file = pl_file_open(path, err), status = 0;
    struct stat info;
    if (file < 0)
        return file;
    if (fstat(file, &info)) {
        status = pl_fail(err, PL_EIO, "cannot read %s: %s", path, strerror(errno));
    } else if (info.st_size < (off_t)sizeof(struct preamble)) {
        status = pl_block_fail(format, path, "it is too short", err);
    } else {
        block->size = (size_t)info.st_size;
        block->bytes = mmap(NULL, block->size, PROT_READ, MAP_SHARED, file, 0);
        if (block->bytes == MAP_FAILED) {
            block->bytes = NULL;
            status = pl_fail(err, PL_EIO, "cannot map %s: %s", path, strerror(errno));
        }
    }
    close(file);
    return status;
}

static int read_header(const struct pl_block_format *format, struct pl_block *block, const char *path,
                       struct pl_settings *header, struct pl_error *err)
{
    const char *bytes = block->bytes;
    struct preamble preamble;
    unsigned char digest[PL_DIGEST_SIZE];
    memcpy(&preamble, bytes, sizeof preamble);
    if (memcmp(preamble.magic, format->magic, MAGIC_WORDS))
        return pl_block_fail(format, path, "it does not begin like one", err);
    if (memcmp(preamble.magic, format->magic, sizeof preamble.magic))
        return pl_fail(err, PL_EVERSION, "%s was written by another version of poula", path);
    if (preamble.file != block->size)
        return pl_fail(err, PL_ECORRUPT, "%s is no whole %s: it has %zu bytes of %llu", path, format->what, block->size,
                       (unsigned long long)preamble.file);
    if (preamble.header > block->size - sizeof preamble)
        return pl_block_fail(format, path, "its header is longer than the file", err);
    pl_digest(bytes + sizeof preamble, preamble.header, digest);
    if (memcmp(digest, preamble.digest, sizeof digest))
        return pl_block_fail(format, path, "its header was altered", err);
    block->body = pl_block_body(preamble.header);
    char *text = pl_copy_bytes(bytes + sizeof preamble, preamble.header);
    int status = pl_settings_read(header, text, NULL) ? pl_block_fail(format, path, "its header is not JSON", err) : 0;
    free(text);
    return status;
}

int pl_block_open(const struct pl_block_format *format, struct pl_block *block, const char *path,
                  struct pl_settings *header, struct pl_error *err)
{
    *block = (struct pl_block){0};
    int status = map_file(format, block, path, err);
    if (!status)
        status = read_header(format, block, path, header, err);
    if (status)
        pl_block_close(block);
    return status;
}

void pl_block_close(struct pl_block *block)
{
    if (block->bytes)
        munmap(block->bytes, block->size);
    *block = (struct pl_block){0};
}
