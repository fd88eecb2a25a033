/* Words to numbers: a hash table with open addressing over one growing spelling. */
#include "data/text/corpus_priv.h"

#include <stdlib.h>
#include <string.h>

/* FNV-1a, and its high bits mixed into the low ones that choose a slot. */
static uint64_t hash(const char *word, size_t length)
{
    uint64_t h = 0xcbf29ce484222325;
    for (size_t i = 0; i < length; i++)
        h = (h ^ (unsigned char)word[i]) * 0x100000001b3;
    return h ^ h >> 32;
}

/* The slot that holds the word, or the free one where it belongs. */
static size_t find_slot(const struct pl_vocabulary *v, const char *word, size_t length)
{
    size_t slot = (size_t)hash(word, length) & (v->slot_count - 1);
    for (; v->slots[slot]; slot = (slot + 1) & (v->slot_count - 1)) {
        const char *other = pl_text(&v->spelling) + v->starts[v->slots[slot] - 1];
        if (!strncmp(other, word, length) && !other[length])
            break;
    }
    return slot;
}

/* At most half of the slots are taken. */
static void make_room(struct pl_vocabulary *v)
{
    if (2 * (v->count + 1) <= v->slot_count)
        return;
    free(v->slots);
    v->slot_count = v->slot_count ? 2 * v->slot_count : 1024;
    v->slots = pl_new(v->slot_count * sizeof *v->slots);
    for (size_t i = 0; i < v->count; i++) {
        const char *word = pl_text(&v->spelling) + v->starts[i];
        v->slots[find_slot(v, word, strlen(word))] = (uint32_t)i + 1;
    }
}

int32_t pl_vocabulary_find(const struct pl_vocabulary *v, const char *word, size_t length)
{
    return v->slot_count ? (int32_t)v->slots[find_slot(v, word, length)] - 1 : -1;
}

int32_t pl_vocabulary_add(struct pl_vocabulary *v, const char *word, size_t length)
{
    make_room(v);
    size_t slot = find_slot(v, word, length);
    if (!v->slots[slot]) {
        pl_grow((void **)&v->starts, &v->capacity, v->count + 1, sizeof *v->starts);
        v->starts[v->count++] = v->spelling.length;
        pl_text_add_bytes(&v->spelling, word, length);
        pl_text_add_char(&v->spelling, '\0');
        v->slots[slot] = (uint32_t)v->count;
    }
    return (int32_t)v->slots[slot] - 1;
}

void pl_vocabulary_release(struct pl_vocabulary *v)
{
    pl_text_release(&v->spelling);
    free(v->starts);
    free(v->slots);
    *v = (struct pl_vocabulary){0};
}
