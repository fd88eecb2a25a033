/* Hashes of values. */
#include "spec/grid/hash.h"

#include "spec/read/node.h"

#include <stdint.h>
#include <string.h>

uint64_t pl_hash_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u; /* the finaliser of splitmix64 */
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

static void mix_in(uint64_t hash[2], uint64_t bits)
{
    hash[0] = pl_hash_mix(hash[0] ^ bits) + 0x9E3779B97F4A7C15u;
    hash[1] = pl_hash_mix(hash[1] + (bits ^ 0xD6E8FEB86659FD93u)) * 3;
}

static void mix_text(uint64_t hash[2], const char *text)
{
    size_t length = strlen(text);
    mix_in(hash, length);
    for (size_t i = 0; i < length; i += 8) {
        uint64_t bits = 0;
        memcpy(&bits, text + i, length - i < 8 ? length - i : 8);
        mix_in(hash, bits);
    }
}

void pl_hash_add_node(const struct node *node, uint64_t hash[2])
{
    if (node->kind == NODE_SCALAR)
        mix_text(hash, node->text);
    for (size_t i = 0; i < (node->kind == NODE_MAP ? 2 * node->count : node->count); i++)
        pl_hash_add_node(node->items[i], hash);
}

void pl_value_hash(const char *key, const struct pl_value *value, uint64_t hash[2])
{
    hash[0] = hash[1] = 0;
    if (value->silent)
        return; /* as if it were not there, as in the key */
    hash[0] = hash[1] = 1;
    mix_text(hash, key);
    double real = value->type == PL_INTEGER ? (double)value->integer : value->type == PL_REAL ? value->real : 0;
    if (value->type == PL_STRING) {
        mix_text(hash, value->string);
    } else if (value->type == PL_BOOLEAN) {
        mix_in(hash, value->boolean ? 2 : 1);
    } else if (value->type == PL_INTEGER && (int64_t)real != value->integer) {
        mix_in(hash, (uint64_t)value->integer);
    } else {
        uint64_t bits;
        real = real == 0 ? 0 : real; /* -0 and 0 are one value */
        memcpy(&bits, &real, sizeof bits);
        mix_in(hash, bits);
    }
}
