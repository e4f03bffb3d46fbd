//! A GitHub on this machine: issues with labels, assignees and comments, and gists. It checks what a client
//! must send, remembers what it did, and fails when it is told to.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::response::Response;
use http::{HeaderMap, Method, Uri};
use serde_json::{Value, json};

pub const TOKEN: &str = "ghp_localtesttoken0123456789";

#[derive(Debug, Default)]
pub struct World {
    pub issues: BTreeMap<u64, Issue>,
    pub gists: Vec<Value>,
    /// Who can be assigned.
    pub people: Vec<String>,
    /// What happens instead of the next calls that begin so; the method and the path.
    pub faults: Vec<(String, Fault)>,
    /// Every call that was made.
    pub calls: Vec<String>,
    comments: u64,
}

#[derive(Debug, Default)]
pub struct Issue {
    pub labels: Vec<String>,
    pub assignees: Vec<String>,
    pub comments: Vec<Value>,
}

#[derive(Debug, Clone)]
pub enum Fault {
    /// This answer, and nothing is done.
    Answer(u16, Vec<(&'static str, String)>, Value),
    /// It is done, and the answer is lost.
    LostAnswer,
    /// Nothing is ever answered.
    Silence,
}

#[derive(Debug, Clone)]
pub struct GithubServer {
    pub address: SocketAddr,
    world: Arc<Mutex<World>>,
}

impl GithubServer {
    /// A server with these issues; it ends with its runtime.
    pub async fn start(issues: &[u64]) -> GithubServer {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let mut world = World { people: vec!["implementer-2".into(), "octo-2".into()], ..World::default() };
        for issue in issues {
            let labels = vec!["bug".to_owned(), "assigned:implementer-1".to_owned()];
            let assignees = vec!["implementer-1".to_owned(), "somebody".to_owned()];
            world.issues.insert(*issue, Issue { labels, assignees, comments: Vec::new() });
        }
        let server = GithubServer { address, world: Arc::new(Mutex::new(world)) };
        let router = Router::new().fallback(answer).with_state(server.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        server
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Held for a moment, never over an await.
    pub fn world(&self) -> MutexGuard<'_, World> {
        self.world.lock().unwrap()
    }

    pub fn fail(&self, call: &str, fault: Fault) {
        self.world().faults.push((call.to_owned(), fault));
    }
}

async fn answer(
    State(server): State<GithubServer>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let (status, extra, value) = match server.decide(&method, &uri, &headers, &body) {
        Some(answer) => answer,
        None => std::future::pending().await,
    };
    if status == 0 {
        // The connection breaks in the middle of the answer.
        let cut = futures_cut();
        return Response::builder().status(201).header("content-length", "1000").body(cut).unwrap();
    }
    let mut response = Response::builder().status(status).header("content-type", "application/json");
    for (name, text) in extra {
        response = response.header(name, text);
    }
    response.body(Body::from(value.to_string())).unwrap()
}

fn futures_cut() -> Body {
    Body::from_stream(Cut)
}

/// A body that fails at once.
struct Cut;

impl futures_util::Stream for Cut {
    type Item = Result<Bytes, std::io::Error>;

    fn poll_next(
        self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Self::Item>> {
        std::task::Poll::Ready(Some(Err(std::io::Error::other("cut"))))
    }
}

type Decided = (u16, Vec<(&'static str, String)>, Value);

impl GithubServer {
    /// None: never. Status 0: done, but the answer is lost.
    fn decide(&self, method: &Method, uri: &Uri, headers: &HeaderMap, body: &Bytes) -> Option<Decided> {
        let call = format!("{method} {}", uri.path());
        let mut world = self.world();
        world.calls.push(call.clone());
        let plain = |status: u16, value: Value| Some((status, Vec::new(), value));
        let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        if header("authorization") != format!("Bearer {TOKEN}") {
            return plain(401, json!({"message": "Bad credentials"}));
        }
        if header("user-agent").is_empty() || header("accept") != "application/vnd.github+json" {
            return plain(403, json!({"message": "Request forbidden by administrative rules."}));
        }
        if header("x-github-api-version") != "2022-11-28" || header("host") != self.address.to_string() {
            return plain(400, json!({"message": "wrong version or host"}));
        }
        let fault = world.faults.iter().position(|(known, _)| call.starts_with(known.as_str()));
        let fault = fault.map(|at| world.faults.remove(at).1);
        match fault {
            Some(Fault::Answer(status, extra, value)) => return Some((status, extra, value)),
            Some(Fault::Silence) => return None,
            Some(Fault::LostAnswer) | None => {}
        }
        let body: Value = serde_json::from_slice(body).unwrap_or_default();
        let (status, value) = world.act(method.as_str(), uri, &body, &self.url());
        match fault {
            Some(_) => plain(0, Value::Null),
            None => plain(status, value),
        }
    }
}

impl World {
    fn act(&mut self, method: &str, uri: &Uri, body: &Value, url: &str) -> (u16, Value) {
        let missing = || (404, json!({"message": "Not Found"}));
        let parts: Vec<_> = uri.path().trim_start_matches('/').split('/').collect();
        let page = |items: &[Value]| {
            let query = uri.query().unwrap_or_default();
            let of = |name: &str| {
                let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
                pairs.find(|(key, _)| *key == name).and_then(|(_, value)| value.parse::<usize>().ok())
            };
            let (size, page) = (of("per_page").unwrap_or(30), of("page").unwrap_or(1));
            json!(items.iter().skip((page - 1) * size).take(size).collect::<Vec<_>>())
        };
        let (rest, number) = match parts.as_slice() {
            ["user"] if method == "GET" => return (200, json!({"login": "wilco-bot"})),
            ["gists"] if method == "GET" => return (200, page(&self.gists)),
            ["gists"] if method == "POST" => {
                let mut gist = body.clone();
                gist["html_url"] = format!("{url}/gist/{}", self.gists.len() + 1).into();
                self.gists.insert(0, gist.clone());
                return (201, gist);
            }
            ["repos", "owner", "repo", "issues", number, rest @ ..] => (rest, number.parse().unwrap_or(0)),
            _ => return missing(),
        };
        let people = self.people.clone();
        let Some(issue) = self.issues.get_mut(&number) else { return missing() };
        let names = |key: &str| -> Vec<String> {
            let names = body[key].as_array().into_iter().flatten();
            names.filter_map(Value::as_str).map(str::to_owned).collect()
        };
        match (method, rest) {
            ("GET", []) => (200, issue.shown(number)),
            ("GET", ["comments"]) => (200, page(&issue.comments)),
            ("POST", ["comments"]) => {
                let text = body["body"].as_str().unwrap_or_default();
                if text.chars().count() > 65_536 {
                    let error = json!({"message": "body is too long (maximum is 65536 characters)"});
                    return (422, json!({"message": "Validation Failed", "errors": [error]}));
                }
                self.comments += 1;
                let at = format!("{url}/owner/repo/issues/{number}#issuecomment-{}", self.comments);
                let comment = json!({"id": self.comments, "body": text, "html_url": at});
                issue.comments.push(comment.clone());
                (201, comment)
            }
            ("POST", ["assignees"]) => {
                let known = names("assignees").into_iter().filter(|name| people.contains(name));
                issue.assignees.extend(known.collect::<Vec<_>>());
                (201, issue.shown(number))
            }
            ("DELETE", ["assignees"]) => {
                issue.assignees.retain(|name| !names("assignees").contains(name));
                (200, issue.shown(number))
            }
            ("POST", ["labels"]) => {
                issue.labels.extend(names("labels"));
                (200, issue.shown(number)["labels"].clone())
            }
            ("DELETE", ["labels", label]) => {
                let label = label.replace("%3A", ":");
                let before = issue.labels.len();
                issue.labels.retain(|known| *known != label);
                if issue.labels.len() == before { missing() } else { (200, json!([])) }
            }
            _ => missing(),
        }
    }
}

impl Issue {
    fn shown(&self, number: u64) -> Value {
        let labels: Vec<_> = self.labels.iter().map(|name| json!({"name": name})).collect();
        let assignees: Vec<_> = self.assignees.iter().map(|login| json!({"login": login})).collect();
        json!({"number": number, "labels": labels, "assignees": assignees})
    }
}
