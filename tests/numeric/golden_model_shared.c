/* What the checks of image models and of text models share. */
#include "golden_model_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

uint64_t golden_raw(uint64_t salt, uint64_t k, uint64_t i)
{
    uint64_t z = i + ((k + 1) << 32) + (salt << 56) + 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

/* In [-1,1). */
double golden_number(uint64_t salt, uint64_t k, uint64_t i)
{
    return 2 * ((double)(golden_raw(salt, k, i) >> 11) * 0x1p-53) - 1;
}

int golden_covers(const struct golden_setup *setups, size_t count, struct pl_error *err)
{
    for (size_t d = 0; d < pl_device_registry.count; d++) {
        size_t i = 0;
        while (i < count && strcmp(setups[i].device, pl_device_type_at(d)->name))
            i++;
        if (i == count)
            return pl_fail(err, PL_EINPUT, "the golden files are not run on the device %s: it has no setup",
                           pl_device_type_at(d)->name);
    }
    return 0;
}

int golden_malformed(struct pl_error *err, const char *what)
{
    return pl_fail(err, PL_ECORRUPT, "%s is missing or not what the format says", what);
}

int golden_differs(struct pl_error *err, const char *what, double got, double want)
{
    return pl_fail(err, PL_ECORRUPT, "%s is %.17g, but should be %.17g", what, got, want);
}

/* Compares an array (flattened where nested) with got: each entry relative to the largest. */
int golden_compare(const json_t *want, const double *got, size_t count, double tolerance, const char *what,
                   struct pl_error *err)
{
    double *values = pl_new((count + 1) * sizeof *values), largest = 0;
    size_t filled = 0, i, j;
    json_t *row, *value;
    json_array_foreach((json_t *)(uintptr_t)want, i, row)
    {
        if (json_is_number(row) && filled < count)
            values[filled++] = json_number_value(row);
        json_array_foreach(row, j, value) if (filled < count) values[filled++] = json_number_value(value);
    }
    int status = filled == count ? 0 : golden_malformed(err, what);
    for (size_t k = 0; k < filled; k++)
        largest = fmax(largest, fabs(values[k]));
    for (size_t k = 0; !status && k < filled; k++)
        if (!(fabs(got[k] - values[k]) <= tolerance * largest)) {
            struct pl_text entry = {0};
            pl_text_addf(&entry, "%s, entry %zu,", what, k);
            status = golden_differs(err, pl_text(&entry), got[k], values[k]);
            pl_text_release(&entry);
        }
    free(values);
    return status;
}

int golden_set_parameters(struct golden *g, golden_scale_function *formula_scale, struct pl_error *err)
{
    size_t count, index, dim;
    const struct pl_parameter *all = pl_graph_parameters(g->graph, &count);
    json_t *rows = json_object_get(g->root, "params"), *row, *size;
    double params = json_number_value(json_object_get(g->root, "n_params"));
    if (params != (double)pl_graph_parameter_count(g->graph))
        return golden_differs(err, "the number of parameters", (double)pl_graph_parameter_count(g->graph), params);
    if (json_array_size(rows) != count)
        return golden_differs(err, "the number of tensors", (double)count, (double)json_array_size(rows));
    json_array_foreach(rows, index, row)
    {
        const struct pl_parameter *p = &all[index];
        const char *name = json_string_value(json_object_get(row, "name"));
        json_t *shape = json_object_get(row, "shape");
        if (!name || strcmp(name, p->name))
            return pl_fail(err, PL_ECORRUPT, "tensor %zu is called %s, but should be %s", index, p->name,
                           name ? name : "something");
        bool same = json_array_size(shape) == (size_t)p->dims;
        json_array_foreach(shape, dim, size) same = same && (size_t)json_integer_value(size) == p->shape[dim];
        if (!same)
            return pl_fail(err, PL_ECORRUPT, "%s has another shape than the file says", name);
        double scale, shift, *values = pl_new(p->count * sizeof *values);
        formula_scale(all, index, &scale, &shift);
        uint64_t k = (uint64_t)json_integer_value(json_object_get(row, "k"));
        for (size_t i = 0; i < p->count; i++)
            values[i] = shift + scale * golden_number(g->salt, k, i);
        int status = pl_net_set(g->net, PL_PARAMETERS, name, values, err);
        free(values);
        if (status)
            return status;
    }
    return 0;
}

static int check_gradient(struct golden *g, const struct pl_parameter *p, const json_t *row, struct pl_error *err)
{
    double *got = pl_new(p->count * sizeof *got), squares = 0;
    int status = pl_net_get(g->net, PL_GRADIENTS, p->name, got, err);
    for (size_t i = 0; i < p->count; i++)
        squares += got[i] * got[i];
    double norm = json_number_value(json_object_get(row, "grad_l2"));
    double tolerance = g->setup->gradients * norm + g->setup->absolute * g->largest_norm;
    struct pl_text what = {0};
    pl_text_addf(&what, "the gradient norm of %s", p->name);
    if (!status && !(fabs(sqrt(squares) - norm) <= tolerance))
        status = golden_differs(err, pl_text(&what), sqrt(squares), norm);
    json_t *first = json_object_get(row, "grad_first4"), *value;
    size_t i;
    json_array_foreach(first, i, value)
    {
        pl_text_clear(&what);
        pl_text_addf(&what, "gradient entry %zu of %s", i, p->name);
        if (!status && (i >= p->count || !(fabs(g->clip * got[i] - json_number_value(value)) <= tolerance)))
            status = golden_differs(err, pl_text(&what), i < p->count ? g->clip * got[i] : NAN,
                                    json_number_value(value));
    }
    pl_text_release(&what);
    free(got);
    return status;
}

int golden_check_gradients(struct golden *g, struct pl_error *err)
{
    size_t count, index;
    const struct pl_parameter *all = pl_graph_parameters(g->graph, &count);
    json_t *rows = json_object_get(g->root, "params"), *row;
    json_array_foreach(rows, index, row)
        g->largest_norm = fmax(g->largest_norm, json_number_value(json_object_get(row, "grad_l2")));
    json_array_foreach(rows, index, row)
    {
        int status = check_gradient(g, &all[index], row, err);
        if (status)
            return status;
    }
    return 0;
}
