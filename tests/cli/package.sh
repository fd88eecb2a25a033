# tools/package: what the packages hold, and that the archive runs elsewhere with nothing but glibc of this system. Built of
# the build that is tested. By hand they were tried in bare roots of Debian 12, Debian 13 and Ubuntu 24.04.
for tool in meson python3 strip objdump patchelf dpkg-deb dpkg-shlibdeps; do
    command -v $tool >/dev/null || { echo "$tool is not installed here (tools/deps --install package)"; exit 77; }
done
version=$(poula version | cut -d' ' -f2)
expect 2 "$SOURCE_ROOT/tools/package" --nonsense
contains err "usage: tools/package"
expect 0 env GZIP_LEVEL=-1 DPKG_DEB_COMPRESSOR_LEVEL=0 DEBFULLNAME="A Body" DEBEMAIL=body@example.org "$SOURCE_ROOT/tools/package" --from "$(dirname "$POULA")" --out packages
grep -Eq 'the archive needs glibc 2\.[0-9]+ or newer' err || fail "it does not say which glibc it needs"
deb=$(grep '\.deb$' out) archive=$(grep '\.tar\.gz$' out)
equal "$(ls packages)" "$(basename "$archive")
$(basename "$deb")" "what it made"

# The archive, moved away from where it was made, in an empty environment.
mkdir elsewhere
tar -xzf "$archive" -C elsewhere
place=$(echo elsewhere/poula-$version-linux-*)
grep -Eq "with glibc 2\.[0-9]+ or newer" "$place/README" || fail "its README names no glibc"
outside=$(ldd "$place/bin/poula" | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p' | grep -v "^$(realpath "$place")/" | grep -v "/$place/")
for library in $outside; do
    case $library in
    */libc.so.6 | */libm.so.6) ;;
    *) fail "the archive needs $library" ;;
    esac
done
[ -f "$place/lib/poula/libcurl.so.4" ] || fail "libcurl is not in it"
mv elsewhere 'another place'
place="another place/${place#elsewhere/}"
mkdir work links
ln -s "$PWD/$place/bin/poula" links/poula
cd work
expect 0 env -i PATH=/usr/bin:/bin ../links/poula sweep toy --quiet
contains err "$place/share/poula/experiments/toy.yaml"
expect 0 env -i PATH=/usr/bin:/bin ../links/poula report --table
expect 1 env -i PATH=/usr/bin:/bin LD_DEBUG=files ../links/poula data fetch cifar10 --url http://127.0.0.1:1/ --data d
contains err "Failed to connect"
contains err "lib/poula/libcurl.so.4"
if command -v gnuplot >/dev/null; then
    expect 0 env -i PATH=/usr/bin:/bin ../links/poula plot
    [ -s plots/toy-default-trajectories.png ] || fail "no figure"
fi
cd ..
for package in libsqlite3-0 libgsl27 libcurl4; do
    [ -s "$place/share/doc/poula/libraries/$package" ] || fail "the license of $package is not in the archive"
done
[ -f "$place/share/man/man1/poula-sweep.1" ] || fail "no man page in the archive"

# The Debian package.
equal "$(dpkg-deb --field "$deb" Version)" "$version-1" "its version"
equal "$(dpkg-deb --field "$deb" Maintainer)" "A Body <body@example.org>" "its maintainer"
dpkg-deb --field "$deb" Depends | grep -q 'libc6 (>= .*libgsl.*libsqlite3-0 (>= ' || fail "what it depends on: $(dpkg-deb --field "$deb" Depends)"
mkdir root
dpkg-deb --extract "$deb" root
for file in bin/poula share/man/man1/poula-sweep.1.gz share/bash-completion/completions/poula share/zsh/vendor-completions/_poula \
    share/fish/vendor_completions.d/poula.fish share/poula/experiments/toy.yaml share/doc/poula/copyright; do
    [ -s "root/usr/$file" ] || fail "$deb has no /usr/$file"
done
mkdir control
dpkg-deb --control "$deb" control
(cd root && expect 0 md5sum --check --quiet ../control/md5sums)
expect 0 root/usr/bin/poula sweep toy --dry-run
if command -v lintian >/dev/null; then
    expect 0 lintian --allow-root --fail-on error "$deb"
else
    echo "lintian is not installed: the package was not looked over"
fi
