#include "base/error.h"

#include <stdio.h>
#include <string.h>

int pl_fail(struct pl_error *err, int code, const char *format, ...)
{
    if (err) {
        char text[sizeof err->text];
        va_list args;
        va_start(args, format);
        vsnprintf(text, sizeof text, format, args);
        va_end(args);
        memcpy(err->text, text, sizeof text);
        err->code = code;
    }
    return code;
}
