/* Internals of spec: the YAML tree, complaints, contents (what a file says) and grids (what it means). */
#ifndef PL_SPEC_PRIV_H
#define PL_SPEC_PRIV_H

#include "spec/spec.h"

enum {
    LARGEST_FILE = 8 << 20,       /* bytes of a spec */
    MOST_NODES = 2000000,         /* of a spec, every alias counted in full */
    DEEPEST = 40,                 /* nesting of lists and mappings */
    MOST_ANCHORS = 250,
    MOST_COMPLAINTS = 50,         /* that are printed */
    MOST_SEEDS = 1000000,
    MOST_SCALES = 50,             /* names of a scale block */
    MOST_RUNS = 100000000,        /* of a study */
    MOST_COMPARED = 2000000000,   /* values that exclude compares while loading */
    MOST_WALKED = 10000000,       /* configurations that are visited one by one while loading */
    MOST_CHECKED = 100000,        /* configurations up to which pl_train_check sees every one */
    MOST_WORK = 4000000,          /* values that are read, with those that studies and cases share */
    LONGEST_EXPRESSION = 1000,
};

/* ---- the YAML tree (node.c) ---- */

enum node_kind { NODE_SCALAR, NODE_LIST, NODE_MAP };

struct node {
    enum node_kind kind;
    bool plain;          /* a scalar without quotes */
    bool repeated;       /* a key that its mapping already has: dropped */
    unsigned line, column;
    size_t size;         /* nodes below and including this one, aliases expanded */
    const char *text;    /* of a scalar; has no NUL inside */
    struct node **items; /* of a list: count items; of a mapping: count pairs of key, value */
    size_t count;
};

struct complaints {
    const char *file;
    struct complaint {
        unsigned line, column;
        size_t order;
        char *text;
    } *list;
    size_t count, capacity;
    size_t more; /* that were not kept */
};

