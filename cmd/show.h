/* Parts of `poula show` that stand in files of their own. */
#ifndef PL_CMD_SHOW_H
#define PL_CMD_SHOW_H

#include "cmd.h"

/* Prints settings from their descriptors. */
void pl_show_settings(const struct pl_setting *settings, size_t count);

/* The metrics of poula's own tasks; what is known of any metric by its name. */
int pl_show_metrics(void);
int pl_show_metric(const char *name);

/* The devices there are, and what this machine has. */
int pl_show_devices(void);

/* The specs that come with poula; the text of one. */
int pl_show_experiments(const struct pl_args *args);
int pl_show_experiment(const struct pl_args *args, const char *name);

/* The newest sweep of a study: what it is, how its runs ended, and its best points. */
int pl_show_study(const struct pl_args *args, const char *name);

int pl_show_models(void);
/* Layers, shapes, parameters, multiply-adds and memory, with the settings that --set gives. */
int pl_show_model(const struct pl_args *args, const char *name);

#endif
