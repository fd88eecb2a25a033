/* Hashes of values, by which points are told apart. They live as long as the program runs: none is stored. */
#ifndef PL_SPEC_HASH_H
#define PL_SPEC_HASH_H

#include "spec/read/node.h"

/* 128 bits for a key and its value; those of equal values are equal. */
void pl_value_hash(const char *key, const struct pl_value *value, uint64_t hash[2]);
/* Mixes what a node says, as it is written, into a hash. */
void pl_hash_add_node(const struct node *node, uint64_t hash[2]);
uint64_t pl_hash_mix(uint64_t bits);

#endif
