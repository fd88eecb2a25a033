/* Archives (.tar, .tar.gz, .zip): every file in them, and the three files of a text. */
#include "fuzz.h"
#include "data/text/corpus_priv.h"

#include <stdlib.h>
#include <string.h>

/* Reads each file as far as its beginning, so that a claimed size costs nothing. */
static void walk(const char *path)
{
    struct pl_archive *archive = NULL;
    struct pl_error err = {0};
    const char *name;
    uint64_t size;
    char part[512];
    int status = pl_archive_open(&archive, path, &err);
    fuzz_must_say(status, &err);
    for (int i = 0; !status && !(status = pl_archive_next(archive, &name, &size, &err)); i++) {
        MUST(strlen(name) < 256);
        if (i % 2 == 0)
            status = pl_archive_read(archive, part, size < sizeof part ? (size_t)size : sizeof part, &err);
    }
    fuzz_must_say(status, &err);
    pl_archive_close(archive);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = fuzz_file("a.zip", data, size);
    struct pl_source source = {0};
    struct pl_text_files files;
    struct pl_error err = {0};
    walk(path);
    pl_text_in_archive(path);
    MUST(pl_text_find(&source, path) && source.archive);
    int status = pl_text_read(&files, &source, &err);
    fuzz_must_say(status, &err);
    for (int i = 0; !status && i < PL_SPLIT_COUNT; i++) {
        struct pl_text copy = {0}; /* all of what is said to be there is there */
        pl_text_add_bytes(&copy, files.of[i].bytes, files.of[i].size);
        pl_text_release(&copy);
    }
    if (!status)
        pl_text_files_release(&files);
    pl_source_release(&source);
    return 0;
}
