# What a name leads to is respected wherever something is written (D1), and so is the umask (D2).
cat >study.yaml <<'EOF'
study: s
task: {problem: theta30, iterations: 40, record: 10}
optimizer: {name: theopoula, lambda: [0.1, 0.01]}
seeds: [1]
EOF
expect 0 poula sweep study.yaml --db p.db
expect 0 poula export runs --db p.db
mv out runs.csv
expect 0 poula report --db p.db
mv out table.txt

# D1: a FIFO is written into.
mkfifo pipe
for words in "export runs --out pipe" "report --out pipe" "backup pipe"; do
    cat pipe >got &
    expect 0 poula $words --db p.db
    wait $!
    [ -p pipe ] || fail "'$words' replaced the FIFO"
    case $words in
    export*) cmp got runs.csv || fail "the FIFO did not get the runs" ;;
    report*) cmp got table.txt || fail "the FIFO did not get the table" ;;
    backup*) equal "$(sql got 'SELECT count(*) FROM runs')" 2 "runs of the backup through a FIFO" ;;
    esac
done
# So are devices and open descriptors, from where they stand.
# (With the rights to do it, the device is one of our own.)
null=/dev/null
if [ "$(id -u)" = 0 ]; then
    null=$PWD/null
    mknod "$null" c 1 3 && : >"$null" || null=
fi
for words in "export runs" "report" "backup"; do
    [ "$null" ] || continue
    option=--out; [ "$words" = backup ] && option=
    expect 0 poula $words $option "$null" --db p.db
    [ -c "$null" ] || fail "'$words' replaced a device"
done
[ "$(id -u)" = 0 ] || [ ! -e /dev/full ] || expect 1 poula export runs --out /dev/full --db p.db
ln -s /proc/self/fd/1 standard # as /dev/stdout is, which a fault here would replace
echo first >both
"$POULA" export runs --db p.db --out standard >>both || fail "no export to standard"
(echo first; cat runs.csv) | cmp - both || fail "standard was not written on from its end"
"$POULA" export runs --db p.db --out /dev/fd/3 3>>both || fail "no export to /dev/fd/3"
(echo first; cat runs.csv runs.csv) | cmp - both || fail "/dev/fd/3 was not written on from its end"
"$POULA" report --db p.db --out standard | cmp - table.txt || fail "standard, a pipe"
expect 2 poula backup standard --check --db p.db

# Links stay links: to a file, in another folder, through another link, and to a file that is not there yet.
mkdir far
echo old >far/file
chmod 640 far/file
ln -s far/file link
ln -s "$PWD/link" chain
ln -s far/new dangling
for name in link chain dangling; do
    for words in "export runs" "report"; do
        expect 0 poula $words --out $name --db p.db
        [ -L $name ] || fail "'$words' replaced the link $name"
        case $words in export*) wanted=runs.csv ;; *) wanted=table.txt ;; esac
        cmp $name $wanted || fail "'$words' did not write through $name"
    done
done
[ ! -L far/file ] && cmp far/file table.txt && cmp far/new table.txt || fail "the files behind the links"
equal "$(stat -c %a far/file)" 640 "the permissions of a file that was there"
expect 0 poula backup link --force --db p.db
[ -L link ] || fail "backup replaced a link"
equal "$(sql far/file 'SELECT count(*) FROM runs')" 2 "runs of the backup behind a link"
ln -s circle circle
expect 1 poula export runs --out circle --db p.db
equal "$(ls far | wc -l)" 2 "files beside the targets"

# A figure goes through a link too.
if command -v gnuplot >/dev/null; then
    mkdir plots
    ln -s ../far/picture.png plots/f.png
    expect 0 poula plot --kind curves --name f --db p.db
    [ -L plots/f.png ] && [ -s far/picture.png ] || fail "plot replaced a link"
    rm plots/f.png
    cp p.db plots/f.png
    expect 2 poula plot --kind curves --name f --db p.db
    contains err "it is a database"
fi

# No database is overwritten by anything but a database: this one, another one, by whichever name.
cp p.db other.db
ln p.db hard
ln -s p.db soft
cp p.db before
for name in p.db ./p.db "$PWD/p.db" hard soft other.db p.db-wal p.db-journal p.db-shm; do
    for words in "export runs" "export curves" "report" "report --format latex"; do
        expect 2 poula $words --out $name --db p.db
        contains err "is not overwritten"
    done
done
[ ! -e p.db-journal ] || fail "a companion of the database was written"
cmp p.db before && cmp other.db before || fail "a database was changed"
expect 2 poula backup p.db-wal --db p.db
mkfifo control
sqlite3 -batch other.db <control >/dev/null 2>&1 &
exec 3>control
printf 'PRAGMA journal_mode = WAL;\nUPDATE run SET seed = 100 WHERE id = 1;\n' >&3
wait_for 20 test -s other.db-wal
ln other.db-wal log
expect 2 poula export runs --out log --db p.db
exec 3>&-
wait
expect 0 poula query "SELECT count(*) FROM runs" --db p.db

# Names that cannot be written.
expect 2 poula export runs --out far --db p.db
contains err "it is a folder"
expect 2 poula export runs --out far/ --db p.db
expect 2 poula export runs --out nofile/ --db p.db
contains err "ends in /"
expect 1 poula export runs --out no/such/file --db p.db
contains err "cannot write no/such/file: there is no folder no/such"
ln -s no/where lost
expect 1 poula export runs --out lost --db p.db
contains err "there is no folder ./no"
expect 1 poula sweep study.yaml --db circle
contains err "Too many levels of symbolic links"
expect 2 poula report --out "" --db p.db
long=$(printf '%0250d' 0)
expect 0 poula export runs --out "$long" --db p.db
cmp "$long" runs.csv || fail "a long name"
if [ "$(id -u)" != 0 ]; then
    : >closed; chmod 444 closed
    expect 1 poula export runs --out closed --db p.db
    equal "$(wc -c <closed)" 0 "a file that is closed to writing"
fi

# D2: the umask holds for everything.
cat >net.yaml <<'EOF'
study: net
task: {dataset: glyphs, model: cnn, width: 2, depth: 1, train_images: 8, test_images: 4, batch: 4, epochs: 1}
optimizer: {name: sgd, lambda: 0.1}
seeds: [1]
EOF
for mask in 077 027 002; do
    mkdir m$mask
    (
        umask $mask
        cd m$mask
        expect 0 poula sweep ../net.yaml --db results/n.db
        expect 0 poula export runs --out runs.csv --db results/n.db
        expect 0 poula report --out deep/table.tex --format latex --db results/n.db
        expect 0 poula backup copy.db --db results/n.db
        expect 0 poula export weights 1 --out w.safetensors --db results/n.db
        if command -v gnuplot >/dev/null; then expect 0 poula plot --keep --kind curves --db results/n.db; fi
    )
    rm -f m$mask/out m$mask/err
    find m$mask -type f >files
    [ -s files ] || fail "nothing was written"
    while read -r file; do
        equal "$(stat -c %a "$file")" "$(printf %o $((0666 & ~mask)))" "permissions of $file under umask $mask"
    done <files
done
