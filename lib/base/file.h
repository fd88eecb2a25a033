/* Files, written so that a crash leaves the old content or the new, and checksums. */
#ifndef PL_BASE_FILE_H
#define PL_BASE_FILE_H

#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>

/* Reads a whole file (replacing out); more than limit bytes is an error. A folder is an error. */
int pl_file_read(const char *path, size_t limit, struct pl_text *out, struct pl_error *err);

/* Writes to a temporary name beside path, fsyncs, renames. On failure path is as before and the
 * temporary file is gone. */
int pl_file_write(const char *path, const void *bytes, size_t count, struct pl_error *err);

/* The same for a content that lies in several places. */
struct pl_piece {
    const void *bytes;
    size_t count;
};
int pl_file_write_pieces(const char *path, const struct pl_piece *pieces, size_t piece_count, struct pl_error *err);

bool pl_file_exists(const char *path);
/* Creates the folder and its parents; an existing folder is fine. */
int pl_folder_make(const char *path, struct pl_error *err);
/* Creates the folder that path's last component stands in. */
int pl_folder_make_parent(const char *path, struct pl_error *err);

/* Is there nothing in it but, perhaps, a file of this name (NULL: nothing at all)? A folder that does not exist is empty. */
bool pl_folder_is_empty(const char *path, const char *but);
/* A new folder in $TMPDIR, or /tmp; path becomes its path. */
int pl_folder_make_temporary(struct pl_text *path, struct pl_error *err);
/* Removes a folder with everything in it; links are not followed. What cannot be removed stays. */
void pl_folder_remove(const char *path);

/* SHA-256 (libcrypto). */
enum { PL_DIGEST_SIZE = 32 };
void pl_digest(const void *bytes, size_t count, unsigned char digest[PL_DIGEST_SIZE]);
int pl_digest_file(const char *path, unsigned char digest[PL_DIGEST_SIZE], struct pl_error *err);
void pl_digest_hex(const unsigned char *digest, size_t count, char *hex /* 2*count+1 */);

#endif
