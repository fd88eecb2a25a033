#!/bin/sh
# tools/lint must find what it is for: check_lint.sh ROOT-OF-THE-SOURCE
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
failures=0
mkdir -p "$scratch/tools" "$scratch/docs" "$scratch/cmd"
cp "$1/tools/lint" "$scratch/tools/" && cp "$1/docs/architecture.md" "$scratch/docs/" || exit 1
for module in "$1"/lib/*/; do mkdir -p "$scratch/lib/$(basename "$module")"; done

# finds PATTERN FILE TEXT: the file alone breaks one rule
finds()
{
    printf '%b' "$3" >"$scratch/$2"
    said=$("$scratch/tools/lint" --quick 2>/dev/null) && said="(nothing)"
    case $said in
    *"$2:"*"$1"*) ;;
    *) echo "$2 with $3: wanted $1, got $said"; failures=$((failures + 1)) ;;
    esac
    rm "$scratch/$2"
}

"$scratch/tools/lint" --quick || { echo "an empty tree has findings"; failures=1; }
finds "stands above it" lib/base/a.c '#include "store/store.h"\n'
finds "stands above it" lib/store/a.c '#include "results/results.h"\n'
finds "the inside of lib/store" lib/report/a.c '#include "store/store_priv.h"\n'
finds "only lib/store may include sqlite3.h" lib/sweep/a.h '#include <sqlite3.h>\n'
finds "only lib/spec may include yaml.h" cmd/a.c '#include <yaml.h>\n'
finds "only lib/store writes SQL" lib/report/a.c 'static const char q[] = "SELECT 1";\n'
finds "prints or exits" lib/plot/a.c 'void f(void)\n{\n    printf("x");\n}\n'
finds "prints or exits" lib/plot/a.c 'void f(void)\n{\n    fprintf(stderr, "x");\n}\n'
finds "prints or exits" lib/plot/a.c 'void f(void)\n{\n    exit(1);\n}\n'
finds "strcpy" cmd/a.c 'void f(char *a)\n{\n    strcpy(a, "x");\n}\n'
finds "malloc" lib/nn/a.c 'void *f(void)\n{\n    return malloc(1);\n}\n'
finds "501 lines" lib/nn/a.c "$(yes 'int a;\n' | head -n 501 | tr -d '\n')"
mkdir -p "$scratch/tests/unit"
finds "501 lines" tests/unit/a.c "$(yes 'int a;\n' | head -n 501 | tr -d '\n')"
mkdir -p "$scratch/lib/base" && echo 'struct pl_a {' >"$scratch/lib/base/b.h"
finds "pl_a is defined in lib/base/b.h too" lib/nn/a.c 'struct pl_a {\n    int b;\n};\n'
rm "$scratch/lib/base/b.h"
finds "a function of 61 lines" lib/nn/a.c "void f(void)\n{\n$(yes '    g();\n' | head -n 61 | tr -d '\n')}\n"
finds "blanks at the end" lib/nn/a.c 'int a; \n'
finds "121 columns" lib/nn/a.c "/* $(yes x | head -n 115 | tr -d '\n') */\n"
printf '/* clang-format off */\n/* %s */\n/* clang-format on */\n' "$(yes x | head -n 115 | tr -d '\n')" >"$scratch/lib/nn/a.c"
"$scratch/tools/lint" --quick >/dev/null || { echo "what is set by hand is measured"; failures=$((failures + 1)); }
rm "$scratch/lib/nn/a.c"
echo "files('b.c')" >"$scratch/lib/nn/meson.build"
finds "lib/nn/meson.build does not list it" lib/nn/a.c 'int a;\n'
echo "files('b.c') # it's gone: 'a.c'" >"$scratch/lib/nn/meson.build"
finds "lib/nn/meson.build does not list it" lib/nn/a.c 'int a;\n'
rm "$scratch/lib/nn/meson.build"
mkdir "$scratch/lib/attic"
"$scratch/tools/lint" --quick 2>/dev/null | grep -q "lacks lib/attic" || { echo "a module without a floor is not found"; failures=$((failures + 1)); }
[ "$failures" = 0 ]
