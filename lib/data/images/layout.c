/* Which folders of a folder of images are splits (train, Testing, validation_set, ...), and which are classes. */
#include "data/images/images_priv.h"

#include <string.h>
#include <strings.h>

enum { WORD_MOST = 24 };

static bool is_letter(char c)
{
    return ((unsigned char)c | 32) >= 'a' && ((unsigned char)c | 32) <= 'z';
}

static bool is_capital(char c)
{
    return c >= 'A' && c <= 'Z';
}

/* The next word of a name, in small letters: TrainingSet and training_set-2 are training and set. */
static const char *next_word(const char *at, char word[WORD_MOST])
{
    size_t length = 0;
    while (*at && !is_letter(*at))
        at++;
    if (!*at)
        return NULL;
    for (const char *first = at; is_letter(*at) && !(at > first && is_capital(*at) && !is_capital(at[-1])); at++)
        if (length < WORD_MOST - 1)
            word[length++] = (char)(*at | 32);
    word[length] = '\0';
    return at;
}

static enum pl_hint role_of_word(const char *word)
{
    static const char *const words[PL_HINT_COUNT] = {
        [PL_HINT_TRAIN] = "train training trn trainset",
        [PL_HINT_VALID] = "val valid validation validate dev development valset devset",
        [PL_HINT_TEST] = "test testing tst testset",
        [PL_HINT_EVAL] = "eval evaluation",
    };
    for (enum pl_hint role = PL_HINT_TRAIN; role < PL_HINT_COUNT; role++)
        if (pl_has_word(words[role], word))
            return role;
    return PL_HINT_CLASS;
}

enum pl_hint pl_hint_of(const char *name, bool *sure)
{
    char word[WORD_MOST];
    enum pl_hint role = PL_HINT_CLASS;
    *sure = true;
    while ((name = next_word(name, word))) {
        enum pl_hint of = role_of_word(word);
        if (of && role)
            *sure = false;
        else if (of)
            role = of;
        else if (!pl_has_word("set data dataset images image imgs img split folder", word))
            *sure = false;
    }
    return role;
}

/* ---- what the splits are */

static int fail_twice(const char *folder, const char *a, const char *b, const char *what, struct pl_error *err)
{
    return pl_fail(err, PL_EINPUT, "%s and %s in %s would both be the %s images; leave one of them there", a, b, folder,
                   what);
}

/* Sorts the names into roles; two of one role are an error. */
static int sort_names(struct pl_folders *layout, const char *folder, const char *const *names, size_t count,
                      struct pl_error *err)
{
    static const char *const what[PL_HINT_COUNT] = {"", "training", "validation", "test", "evaluation"};
    for (size_t i = 0; i < count; i++) {
        bool sure;
        enum pl_hint role = pl_hint_of(names[i], &sure);
        if (!role || !sure)
            continue;
        if (layout->names[role])
            return fail_twice(folder, layout->names[role], names[i], what[role], err);
        layout->names[role] = names[i];
    }
    return 0;
}

/* Names that all look like splits without being ones that are understood: seg_train beside seg_test. */
static int check_hints(const char *folder, const char *const *names, size_t count, struct pl_error *err)
{
    const char *train = NULL, *other = NULL;
    for (size_t i = 0; i < count; i++) {
        bool sure;
        enum pl_hint role = pl_hint_of(names[i], &sure);
        if (!role)
            return 0;
        *(role == PL_HINT_TRAIN ? &train : &other) = names[i];
    }
    if (!train || !other)
        return 0;
    return pl_fail(err, PL_EINPUT,
                   "%s and %s in %s look like training and test images, not like classes; name them train "
                   "and test (or valid)",
                   train, other, folder);
}

int pl_folders_find(struct pl_folders *layout, const char *folder, const char *const *names, size_t count,
                    bool (*has_folders)(void *self, const char *name), void *self, struct pl_error *err)
{
    *layout = (struct pl_folders){0};
    int status = sort_names(layout, folder, names, count, err);
    if (status)
        return status;
    const char *train = layout->names[PL_HINT_TRAIN], *other = NULL;
    for (enum pl_hint role = PL_HINT_VALID; role < PL_HINT_COUNT; role++)
        if (layout->names[role] && !other)
            other = layout->names[role];
    if (!train && other)
        return pl_fail(err, PL_EINPUT,
                       "%s/%s has the name of a split, but beside it there is no folder train with the "
                       "classes to train on; if it is a class, give it another name",
                       folder, other);
    if (train && !has_folders(self, train)) {
        if (other)
            return pl_fail(err, PL_EINPUT,
                           "%s/%s holds no folders of classes, and nothing else says what its images show", folder,
                           train);
        layout->names[PL_HINT_TRAIN] = train = NULL; /* a class of trains */
    }
    if (!train)
        return check_hints(folder, names, count, err);
    /* `eval` is whichever is not there otherwise; an own test split comes first. */
    if (layout->names[PL_HINT_EVAL]) {
        enum pl_hint role = layout->names[PL_HINT_TEST] ? PL_HINT_VALID : PL_HINT_TEST;
        if (layout->names[role])
            return fail_twice(folder, layout->names[role], layout->names[PL_HINT_EVAL], "validation", err);
        layout->names[role] = layout->names[PL_HINT_EVAL];
        layout->names[PL_HINT_EVAL] = NULL;
    }
    layout->split = true;
    return 0;
}
