/* Weights of a network as others read them: float, plain order, PyTorch's names. */
#include "train/network/network.h"
#include "train/network/safetensors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void name_file(const char *folder, struct pl_text *path)
{
    pl_text_addf(path, "%s/weights.safetensors", folder);
}

/* Appends one table's tensors; values are converted into room, which moves on. */
static void add_table(struct pl_safetensor *tensors, size_t *at, const struct pl_parameter *table, size_t count,
                      const void *arena, enum pl_element element, float **room)
{
    for (size_t i = 0; i < count; i++) {
        const struct pl_parameter *p = &table[i];
        struct pl_safetensor *t = &tensors[(*at)++];
        *t = (struct pl_safetensor){.name = p->name, .type = "F32", .dims = p->dims, .count = p->count, .data = *room};
        for (int k = 0; k < p->dims; k++)
            t->shape[k] = p->shape[k];
        for (size_t k = 0; k < p->count; k++)
            (*room)[k] = element == PL_FLOAT32 ? ((const float *)arena)[p->offset + k]
                                               : (float)((const double *)arena)[p->offset + k];
        *room += p->count;
    }
}

int pl_weights_write(struct pl_network *n, struct pl_error *err)
{
    size_t parameter_count, statistic_count, at = 0;
    const struct pl_parameter *parameters = pl_graph_parameters(n->graph, &parameter_count);
    const struct pl_parameter *statistics = pl_graph_statistics(n->graph, &statistic_count);
    struct pl_safetensor *tensors = pl_new((parameter_count + statistic_count + 1) * sizeof *tensors);
    float *values = pl_arena(n->layout.length + pl_net_length(n->net, PL_STATISTICS), sizeof *values), *room = values;
    struct pl_settings metadata = {0};
    struct pl_text path = {0};
    int status = values ? pl_folder_make(n->request->folder, err)
                        : pl_fail(err, PL_EMEMORY, "there is not enough memory to write the weights");
    struct pl_network_shown shown = {0};
    if (!status)
        status = pl_network_show_average(n, &shown, err);
    if (status)
        goto done;
    pl_train_folder_mark(n->request);
    struct pl_network_loan loan = pl_network_lend(n, PL_LEND_READ);
    add_table(tensors, &at, parameters, parameter_count, loan.theta, n->element, &room);
    add_table(tensors, &at, statistics, statistic_count, loan.statistics, PL_FLOAT64, &room);
    pl_network_take_back(n, &loan);
    pl_network_describe(n, &metadata);
    pl_settings_set_string(&metadata, "format", "pt");
    name_file(n->request->folder, &path);
    status = pl_safetensors_write(pl_text(&path), &metadata, tensors, at, err);
done:
    pl_network_hide_average(n, &shown);
    pl_settings_release(&metadata);
    pl_text_release(&path);
    free(values);
    free(tensors);
    return status;
}

static bool same_shape(const struct pl_safetensor *t, const struct pl_parameter *p)
{
    bool same = t->dims == p->dims;
    for (int k = 0; same && k < p->dims; k++)
        same = t->shape[k] == p->shape[k];
    return same;
}

/* Reads the tensors of one table; those of running statistics may be absent. */
static int load_table(struct pl_net *net, const struct pl_graph *graph, const struct pl_safetensors *file,
                      enum pl_arena_kind kind, size_t *used, struct pl_error *err)
{
    size_t count;
    const struct pl_parameter *table = kind == PL_PARAMETERS ? pl_graph_parameters(graph, &count)
                                                             : pl_graph_statistics(graph, &count);
    for (size_t i = 0; i < count; i++) {
        const struct pl_safetensor *t = pl_safetensors_find(file, table[i].name);
        if (!t && kind == PL_STATISTICS)
            continue;
        if (!t)
            return pl_fail(err, PL_EINPUT, "it has no tensor %s", table[i].name);
        if (!same_shape(t, &table[i]))
            return pl_fail(err, PL_EINPUT, "its tensor %s has another shape than the model's", table[i].name);
        double *values = pl_new((t->count + 1) * sizeof *values);
        int status = pl_safetensor_values(t, values)
                         ? pl_net_set(net, kind, table[i].name, values, err)
                         : pl_fail(err, PL_EINPUT, "its tensor %s is %s, but must be F32 or F64", t->name, t->type);
        free(values);
        if (status)
            return status;
        ++*used;
    }
    return 0;
}

/* Counts that PyTorch keeps beside running statistics, and parts of a checkpoint, mean nothing here. */
static bool is_aside(const char *name)
{
    size_t length = strlen(name), end = strlen("num_batches_tracked");
    return !strncmp(name, "poula/", 6) || (length >= end && !strcmp(name + length - end, "num_batches_tracked"));
}

int pl_weights_take(struct pl_net *net, const struct pl_graph *graph, const struct pl_safetensors *file,
                    struct pl_error *err)
{
    size_t used = 0;
    int status = load_table(net, graph, file, PL_PARAMETERS, &used, err);
    if (!status)
        status = load_table(net, graph, file, PL_STATISTICS, &used, err);
    for (size_t i = 0; i < file->count; i++)
        used += is_aside(file->tensors[i].name);
    if (!status && used != file->count)
        status = pl_fail(err, PL_EINPUT, "it has %zu tensors that the model does not have", file->count - used);
    return status;
}

int pl_weights_load(struct pl_network *n, const char *path, struct pl_error *err)
{
    struct pl_safetensors file;
    struct pl_error problem;
    int status = pl_safetensors_read(&file, path, err);
    if (status)
        return status;
    status = pl_weights_take(n->net, n->graph, &file, &problem);
    if (status)
        pl_fail(err, status, "%s does not fit model %s: %s", path,
                pl_settings_string(n->request->settings, "model", ""), problem.text);
    pl_safetensors_release(&file);
    return status;
}

int pl_weights_open(struct pl_safetensors *file, const char *folder, const char *key, struct pl_error *err)
{
    struct pl_text path = {0};
    struct pl_error problem;
    name_file(folder, &path);
    int status = pl_safetensors_read(file, pl_text(&path), &problem);
    if (status == PL_EMISSING) {
        pl_fail(err, status, "the run has no weights: there is no %s", pl_text(&path));
    } else if (status) {
        pl_fail(err, status, "%s", problem.text);
    } else if (strcmp(pl_settings_string(&file->metadata, "key", ""), key)) {
        status = pl_fail(err, PL_ECORRUPT, "%s belongs to another run", pl_text(&path));
        pl_safetensors_release(file);
    }
    pl_text_release(&path);
    return status;
}

int pl_train_export_weights(const char *folder, const char *key, const char *out, struct pl_error *err)
{
    struct pl_safetensors file;
    int status = pl_weights_open(&file, folder, key, err);
    if (status)
        return status;
    status = pl_safetensors_write(out, &file.metadata, file.tensors, file.count, err);
    pl_safetensors_release(&file);
    return status;
}
