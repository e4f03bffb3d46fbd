//! What works on a data directory without a server.

use super::program::{ran, wilco};
use super::working;

#[test]
fn g8_a_data_directory_is_verified_and_rebuilt() {
    let (_data, path) = working().stop();
    let path = path.to_str().expect("a path");
    let shown = ran(wilco().args(["audit", "verify", "--data", path])).ok();
    assert!(shown.starts_with("The journal is whole: "), "{shown}");
    let events = ran(wilco().args(["audit", "verify", "--json", "--data", path])).json()["events"].clone();
    assert_eq!(ran(wilco().args(["rebuild", "--json", "--data", path])).json()["events"], events);
    ran(wilco().args(["audit", "verify", "--data", path])).ok();
}

#[test]
fn cli_5_a_missing_data_directory_is_named_and_not_made() {
    let place = tempfile::tempdir().expect("a directory");
    let missing = place.path().join("missing");
    let path = missing.to_str().expect("a path");
    for verb in [&["audit", "verify"][..], &["rebuild"]] {
        let error = ran(wilco().args(verb).args(["--data", path])).fails(1);
        assert!(error.contains("there is no data directory"), "{error}");
    }
    assert!(!missing.exists());
}

#[test]
fn sec_5_a_data_directory_in_use_is_left_alone() {
    let server = working();
    let path = server.data.path().to_str().expect("a path");
    let error = ran(wilco().args(["rebuild", "--data", path])).fails(1);
    assert!(error.contains("in use"), "{error}");
}
