/* Inside golden-model. */
#ifndef GOLDEN_MODEL_PRIV_H
#define GOLDEN_MODEL_PRIV_H

#include "golden_model.h"
#include "model/model.h"

#include <jansson.h>

/* What a file is checked with: a device and how far float may be from double. */
struct golden_setup {
    const char *device, *name;
    bool exact;
    double outputs;   /* logits, loss, statistics: relative to the largest of the array */
    double gradients; /* norms and entries: relative to the tensor's norm */
    double absolute;  /* gradients besides, relative to the largest norm: a bias in front of a batch norm has
                         gradient zero but for rounding */
};
/* Fails when a device of the program has no setup. */
int golden_covers(const struct golden_setup *setups, size_t count, struct pl_error *err);

struct golden {
    json_t *root;
    const struct golden_setup *setup;
    uint64_t salt;
    int batch, classes;
    struct pl_graph *graph;
    struct pl_device *device;
    struct pl_net *net;
    double largest_norm;
    double clip; /* what the first entries of gradients were multiplied with; their norms were not */
};

uint64_t golden_raw(uint64_t salt, uint64_t k, uint64_t i);
double golden_number(uint64_t salt, uint64_t k, uint64_t i); /* in [-1,1) */

int golden_malformed(struct pl_error *err, const char *what);
int golden_differs(struct pl_error *err, const char *what, double got, double want);
/* Compares an array (flattened where nested) with got: each entry relative to the largest. */
int golden_compare(const json_t *want, const double *got, size_t count, double tolerance, const char *what,
                   struct pl_error *err);

/* The formula's numbers for tensor t of the table: shift + scale r. */
typedef void golden_scale_function(const struct pl_parameter *all, size_t t, double *scale, double *shift);
int golden_set_parameters(struct golden *g, golden_scale_function *formula_scale, struct pl_error *err);
int golden_check_gradients(struct golden *g, struct pl_error *err);

/* golden_model_text.c: one file of a recurrent network. */
int golden_check_text(json_t *root, struct pl_error *err);

#endif
