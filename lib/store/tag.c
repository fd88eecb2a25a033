/* Tags and notes of runs. */
#include "store_priv.h"

#include <string.h>

/* Tags are listed with commas between. */
static int check_name(const char *name, struct pl_error *err)
{
    bool good = *name != '\0';
    for (const char *c = name; *c; c++)
        good = good && (unsigned char)*c > ' ' && *c != ',' && *c != 0x7F;
    return good ? 0 : pl_fail(err, PL_EINPUT, "a tag is a word without blanks and commas, which '%s' is not", name);
}

static int change(struct pl_store *store, enum pl_sql sql, int64_t run, const char *text, bool *changed,
                  struct pl_error *err)
{
    bool own;
    int status = pl_store_write_enter(store, &own, err);
    if (status)
        return status;
    status = pl_store_exec(store, err, sql, "is", run, text);
    *changed = !status && sqlite3_changes(store->db);
    return pl_store_write_leave(store, own, status, err);
}

int pl_store_tag(struct pl_store *store, int64_t run, const char *name, bool *changed, struct pl_error *err)
{
    int status = check_name(name, err);
    return status ? status : change(store, PL_SQL_TAG_ADD, run, name, changed, err);
}

int pl_store_untag(struct pl_store *store, int64_t run, const char *name, bool *changed, struct pl_error *err)
{
    return change(store, PL_SQL_TAG_DROP, run, name, changed, err);
}

int pl_store_note(struct pl_store *store, int64_t run, const char *text, bool *changed, struct pl_error *err)
{
    return change(store, *text ? PL_SQL_NOTE_SET : PL_SQL_NOTE_DROP, run, text, changed, err);
}
