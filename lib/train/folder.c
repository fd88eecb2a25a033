/* Whose a run's folder is: a file in it names the database and the run's key. It is written when there is something to
 * own, not before: some programs refuse to begin in a folder that is not empty. */
#include "train/network/safetensors.h"
#include "train/train_priv.h"

#include <stdio.h>
#include <string.h>

#define MARK PL_FOLDER_MARK
#define NOBODY "none" /* of no database: poula run */

enum { LARGEST_MARK = 4096 };
static const char first_line[] = "This folder belongs to one run of poula; see docs/sweeps.md.\n";

static void write_mark(const char *owner, const char *key, struct pl_text *out)
{
    pl_text_addf(out, "%sdatabase %s\nrun %s\n", first_line, owner && *owner ? owner : NOBODY, key);
}

/* It is written without waiting for the disk, so a crash of the machine may leave a part of it. */
static bool is_whole(const struct pl_text *mark)
{
    return mark->length > strlen(first_line) && !strncmp(mark->text, first_line, strlen(first_line)) &&
           mark->text[mark->length - 1] == '\n';
}

enum pl_folder_state pl_train_folder_state(const char *folder, const char *owner, const char *key)
{
    struct pl_text path = {0}, wanted = {0}, found = {0};
    enum pl_folder_state state;
    pl_text_addf(&path, "%s/" MARK, folder);
    write_mark(owner, key, &wanted);
    if (pl_folder_is_empty(folder, MARK))
        state = PL_FOLDER_FREE;
    else if (pl_file_read(pl_text(&path), LARGEST_MARK, &found, NULL) || !is_whole(&found))
        state = PL_FOLDER_UNMARKED;
    else
        state = strcmp(pl_text(&found), pl_text(&wanted)) ? PL_FOLDER_FOREIGN : PL_FOLDER_OWN;
    pl_text_release(&path);
    pl_text_release(&wanted);
    pl_text_release(&found);
    return state;
}

/* The word behind a name on its line, of at most PL_FOLDER_NAME_SIZE - 1 characters. */
static bool read_word(const char *text, const char *name, char *word)
{
    const char *line = strstr(text, name);
    size_t n = line ? strcspn(line + strlen(name), "\n") : 0;
    if (!n || n >= PL_FOLDER_NAME_SIZE)
        return false;
    memcpy(word, line + strlen(name), n);
    word[n] = '\0';
    return true;
}

bool pl_train_folder_owner(const char *folder, char *owner, char *key)
{
    struct pl_text path = {0}, found = {0};
    pl_text_addf(&path, "%s/" MARK, folder);
    bool known = !pl_file_read(pl_text(&path), LARGEST_MARK, &found, NULL) && is_whole(&found) &&
                 read_word(pl_text(&found), "\ndatabase ", owner) && read_word(pl_text(&found), "\nrun ", key);
    pl_text_release(&path);
    pl_text_release(&found);
    return known;
}

int pl_train_folder_give(const char *folder, const char *owner, const char *key, struct pl_error *err)
{
    struct pl_text path = {0}, mark = {0};
    pl_text_addf(&path, "%s/" MARK, folder);
    write_mark(owner, key, &mark);
    int status = pl_file_write(pl_text(&path), pl_text(&mark), mark.length, err);
    pl_text_release(&path);
    pl_text_release(&mark);
    return status;
}

void pl_train_folder_mark(const struct pl_run_request *request)
{
    char hex[2 * PL_DIGEST_SIZE + 1];
    struct pl_text path = {0}, mark = {0};
    pl_text_addf(&path, "%s/" MARK, request->folder);
    write_mark(request->owner, pl_request_key(request, hex), &mark);
    bool write = pl_folder_is_empty(request->folder, MARK) || !pl_file_exists(pl_text(&path));
    FILE *file = write ? fopen(pl_text(&path), "we") : NULL; /* a full disk is met by what is marked, too */
    if (file) {
        fwrite(mark.text, 1, mark.length, file);
        fclose(file);
    }
    pl_text_release(&path);
    pl_text_release(&mark);
}

/* Is the file a network's of another run, or of nobody that says so? */
static bool is_foreign(const struct pl_text *path, const char *key)
{
    struct pl_safetensors file;
    if (pl_safetensors_read(&file, pl_text(path), NULL))
        return false; /* absent or cut: nothing to lose */
    bool foreign = strcmp(pl_settings_string(&file.metadata, "key", ""), key) != 0;
    pl_safetensors_release(&file);
    return foreign;
}

int pl_train_folder_check(const struct pl_run_request *request, struct pl_error *err)
{
    static const char *const names[] = {"checkpoint-1", "checkpoint-2", "weights"};
    char hex[2 * PL_DIGEST_SIZE + 1];
    struct pl_text path = {0};
    int status = 0;
    if (!request->folder)
        return 0;
    const char *key = pl_request_key(request, hex);
    if (pl_train_folder_state(request->folder, request->owner, key) == PL_FOLDER_FOREIGN)
        status = pl_fail(err, PL_EINPUT,
                         "the folder %s belongs to another run, as the file " MARK " in it says; give this "
                         "one a folder of its own",
                         request->folder);
    for (size_t i = 0; i < sizeof names / sizeof *names && !status; i++) {
        pl_text_clear(&path);
        pl_text_addf(&path, "%s/%s.safetensors", request->folder, names[i]);
        if (is_foreign(&path, key))
            status = pl_fail(err, PL_EINPUT,
                             "%s is not of this run, which would write over it; give the run a folder of "
                             "its own",
                             pl_text(&path));
    }
    pl_text_release(&path);
    return status;
}
