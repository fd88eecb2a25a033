/* Checkpoints: two files in the run's folder, written in turn. A name always stands for a whole file (it is written
 * under another name and renamed), and a digest tells whether it still is what was written. */
#include "train/network/network.h"
#include "train/network/safetensors.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SLOTS = 2 };

static void name_slot(const struct pl_network *n, int slot, struct pl_text *path)
{
    pl_text_clear(path);
    pl_text_addf(path, "%s/checkpoint-%d.safetensors", n->request->folder, slot);
}

/* ---- writing ---- */

void pl_checkpoint_write(struct pl_network *n)
{
    if (!n->request->folder)
        return;
    struct pl_state state = {0};
    struct pl_settings metadata = {0};
    struct pl_text path = {0};
    struct pl_error err;
    char digest[2 * PL_DIGEST_SIZE + 1];
    name_slot(n, n->slot, &path);
    if (n->recurrent)
        pl_plan_state_get(n->recurrent, n->carried);
    struct pl_network_loan loan = pl_network_lend(n, PL_LEND_READ);
    pl_state_add(&state, n, &loan);
    pl_state_add_history(&state, &n->history);
    pl_safetensors_digest(state.tensors, state.count, digest);
    pl_network_describe(n, &metadata);
    pl_settings_set_string(&metadata, "format", PL_STATE_FORMAT);
    pl_settings_set_string(&metadata, "digest", digest);
    pl_settings_set_string(&metadata, "isa", pl_isa_name(pl_host_isa()));
    int status = pl_folder_make(n->request->folder, &err);
    if (!status)
        pl_train_folder_mark(n->request);
    if (!status)
        status = pl_safetensors_write(pl_text(&path), &metadata, state.tensors, state.count, &err);
    pl_network_take_back(n, &loan);
    if (status)
        pl_network_miss(n, "no checkpoint was written", &err);
    else
        n->slot = SLOTS + 1 - n->slot;
    n->saved = pl_clock_steady();
    pl_state_release(&state);
    pl_settings_release(&metadata);
    pl_text_release(&path);
}

/* ---- reading ---- */

/* Is the file a whole checkpoint of this run? */
static int examine(const struct pl_network *n, const char *path, struct pl_safetensors *file, struct pl_error *err)
{
    char digest[2 * PL_DIGEST_SIZE + 1], hex[2 * PL_DIGEST_SIZE + 1];
    int status = pl_safetensors_read(file, path, err);
    if (status)
        return status;
    const struct pl_settings *m = &file->metadata;
    pl_safetensors_digest(file->tensors, file->count, digest);
    if (!pl_state_knows(pl_settings_string(m, "format", "")))
        status = pl_fail(err, PL_EVERSION, "%s is in format \"%.60s\", not \"%s\"", path,
                         pl_settings_string(m, "format", ""), PL_STATE_FORMAT);
    else if (strcmp(pl_settings_string(m, "poula", ""), PL_VERSION))
        status = pl_fail(err, PL_EVERSION, "%s was written by poula %.60s, and this is %s", path,
                         pl_settings_string(m, "poula", ""), PL_VERSION);
    else if (strcmp(pl_settings_string(m, "key", ""), pl_request_key(n->request, hex)))
        status = pl_fail(err, PL_EINPUT, "%s belongs to another run", path);
    else if (strcmp(pl_settings_string(m, "digest", ""), digest))
        status = pl_fail(err, PL_ECORRUPT, "%s was altered after it was written", path);
    if (status)
        pl_safetensors_release(file);
    else
        pl_state_renew(file);
    return status;
}

/* What a kill in the middle of writing has left. */
static void sweep_folder(const struct pl_network *n)
{
    DIR *folder = opendir(n->request->folder);
    struct pl_text path = {0};
    for (const struct dirent *entry; folder && (entry = readdir(folder));) {
        const char *end = strstr(entry->d_name, ".safetensors.");
        if (!end || (strncmp(entry->d_name, "checkpoint-", 11) && strncmp(entry->d_name, "weights.", 8)))
            continue;
        pl_text_clear(&path);
        pl_text_addf(&path, "%s/%s", n->request->folder, entry->d_name);
        unlink(pl_text(&path));
    }
    pl_text_release(&path);
    if (folder)
        closedir(folder);
}

