/* Data sets: what is there, checking, fetching and importing them. */
#include "answer.h"

#include "data/text/corpus.h"
#include "data/images/images.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- progress, for people at a terminal */

struct meter {
    const char *what;
    bool live, shown;
    double begun, last;
    uint64_t first; /* bytes that were there before */
};

static struct meter meter_new(const char *what)
{
    const char *terminal = getenv("TERM");
    bool dumb = terminal && !strcmp(terminal, "dumb");
    return (struct meter){.what = what, .live = isatty(STDERR_FILENO) && !dumb};
}

static bool is_due(struct meter *meter, bool last)
{
    double now = pl_clock_steady();
    if (!meter->live || (!last && now - meter->last < 0.2))
        return false;
    meter->last = now;
    meter->shown = true;
    return true;
}

static void meter_end(struct meter *meter)
{
    if (meter->shown)
        fputs("\r\033[K", stderr);
    meter->shown = false;
}

static void show_bytes(void *self, uint64_t done, uint64_t total)
{
    struct meter *meter = self;
    if (!meter->begun || done < meter->first) {
        meter->begun = pl_clock_steady();
        meter->first = done;
    }
    if (!is_due(meter, false))
        return;
    double seconds = meter->last - meter->begun, rate = seconds > 0 ? (double)(done - meter->first) / seconds : 0;
    fprintf(stderr, "\r%s  %.1f", meter->what, (double)done / 1e6);
    if (total)
        fprintf(stderr, " of %.1f MB  %.0f%%", (double)total / 1e6, 100 * (double)done / (double)total);
    else
        fprintf(stderr, " MB");
    if (seconds > 1)
        fprintf(stderr, "  %.2f MB/s", rate / 1e6);
    if (seconds > 1 && total > done && rate > 0)
        fprintf(stderr, "  %.0f s left", (double)(total - done) / rate);
    fputs("\033[K", stderr);
}

static void show_files(void *self, size_t done, size_t total)
{
    struct meter *meter = self;
    if (is_due(meter, done == total))
        fprintf(stderr, "\r%s  %zu of %zu images\033[K", meter->what, done, total);
}

static void name_unreadable(void *self, const char *path, const char *why)
{
    meter_end(self);
    pl_cmd_line(stderr, "%s: %s", path, why);
}

static void show_note(void *self, const char *text)
{
    meter_end(self);
    pl_cmd_note("%s", text);
}

/* ---- list */

static struct pl_cell text_cell(const char *text)
{
    return (struct pl_cell){.kind = *text ? PL_CELL_TEXT : PL_CELL_NULL, .text = text, .length = strlen(text)};
}

static struct pl_cell count_cell(uint64_t count, char text[24])
{
    snprintf(text, 24, "%llu", (unsigned long long)count);
    return (struct pl_cell){.kind = count ? PL_CELL_INTEGER : PL_CELL_NULL,
                            .integer = (int64_t)count,
                            .text = text,
                            .length = strlen(text)};
}

static void list_item(void *rows, const struct pl_data_item *item)
{
    char numbers[5][24], size[40] = "";
    bool known = item->state == PL_DATA_READY || item->state == PL_DATA_BUILT_IN;
    const char *origin = !known || !strcmp(item->dataset, "folder") ? "" : item->official ? "official" : "unofficial";
    if (item->shape.width)
        snprintf(size, sizeof size, "%dx%dx%d", item->shape.channels, item->shape.height, item->shape.width);
    struct pl_cell cells[] = {
        text_cell(item->name),
        text_cell(item->dataset),
        text_cell(pl_data_state_name(item->state)),
        text_cell(item->state == PL_DATA_BUILT_IN ? "" : origin),
        count_cell((uint64_t)item->classes, numbers[0]),
        count_cell(item->train, numbers[1]),
        count_cell(item->test, numbers[2]),
        text_cell(size),
        count_cell(item->bytes, numbers[3]),
        text_cell(item->path),
        text_cell(item->checksum),
        text_cell(item->note),
        count_cell(item->valid, numbers[4]),
        text_cell(""),
    };
    pl_rows_row(rows, cells, sizeof cells / sizeof *cells);
}

