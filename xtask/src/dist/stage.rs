//! The files of a release, gathered in one folder: the binary, and what it says of itself.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, ensure};

use crate::workspace::{program, root, succeed};

/// Where each shell looks for completions, in the tarball and below `/usr/share`.
pub(super) const COMPLETIONS: &[(&str, &str, &str)] = &[
    ("bash", "wilco.bash", "bash-completion/completions/wilco"),
    ("zsh", "_wilco", "zsh/vendor-completions/_wilco"),
    ("fish", "wilco.fish", "fish/vendor_completions.d/wilco.fish"),
];

const TEXTS: &[&str] = &["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"];

pub(super) struct Stage {
    pub(super) version: String,
    pub(super) binary: PathBuf,
    /// Where the results go.
    pub(super) folder: PathBuf,
    /// What the tarball holds: binary, texts, `completions/` and `man/`.
    pub(super) files: PathBuf,
}

impl Stage {
    pub(super) fn new(binary: PathBuf, folder: PathBuf) -> anyhow::Result<Stage> {
        let version = output(Command::new(&binary).arg("--version"))?;
        let version = version.split_whitespace().nth(1).context("wilco --version")?.to_owned();
        let name = format!("wilco-{version}-{}-{}", std::env::consts::OS, std::env::consts::ARCH);
        let files = folder.join(name);
        // What an earlier run left is no part of this release.
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        fs::create_dir_all(files.join("completions"))?;
        fs::copy(&binary, files.join("wilco"))?;
        for text in TEXTS {
            fs::copy(root().join(text), files.join(text))?;
        }
        fs::copy(root().join("packaging/wilco.service"), files.join("wilco.service"))?;
        for (shell, name, _) in COMPLETIONS {
            let text = output(Command::new(&binary).args(["completions", shell]))?;
            fs::write(files.join("completions").join(name), text)?;
        }
        output(Command::new(&binary).arg("man").arg(files.join("man/man1")))?;
        Ok(Stage { version, binary, folder, files })
    }

    /// The same files give the same bytes: in order, of nobody, at the time of the last commit.
    pub(super) fn tarball(&self) -> anyhow::Result<PathBuf> {
        let name = self.files.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let tarball = self.folder.join(format!("{name}.tar.gz"));
        let mut tar = program("tar");
        tar.args(["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mode=u=rwX,go=rX"]);
        tar.arg(format!("--mtime=@{}", commit_time())).args([
            "--use-compress-program",
            "gzip -n",
            "--create",
        ]);
        succeed(tar.arg("--file").arg(&tarball).arg("--directory").arg(&self.folder).arg(&name))?;
        Ok(tarball)
    }
}

/// Seconds since 1970; 0 where there is no history, as in a tarball of the sources.
pub(super) fn commit_time() -> u64 {
    let time = output(program("git").args(["log", "-1", "--format=%ct"]));
    time.ok().and_then(|text| text.trim().parse().ok()).unwrap_or(0)
}

pub(super) fn output(command: &mut Command) -> anyhow::Result<String> {
    let name = Path::new(command.get_program()).display().to_string();
    let made = command.output().with_context(|| format!("could not start {name}"))?;
    ensure!(made.status.success(), "{name}: {}", String::from_utf8_lossy(&made.stderr));
    Ok(String::from_utf8(made.stdout)?)
}