static int go_on(struct pl_network *n, struct pl_safetensors *file, int slot)
{
    struct pl_error err;
    if (pl_state_restore(n, file, &err)) {
        pl_network_log(n, "a checkpoint is not used: %s", err.text);
        return 1;
    }
    pl_state_restore_history(n, file);
    n->slot = SLOTS + 1 - slot;
    const char *isa = pl_settings_string(&file->metadata, "isa", "");
    pl_network_log(n, "goes on from a checkpoint in epoch %llu, after %llu batches",
                   (unsigned long long)n->progress.epoch + 1, (unsigned long long)n->progress.batch);
    if (strcmp(isa, pl_isa_name(pl_host_isa())))
        pl_network_log(n,
                       "the checkpoint was written with %s instructions, and this machine uses %s: the last bits of "
                       "what follows may differ",
                       isa, pl_isa_name(pl_host_isa()));
    return 0;
}

bool pl_checkpoint_isa(const struct pl_run_request *request, enum pl_isa *isa)
{
    const struct pl_network n = {.request = request};
    struct pl_safetensors files[SLOTS + 1] = {0};
    bool good[SLOTS + 1] = {0}, known = false;
    char hex[2 * PL_DIGEST_SIZE + 1];
    for (int slot = 1; slot <= SLOTS && request->folder; slot++) {
        struct pl_text path = {0};
        name_slot(&n, slot, &path);
        good[slot] = !pl_safetensors_read(&files[slot], pl_text(&path), NULL) &&
                     !strcmp(pl_settings_string(&files[slot].metadata, "key", ""), pl_request_key(request, hex));
        pl_text_release(&path);
    }
    int newest = !good[1] || (good[2] && pl_state_is_later(&files[2], &files[1])) ? 2 : 1;
    const char *name = good[newest] ? pl_settings_string(&files[newest].metadata, "isa", "") : "";
    for (int i = 0; i < PL_ISA_COUNT; i++)
        if (!strcmp(name, pl_isa_name((enum pl_isa)i))) {
            *isa = (enum pl_isa)i;
            known = true;
        }
    for (int slot = 1; slot <= SLOTS; slot++)
        pl_safetensors_release(&files[slot]);
    return known;
}

int pl_checkpoint_load(struct pl_network *n)
{
    struct pl_safetensors files[SLOTS + 1] = {0};
    bool good[SLOTS + 1] = {0};
    int found = 1;
    if (!n->request->folder)
        return 1;
    sweep_folder(n);
    for (int slot = 1; slot <= SLOTS; slot++) {
        struct pl_text path = {0};
        struct pl_error err;
        name_slot(n, slot, &path);
        int status = examine(n, pl_text(&path), &files[slot], &err);
        good[slot] = !status;
        if (status && status != PL_EMISSING)
            pl_network_log(n, "a checkpoint is not used: %s", err.text);
        pl_text_release(&path);
    }
    while (found && (good[1] || good[2])) {
        int newest = !good[1] || (good[2] && pl_state_is_later(&files[2], &files[1])) ? 2 : 1;
        good[newest] = false;
        found = go_on(n, &files[newest], newest);
    }
    for (int slot = 1; slot <= SLOTS; slot++)
        pl_safetensors_release(&files[slot]);
    return found;
}

void pl_checkpoint_remove(struct pl_network *n)
{
    struct pl_text path = {0};
    for (int slot = 1; slot <= SLOTS && n->request->folder; slot++) {
        name_slot(n, slot, &path);
        unlink(pl_text(&path));
    }
    pl_text_release(&path);
}

int pl_train_adopt_checkpoint(const char *from, const char *from_key, const char *folder, const char *owner,
                              const char *key, struct pl_error *err)
{
    struct pl_safetensors file = {0};
    struct pl_text path = {0};
    int status = PL_EMISSING;
    for (int slot = 1; slot <= SLOTS && status; slot++) {
        pl_text_clear(&path);
        pl_text_addf(&path, "%s/checkpoint-%d.safetensors", from, slot);
        status = pl_safetensors_read(&file, pl_text(&path), NULL);
        if (status)
            continue;
        if (strcmp(pl_settings_string(&file.metadata, "key", ""), from_key)) {
            pl_safetensors_release(&file);
            status = PL_EMISSING;
        }
    }
    if (status) {
        pl_text_release(&path);
        return pl_fail(err, PL_EMISSING, "there is no checkpoint of the run in %s", from);
    }
    pl_settings_set_string(&file.metadata, "key", key);
    pl_text_clear(&path);
    pl_text_addf(&path, "%s/checkpoint-1.safetensors", folder);
    status = pl_folder_make(folder, err);
    if (!status)
        status = pl_train_folder_give(folder, owner, key, err);
    if (!status)
        status = pl_safetensors_write(pl_text(&path), &file.metadata, file.tensors, file.count, err);
    pl_safetensors_release(&file);
    pl_text_release(&path);
    return status;
}
