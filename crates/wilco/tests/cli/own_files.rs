//! What lies about in the working directory counts only if it is one's own.

use std::os::unix::fs::chown;

use super::program::{ran, wilco};

/// Such as nobody here has.
const STRANGER: u32 = 54_321;

#[test]
fn sec_16_a_configuration_of_somebody_else_ends_the_start() {
    let place = tempfile::tempdir().unwrap();
    let (data, file) = (place.path().join("data"), place.path().join("wilco.toml"));
    // A wrong value, so that a server that reads it ends too.
    std::fs::write(&file, "auth = \"perhaps\"\n").unwrap();
    let serve = |options: &[&str]| {
        let mut command = wilco();
        command.args(["serve", "--listen", "127.0.0.1:0", "--data"]).arg(&data).args(options);
        ran(command.current_dir(place.path())).fails(1)
    };
    let own = serve(&[]);
    assert!(own.contains("configured by ./wilco.toml") && own.contains("perhaps"), "{own}");
    // Only root can give files away.
    if chown(&file, Some(STRANGER), None).is_err() {
        return;
    }
    let foreign = serve(&[]);
    assert!(
        foreign.contains("./wilco.toml belongs to another user") && !foreign.contains("perhaps"),
        "{foreign}"
    );
    let named = serve(&["--config", "./wilco.toml"]);
    assert!(named.contains("perhaps") && !named.contains("another user"), "{named}");
    chown(&file, Some(rustix::process::geteuid().as_raw()), None).unwrap();
    chown(place.path(), Some(STRANGER), None).unwrap();
    let foreign = serve(&[]);
    assert!(foreign.contains("the directory of ./wilco.toml belongs to another user"), "{foreign}");
    assert!(!data.exists(), "nothing is made");
}
