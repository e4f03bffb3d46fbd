//! Who looks at the dashboard: signing in, what a token sees, forms of strangers, errors as pages.

use std::io::{Read, Write};
use std::net::TcpStream;

use crate::server::{Server, Setup, task};
use serde_json::json;
use wilco_server::{Role, Tokens};

/// A browser as far as these tests need one: it sends what it is told, and its cookies.
pub(crate) struct Browser<'s> {
    server: &'s Server,
    cookies: Vec<(String, String)>,
}

pub(crate) struct Page {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Browser<'_> {
    pub(crate) fn new(server: &Server) -> Browser<'_> {
        Browser { server, cookies: Vec::new() }
    }

    fn ask(&mut self, method: &str, path: &str, headers: &str, body: &str) -> Page {
        let mut stream = TcpStream::connect(self.server.address()).unwrap();
        let cookies: Vec<_> = self.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let cookie =
            if cookies.is_empty() { String::new() } else { format!("Cookie: {}\r\n", cookies.join("; ")) };
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: {}\r\n{cookie}{headers}Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
            self.server.address(),
            body.len()
        )
        .unwrap();
        let mut said = String::new();
        stream.read_to_string(&mut said).unwrap();
        let (head, body) = said.split_once("\r\n\r\n").unwrap_or((&said, ""));
        for line in head.lines() {
            let Some(set) = line.strip_prefix("set-cookie: ") else { continue };
            let (name, value) = set.split(';').next().unwrap().split_once('=').unwrap();
            self.cookies.retain(|(known, _)| known != name);
            if !set.contains("Max-Age=0") {
                self.cookies.push((name.to_owned(), value.to_owned()));
            }
        }
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Page { status, head: head.to_owned(), body: body.to_owned() }
    }

    pub(crate) fn get(&mut self, path: &str) -> Page {
        self.ask("GET", path, "", "")
    }

    /// Sends a form from one of the dashboard's own pages.
    pub(crate) fn send(&mut self, path: &str, body: &str) -> Page {
        let origin = format!("Origin: http://{}\r\n", self.server.address());
        self.ask("POST", path, &format!("{origin}Content-Type: application/x-www-form-urlencoded\r\n"), body)
    }

    pub(crate) fn sign_in(&mut self, secret: &str) -> Page {
        self.send("/sign-in", &format!("token={secret}&back=%2Fexchanges"))
    }

    /// What the forms of a page carry.
    pub(crate) fn form_token(&mut self, path: &str) -> String {
        let page = self.get(path).body;
        let rest = page.split_once("name=\"token_of_form\" value=\"").expect("a form").1;
        rest.split('"').next().unwrap().to_owned()
    }
}

pub(crate) fn guarded() -> Server {
    Setup::new().config("auth = \"required\"").start()
}

pub(crate) fn secret(server: &Server, name: &str, role: Role) -> String {
    Tokens::new(server.data.path()).create(wilco_protocol::Name::new(name), role).unwrap().secret
}

#[test]
fn web_7_who_is_not_signed_in_is_asked_to_and_led_back() {
    let server = guarded();
    let secret = secret(&server, "root-1", Role::Operator);
    let mut browser = Browser::new(&server);
    let page = browser.get("/exchanges");
    assert_eq!(page.status, 401);
    assert!(page.body.contains("name=\"token\"") && page.body.contains("type=\"password\""), "{}", page.body);
    assert!(page.body.contains("value=\"/exchanges\""), "it leads back: {}", page.body);
    let wrong = browser.sign_in("wilco_wrong");
    assert_eq!(wrong.status, 401);
    assert!(wrong.body.contains("role=\"alert\""), "{}", wrong.body);
    let signed_in = browser.sign_in(&secret);
    assert_eq!(
        (signed_in.status, signed_in.head.contains("location: /exchanges\r")),
        (303, true),
        "{}",
        signed_in.head
    );
    let set = signed_in.head.lines().find(|line| line.starts_with("set-cookie: wilco_session")).unwrap();
    assert!(set.contains("HttpOnly") && set.contains("SameSite=Strict") && set.contains("Path=/"), "{set}");
    assert!(!signed_in.head.contains(&secret), "the token itself is in no cookie");
    assert_eq!(browser.get("/exchanges").status, 200);
    assert_eq!(browser.get("/v1/exchanges").status, 200, "reads of the API too");
    let post = browser.ask("POST", "/v1/messages", "Content-Type: application/json\r\n", "{}");
    assert_eq!(post.status, 401, "but no writes of the API");
    for path in ["/style.css", "/live.js", "/icon.svg", "/sign-in"] {
        assert_eq!(Browser::new(&server).get(path).status, 200, "{path}");
    }
    let away = browser.send("/sign-in", &format!("token={secret}&back=%2F%2Fevil.example"));
    assert!(away.head.contains("location: /\r"), "never to another host: {}", away.head);
}

