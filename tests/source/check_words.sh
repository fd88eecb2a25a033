#!/bin/sh
# What the texts of the tree have to say, and its scripts to leave alone: check_words.sh ROOT-OF-THE-SOURCE
# Rows D12, S15, U7 and U8 of the cases.
cd "$1" || exit 1
failures=0
fault() { echo "$1"; failures=$((failures + 1)); }

grep -q 'SQLite 3\.37' docs/database.md && grep -q 'malformed database' docs/database.md ||
    fault "docs/database.md does not say which SQLite reads the database, and what an older one says (D12)"

# Two documents speak of threads and bits, and say the same.
grep -q 'Results do not depend on any of this, to the last bit' docs/sweeps.md &&
    grep -q 'the same to the last bit with any number of threads' docs/training.md ||
    fault "docs/sweeps.md and docs/training.md do not say both that threads change no bit (S15)"

# What tools/test and tools/demo write beside their folders is no change of the tree.
for name in $(sed -n 's/.*>\("\$folder\|[a-z-]*\)\.log.*/\1/p' tools/test tools/demo tools/sanitize | sed 's/"\$folder/build/' | sort -u); do
    grep -qx '/build\*\.log' .gitignore && case $name in build*) true ;; *) false ;; esac || fault "$name.log is not ignored (U7)"
done

# Before each step that takes long the demo says what it does.
for slow in 'tools/deps' 'meson setup' 'ninja -C'; do
    awk -v slow="$slow" '/^step / { said = 1 } !/^#/ && !/^step / && index($0, slow) { exit !said } /^tools\/deps|meson setup/ { said = 0 }' tools/demo ||
        fault "tools/demo is silent before $slow (U8)"
done
exit $((failures > 0))
