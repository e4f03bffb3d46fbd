//! Whether the token is somebody's and an issue is there, for those who look for what is wrong.

use http::Method;

use super::Github;

impl Github {
    /// Under which name GitHub knows the token; else why it does not.
    pub async fn login(&self) -> Result<String, String> {
        let user =
            self.call(Method::GET, "/user", None).await.map_err(|trouble| trouble.reason().to_owned())?;
        user["login"]
            .as_str()
            .map(str::to_owned)
            .ok_or_else(|| "GET /user: the answer names no login".to_owned())
    }

    /// Whether an issue is `open` or `closed`; else why that cannot be seen.
    pub async fn issue_state(&self, number: u64) -> Result<String, String> {
        let path = format!("/issues/{number}");
        let issue = self.of_repository(Method::GET, &path, None).await;
        let issue = issue.map_err(|trouble| trouble.reason().to_owned())?;
        Ok(issue["state"].as_str().unwrap_or("open").to_owned())
    }

    /// `owner/repo`.
    pub fn repository(&self) -> &str {
        &self.repository
    }
}
