//! Two PostgreSQL servers under Patroni with etcd, from Debian's packages: one leads, the other is its synchronous
//! standby. Everything is on loopback, in a directory that goes with it, and ended by its id.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::postgres_server::{as_user, free_port, own, programs};

/// Patroni's own, in seconds; it takes no less.
pub const TTL: u64 = 20;
const PATIENCE: Duration = Duration::from_secs(120);
const LOOK: Duration = Duration::from_millis(200);

#[derive(Debug)]
pub struct PatroniCluster {
    directory: TempDir,
    etcd: Child,
    members: Vec<Member>,
}

#[derive(Debug)]
struct Member {
    name: &'static str,
    postgres: u16,
    rest: u16,
    process: Option<Child>,
}

impl PatroniCluster {
    pub fn start() -> PatroniCluster {
        let directory = tempfile::Builder::new().prefix("wpa").tempdir_in("/tmp").expect("a directory");
        own(directory.path());
        let (clients, peers) = (free_port(), free_port());
        let [at_clients, at_peers] = [clients, peers].map(|port| format!("http://127.0.0.1:{port}"));
        let mut etcd = as_user(Path::new("/usr/bin/etcd"));
        etcd.arg("--data-dir").arg(directory.path().join("etcd"));
        etcd.args(["--listen-client-urls", &at_clients, "--advertise-client-urls", &at_clients]);
        etcd.args(["--listen-peer-urls", &at_peers, "--initial-advertise-peer-urls", &at_peers]);
        etcd.args(["--initial-cluster", &format!("default={at_peers}")]);
        let etcd = logged(etcd, &directory.path().join("etcd.log"));
        let member = |name| Member { name, postgres: free_port(), rest: free_port(), process: None };
        let mut cluster = PatroniCluster { directory, etcd, members: vec![member("p1"), member("p2")] };
        for at in 0..cluster.members.len() {
            cluster.configure(&cluster.members[at], clients);
        }
        cluster.run("p1");
        cluster.wait("p1 leads", |roles| roles.get("p1").is_some_and(|role| role == "leader"));
        cluster.run("p2");
        cluster.wait_for_standby();
        cluster
    }

    /// All of them: whoever connects finds the one that takes writes.
    pub fn url(&self) -> String {
        let hosts: Vec<_> = self.members.iter().map(|one| format!("127.0.0.1:{}", one.postgres)).collect();
        format!("postgres://wilco@{}/postgres", hosts.join(","))
    }

    /// Until every commit is in two places again.
    pub fn wait_for_standby(&self) {
        self.wait("a synchronous standby", |roles| roles.values().any(|role| role == "sync_standby"));
    }

    /// The standby leads from now on, as an operator asks for it.
    pub fn switch_over(&self) {
        let leader = self.leader();
        let other = self.members.iter().find(|one| one.name != leader).expect("another one").name;
        let rest = self.members.iter().find(|one| one.name == leader).expect("the leader").rest;
        let body = json!({"leader": leader, "candidate": other}).to_string();
        let said = call(rest, "POST", "/switchover", &body).unwrap_or_default();
        assert!(said.contains("Successfully"), "{said}");
    }

    /// `kill -9` of the primary and of its Patroni; returns when another one leads.
    pub fn kill_primary(&mut self) {
        let leader = self.leader();
        let postmaster = self.postmaster(leader);
        let member = self.members.iter_mut().find(|one| one.name == leader).expect("the leader");
        if let Some(mut patroni) = member.process.take() {
            let _ = patroni.kill();
            let _ = patroni.wait();
        }
        signal("-KILL", &postmaster.expect("a postmaster"));
        self.wait("another leader", |roles| {
            roles.iter().any(|(name, role)| name != leader && role == "leader")
        });
    }

