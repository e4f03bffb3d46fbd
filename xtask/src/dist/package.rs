//! The Debian package, made with dpkg-deb from a tree of files: there is little in it that a tool could know better.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::workspace::{program, root, succeed};

use super::stage::{COMPLETIONS, Stage, commit_time, output};

const SCRIPTS: &[&str] = &["postinst", "prerm", "postrm"];

pub(super) fn build(stage: &Stage, compression: &str) -> anyhow::Result<PathBuf> {
    let architecture = output(program("dpkg").arg("--print-architecture"))?.trim().to_owned();
    let tree = stage.folder.join("tree");
    let packaging = root().join("packaging");
    put(&stage.binary, &tree.join("usr/bin/wilco"), 0o755)?;
    put(&packaging.join("wilco.service"), &tree.join("usr/lib/systemd/system/wilco.service"), 0o644)?;
    put(&packaging.join("wilco.toml"), &tree.join("etc/wilco/wilco.toml"), 0o644)?;
    for (_, name, place) in COMPLETIONS {
        put(&stage.files.join("completions").join(name), &tree.join("usr/share").join(place), 0o644)?;
    }
    for page in fs::read_dir(stage.files.join("man/man1"))? {
        let page = page?;
        put(&page.path(), &tree.join("usr/share/man/man1").join(page.file_name()), 0o644)?;
    }
    succeed(program("gzip").args(["-9", "-n", "--recursive"]).arg(tree.join("usr/share/man/man1")))?;
    let licences = ["LICENSE-MIT", "LICENSE-APACHE"].map(|name| fs::read_to_string(root().join(name)));
    let licences = licences.into_iter().collect::<Result<Vec<_>, _>>()?.join("\n\n");
    write(
        &tree.join("usr/share/doc/wilco/copyright"),
        &format!("MIT or Apache-2.0, as you like.\n\n{licences}"),
    )?;
    for script in SCRIPTS {
        put(&packaging.join(script), &tree.join("DEBIAN").join(script), 0o755)?;
    }
    write(&tree.join("DEBIAN/conffiles"), "/etc/wilco/wilco.toml\n")?;
    write(&tree.join("DEBIAN/control"), &control(&stage.version, &architecture))?;
    let package = stage.folder.join(format!("wilco_{}_{architecture}.deb", stage.version));
    let mut build = program("dpkg-deb");
    build.env("SOURCE_DATE_EPOCH", commit_time().to_string());
    build.args(["--root-owner-group", &format!("-Z{compression}"), "--build"]).arg(&tree).arg(&package);
    succeed(&mut build)?;
    fs::remove_dir_all(&tree)?;
    Ok(package)
}

fn control(version: &str, architecture: &str) -> String {
    format!(
        "Package: wilco\nVersion: {version}\nArchitecture: {architecture}\nSection: net\nPriority: optional\n\
         Maintainer: The Wilco project <wilco@localhost>\nDepends: libc6, passwd\nRecommends: ca-certificates\n\
         Suggests: tmux\nDescription: reliable handshakes between AI agents\n \
         A server that knows whether a task, a warning or a failure report was read,\n \
         understood and acted on: who is asked must acknowledge, silence is noticed,\n \
         and an audit trail keeps all of it.\n"
    )
}

fn put(from: &Path, to: &Path, mode: u32) -> anyhow::Result<()> {
    fs::create_dir_all(to.parent().unwrap_or(to))?;
    fs::copy(from, to)?;
    Ok(fs::set_permissions(to, fs::Permissions::from_mode(mode))?)
}

fn write(to: &Path, text: &str) -> anyhow::Result<()> {
    fs::create_dir_all(to.parent().unwrap_or(to))?;
    fs::write(to, text)?;
    Ok(fs::set_permissions(to, fs::Permissions::from_mode(0o644))?)
}
