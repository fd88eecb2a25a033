# Part of tools/package: an archive that runs wherever it is unpacked. The libraries of this machine are in it, but for glibc,
# which belongs to the system: the newest of its symbols that anything in the archive uses says which one is needed.

# What a file is linked with, itself or through others: the paths of libraries that are no part of glibc.
libraries() {
    ldd "$1" | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p' |
        grep -Ev '/(libc|libm|libdl|libpthread|librt|libresolv|libutil|libanl|ld-linux[^/]*)\.so\.[0-9]+$'
}

# Copies the copyright of the packages that libraries came with into a folder. Where /lib is a link to /usr/lib, packages may
# know a file by either name.
licenses() {
    into=$1; shift
    for library; do
        bare=${library#/usr}
        printf '%s\n/usr%s\n' "$bare" "$bare"
    done | xargs dpkg-query -S 2>/dev/null | sed 's/[:,].*//' | sort -u | while read -r package; do
        cp -L "/usr/share/doc/$package/copyright" "$into/$package"
    done
}

make_archive() {
    machine=$(uname -m)
    name=poula-$version-linux-$machine
    tree=$scratch/$name
    mkdir -p "$tree/lib/poula" "$tree/share/doc/poula/libraries"
    cp -R "$scratch/installed$prefix/." "$tree"
    strip "$tree/bin/poula"
    # libcurl is loaded when data is fetched: the program is not linked with it.
    curl=$(ldconfig -p | sed -n 's/.*libcurl\.so\.4 .* => //p' | head -n 1)
    all=$( (libraries "$tree/bin/poula"; [ -z "$curl" ] || { echo "$curl"; libraries "$curl"; }) | sort -u)
    cp -L $all "$tree/lib/poula/"
    licenses "$tree/share/doc/poula/libraries" $all
    chmod 644 "$tree"/lib/poula/*
    # An RPATH, not a RUNPATH: it holds for the libraries of libraries as well.
    patchelf --force-rpath --set-rpath '$ORIGIN/../lib/poula' "$tree/bin/poula"
    glibc=$(objdump -T "$tree/bin/poula" "$tree"/lib/poula/* | sed -n 's/.*GLIBC_\([0-9.]*\).*/\1/p' | sort -uV | tail -n 1)
    cat >"$tree/README" <<END
poula $version ($commit) for Linux on $machine, with glibc $glibc or newer (ldd --version says which you have).

Everything but glibc is in this folder; figures need gnuplot (5.4 or newer), which 'poula plot' calls.
To install it, keep the folder anywhere and link the program from a folder of your PATH:

    mkdir -p ~/.local/bin && ln -s "\$PWD/bin/poula" ~/.local/bin/
    eval "\$(poula completion bash)"         in ~/.bashrc, for completion; zsh and fish likewise
    export MANPATH="$name/share/man:"       with its whole path, for 'man poula'

To remove it, remove the link and the folder. Documentation: share/doc/poula. Licenses of the libraries:
share/doc/poula/libraries.
END
    tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" -C "$scratch" -c "$name" |
        gzip -n "${GZIP_LEVEL:--9}" >"$out/$name.tar.gz" # bare systems have no xz
    echo "$out/$name.tar.gz"
    echo "tools/package: the archive needs glibc $glibc or newer" >&2
}
