/* Files, written so that a crash leaves the old content or the new, and checksums. */
#ifndef PL_BASE_FILE_H
#define PL_BASE_FILE_H

#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

/* Opens a file for reading and returns its descriptor. Only a regular file: whatever else has a name (a FIFO, a socket,
 * a device, a folder) is an error at once, as reading it could wait for ever. Fails with PL_EMISSING or PL_EIO. */
int pl_file_open(const char *path, struct pl_error *err);
FILE *pl_file_stream(const char *path, struct pl_error *err); /* likewise; NULL after a failure */
/* "a FIFO", "a folder": what st_mode says. */
const char *pl_file_kind(mode_t mode);

/* Reads a whole file (replacing out); more than limit bytes is an error. So is what is no regular file. */
int pl_file_read(const char *path, size_t limit, struct pl_text *out, struct pl_error *err);
/* The same of what a user names to be read once and in order: standard input ("-" or /dev/stdin), a pipe that the shell
 * made (/dev/fd/63) or a file. */
int pl_file_read_any(const char *path, size_t limit, struct pl_text *out, struct pl_error *err);

/* Writes path whole, as base/output.h says. On failure path is as before. */
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

/* Is there nothing in it but, perhaps, a file of this name (NULL: nothing at all)? A folder that does not exist is
 * empty. */
bool pl_folder_is_empty(const char *path, const char *but);
/* A new folder in $TMPDIR, or /tmp; path becomes its path. A signal that ends the program removes it if it is empty
 * (leftover.h). */
int pl_folder_make_temporary(struct pl_text *path, struct pl_error *err);
/* Removes a folder with everything in it; links are not followed. What cannot be removed stays. */
void pl_folder_remove(const char *path);

/* SHA-256 (libcrypto). */
enum { PL_DIGEST_SIZE = 32 };
void pl_digest(const void *bytes, size_t count, unsigned char digest[PL_DIGEST_SIZE]);
int pl_digest_file(const char *path, unsigned char digest[PL_DIGEST_SIZE], struct pl_error *err);
void pl_digest_hex(const unsigned char *digest, size_t count, char *hex /* 2*count+1 */);

#endif
