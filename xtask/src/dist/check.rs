//! Whether what was made is right: the package's files, and its life on a machine from installation to purge.

use std::path::Path;

use anyhow::ensure;

use crate::workspace::{program, root, succeed, succeeds_quietly};

use super::stage::output;

pub(super) const SUMS: &str = "SHA256SUMS";

/// What a package must have: the mode, the owner and the path.
const FILES: &[&str] = &[
    "-rwxr-xr-x root/root ./usr/bin/wilco",
    "-rw-r--r-- root/root ./usr/lib/systemd/system/wilco.service",
    "-rw-r--r-- root/root ./etc/wilco/wilco.toml",
    "-rw-r--r-- root/root ./usr/share/man/man1/wilco.1.gz",
    "-rw-r--r-- root/root ./usr/share/man/man1/wilco-serve.1.gz",
    "-rw-r--r-- root/root ./usr/share/bash-completion/completions/wilco",
    "-rw-r--r-- root/root ./usr/share/zsh/vendor-completions/_wilco",
    "-rw-r--r-- root/root ./usr/share/fish/vendor_completions.d/wilco.fish",
    "-rw-r--r-- root/root ./usr/share/doc/wilco/copyright",
];

/// Mounts a view of this machine whose changes are kept in memory, and runs a program in it. All of it is gone at
/// the end, because nobody else sees the mounts.
const IN_A_COPY: &str = "set -e; at=$(mktemp -d); mount -t tmpfs tmpfs \"$at\"; mkdir \"$at/up\" \"$at/work\" \"$at/root\"; \
    mount -t overlay overlay -o \"lowerdir=/,upperdir=$at/up,workdir=$at/work\" \"$at/root\"; \
    mount --bind /dev \"$at/root/dev\"; mount --bind /proc \"$at/root/proc\"; \
    cp \"$1\" \"$at/root/package.deb\"; cp \"$2\" \"$at/root/try-install\"; \
    status=0; timeout 120 chroot \"$at/root\" /try-install /package.deb 127.0.0.1:0 || status=$?; \
    umount --recursive \"$at\"; rmdir \"$at\"; exit $status";

pub(super) fn contents(package: &Path) -> anyhow::Result<()> {
    let listed = output(program("dpkg-deb").arg("--contents").arg(package))?;
    let line = |line: &str| {
        let cells: Vec<&str> = line.split_whitespace().collect();
        (cells.len() > 5).then(|| format!("{} {} {}", cells[0], cells[1], cells[5]))
    };
    let listed: Vec<String> = listed.lines().filter_map(line).collect();
    for file in FILES {
        ensure!(
            listed.iter().any(|one| one == file),
            "the package has no `{file}`, but\n{}",
            listed.join("\n")
        );
    }
    Ok(())
}

pub(super) fn checksums(folder: &Path) -> anyhow::Result<()> {
    succeed(program("sha256sum").args(["--check", "--strict", SUMS]).current_dir(folder))
}

/// Whether a copy of the machine can be made here.
pub(super) fn can_copy() -> bool {
    let mount = "at=$(mktemp -d) && mount -t tmpfs tmpfs \"$at\" && mkdir \"$at/up\" \"$at/work\" \"$at/root\" && \
        mount -t overlay overlay -o \"lowerdir=/,upperdir=$at/up,workdir=$at/work\" \"$at/root\" && \
        umount \"$at/root\" \"$at\" && rmdir \"$at\"";
    succeeds_quietly(program("unshare").args(["--mount", "sh", "-c", mount]))
}

pub(super) fn installs(package: &Path) -> anyhow::Result<()> {
    let mut copy = program("unshare");
    copy.args(["--mount", "sh", "-c", IN_A_COPY, "sh"])
        .arg(package)
        .arg(root().join("packaging/try-install"));
    succeed(&mut copy)
}
