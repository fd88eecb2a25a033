/* The points of a curve, in the order of their positions. */
#include "store/store_priv.h"

static int each_point(struct pl_store *store, int64_t run, const struct pl_store_series *series,
                      int (*point)(void *self, double epoch, double value), void *self, struct pl_error *err)
{
    sqlite3_stmt *row;
    int status = pl_store_prepare(store,
                                  "SELECT epoch, value, kind FROM metric WHERE run = ?1 AND series = ?2"
                                  " ORDER BY epoch",
                                  &row, err);
    if (status)
        return status;
    sqlite3_bind_int64(row, 1, run);
    sqlite3_bind_int64(row, 2, series->id);
    while (!(status = pl_store_next(store, row, err))) {
        double value = sqlite3_column_double(row, 1);
        if (sqlite3_column_type(row, 1) == SQLITE_NULL)
            value = pl_store_kind_value((const char *)sqlite3_column_text(row, 2));
        status = point(self, sqlite3_column_double(row, 0), value);
        if (status < 0)
            break;
    }
    sqlite3_finalize(row);
    return status < 0 ? status : 0;
}

int pl_store_each_point(struct pl_store *store, int64_t run, const char *metric,
                        int (*point)(void *self, double epoch, double value), void *self, struct pl_error *err)
{
    const struct pl_store_series *series;
    int status = pl_store_need_series(store, metric, &series, err);
    return status ? status : each_point(store, run, series, point, self, err);
}

int pl_store_each_point_along(struct pl_store *store, int64_t run, const char *metric, enum pl_series_axis axis,
                              int (*point)(void *self, double position, double value), void *self, struct pl_error *err)
{
    int status = pl_store_load_series(store, err);
    const struct pl_store_series *series = status ? NULL : pl_store_find_series(store, metric, axis);
    return series ? each_point(store, run, series, point, self, err) : status;
}
