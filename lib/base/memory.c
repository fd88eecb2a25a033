#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void (*memory_handler)(size_t bytes);

void pl_set_memory_handler(void (*handler)(size_t bytes))
{
    memory_handler = handler;
}

static void *demand(void *block, size_t bytes)
{
    if (!block) {
        if (memory_handler)
            memory_handler(bytes);
        abort();
    }
    return block;
}

void *pl_new(size_t bytes)
{
    return demand(calloc(1, bytes ? bytes : 1), bytes);
}

void *pl_resize(void *block, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        demand(NULL, SIZE_MAX);
    return demand(realloc(block, bytes ? bytes : 1), bytes);
}

char *pl_copy(const char *text)
{
    return text ? pl_copy_bytes(text, strlen(text)) : NULL;
}

char *pl_copy_bytes(const char *bytes, size_t length)
{
    char *copy = pl_new(length + 1);
    memcpy(copy, bytes, length);
    return copy;
}

void pl_grow(void **list, size_t *capacity, size_t need, size_t size)
{
    if (need <= *capacity)
        return;
    size_t wanted = *capacity ? *capacity : 8;
    while (wanted < need)
        wanted *= 2;
    *list = pl_resize(*list, wanted, size);
    *capacity = wanted;
}

/* Whole large pages for a large arena, where the system gives them to those who ask (a hint): with pages of 4 KB
 * finding the addresses takes a network's step longer than reading what is there. */
static void ask_for_large_pages(void *arena, size_t bytes)
{
#if defined(MADV_HUGEPAGE)
    enum { LARGE = 2 << 20 };
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), skipped = (page - (uintptr_t)arena % page) % page;
    if (bytes >= 2 * LARGE)
        madvise((char *)arena + skipped, (bytes - skipped) / page * page, MADV_HUGEPAGE);
#else
    (void)arena, (void)bytes;
#endif
}

void *pl_arena(size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX - 63)
        return NULL;
    bytes = (bytes + 63) & ~(size_t)63;
    void *arena = aligned_alloc(64, bytes ? bytes : 64);
    if (arena) {
        ask_for_large_pages(arena, bytes);
        memset(arena, 0, bytes ? bytes : 64);
    }
    return arena;
}

struct pl_pool_block {
    struct pl_pool_block *next;
    size_t used, size;
    max_align_t data[];
};

void *pl_pool_take(struct pl_pool *pool, size_t bytes)
{
    size_t rounded = (bytes + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
    struct pl_pool_block *block = pool->block;
    if (!block || block->size - block->used < rounded) {
        size_t size = rounded > 4096 ? rounded : 4096;
        block = pl_new(sizeof *block + size);
        block->size = size;
        block->next = pool->block;
        pool->block = block;
    }
    void *taken = (char *)block->data + block->used;
    block->used += rounded;
    return taken;
}

void *pl_pool_new(struct pl_pool *pool, size_t count, size_t size)
{
    size_t bytes = count * size;
    void *taken = pl_pool_take(pool, bytes ? bytes : 1);
    return memset(taken, 0, bytes);
}

const char *pl_pool_copy(struct pl_pool *pool, const char *text)
{
    size_t length = strlen(text);
    char *copy = pl_pool_take(pool, length + 1);
    memcpy(copy, text, length + 1);
    return copy;
}

void pl_pool_clear(struct pl_pool *pool)
{
    struct pl_pool_block *kept = pool->block;
    if (!kept)
        return;
    pool->block = kept->next;
    pl_pool_release(pool);
    kept->next = NULL;
    kept->used = 0;
    pool->block = kept;
}

void pl_pool_release(struct pl_pool *pool)
{
    while (pool->block) {
        struct pl_pool_block *next = pool->block->next;
        free(pool->block);
        pool->block = next;
    }
}
