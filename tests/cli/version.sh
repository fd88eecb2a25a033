# poula version, and where the commit comes from that it prints: a checkout, an archive of one, or nowhere.
expect 0 poula version
grep -Eqx 'poula [0-9]+\.[0-9]+\.[0-9]+( \([0-9a-f]+\+?\))?' out || fail "the version is '$(cat out)'"
expect 0 poula --version
command -v git >/dev/null || exit 0

mkdir -p source/tools
cp "$SOURCE_ROOT/tools/commit" source/tools
cp "$SOURCE_ROOT/.gitattributes" source
printf '$Format:%%h$\n' >source/.commit # SOURCE_ROOT may be an archive
cd source
git() { command git -c user.name=nobody -c user.email=nobody@nowhere.example -c core.hooksPath=/dev/null "$@"; }
expect 1 tools/commit # neither a checkout nor an archive
git init -q .
git add tools .commit .gitattributes
git commit -qm one
commit=$(git rev-parse --short HEAD)
equal "$(tools/commit)" "$commit" "the commit of a checkout"
echo "# changed" >>tools/commit
equal "$(tools/commit)" "$commit+" "the commit of a changed checkout"
git checkout -q tools/commit
mkdir ../archive ../dist ../dist/tools
git archive HEAD | tar -x -C ../archive
MESON_DIST_ROOT=$PWD/../dist tools/commit --archive
cp tools/commit ../dist/tools

for unpacked in archive dist; do
    cd "../$unpacked"
    equal "$(tools/commit)" "$commit" "the commit of what $unpacked made"
done
cd ..
git init -q . # somebody else's repository around it
git add dist
git commit -qm two
equal "$(dist/tools/commit)" "$commit" "the commit of an archive inside another repository"