    fn configure(&self, member: &Member, etcd: u16) {
        let (place, Member { name, postgres, rest, .. }) = (self.directory.path().display(), member);
        let sockets = self.directory.path().join(format!("{name}-sockets"));
        std::fs::create_dir(&sockets).expect("a directory");
        own(&sockets);
        let host = |port: &u16| json!(format!("127.0.0.1:{port}"));
        // YAML takes JSON.
        let settings = json!({
            "scope": "wilco",
            "name": name,
            "restapi": {"listen": host(rest), "connect_address": host(rest)},
            "etcd3": {"host": host(&etcd)},
            "bootstrap": {
                "dcs": {"ttl": TTL, "loop_wait": 2, "retry_timeout": 3, "synchronous_mode": true, "postgresql": {
                    "use_pg_rewind": true,
                    "parameters": {"max_connections": 100, "shared_buffers": "64MB", "wal_log_hints": "on"},
                }},
                "initdb": [{"encoding": "UTF8"}, {"locale": "C"}, {"auth-host": "trust"}, {"auth-local": "trust"}],
                "pg_hba": ["local all all trust", "host all all 127.0.0.1/32 trust", "host replication all 127.0.0.1/32 trust"],
            },
            "postgresql": {
                "listen": host(postgres), "connect_address": host(postgres), "data_dir": format!("{place}/{name}"),
                "bin_dir": programs(), "pgpass": format!("{place}/{name}.pgpass"),
                "authentication": {
                    "superuser": {"username": "wilco", "password": "x"},
                    "replication": {"username": "replicator", "password": "x"},
                    "rewind": {"username": "wilco", "password": "x"},
                },
                "parameters": {"unix_socket_directories": sockets},
            },
        });
        std::fs::write(self.directory.path().join(format!("{name}.yml")), settings.to_string())
            .expect("settings");
    }

    fn run(&mut self, name: &str) {
        let place = self.directory.path();
        let mut patroni = as_user(Path::new("/usr/bin/patroni"));
        patroni.arg(place.join(format!("{name}.yml")));
        let process = logged(patroni, &place.join(format!("{name}.log")));
        let member = self.members.iter_mut().find(|one| one.name == name).expect("a member");
        member.process = Some(process);
    }

    /// Who is what, as any of them tells.
    fn roles(&self) -> BTreeMap<String, String> {
        let told = self.members.iter().find_map(|one| {
            let told = call(one.rest, "GET", "/cluster", "")?;
            let told: Value = serde_json::from_str(told.split_once("\r\n\r\n")?.1).ok()?;
            let word = |member: &Value, key: &str| Some(member.get(key)?.as_str()?.to_owned());
            let members = told.get("members")?.as_array()?.iter();
            let running =
                members.filter(|member| member["state"] == "running" || member["state"] == "streaming");
            Some(running.filter_map(|member| Some((word(member, "name")?, word(member, "role")?))).collect())
        });
        told.unwrap_or_default()
    }

    fn leader(&self) -> &'static str {
        self.wait("a leader", |roles| roles.values().any(|role| role == "leader"));
        let roles = self.roles();
        let leads = |one: &&Member| roles.get(one.name).is_some_and(|role| role == "leader");
        self.members.iter().find(leads).expect("a leader").name
    }

    fn wait(&self, what: &str, fact: impl Fn(&BTreeMap<String, String>) -> bool) {
        let began = Instant::now();
        while !fact(&self.roles()) {
            let log = || std::fs::read_to_string(self.directory.path().join("p1.log")).unwrap_or_default();
            assert!(began.elapsed() < PATIENCE, "never: {what}: {:?}\n{}", self.roles(), log());
            std::thread::park_timeout(LOOK);
        }
    }

    fn postmaster(&self, name: &str) -> Option<String> {
        let file = self.directory.path().join(name).join("postmaster.pid");
        std::fs::read_to_string(file).ok()?.lines().next().map(str::to_owned)
    }
}

impl Drop for PatroniCluster {
    fn drop(&mut self) {
        // Without Patroni nobody starts what is ended.
        for member in &mut self.members {
            if let Some(mut patroni) = member.process.take() {
                let _ = patroni.kill();
                let _ = patroni.wait();
            }
        }
        for member in &self.members {
            if let Some(postmaster) = self.postmaster(member.name) {
                signal("-QUIT", &postmaster);
            }
        }
        let _ = self.etcd.kill();
        let _ = self.etcd.wait();
    }
}

fn signal(which: &str, process: &str) {
    let _ = Command::new("kill").args([which, process]).stderr(Stdio::null()).status();
}

fn logged(mut command: Command, log: &Path) -> Child {
    let file = std::fs::File::create(log).expect("a log");
    let errors = file.try_clone().expect("a log");
    command
        .stdin(Stdio::null())
        .stdout(file)
        .stderr(errors)
        .spawn()
        .expect("it runs; install patroni and etcd-server")
}

fn call(port: u16, method: &str, path: &str, body: &str) -> Option<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    let length = body.len();
    write!(
        stream,
        "{method} {path} HTTP/1.0\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
    )
    .ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    Some(answer)
}
