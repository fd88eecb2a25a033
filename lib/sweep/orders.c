#include "sweep/orders.h"
#include "sweep/watch.h"

#include <string.h>

static void find_folder(struct pl_orders *orders, const struct pl_claimed *run, struct pl_text *folder)
{
    const struct pl_sweep_options *options = orders->options;
    unsigned char digest[PL_DIGEST_SIZE];
    char key[2 * PL_DIGEST_SIZE + 1];
    pl_text_addf(folder, "%s/%lld", options->folders, (long long)run->claim.run);
    size_t plain = folder->length;
    pl_text_add(folder, "-2");
    bool any = pl_file_exists(pl_text(folder));
    pl_text_cut(folder, plain);
    if (!any && !pl_file_exists(pl_text(folder)))
        return; /* as for nearly all runs, which come by the thousand a second */
    pl_run_key(run->settings->text, run->claim.seed, digest);
    pl_digest_hex(digest, sizeof digest, key);
    bool evaded = pl_run_folder(options->folders, orders->owner, run->claim.run, key, run->claim.attempt > 1, folder);
    if (evaded && !orders->noted)
        pl_view_note(&options->view, "%s/%lld has files of another database or run, so this run's are kept in %s",
                     options->folders, (long long)run->claim.run, pl_text(folder));
    orders->noted = orders->noted || evaded;
}

void pl_orders_write(struct pl_orders *orders, const struct pl_claimed *run, size_t slot, struct pl_text *out)
{
    struct pl_text folder = {0};
    find_folder(orders, run, &folder);
    const struct pl_study *study = run->study->study;
    struct pl_order order = {.run = run->claim.run,
                             .seed = run->claim.seed,
                             .threads = orders->options->threads,
                             .limit = run->is_command ? run->limit : 0,
                             .slot = (int)slot,
                             .settings = run->settings->text,
                             .folder = pl_text(&folder),
                             .owner = orders->owner,
                             .reading = study->reading,
                             .home = study->home,
                             .data = orders->options->data_folder,
                             .epochs = run->epochs,
                             .until = run->epochs > 0 && run->claim.until >= run->epochs ? 0 : run->claim.until,
                             .restart = study->stop && study->stop->restart,
                             .continued = run->claim.attempt > 1};
    order.continued = order.continued && !order.restart;
    memcpy(order.kept, run->kept, sizeof order.kept);
    pl_order_write(&order, out);
    pl_text_release(&folder);
}
