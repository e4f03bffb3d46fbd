//! The dashboard in a real browser: Chromium without a window, driven by chromedriver.
//!
//! Every test has a browser of its own with a profile of its own. Waiting means asking the page until it is so, and
//! not for ever.

mod acting;
mod following;
mod hostile;
mod looks;
mod moments;
mod visitors;

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;
use thirtyfour::prelude::{By, WebDriver};
use tokio::runtime::Runtime;

/// What a page may take to load, a script to run, and a fact to come true when nothing else is said.
const PATIENCE: Duration = Duration::from_secs(20);

const FLAGS: [&str; 10] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--window-size=1400,1000",
];

/// A browser that somebody looks at the dashboard with.
pub(crate) struct Browser {
    runtime: Runtime,
    driver: Option<WebDriver>,
    chromedriver: Child,
    _profile: TempDir,
}

impl Browser {
    pub(crate) fn open() -> Browser {
        Browser::with_preferences(json!({}))
    }

    /// One that runs no script of any page.
    pub(crate) fn without_script() -> Browser {
        Browser::with_preferences(json!({"profile.managed_default_content_settings.javascript": 2}))
    }

    fn with_preferences(preferences: Value) -> Browser {
        let profile = tempfile::tempdir().unwrap();
        let (chromedriver, port) = start_chromedriver();
        let mut flags: Vec<String> = FLAGS.iter().map(|flag| (*flag).to_owned()).collect();
        flags.push(format!("--user-data-dir={}", profile.path().display()));
        let capabilities = json!({
            "browserName": "chrome",
            "goog:chromeOptions": {"args": flags, "prefs": preferences},
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
            "timeouts": {"script": 60_000, "pageLoad": 30_000, "implicit": 0},
        });
        let Value::Object(capabilities) = capabilities else { unreachable!("an object was written") };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let url = format!("http://127.0.0.1:{port}");
        let capabilities = thirtyfour::Capabilities::from(capabilities);
        let driver = runtime.block_on(WebDriver::new(url, capabilities)).unwrap();
        Browser { runtime, driver: Some(driver), chromedriver, _profile: profile }
    }

    fn driver(&self) -> &WebDriver {
        self.driver.as_ref().unwrap()
    }

    pub(crate) fn go(&self, url: &str) {
        self.runtime.block_on(self.driver().goto(url)).unwrap();
    }

    pub(crate) fn address(&self) -> String {
        self.runtime.block_on(self.driver().current_url()).unwrap().to_string()
    }

    /// What a script in the page answers.
    pub(crate) fn run(&self, script: &str) -> Value {
        self.try_run(script).unwrap_or_else(|error| panic!("{script}: {error}"))
    }

    fn try_run(&self, script: &str) -> Result<Value, String> {
        let arguments: Vec<Value> = Vec::new();
        let answer = self.runtime.block_on(self.driver().execute(script, arguments));
        answer.map(|answer| answer.json().clone()).map_err(|error| error.to_string())
    }

    /// What a script answers later, by the function that is its last argument.
    pub(crate) fn run_async(&self, script: &str) -> Value {
        let arguments: Vec<Value> = Vec::new();
        let answer = self.runtime.block_on(self.driver().execute_async(script, arguments));
        answer.unwrap_or_else(|error| panic!("{script}: {error}")).json().clone()
    }

    /// Asks the page until the expression is true; returns how long it took.
    pub(crate) fn until(&self, expression: &str) -> Duration {
        self.until_within(PATIENCE, expression)
    }

    pub(crate) fn until_within(&self, most: Duration, expression: &str) -> Duration {
        let begun = Instant::now();
        // While another page is loaded there is nobody to ask.
        while self.try_run(&format!("return Boolean({expression})")) != Ok(json!(true)) {
            if begun.elapsed() > most {
                panic!("not within {most:?}: {expression}\n{}", self.text("body"));
            }
        }
        begun.elapsed()
    }

    pub(crate) fn click(&self, css: &str) {
        let clicked = self.runtime.block_on(async { self.driver().find(By::Css(css)).await?.click().await });
        clicked.unwrap_or_else(|error| panic!("{css}: {error}"));
    }

    /// Clicks what leads to another page, and waits until that is there.
    pub(crate) fn submit(&self, css: &str) {
        let page = self.runtime.block_on(self.driver().find(By::Css("html"))).unwrap();
        self.click(css);
        let begun = Instant::now();
        while self.runtime.block_on(page.tag_name()).is_ok() {
            assert!(begun.elapsed() < PATIENCE, "{css} leads nowhere: {}", self.text("body"));
        }
        // It was answered; a command that needs the page waits until it is loaded.
        self.runtime.block_on(self.driver().title()).unwrap();
    }

    pub(crate) fn type_into(&self, css: &str, text: &str) {
        let typed =
            self.runtime.block_on(async { self.driver().find(By::Css(css)).await?.send_keys(text).await });
        typed.unwrap_or_else(|error| panic!("{css}: {error}"));
    }

    pub(crate) fn text(&self, css: &str) -> String {
        let text = self.runtime.block_on(async { self.driver().find(By::Css(css)).await?.text().await });
        text.unwrap_or_else(|error| {
            let page = self.runtime.block_on(self.driver().source()).unwrap_or_default();
            panic!("{css}: {error}\n{page}")
        })
    }

