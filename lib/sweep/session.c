/* The ledger's session in the database: joining, runs of sweeps that died, leaving. */
#include "sweep/ledger.h"
#include "sweep/watch.h"

int pl_ledger_recover(struct pl_ledger *l, struct pl_error *err)
{
    int64_t recovered = 0;
    l->waiting = true;
    int status = pl_store_recover(l->store, &recovered, err);
    l->waiting = false;
    l->recovered = pl_clock_steady();
    if (!status && recovered)
        pl_view_note(&l->options->view, "%lld runs of a sweep that died are given back", (long long)recovered);
    return status;
}

int pl_ledger_join(struct pl_ledger *l, struct pl_error *err)
{
    struct pl_provenance *self = &l->hosts.self;
    pl_sweep_provenance(self, l->options->jobs, l->options->threads, l->options->insist, &l->hosts.texts);
    self->data = l->options->data;
    int status = pl_ledger_recover(l, err);
    if (!status)
        status = pl_store_token(l->store, l->owner, err);
    if (!status)
        status = pl_store_join(l->store, self, &l->session, err);
    l->recorder.session = l->session;
    return status;
}

int pl_ledger_leave(struct pl_ledger *l, struct pl_error *err)
{
    return l->session ? pl_store_leave(l->store, l->session, err) : 0;
}
