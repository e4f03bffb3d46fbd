//! The token that shows who calls: from the environment, else from a file that only its owner can read.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::config::user_directory;
use crate::failure::Usage;

/// `WILCO_TOKEN`, else the file that `WILCO_TOKEN_FILE` names, else `wilco/token` in the user's configuration
/// directory.
pub(crate) fn find(variable: impl Fn(&str) -> Option<String>) -> Result<Option<String>, Usage> {
    // A client's settings may hold a reference to the variable, which the client leaves as it is when nothing is set.
    if let Some(token) = variable("WILCO_TOKEN").filter(|token| !token.starts_with('$')) {
        return Ok(Some(token));
    }
    if let Some(path) = variable("WILCO_TOKEN_FILE").map(PathBuf::from) {
        let missing = || Usage(format!("WILCO_TOKEN_FILE names {}, which is not there", path.display()));
        return read(&path)?.map(Some).ok_or_else(missing);
    }
    match user_directory() {
        Some(directory) => read(&directory.join("token")),
        None => Ok(None),
    }
}

/// None when there is no such file.
fn read(path: &Path) -> Result<Option<String>, Usage> {
    let wrong = |what: String| Usage(format!("the token file {} {what}", path.display()));
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(wrong(format!("cannot be read: {error}"))),
    };
    let mode = fs::metadata(path).map_err(|error| wrong(error.to_string()))?.permissions().mode();
    if mode & 0o077 != 0 {
        return Err(wrong(format!(
            "can be read by others; make it yours alone: chmod 600 {}",
            path.display()
        )));
    }
    match text.trim() {
        token if token.is_empty() || token.contains(char::is_whitespace) => {
            Err(wrong("does not hold one token; write it with: wilco token create NAME > FILE".to_owned()))
        }
        token => Ok(Some(token.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cli_2_the_token_comes_from_the_environment_or_a_private_file() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("token");
        let named = |name: &str| (name == "WILCO_TOKEN_FILE").then(|| file.display().to_string());
        let said = |found: Result<Option<String>, Usage>| found.map_err(|error| error.to_string());
        assert!(said(find(named)).unwrap_err().contains("which is not there"));
        fs::write(&file, "wilco_abc\n").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
        assert!(said(find(named)).unwrap_err().contains("chmod 600"));
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        assert_eq!(said(find(named)), Ok(Some("wilco_abc".to_owned())));
        let both = |name: &str| named(name).or((name == "WILCO_TOKEN").then(|| "first".to_owned()));
        assert_eq!(said(find(both)), Ok(Some("first".to_owned())));
        fs::write(&file, "two words").unwrap();
        assert!(said(find(named)).unwrap_err().contains("one token"));
    }
}
