/* The orders of claimed runs: what a worker is told of them (orders.c). */
#ifndef PL_SWEEP_ORDERS_H
#define PL_SWEEP_ORDERS_H

#include "sweep/claimed.h"

struct pl_orders {
    const struct pl_sweep_options *options;
    const char *owner; /* of the runs' folders: the database */
    bool noted;        /* it was said that a folder was another one's */
};
/* Appends the order of a run, as a line of the protocol. slot: its worker's place. Looks which folder is the run's. */
void pl_orders_write(struct pl_orders *orders, const struct pl_claimed *run, size_t slot, struct pl_text *out);

#endif
