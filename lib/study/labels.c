#include "study/labels.h"

#include <stdlib.h>
#include <string.h>

bool pl_label_is_of(const char *label, const char *name)
{
    double x, y;
    return !strcmp(label, name) || (pl_number_read(label, &x) && pl_number_read(name, &y) && x == y);
}

const char *pl_labels_find(const struct pl_labels *labels, const char *name)
{
    for (size_t i = 0; i < labels->count; i++)
        if (pl_label_is_of(labels->names[i], name))
            return labels->texts[i];
    return NULL;
}

const char *pl_labels_show(const struct pl_labels *labels, const char *name)
{
    const char *text = pl_labels_find(labels, name);
    return text ? text : name;
}

bool pl_labels_add(struct pl_labels *labels, const char *name, const char *text)
{
    if (pl_labels_find(labels, name))
        return false;
    labels->names = pl_resize(labels->names, labels->count + 1, sizeof *labels->names);
    labels->texts = pl_resize(labels->texts, labels->count + 1, sizeof *labels->texts);
    labels->names[labels->count] = pl_copy(name);
    labels->texts[labels->count++] = pl_copy(text);
    return true;
}

bool pl_labels_read(const char *list, struct pl_labels *labels, const char **wrong)
{
    for (const char *part = list; *part;) {
        size_t length = strcspn(part, ",");
        const char *equals = memchr(part, '=', length);
        bool good = equals && equals > part && equals + 1 < part + length;
        if (good) {
            char *name = pl_copy_bytes(part, (size_t)(equals - part));
            char *text = pl_copy_bytes(equals + 1, (size_t)(part + length - equals - 1));
            good = pl_labels_add(labels, name, text);
            free(name);
            free(text);
        }
        if (!good) {
            *wrong = part;
            return false;
        }
        part += length + (part[length] == ',');
    }
    *wrong = list;
    return labels->count > 0;
}

struct pl_labels pl_labels_join(const struct pl_labels *first, const struct pl_labels *second)
{
    struct pl_labels joined = {0};
    for (size_t i = 0; i < first->count; i++)
        pl_labels_add(&joined, first->names[i], first->texts[i]);
    for (size_t i = 0; i < second->count; i++)
        pl_labels_add(&joined, second->names[i], second->texts[i]);
    return joined;
}

void pl_labels_release(struct pl_labels *labels)
{
    for (size_t i = 0; i < labels->count; i++) {
        free(labels->names[i]);
        free(labels->texts[i]);
    }
    free(labels->names);
    free(labels->texts);
    *labels = (struct pl_labels){0};
}
