# Optimizers by name: how many there are, and settings that joined them later.
expect 0 poula show optimizers
count=$(wc -l <out)
grep -q "beside the $((count - 1)) other optimizers" "$SOURCE_ROOT/README.md" || fail "README.md does not say that there are $((count - 1)) others"
grep -q "^- $count optimizers" "$SOURCE_ROOT/CHANGELOG.md" || fail "CHANGELOG.md does not say that there are $count"
while read -r name rest; do
    grep -q "^### .*\b$name\b" "$SOURCE_ROOT/docs/optimizers.md" || fail "docs/optimizers.md has no paragraph of $name"
done <out

# A late setting at its default is no part of a run, given or not: nothing is trained twice.
cat >late.yaml <<'END'
study: late
task: {problem: quadratic, iterations: 20}
optimizer: {name: sgd, lambda: 0.1, weight_decay: 0.1, decouple: [false, true]}
END
cat >before.yaml <<'END'
study: before
task: {problem: quadratic, iterations: 20}
optimizer: {name: sgd, lambda: 0.1, weight_decay: 0.1}
END
expect 0 poula sweep late.yaml
expect 0 poula sweep before.yaml --dry-run
contains out "1 runs, 0 missing"
equal "$(sql results/poula.db "SELECT count(*) FROM setting WHERE key = 'decouple'")" 1 "runs with a late setting"
expect 0 poula report --study late --value loss
contains out "decouple"
equal "$(sed -n 's/^\(false\|true\) .*/\1/p' out | tr '\n' ' ')" "false true " "rows of a late setting"
expect 0 poula verify 1
expect 0 poula verify 2