/* The same columns, and two more. */
static void list_corpus(void *rows, const struct pl_corpus_item *item)
{
    char numbers[5][24];
    const char *origin = item->state != PL_DATA_READY || !strcmp(item->dataset, "text") ? ""
                         : item->official                                               ? "official"
                                                                                        : "unofficial";
    struct pl_cell cells[] = {
        text_cell(item->name),
        text_cell(item->dataset),
        text_cell(pl_data_state_name(item->state)),
        text_cell(origin),
        text_cell(""),
        count_cell(item->tokens[PL_SPLIT_TRAIN], numbers[0]),
        count_cell(item->tokens[PL_SPLIT_TEST], numbers[1]),
        text_cell(""),
        count_cell(item->bytes, numbers[2]),
        text_cell(item->path),
        text_cell(item->checksum),
        text_cell(item->note),
        count_cell(item->tokens[PL_SPLIT_VALID], numbers[3]),
        count_cell(item->vocabulary, numbers[4]),
    };
    pl_rows_row(rows, cells, sizeof cells / sizeof *cells);
}

static void end_line(struct pl_text *line, bool more, const char *path, uint64_t bytes, const char *note)
{
    if (*path)
        pl_text_addf(line, "%s %s", more ? "," : ":", path);
    if (bytes)
        pl_text_addf(line, ", %.1f MB", (double)bytes / 1e6);
    if (*note)
        pl_text_addf(line, "\n%-12s  %s", "", note);
    pl_cmd_lines(stdout, pl_text(line));
    putchar('\n');
}

/* A terminal gets what people read; the other formats have all of it. */
static void list_line(void *self, const struct pl_data_item *item)
{
    bool known = item->state == PL_DATA_READY && strcmp(item->dataset, "folder");
    struct pl_text *line = self;
    pl_text_clear(line);
    pl_text_addf(line, "%-12s  %s%s", item->name, pl_data_state_name(item->state),
                 !known           ? ""
                 : item->official ? ", official"
                                  : ", unofficial");
    if (item->classes && item->valid)
        pl_text_addf(line, ": %zu + %zu + %zu", item->train, item->valid, item->test);
    else if (item->classes)
        pl_text_addf(line, ": %zu + %zu", item->train, item->test);
    if (item->classes)
        pl_text_addf(line, " images of %d classes, %d x %d", item->classes, item->shape.width, item->shape.height);
    end_line(line, item->classes > 0, item->path, item->bytes, item->note);
}

static void list_corpus_line(void *self, const struct pl_corpus_item *item)
{
    bool known = item->state == PL_DATA_READY && strcmp(item->dataset, "text");
    struct pl_text *line = self;
    pl_text_clear(line);
    pl_text_addf(line, "%-12s  %s%s", item->name, pl_data_state_name(item->state),
                 !known           ? ""
                 : item->official ? ", official"
                                  : ", unofficial");
    if (item->vocabulary)
        pl_text_addf(line, ": %zu + %zu + %zu tokens of %zu words", item->tokens[PL_SPLIT_TRAIN],
                     item->tokens[PL_SPLIT_VALID], item->tokens[PL_SPLIT_TEST], item->vocabulary);
    end_line(line, item->vocabulary > 0, item->path, item->bytes, item->note);
}

static int list(const struct pl_args *args)
{
    static const char *const names[] = {"name",  "dataset", "state", "origin", "classes", "train", "test",
                                        "shape", "bytes",   "path",  "sha256", "note",    "valid", "vocabulary"};
    if (args->count > 1)
        return pl_cmd_usage_error(args, "'%s' is one argument too many", args->arguments[1]);
    const struct pl_format *format = pl_cmd_format(args, &pl_format_text);
    if (format == &pl_format_text) {
        struct pl_text line = {0};
        pl_data_list(pl_args_data(args), &line, list_line);
        pl_corpus_list(pl_args_data(args), &line, list_corpus_line);
        pl_text_release(&line);
        return 0;
    }
    struct pl_rows *rows = pl_rows_new(stdout, format->rows);
    pl_rows_head(rows, names, sizeof names / sizeof *names);
    pl_data_list(pl_args_data(args), rows, list_item);
    pl_corpus_list(pl_args_data(args), rows, list_corpus);
    pl_rows_end(rows);
    return 0;
}

