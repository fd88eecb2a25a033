# docs/replication.md: its commands run on the database that comes along, and print the numbers that stand there.
doc="$SOURCE_ROOT/docs/replication.md"
export POULA_SHARE="$SOURCE_ROOT"
mkdir results
cp "$SOURCE_ROOT/results/replication.db" results/

# What is indented, and goes on where it is indented further.
awk '/^    poula / { open = 1; print; next } open && /^        / { print; next } { open = 0 }' "$doc" | sed 's/^    //' >commands
grep -v -e '^poula sweep' -e '^poula data fetch' commands >readers
[ "$(grep -c '^poula' readers)" -ge 6 ] || fail "the commands of docs/replication.md were not found"
(. ./readers) >printed 2>err || fail "a command of docs/replication.md"
for study in $(sql results/replication.db "SELECT study FROM studies"); do
    poula report --study "$study" --unit plain --db results/replication.db >>printed
    poula report --study "$study" --unit percent --db results/replication.db >>printed 2>/dev/null || : # perplexities are none
done

# Means and deviations, ours and the paper's.
grep -oE '[0-9]+\.[0-9]+ \([0-9]+\.[0-9]+\)' "$doc" | tr -d ' ' | sort -u >numbers
[ "$(wc -l <numbers)" -ge 60 ] || fail "the numbers of docs/replication.md were not found"
while read -r number; do
    grep -qwF -e "$number" printed || fail "no command prints $number"
done <numbers

# Hours, and how many pairs a correction is for.
sed -n 's/^| \([a-z0-9]*\)\.yaml | .* | \([0-9.]*\) |$/\1 \2/p' "$doc" >hours
[ -s hours ] || fail "no hours"
while read -r spec took; do
    like="%$spec"
    [ "$spec" != settings ] || like='replication-%'
    equal "$took" "$(sql results/replication.db "SELECT printf('%.1f', sum(seconds) / 3600) FROM runs WHERE study LIKE '$like'")" "hours of $spec"
done <hours
expect 0 poula report --study final-vgg11 --pairs --db results/replication.db
contains out "which are up to $(sed -n 's/.*Corrected for all \([0-9]*\) pairs.*/\1/p' "$doc")."

# Its accuracies in percent, and the times to a target, which are no shares, as they are.
expect 0 poula report --study final-vgg11 --unit percent --db results/replication.db
contains out "best test_accuracy (%)"
contains out "tusla      1       -        -                 6.667(1.528)"

# A published table without a number says nothing of decimals.
expect 0 poula report --study final-vgg11 --compare published --db results/replication.db
grep -Eq '^Adam +VGG CIFAR-10 +2\.33\(0\.58\) +not printed' out || fail "epochs without decimals"