    pub(crate) fn count(&self, css: &str) -> usize {
        self.runtime.block_on(self.driver().find_all(By::Css(css))).unwrap().len()
    }

    /// As if the window were so wide.
    pub(crate) fn widen(&self, width: u32, height: u32) {
        let metrics = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        self.tell("Emulation.setDeviceMetricsOverride", metrics);
    }

    /// A command of the browser's own protocol.
    pub(crate) fn tell(&self, command: &str, parameters: Value) -> Value {
        let answer = self.runtime.block_on(self.driver().cdp().send_raw(command, parameters));
        answer.unwrap_or_else(|error| panic!("{command}: {error}"))
    }

    /// The page as a picture, from its top to its end.
    pub(crate) fn picture(&self, name: &str) {
        let folder = target().join("screenshots");
        std::fs::create_dir_all(&folder).unwrap();
        let picture = self.runtime.block_on(self.driver().screenshot_as_png()).unwrap();
        std::fs::write(folder.join(name), picture).unwrap();
    }

    /// What the console says that somebody should mend.
    pub(crate) fn complaints(&self) -> Vec<String> {
        let log = self.runtime.block_on(self.driver().browser_log()).unwrap();
        let bad = log.into_iter().filter(|entry| matches!(entry.level.as_str(), "SEVERE" | "WARNING"));
        bad.map(|entry| entry.message).collect()
    }

    /// What the pages asked for since this was called last, of whomever.
    pub(crate) fn requests(&self) -> Vec<String> {
        let log = self.runtime.block_on(self.driver().get_log("performance")).unwrap();
        let messages = log.iter().map(|entry| serde_json::from_str::<Value>(&entry.message).unwrap());
        let asked = messages.map(|entry| entry["message"].clone());
        let asked = asked.filter(|message| message["method"] == "Network.requestWillBeSent");
        asked.map(|message| message["params"]["request"]["url"].as_str().unwrap_or("").to_owned()).collect()
    }

    /// Nothing was complained of, and nothing was asked of anybody but this server.
    pub(crate) fn check(&self, url: &str) {
        let complaints = self.complaints();
        assert!(complaints.is_empty(), "the console: {complaints:#?}");
        let asked = self.requests();
        // The browser's own first page is not of the network.
        let foreign: Vec<_> =
            asked.iter().filter(|asked| asked.starts_with("http") && !asked.starts_with(url)).collect();
        assert!(foreign.is_empty(), "asked of others: {foreign:#?}");
    }

    /// Another tab; what is done afterwards is done there.
    pub(crate) fn new_tab(&self) -> thirtyfour::WindowHandle {
        self.runtime.block_on(async {
            let tab = self.driver().new_tab().await.unwrap();
            self.driver().switch_to_window(tab.clone()).await.unwrap();
            tab
        })
    }

    pub(crate) fn tab(&self) -> thirtyfour::WindowHandle {
        self.runtime.block_on(self.driver().window()).unwrap()
    }

    pub(crate) fn close_tab(&self) {
        self.runtime.block_on(self.driver().close_window()).unwrap();
    }

    pub(crate) fn switch_to(&self, tab: &thirtyfour::WindowHandle) {
        self.runtime.block_on(self.driver().switch_to_window(tab.clone())).unwrap();
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if let Some(driver) = self.driver.take() {
            // It may be gone already.
            let _ = self.runtime.block_on(driver.quit());
        }
        let _ = self.chromedriver.kill();
        let _ = self.chromedriver.wait();
    }
}

/// Every page there is: what its pictures are called, and where it is.
fn every_page(shown: &str, fleet: &[String; 4]) -> Vec<(&'static str, String)> {
    let [_, operation, validation, handoff] = fleet;
    let lists =
        ["exchanges", "operations", "validations", "handoffs", "agents", "audit", "incidents", "settings"];
    let mut pages: Vec<_> = lists.into_iter().map(|name| (name, format!("/{name}"))).collect();
    pages.extend([
        ("overview", "/".to_owned()),
        ("exchange", format!("/exchanges/{shown}")),
        ("past", format!("/exchanges/{shown}?at=2")),
        ("operation", format!("/exchanges/{operation}")),
        ("validation", format!("/exchanges/{validation}")),
        ("handoff", format!("/exchanges/{handoff}")),
        ("agent", "/agents/worker".to_owned()),
        ("messages", "/messages?q=login".to_owned()),
    ]);
    pages
}

/// Where builds go, and what tests need or leave there.
fn target() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target")
}

fn start_chromedriver() -> (Child, u16) {
    let started =
        Command::new("chromedriver").arg("--port=0").stdin(Stdio::null()).stdout(Stdio::piped()).spawn();
    let mut child = started.unwrap_or_else(|error| {
        panic!("chromedriver: {error}; install chromium and chromium-driver, or run `cargo xtask test --only tests`")
    });
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let said = lines.find_map(|line| {
        let line = line.unwrap();
        line.split_once("successfully on port ").map(|(_, port)| port.trim_end_matches('.').to_owned())
    });
    let port = said.expect("chromedriver says its port").parse().unwrap();
    // What it says later must not fill the pipe.
    std::thread::spawn(move || lines.for_each(drop));
    (child, port)
}