/* ---- verify */

typedef int verify_function(const char *name, const char *folder, struct pl_text *verdict, struct pl_error *err);

static int verify_by(verify_function *check, const struct pl_args *args, const char *name)
{
    struct pl_text verdict = {0};
    struct pl_error err;
    int code = 0;
    if (check(name, pl_args_data(args), &verdict, &err)) {
        code = pl_cmd_fail(args, &err);
    } else {
        pl_cmd_lines(stdout, pl_text(&verdict));
        putchar('\n');
    }
    fflush(stdout);
    pl_text_release(&verdict);
    return code;
}

static int verify_one(const struct pl_args *args, const char *name)
{
    bool text = !pl_data_find(name) && pl_corpus_exists(name, pl_args_data(args));
    return verify_by(text ? pl_corpus_verify : pl_data_verify, args, name);
}

struct names {
    struct name {
        char *name;
        verify_function *check;
    } * names;
    size_t count, capacity;
};

static void keep(struct names *names, enum pl_data_state state, const char *name, verify_function *check)
{
    if (state == PL_DATA_MISSING)
        return;
    pl_grow((void **)&names->names, &names->capacity, names->count + 1, sizeof *names->names);
    names->names[names->count++] = (struct name){pl_copy(name), check};
}

static void keep_set(void *self, const struct pl_data_item *item)
{
    keep(self, item->state, item->name, pl_data_verify);
}

static void keep_corpus(void *self, const struct pl_corpus_item *item)
{
    keep(self, item->state, item->name, pl_corpus_verify);
}

static int verify(const struct pl_args *args)
{
    struct names names = {0};
    int worst = 0;
    for (size_t i = 1; i < args->count; i++) {
        int code = verify_one(args, args->arguments[i]);
        worst = code > worst ? code : worst;
    }
    if (args->count == 1) {
        pl_data_list(pl_args_data(args), &names, keep_set);
        pl_corpus_list(pl_args_data(args), &names, keep_corpus);
    }
    for (size_t i = 0; i < names.count; i++) {
        int code = verify_by(names.names[i].check, args, names.names[i].name);
        worst = code > worst ? code : worst;
        free(names.names[i].name);
    }
    free(names.names);
    return worst;
}

/* ---- fetch */

static bool is_sha256(const char *text)
{
    return strlen(text) == 2 * PL_DIGEST_SIZE && strspn(text, "0123456789abcdefABCDEF") == 2 * PL_DIGEST_SIZE;
}

static int fetch_one(const struct pl_args *args, const char *name)
{
    const struct pl_corpus_info *corpus = pl_corpus_find(name);
    struct meter meter = meter_new(name);
    struct pl_error err;
    if (corpus && corpus->obtain)
        pl_fail(&err, PL_EINPUT, "%s has no lasting address to fetch it from. %s", name, corpus->obtain);
    else if (corpus)
        pl_fail(&err, PL_EINPUT, "%s is not published anywhere: there is nothing to fetch", name);
    if (corpus)
        return pl_cmd_fail(args, &err);
    struct pl_fetch fetch = {.url = pl_args_get(args, "url", NULL),
                             .sha256 = pl_args_get(args, "sha256", NULL),
                             .self = &meter,
                             .progress = show_bytes};
    int status = pl_data_fetch(name, pl_args_data(args), &fetch, &err);
    meter_end(&meter);
    if (status < 0)
        return pl_cmd_fail(args, &err);
    pl_cmd_line(stdout,
                status ? "%s: the right archive is in %s already" : "%s: fetched into %s, with the right checksum",
                name, pl_args_data(args));
    fflush(stdout);
    return 0;
}