/* Adds a complaint at a node (NULL: at the start of the file). */
void pl_complain(struct complaints *all, const struct node *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void pl_complain_at(struct complaints *all, unsigned line, unsigned column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
size_t pl_complaint_count(const struct complaints *all);
/* Writes them by position, at most MOST_COMPLAINTS, and releases them. */
void pl_complaints_write(struct complaints *all, struct pl_text *out);
void pl_complaints_release(struct complaints *all);

/* Zeroed memory from a pool. */
void *pl_take(struct pl_pool *pool, size_t count, size_t size);

/* Reads every document of the text. Problems (syntax, encoding, duplicate keys) go to complaints; the
 * nodes live in the pool. */
void pl_nodes_read(const char *text, size_t length, struct pl_pool *pool, struct complaints *complaints,
                struct node ***documents, size_t *count);

/* ---- contents: what a study, a case or defaults says (content.c) ---- */

struct scale;

/* Reading a file: what every function needs. */
struct reader {
    struct complaints complaints;
    struct pl_pool *pool;
    struct pl_schema_source *sources;
    size_t source_count;
    struct scale *scale; /* the size that the study at hand is read in; NULL: as written */
    struct pick *picks; /* of all studies, the last one first */
    size_t study; /* that is read */
    size_t work;  /* values read so far */
    bool tired;   /* work has passed MOST_WORK and was complained about */
};

/* Zero-initialise. Prepares to read a file of that name. */
void pl_reader_init(struct reader *reader, const char *name, struct pl_pool *pool);
/* Counts work; returns false (after one complaint) when there was too much. */
bool pl_reader_works(struct reader *reader, const struct node *at, size_t amount);

/* One key of a section with what it was given. */
struct assignment {
    enum pl_section section;
    const char *spelling;             /* as written ("name" of an optimizer is "optimizer") */
    const char *key;                  /* canonical, as far as any descriptor knows it */
    const struct pl_setting *setting; /* some descriptor of that key, or NULL */
    struct node *key_node, *value;
};

struct content {
    struct node *map;
    struct assignment *assignments;
    size_t count;
    struct reading_nodes {
        struct node *pattern, *metrics_file, *error_too, *stall;
    } reading;
    struct node *name, *description, *seeds, *timeout, *epochs, *zip, *exclude, *cases, *metrics, *tables, *figures, *scale;
};

enum content_kind { CONTENT_STUDY, CONTENT_CASE, CONTENT_DEFAULTS };
/* Reads a mapping; a key that such a mapping cannot have is complained about. */
void pl_content_read(struct reader *reader, struct node *map, enum content_kind kind, struct content *content);

/* A descriptor of a key or alias from any source, or NULL. */
const struct pl_setting *pl_reader_find(const struct reader *reader, const char *key);
/* Adds ": did you mean X" or the legal words to a sentence. */
void pl_hint(struct pl_text *out, const char *word, const char *const *legal, size_t count);
/* Adds ": did you mean X" when some setting of any section is spelled nearly so. */
void pl_reader_propose(const struct reader *reader, const char *spelling, struct pl_text *out);
/* The scalar text of a node; NULL (after a complaint that says what) when it is not one or is empty. */
const char *pl_node_text(struct reader *reader, const struct node *node, const char *what);
bool pl_node_is_null(const struct node *node);
/* The value of a key of a mapping; NULL when it has none, or is no mapping. */
struct node *pl_node_find(const struct node *map, const char *key);
/* Studies and figures are named by what can be a file name: letters, digits, _, - and . */
bool pl_name_is_legal(const char *name);
/* The node as a list: its items, or itself as the only one. */
struct node **pl_node_list(struct node **node, size_t *count);

/* ---- values (value.c, expression.c) ---- */

/* A value that a setting is given: a constant, or an expression over other settings. */
struct cell {
    struct pl_value value;
    const char *expression; /* NULL: none */
    const struct pick *pick; /* NULL: none */
    const struct node *at;
};
bool pl_cell_is_constant(const struct cell *cell);

/* Reads a scalar (or, for a list setting, a list) for a descriptor; NULL: a free setting, whose type is
 * that of the value. Returns false after a complaint. */
bool pl_cell_read(struct reader *reader, const char *key, const struct pl_setting *setting, const struct node *node,
               struct cell *cell);

/* The names an expression uses, each once, as spelled. Returns false after filling why. */
struct expression_names {
    char names[16][64];
    size_t count;
};
bool pl_expression_scan(const char *expression, struct expression_names *names, struct pl_text *why);
/* Compiles an expression; variable says where the value of a name (as spelled) stands. Returns NULL after
 * filling why. */
struct expression;
struct expression *pl_expression_new(const char *expression, double *(*variable)(void *self, const char *name),
                                  void *self, struct pl_text *why);
/* NaN when it has no value. */
double pl_expression_value(struct expression *expression);
void pl_expression_free(struct expression *expression);

/* ---- picks: values that another study's table chooses (pick.c) ---- */

struct pick {
    struct pl_pick pick;    /* study and table are known once all studies are read */
    size_t owner;           /* the study whose setting it is */
    const struct node *at, *from, *best;
    const char *source;     /* the study's name, in the scale at hand */
    const struct node *title_at;
    const char *title;      /* of the table, or NULL */
    bool linked;            /* its table was found */
    struct pick *next;
};

bool pl_is_pick(const struct node *node);
/* Reads {from: STUDY, best: N, table: TITLE}; setting NULL: a free one. Returns false after a complaint. */
bool pl_pick_read(struct reader *reader, const char *key, const struct pl_setting *setting, const struct node *node,
                  struct cell *cell);
/* Finds the tables of all picks, and complains of those that there are not, of circles, and of runs for which the study
 * that chooses has no configuration. */
void pl_picks_link(struct reader *reader, struct pl_study *studies, size_t count);

/* ---- grids (grid.c, variant.c) ---- */

enum { NONE = -1 };

/* One setting of a grid part. */
struct field {
    const char *key;
    const struct assignment *assignment;
    struct node **items; /* the values to take: one, or one for each position of its dimension; some of what a
                            scale brings along may be NULL: not given there */
    size_t count;
    bool axis;           /* was given a list */
    bool choice;
    bool optional;       /* set by a scale: it acts where the variant has such a setting */
    const char *follows; /* key of the setting with which it came: it varies with that one; or NULL */
    const char *brought_by;     /* a scale brings it along with the values of that key; NULL: it stands in the spec */
    int dimension;       /* or NONE */
    size_t rank;         /* for document order */
};

/* What varies at once: one field, or a zip of several. */
struct dimension {
    size_t count;
    bool choice;         /* one of its fields chooses the schema */
    size_t stride;       /* of a choice dimension: variants between two positions */
};

/* A field in one variant. */
struct slot {
    const struct pl_setting *setting; /* NULL: free */
    size_t entry;        /* in the settings */
    struct cell *cells;  /* one for each position, or only one; NULL: the variant has no such setting, or no value */
    uint64_t (*hashes)[2];
    bool single;         /* there is one cell: the position follows from the variant, or nothing varies */
    bool computed;       /* some cell is an expression or a pick */
    double low, high;    /* results between these were found legal already */
};

/* One combination of choices: the schema is known, so every value can be read. */
struct variant {
    bool good;
    struct pl_schema schema;
    struct pl_settings settings; /* complete for some point */
    struct slot *slots;          /* one for each field */
    size_t *order;               /* fields with expressions or picks, each behind those it needs */
    size_t order_count;
    uint64_t hash[2];            /* of the entries that no field sets */
};

/* One full grid: the study, or one of its cases. */
struct part {
    struct content *content;
    struct field *fields;
    size_t field_count;
    struct dimension *dimensions;
    size_t dimension_count;
    struct variant *variants;
    size_t variant_count;
    uint64_t points;
    uint64_t first;     /* number of its first point in the study */
    size_t first_variant; /* variants of the parts before */
    bool computed;      /* some value is an expression */
    bool may_repeat;    /* two of its points may have equal settings */
};

struct position {
    size_t part;
    uint64_t point;     /* in the study */
    size_t *at;         /* in each dimension */
    size_t variant;
};

/* One mapping of exclude: a run is dropped when all its conditions hold. */
struct exclusion {
    const struct node *at;
    size_t part;        /* the only part it acts on, or SIZE_MAX */
    bool shared;        /* from defaults: need not act on every study */
    bool used;          /* found to drop some run */
    struct pl_condition *conditions; /* on settings; keys as in the settings */
    size_t count;
    int64_t *seeds;     /* in rising order; NULL: all */
    size_t seed_count;
    size_t **entries;   /* by variant: of each condition; NULL: never holds there */
};

struct pl_study_grid {
    struct part *parts;
    size_t part_count;
    struct exclusion *exclusions;
    size_t exclusion_count;
    bool seed_exclusions;
    uint64_t points;
    size_t variant_count;   /* of all parts */
    unsigned char *skip;    /* one bit for each point that is excluded or repeated; NULL: none is */
    bool settled;           /* the study has waited, and then was this: */
    unsigned char *waiting_skip;
    uint64_t waiting_configs, waiting_runs;
    const int64_t *seeds, *sorted_seeds;
    size_t seed_count;
    const struct node *at;  /* where to complain of the study */
    pl_pick_value *pick_value; /* NULL: picks are not known yet */
    void *pick_self;
};

/* Looks what a field's assignment holds: one value or a list of them. */
void pl_field_read_items(struct reader *reader, struct field *field);
/* Builds the grid of a study from defaults (or NULL), the study and its cases. */
void pl_grid_read(struct reader *reader, const struct content *defaults, const struct content *study,
               struct pl_study_grid *grid);
/* Variants of a part: schemas, typed values, complete settings. at: where to complain of what is missing. */
void pl_part_read_variants(struct reader *reader, struct part *part, const struct node *at);
/* The entry of a variant's settings that a key or alias names; SIZE_MAX: none. */
size_t pl_variant_entry(const struct variant *variant, const char *name);
/* Orders the fields with expressions so that each stands behind those it needs. */
void pl_variant_order(struct reader *reader, const struct part *part, struct variant *variant);
/* 128 bits for a key and its value; those of equal values are equal. */
void pl_value_hash(const char *key, const struct pl_value *value, uint64_t hash[2]);
/* A condition of exclude or where (what says which): a key and its value or list of values. part is the only one it
 * acts on, or SIZE_MAX. lenient: settings are believed to exist. Returns false after a complaint. */
bool pl_condition_read(struct reader *reader, const struct pl_study_grid *grid, size_t part, bool lenient,
                    const char *what, struct node *key, struct node *value, struct pl_condition *condition);
bool pl_condition_holds(const struct pl_condition *condition, const struct pl_value *value);

/* Reads the exclusions of a study. */
void pl_exclusions_read(struct reader *reader, const struct content *defaults, const struct content *study,
                     struct pl_study_grid *grid);
bool pl_exclusion_holds(const struct exclusion *exclusion, const struct pl_study_grid *grid,
                     const struct position *position, const struct pl_settings *settings);
/* The seeds that remain at a position; returns how many. */
size_t pl_exclusions_filter(const struct pl_study_grid *grid, const struct position *position,
                         const struct pl_settings *settings, int64_t *seeds);
/* Visits the points as far as needed: expressions, pl_train_check, exclusions, repetitions; counts. */
void pl_grid_check(struct reader *reader, struct pl_study *study, const struct node *at);
void pl_grid_release(struct pl_study_grid *grid);

/* ---- scales (scale.c, rename.c) ---- */

struct scale_defaults;
/* The names that a content's scale block has, as nodes, after complaining of what is not well formed. */
size_t pl_scale_names(struct reader *reader, const struct content *content, const struct node **names, size_t capacity);
/* Reads what the defaults say of one scale, for all studies of the file. */
struct scale_defaults *pl_scale_read_defaults(struct reader *reader, const struct content *defaults, const char *name);
/* The scale of one study; NULL after complaining that there is none of that name. */
struct scale *pl_scale_read(struct reader *reader, struct scale_defaults *shared, const struct content *defaults,
                            const struct content *study, const char *name);
/* A name with that of the reader's scale behind it; without a scale, the name itself. */
char *pl_scale_label(const struct reader *reader, const char *name, const char *before, const char *behind);
struct node *pl_scale_seeds(const struct scale *scale); /* or NULL */
/* Two scalars that mean the same (0.1 and 1e-1 do), or one node. */
bool pl_node_same(const struct node *a, const struct node *b);
/* An upper bound of the settings it can add to a part. */
size_t pl_scale_size(const struct scale *scale);
/* Replaces values of a part's fields by those of the reader's scale, and adds fields. */
void pl_scale_apply(struct reader *reader, struct part *part);
/* Does it put one value or list in the place of all that the study says of the key? */
bool pl_scale_replaces(const struct scale *scale, const char *key);
/* Notes that some run has the setting. */
void pl_scale_mark(const struct reader *reader, const char *key);
/* Lists for the study what the scale replaces value by value. */
void pl_scale_rename(struct reader *reader, struct pl_study *study);
/* Complains of overrides that no run has a use for: the study's, and, at the end of the file, those of the defaults. */
void pl_scale_check(struct reader *reader);
void pl_scale_check_defaults(struct reader *reader, const struct scale_defaults *shared);
/* Conditions (of where, exclude) on values that the scale replaces, as conditions on the new ones. drop: a condition
 * that no value of the scale can meet is left out. */
struct node *pl_scale_conditions(struct reader *reader, struct node *map, bool drop);

/* ---- walks (walk.c) ---- */

struct pl_walk {
    const struct pl_study_grid *grid;
    struct position position;
    bool started, ended;
    bool waits;                      /* the settings at the position have placeholders */
    struct ready {
        struct pl_settings settings; /* own entries; texts belong to the spec */
        double *variables;           /* one for each entry, read by expressions */
        struct expression ***expressions; /* by field and position */
    } **ready;                       /* of all variants, made on first use */
    int64_t *seeds;                  /* for configurations of which some seeds are excluded */
    size_t bad_field;                /* after pl_walk_settle failed */
    struct pl_error error;
};

struct pl_walk *pl_walk_over(const struct pl_study_grid *grid);
/* Moves to the first or next point of the grid, skipped or not; false at the end. */
bool pl_walk_step(struct pl_walk *walk);
void pl_walk_go(struct pl_walk *walk, size_t part, const size_t *at);
/* The settings at the position; NULL when an expression fails (bad_field and error say which and why). */
const struct pl_settings *pl_walk_settle(struct pl_walk *walk);
/* Hash of the settings at the position, after pl_walk_settle: equal settings, equal hashes. */
void pl_walk_hash(const struct pl_walk *walk, uint64_t hash[2]);

/* ---- the rest of a study (seeds.c, declare.c) ---- */

void pl_seeds_read(struct reader *reader, const struct content *defaults, const struct content *content,
                struct pl_study *study);
/* Is it one of the seeds, which are in rising order? */
bool pl_seed_among(int64_t seed, const int64_t *sorted, size_t count);
void pl_seeds_sort(int64_t *seeds, size_t count);
/* How the output of a command is read (reading.c); after the grid. */
void pl_reading_read(struct reader *reader, const struct content *defaults, const struct content *content,
                     struct pl_study *study);
/* A time in seconds: 90, 10m, 2h. Returns false after a complaint. */
bool pl_duration_read(struct reader *reader, const struct node *node, const char *what, double *seconds);
/* Is the document a file of another program that sweeps? Then that is complained about (foreign.c). */
bool pl_is_foreign(struct reader *reader, const struct node *document);
/* Lists the settings that vary. */
void pl_axes_read(struct reader *reader, struct pl_study *study);

void pl_declarations_read(struct reader *reader, const struct content *defaults, const struct content *content,
                       struct pl_study *study, bool lenient);

#endif
