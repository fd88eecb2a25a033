/* Which folder is a run's own. */
#include "sweep/sweep.h"

#include <stdio.h>
#include <string.h>

enum { MOST_TRIED = 1000 };

static void name_folder(const char *folders, int64_t run, int number, struct pl_text *path)
{
    pl_text_clear(path);
    pl_text_addf(path, "%s/%lld", folders, (long long)run);
    if (number > 1)
        pl_text_addf(path, "-%d", number);
}

void pl_run_folders(const char *db, struct pl_text *folders)
{
    size_t length = strlen(db);
    if (length > 3 && !strcmp(db + length - 3, ".db"))
        length -= 3;
    pl_text_add_bytes(folders, db, length);
    pl_text_add(folders, "-runs");
}

bool pl_run_folder(const char *folders, const char *owner, int64_t run, const char *key, bool begun,
                   struct pl_text *path)
{
    int chosen = 0;
    for (int number = 1; number <= MOST_TRIED; number++) {
        name_folder(folders, run, number, path);
        enum pl_folder_state state = pl_train_folder_state(pl_text(path), owner, key);
        if (state == PL_FOLDER_OWN)
            return number > 1;
        /* What an older poula left without a mark belongs to a run that was begun before. */
        if (!chosen && (state == PL_FOLDER_FREE || (state == PL_FOLDER_UNMARKED && begun)))
            chosen = number;
        if (number > 1 && state == PL_FOLDER_FREE && !pl_file_exists(pl_text(path)))
            break;
    }
    name_folder(folders, run, chosen ? chosen : MOST_TRIED, path);
    return chosen != 1;
}
