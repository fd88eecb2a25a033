/* The batch script of an array. */
#include "sweep/batch/slurm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the words of sbatch in a script ---- */

/* A word as sbatch reads it in its lines: it takes what stands in double quotes as it is, but for \" and \\. */
static void add_quoted(struct pl_text *out, const char *text)
{
    pl_text_add_char(out, '"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            pl_text_add_char(out, '\\');
        pl_text_add_char(out, *text);
    }
    pl_text_add_char(out, '"');
}

static bool is_plain(const char *text)
{
    static const char signs[] = "_-./=,:%@+";
    for (; *text; text++)
        if (!((*text >= '0' && *text <= '9') || (*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z') ||
              strchr(signs, *text)))
            return false;
    return true;
}

static void add_word(struct pl_text *out, const char *text)
{
    if (*text && is_plain(text))
        pl_text_add(out, text);
    else
        add_quoted(out, text);
}

static void add_option(struct pl_text *out, const char *name, const char *value)
{
    pl_text_addf(out, "#SBATCH --%s=", name);
    add_word(out, value);
    pl_text_add_char(out, '\n');
}

static void add_number(struct pl_text *out, const char *name, int64_t value, const char *unit)
{
    if (value > 0)
        pl_text_addf(out, "#SBATCH --%s=%lld%s\n", name, (long long)value, unit);
}

/* An option of the user's. In "--constraint avx512" the first blank parts two words; in "--comment=a b" none does. */
static void add_own(struct pl_text *out, const char *option)
{
    size_t name = strcspn(option, "= ");
    pl_text_add(out, "#SBATCH ");
    if (option[name] == ' ') {
        char *word = pl_copy_bytes(option, name);
        pl_text_addf(out, "%s ", word);
        free(word);
        option += name + strspn(option + name, " ");
    }
    add_word(out, option);
    pl_text_add_char(out, '\n');
}

/* ---- files ---- */

/* What a task prints goes to task-N.out, N its number in the submission; Slurm knows only its index in the array, %a.
 */
static void add_output(struct pl_text *out, const struct pl_array *array)
{
    struct pl_text path = {0};
    int digits = 0;
    int64_t power = 1;
    for (; power < array->count && digits < 10; power *= 10)
        digits++;
    for (const char *c = array->folder; *c; c++) {
        if (*c == '%')
            pl_text_add_char(&path, '%');
        pl_text_add_char(&path, *c);
    }
    if (array->count == 1)
        pl_text_addf(&path, "/task-%lld.out", (long long)array->first);
    else if (!array->first)
        pl_text_add(&path, "/task-%a.out");
    else if (array->first % power == 0)
        pl_text_addf(&path, "/task-%lld%%%da.out", (long long)(array->first / power), digits);
    else
        pl_text_addf(&path, "/task-%lld+%%a.out", (long long)array->first);
    add_option(out, "output", pl_text(&path));
    pl_text_release(&path);
}

/* Can its paths and names stand in a script? */
static int check(const struct pl_array *array, struct pl_error *err)
{
    const struct {
        const char *what, *text;
    } all[] = {
        {"folder", array->folder}, {"working folder", array->home}, {"program", array->program}, {"name", array->name}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (const unsigned char *c = (const unsigned char *)all[i].text; *c; c++)
            if (*c < ' ' || *c == 0x7f)
                return pl_fail(err, PL_EINPUT,
                               "the %s %s has a control character, which a script of sbatch cannot have", all[i].what,
                               all[i].text);
    if (strchr(array->folder, '\\'))
        return pl_fail(err, PL_EINPUT, "the folder %s has a backslash, which Slurm takes away from paths of output",
                       array->folder);
    return 0;
}

/* ---- the script ---- */

static void add_resources(struct pl_text *out, const struct pl_resources *r)
{
    add_number(out, "cpus-per-task", r->cpus, "");
    add_number(out, "mem", (int64_t)ceil(r->memory / (1 << 20)), "M");
    if (r->time > 0) {
        long long minutes = (long long)ceil(r->time / 60); /* Slurm rounds up as well */
        pl_text_addf(out, "#SBATCH --time=%lld-%02lld:%02lld:00\n", minutes / 1440, minutes / 60 % 24, minutes % 60);
    }
    add_number(out, "gpus", r->gpus, "");
    if (r->partition)
        add_option(out, "partition", r->partition);
    if (r->account)
        add_option(out, "account", r->account);
    for (size_t i = 0; i < r->sbatch.count; i++)
        add_own(out, r->sbatch.items[i]);
}

int pl_slurm_script(const struct pl_array *array, struct pl_text *out, struct pl_error *err)
{
    int status = check(array, err);
    if (status)
        return status;
    const struct pl_resources *r = array->resources;
    bool setup = r && r->setup.count;
    /* `module` and `conda` are functions of bash; without them any shell will do. */
    pl_text_add(out, setup ? "#!/bin/bash\n" : "#!/bin/sh\n");
    add_option(out, "job-name", array->name);
    pl_text_addf(out, "#SBATCH --array=0-%lld", (long long)array->count - 1);
    if (array->at_once > 0)
        pl_text_addf(out, "%%%lld", (long long)array->at_once);
    pl_text_add_char(out, '\n');
    add_option(out, "chdir", array->home);
    add_output(out, array);
    pl_text_add(out, "#SBATCH --open-mode=append\n#SBATCH --requeue\n");
    if (array->warning > 0)
        pl_text_addf(out, "#SBATCH --signal=B:TERM@%d\n",
                     array->warning < 1       ? 1
                     : array->warning > 65535 ? 65535
                                              : (int)ceil(array->warning));
    pl_text_add(out, "#SBATCH --nodes=1\n#SBATCH --ntasks=1\n");
    if (r)
        add_resources(out, r);
    pl_text_add(out, "\ncd ");
    pl_text_add_word(out, array->home);
    pl_text_add(out, " || exit\n");
    if (setup)
        pl_text_add(out, "set -e\ntrap 'echo \"poula: a line of setup failed: $BASH_COMMAND\" >&2' ERR\n");
    for (size_t i = 0; setup && i < r->setup.count; i++)
        pl_text_addf(out, "%s\n", r->setup.items[i]);
    if (setup)
        pl_text_add(out, "trap - ERR\n");
    /* exec: what Slurm tells the script, poula hears. */
    pl_text_add(out, "exec ");
    pl_text_add_word(out, array->program);
    pl_text_add(out, " worker --orders ");
    pl_text_add_word(out, array->folder);
    pl_text_addf(out, " $((%lld + SLURM_ARRAY_TASK_ID))\n", (long long)array->first);
    return 0;
}
