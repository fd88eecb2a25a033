#include "study/names.h"

#include <stdlib.h>
#include <string.h>

bool pl_name_is_legal(const char *name)
{
    if (!*name || *name == '.' || *name == '-' || strlen(name) > 100)
        return false;
    for (const unsigned char *c = (const unsigned char *)name; *c; c++)
        if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') || *c >= 0x80 ||
              strchr("_-.", *c)))
            return false;
    return true;
}

bool pl_names_have(const struct pl_names *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++)
        if (!strcmp(names->names[i], name))
            return true;
    return false;
}

void pl_names_read(const char *list, struct pl_names *names)
{
    *names = (struct pl_names){0};
    for (const char *word = list; word && *word;) {
        size_t length = strcspn(word, ",");
        if (length) {
            names->names = pl_resize(names->names, names->count + 1, sizeof *names->names);
            names->names[names->count++] = pl_copy_bytes(word, length);
        }
        word += length + (word[length] == ',');
    }
}

void pl_names_add(struct pl_names *names, const char *name)
{
    names->names = pl_resize(names->names, names->count + 1, sizeof *names->names);
    names->names[names->count++] = pl_copy(name);
}

void pl_names_release(struct pl_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->names[i]);
    free(names->names);
    *names = (struct pl_names){0};
}
