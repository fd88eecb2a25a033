/* Small networks that between them use every operator in every wiring the planner treats differently: shared
 * by the gradient check and by the comparison of devices. */
#ifndef PL_TESTS_NETWORKS_H
#define PL_TESTS_NETWORKS_H

#include "nn/nn.h"

struct network {
    const char *name;
    int batch;
    struct pl_shape image;
    int (*build)(struct pl_graph *g, int x); /* up to some features; the head is added to them */
};

extern const struct network networks[];
extern const size_t network_count;

enum { NETWORK_CLASSES = 3 };

/* The network with a linear head and a loss, checked. */
struct pl_graph *network_graph(const struct network *network);

/* A random wiring of random operators. */
struct pl_graph *network_random(uint64_t seed, int *batch);

/* Fills a net's parameters and a batch (the caller's arrays) with numbers that are a function of the seed. */
void network_fill(struct pl_net *net, const struct pl_graph *g, uint64_t seed);
void network_batch(const struct pl_graph *g, int batch, uint64_t seed, double **images, int32_t **labels);

#endif