#[test]
fn web_7_signing_out_and_revoking_end_it_on_the_server() {
    let server = guarded();
    let secret = secret(&server, "root-1", Role::Operator);
    let mut browser = Browser::new(&server);
    browser.sign_in(&secret);
    let kept = browser.cookies.clone();
    let token = browser.form_token("/");
    assert_eq!(browser.send("/sign-out", &format!("token_of_form={token}")).status, 303);
    browser.cookies = kept;
    assert_eq!(browser.get("/").status, 401, "the cookie of before is worth nothing");
    browser.cookies.clear();
    browser.sign_in(&secret);
    assert_eq!(browser.get("/").status, 200);
    let tokens = Tokens::new(server.data.path());
    tokens.revoke(&tokens.list().unwrap()[0].id).unwrap();
    assert_eq!(browser.get("/").status, 401);
}

#[test]
fn web_7_everybody_sees_what_its_token_may_see() {
    let server = guarded();
    let operator = server.with_token("op", Role::Operator);
    for name in ["boss", "worker", "eve"] {
        assert_eq!(operator.put(&format!("/v1/agents/{name}"), &json!({})).0, 201);
    }
    let boss = server.with_token("boss", Role::Agent);
    let begun = boss.post("/v1/messages", &task("GH-1")).1;
    let id = begun["exchange"]["id"].as_str().unwrap().to_owned();
    let (eve, reader) = (secret(&server, "eve", Role::Agent), secret(&server, "watch", Role::ReadOnly));
    let mut browser = Browser::new(&server);
    browser.sign_in(&eve);
    assert_eq!(browser.get(&format!("/exchanges/{id}")).status, 404);
    assert!(!browser.get("/").body.contains(&id));
    let mut watching = Browser::new(&server);
    watching.sign_in(&reader);
    let page = watching.get(&format!("/exchanges/{id}"));
    assert_eq!(page.status, 200);
    assert!(page.body.contains("data-role=\"read-only\"") && !page.body.contains("data-action=\"stop\""));
    let token = watching.form_token("/");
    let stop = watching.send(&format!("/exchanges/{id}/stop"), &format!("token_of_form={token}"));
    assert_eq!(stop.status, 403);
    assert_eq!(operator.get(&format!("/v1/exchanges/{id}")).1["state"], "awaiting-ack");
}

#[test]
fn web_6_a_form_of_a_stranger_does_nothing() {
    let server = Server::start();
    server.register(&["boss", "worker"]);
    let id = server.begin(&task("GH-1"));
    let mut browser = Browser::new(&server);
    let token = browser.form_token(&format!("/exchanges/{id}"));
    let (path, body) = (format!("/exchanges/{id}/stop"), format!("token_of_form={token}&reason=enough"));
    assert_eq!(browser.ask("POST", &path, "", &body).status, 403, "without an origin");
    let foreign = "Origin: http://evil.example\r\nContent-Type: application/x-www-form-urlencoded\r\n";
    assert_eq!(browser.ask("POST", &path, foreign, &body).status, 403);
    assert_eq!(browser.send(&path, "reason=enough").status, 403, "without the form's token");
    assert_eq!(server.state(&id), "awaiting-ack");
    let server = server.restart();
    let mut browser = Browser::new(&server);
    let done = browser.send(&path, &body);
    assert_eq!(done.status, 303, "a form survives a restart: {}", done.body);
    assert_eq!(server.state(&id), "cancelled");
    let page = browser.get(&format!("/exchanges/{id}"));
    assert!(page.body.contains("role=\"status\""), "{}", page.body);
    assert!(!browser.get(&format!("/exchanges/{id}")).body.contains("role=\"status\""), "said once");
}