static int fetch(const struct pl_args *args)
{
    const char *sha256 = pl_args_get(args, "sha256", NULL);
    int worst = 0;
    if (args->count < 2)
        return pl_cmd_usage_error(args, "fetch needs the name of a set: cifar10 or cifar100");
    if (args->count > 2 && (sha256 || pl_args_has(args, "url")))
        return pl_cmd_usage_error(args, "--url and --sha256 are for one set at a time");
    if (sha256 && !is_sha256(sha256))
        return pl_cmd_usage_error(args, "--sha256 is '%s', but must be %d hexadecimal digits", sha256,
                                  2 * PL_DIGEST_SIZE);
    for (size_t i = 1; i < args->count; i++) {
        int code = fetch_one(args, args->arguments[i]);
        worst = code > worst ? code : worst;
    }
    return worst;
}

/* ---- import */

static int import(const struct pl_args *args)
{
    int64_t size;
    struct pl_error err;
    if (args->count != 3)
        return pl_cmd_usage_error(args, "import needs a name and a folder");
    const char *name = args->arguments[1];
    struct meter meter = meter_new(name);
    struct pl_import import = {.skip = pl_args_has(args, "skip-unreadable"),
                               .self = &meter,
                               .progress = show_files,
                               .unreadable = name_unreadable,
                               .note = show_note};
    if (!pl_args_integer(args, "size", 8, 1024, 32, &size) || !pl_args_real(args, "test", 0, 0.9, 0.2, &import.test))
        return 2;
    import.size = (int)size;
    int status = pl_data_import(name, args->arguments[2], pl_args_data(args), &import, &err);
    meter_end(&meter);
    if (status)
        return pl_cmd_fail(args, &err);
    return verify_by(pl_data_verify, args, name);
}

static int run(const struct pl_args *args)
{
    static const struct {
        const char *name, *options; /* that it takes */
        int (*run)(const struct pl_args *args);
    } actions[] = {{"list", "format", list},
                   {"verify", "", verify},
                   {"fetch", "url sha256", fetch},
                   {"import", "size test skip-unreadable", import}};
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
        if (strcmp(actions[i].name, args->arguments[0]))
            continue;
        for (size_t k = 0; k < args->option_count; k++)
            if (!pl_has_word(actions[i].options, args->options[2 * k]) && !pl_has_word("db data", args->options[2 * k]))
                return pl_cmd_usage_error(args, "%s takes no --%s", actions[i].name, args->options[2 * k]);
        return actions[i].run(args);
    }
    return pl_cmd_usage_error(args, "'%s' is not one of: list verify fetch import", args->arguments[0]);
}

static const struct pl_option options[] = {
    {.name = "format", .argument = "FORMAT", .help = "list: how to print (default text)", .words = PL_FORMAT_WORDS},
    {.name = "url", .argument = "URL", .help = "fetch: from another server than the publisher's"},
    {.name = "sha256",
     .argument = "HEX",
     .help = "fetch: the checksum that the file at URL has, when it is not the published one"},
    {.name = "size", .argument = "N", .help = "import: make every image N x N pixels (default 32)"},
    {.name = "test",
     .argument = "SHARE",
     .help = "import: share of each class for the test set, where the folder has none "
             "(default 0.2)"},
    {.name = "skip-unreadable", .help = "import: leave out files that cannot be read instead of failing"},
};

const struct pl_command pl_cmd_data = {
    .name = "data",
    .summary = "list, check, fetch and import data sets",
    .arguments = "list|verify [NAME...]|fetch NAME...|import NAME FOLDER",
    .description = "list shows the sets that this program knows and the imported ones, images before text. verify "
                   "reads them again, "
                   "sources included, and compares checksums.\n"
                   "fetch downloads the archive of cifar10 or cifar100, goes on where an earlier attempt ended, and "
                   "keeps only a file "
                   "with the right checksum.\n"
                   "import makes a set of a folder with one folder of PNG or JPEG files per class (or train/CLASS and "
                   "test/CLASS); a "
                   "spec then says task: {dataset: folder, images: NAME, ...}.\n"
                   "A text needs no import: a folder or an archive of train.txt, valid.txt and test.txt in the data "
                   "folder goes by its "
                   "name, one elsewhere by its path with a /; a spec says task: {dataset: text, corpus: NAME, ...}.",
    .example = "poula data fetch cifar10",
    PL_OPTIONS(options),
    .least = 1,
    .most = 1000,
    .run = run,
};
