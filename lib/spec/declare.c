#include "spec_priv.h"
void declarations_read(struct reader *reader, const struct content *defaults, const struct content *content,
                       struct pl_study *study)
{
    (void)reader; (void)defaults; (void)content; (void)study;
}
