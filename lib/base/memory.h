/* Memory. Two kinds of request:
 *  - small bookkeeping (strings, lists): pl_new and friends never return NULL. When the machine has
 *    nothing left they call the handler (pl_set_memory_handler; the default aborts). The results
 *    database survives that like any other death of the process.
 *  - large arenas (parameters, activations): pl_arena_floats and similar return NULL, and the caller
 *    turns that into an error that says how much was asked for. */
#ifndef PL_BASE_MEMORY_H
#define PL_BASE_MEMORY_H

#include <stddef.h>

/* handler is told the size asked for and must not return. */
void pl_set_memory_handler(void (*handler)(size_t bytes));

void *pl_new(size_t bytes);                              /* zeroed; free() it */
void *pl_resize(void *block, size_t count, size_t size); /* realloc with the product checked */
char *pl_copy(const char *text);                         /* strdup; pl_copy(NULL) is NULL */
char *pl_copy_bytes(const char *bytes, size_t length);   /* adds the closing NUL */

/* Grows *list (elements of size bytes) so that it can hold need elements; *capacity is updated. */
void pl_grow(void **list, size_t *capacity, size_t need, size_t size);

/* Zeroed memory aligned to 64 bytes for number arenas; NULL when count*size overflows or is refused.
 * Release with free(). */
void *pl_arena(size_t count, size_t size);

/* A pool: many small strings released at once. Zero-initialise it. */
struct pl_pool {
    struct pl_pool_block *block;
};
void *pl_pool_take(struct pl_pool *pool, size_t bytes);
/* Zeroed memory for count things of a size; their product must not overflow. */
void *pl_pool_new(struct pl_pool *pool, size_t count, size_t size);
const char *pl_pool_copy(struct pl_pool *pool, const char *text);
void pl_pool_clear(struct pl_pool *pool); /* keeps one block for reuse */
void pl_pool_release(struct pl_pool *pool);

#endif
