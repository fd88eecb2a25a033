# Part of tools/package: the Debian package. Depends comes from the libraries that the program is linked with.

# Who made it: DEBFULLNAME and DEBEMAIL, as for Debian's own tools, else whom git knows.
maintainer() {
    name=${DEBFULLNAME:-$(git config user.name || git log -1 --format=%an || echo poula)}
    mail=${DEBEMAIL:-$(git config user.email || git log -1 --format=%ae || echo poula@example.org)}
    printf '%s <%s>' "$name" "$mail"
}

make_deb() {
    arch=$(dpkg --print-architecture) tree=$scratch/deb doc=$scratch/deb/usr/share/doc/poula
    mkdir -p "$tree/DEBIAN" "$tree/usr"
    cp -R "$scratch/installed$prefix/." "$tree/usr"
    strip --remove-section=.comment --remove-section=.note "$tree/usr/bin/poula"
    if [ -d "$tree/usr/share/zsh/site-functions" ]; then
        mv "$tree/usr/share/zsh/site-functions" "$tree/usr/share/zsh/vendor-completions"
    fi
    mv "$tree/usr/share/bash-completion/completions/poula.bash" "$tree/usr/share/bash-completion/completions/poula"
    gzip -9n "$tree"/usr/share/man/man1/*.1
    rm "$doc/COPYING"
    mv "$doc/CHANGELOG.md" "$doc/changelog"
    cat >"$doc/copyright" <<END
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: poula

Files: *
Copyright: 2026 the authors of poula
License: GPL-3+
 This program is free software: you can redistribute it and/or modify it under
 the terms of the GNU General Public License as published by the Free Software
 Foundation, either version 3 of the License, or (at your option) any later
 version.
 .
 On Debian systems its text is in /usr/share/common-licenses/GPL-3.
END
    cat >"$doc/changelog.Debian" <<END
poula ($version-1) unstable; urgency=medium

  * Made by tools/package from commit $commit.

 -- $(maintainer)  $(date -uRd "@$SOURCE_DATE_EPOCH")
END
    gzip -9n "$doc/changelog" "$doc/changelog.Debian"
    mkdir -p "$scratch/shlibs/debian" # dpkg-shlibdeps wants to see a source package
    printf 'Source: poula\n\nPackage: poula\nArchitecture: any\n' >"$scratch/shlibs/debian/control"
    depends=$(cd "$scratch/shlibs" && dpkg-shlibdeps -O "$tree/usr/bin/poula" 2>/dev/null | sed -n 's/^shlibs:Depends=//p')
    [ -n "$depends" ] || { echo "tools/package: dpkg-shlibdeps found no packages that poula needs" >&2; exit 1; }
    cat >"$tree/DEBIAN/control" <<END
Package: poula
Version: $version-1
Architecture: $arch
Maintainer: $(maintainer)
Installed-Size: $(du -k -s --apparent-size "$tree/usr" | cut -f1)
Depends: $depends
Recommends: gnuplot-nox | gnuplot, fonts-dejavu-core, libcurl4, ca-certificates
Suggests: sqlite3, slurm-client
Section: science
Priority: optional
Description: sweeps of optimizer experiments, kept in one SQLite file
 poula expands a grid of hyperparameters from a YAML file, trains every point
 of it, and keeps every curve in one SQLite database, from which it prints
 tables and draws figures. It has some forty optimizers, TheoPouLa among them,
 trains neural networks with kernels of its own, and sweeps any other program.
END
    (cd "$tree" && find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum >DEBIAN/md5sums)
    find "$tree" -type d -exec chmod 755 {} +
    find "$tree/usr" -type f ! -perm /111 -exec chmod 644 {} +
    dpkg-deb --root-owner-group --build "$tree" "$out/poula_$version-1_$arch.deb" >/dev/null
    echo "$out/poula_$version-1_$arch.deb"
}