#[test]
fn web_7_the_operator_may_look_as_an_agent() {
    let server = Server::start();
    server.register(&["boss", "worker", "eve"]);
    let id = server.begin(&task("GH-1"));
    let mut browser = Browser::new(&server);
    let token = browser.form_token("/");
    assert_eq!(browser.send("/look-as", &format!("token_of_form={token}&agent=nobody-such")).status, 404);
    assert_eq!(browser.send("/look-as", &format!("token_of_form={token}&agent=eve&back=%2F")).status, 303);
    let page = browser.get("/");
    assert!(page.body.contains("data-viewer=\"eve\"") && !page.body.contains(&id), "{}", page.body);
    assert_eq!(browser.get(&format!("/exchanges/{id}")).status, 404);
    let token = browser.form_token("/");
    browser.send("/look-as", &format!("token_of_form={token}&agent="));
    assert!(browser.get("/").body.contains(&id));
}

/// WEB-6: a form that was made for one name is not sent in another, by the same person in another tab.
#[test]
fn web_6_a_form_belongs_to_who_it_was_shown_to() {
    let server = Server::start();
    server.register(&["boss", "worker"]);
    let id = server.begin(&task("GH-1"));
    let (page, stop) = (format!("/exchanges/{id}"), format!("/exchanges/{id}/stop"));
    let mut browser = Browser::new(&server);
    let look_as = |browser: &mut Browser<'_>, name: &str| {
        let token = browser.form_token("/");
        assert_eq!(browser.send("/look-as", &format!("token_of_form={token}&agent={name}")).status, 303);
        browser.form_token(&page)
    };
    let operators = browser.form_token(&page);
    let workers = look_as(&mut browser, "worker");
    let bosses = look_as(&mut browser, "boss");
    for foreign in [&operators, &workers] {
        let refused = browser.send(&stop, &format!("token_of_form={foreign}&reason=enough"));
        assert_eq!(
            (refused.status, refused.body.contains("role=\"alert\"")),
            (403, true),
            "{}",
            refused.body
        );
    }
    look_as(&mut browser, "");
    assert_eq!(browser.send(&stop, &format!("token_of_form={bosses}&reason=enough")).status, 403);
    assert_eq!(server.state(&id), "awaiting-ack");
    look_as(&mut browser, "boss");
    assert_eq!(browser.send(&stop, &format!("token_of_form={bosses}&reason=enough")).status, 303);
    assert_eq!(server.state(&id), "cancelled");
}

#[test]
fn web_10_what_is_not_there_is_a_page_that_says_so() {
    let server = Server::start();
    let mut browser = Browser::new(&server);
    for (path, status) in [
        ("/exchanges/del-99", 404),
        ("/nothing/here", 404),
        ("/exchanges?limit=x", 400),
        ("/exchanges?protocol=none", 400),
    ] {
        let page = browser.get(path);
        assert_eq!(page.status, status, "{path}");
        assert!(page.head.contains("text/html"), "{path}: {}", page.head);
        assert!(page.body.contains("<h1>") && page.body.contains("role=\"alert\""), "{path}: {}", page.body);
        assert!(page.head.contains("default-src 'none'; script-src 'self'"), "{}", page.head);
    }
    assert!(browser.get("/v1/nothing").head.contains("application/problem+json"));
    let id = {
        server.register(&["boss", "worker"]);
        server.begin(&task("GH-1"))
    };
    assert_eq!(browser.get(&format!("/exchanges/{id}?at=1")).status, 200);
    assert_eq!(browser.get(&format!("/exchanges/{id}?at=999")).status, 404);
    assert_eq!(browser.get(&format!("/exchanges/{id}?at=x")).status, 400);
}

#[test]
fn web_8_colours_are_kept_without_a_script() {
    let server = Server::start();
    let mut browser = Browser::new(&server);
    let token = browser.form_token("/");
    assert_eq!(browser.send("/theme", &format!("token_of_form={token}&theme=dark&back=%2F")).status, 303);
    assert!(browser.get("/").body.contains("data-theme=\"dark\""));
    assert_eq!(browser.send("/theme", &format!("token_of_form={token}&theme=pink")).status, 400);
}
