//! A real PostgreSQL of a test program's own: Debian's, in a directory that goes with it, on a socket there.
//!
//! One server for each program that asks; a schema for each test. It is ended by its id.

use std::io::Write;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use tempfile::TempDir;

/// Where Debian puts it, newest first.
const PLACES: &str = "/usr/lib/postgresql";
/// A server that takes longer to end does not.
const PATIENCE: Duration = Duration::from_secs(60);
/// A server that was asked so often whether it is there does not start; each question takes some milliseconds.
const MAX_ASKED: usize = 5000;

/// Runs it, and ends it when told to or when nobody is there any more to tell. The directory goes too, unless it is kept.
const WATCHER: &str = "place=$1; shift; \"$@\" & pid=$!; read word; kill -INT $pid; wait $pid; \
                       [ \"$word\" = keep ] || rm -rf \"$place\"";

#[derive(Debug)]
pub struct PostgresServer {
    directory: TempDir,
    programs: PathBuf,
    port: u16,
    /// What stands between it and its disk.
    preloaded: Option<PathBuf>,
    /// None while it is stopped.
    process: Option<Child>,
}

/// The server that tests of this program share. It ends when the program does: its watcher sees to that.
pub fn shared() -> &'static PostgresServer {
    static SHARED: OnceLock<PostgresServer> = OnceLock::new();
    SHARED.get_or_init(PostgresServer::start)
}

/// A name for a schema that no other test of this program has.
pub fn fresh_schema() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    format!("t{}_{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

impl PostgresServer {
    pub fn start() -> PostgresServer {
        let programs = programs();
        // Short: the path of a socket may have 107 letters.
        let directory = tempfile::Builder::new().prefix("wpg").tempdir_in("/tmp").expect("a directory");
        let data = directory.path().join("data");
        std::fs::create_dir(&data).expect("a directory for the data");
        own(directory.path());
        own(&data);
        std::fs::set_permissions(&data, PermissionsExt::from_mode(0o700)).expect("permissions");
        let made = as_user(&programs.join("initdb"))
            .args(["--no-sync", "--auth=trust", "--username=wilco", "--encoding=UTF8", "--locale=C"])
            .arg("-D")
            .arg(&data)
            .stdout(Stdio::null())
            .output()
            .expect("initdb runs");
        assert!(made.status.success(), "initdb: {}", String::from_utf8_lossy(&made.stderr));
        // Everybody but this one comes in without a password.
        let rules = data.join("pg_hba.conf");
        let trust = std::fs::read_to_string(&rules).expect("the rules of initdb");
        std::fs::write(&rules, format!("host all guest 127.0.0.1/32 scram-sha-256\n{trust}")).expect("rules");
        let port = free_port();
        let mut server = PostgresServer { directory, programs, port, preloaded: None, process: None };
        server.run();
        server
    }

    /// Starts it, or starts it again.
    pub fn run(&mut self) {
        let sockets = self.directory.path().display().to_string();
        let log = std::fs::File::create(self.directory.path().join("log")).expect("a log");
        // A watcher ends it when this program is gone, however that came about: the pipe closes.
        let mut command = as_user(Path::new("/bin/sh"));
        command.args(["-c", WATCHER, "sh"]);
        command.arg(self.directory.path());
        command.arg(self.programs.join("postgres")).arg("-D").arg(self.directory.path().join("data"));
        command.arg("-k").arg(&sockets).arg("-p").arg(self.port.to_string());
        if let Some(library) = &self.preloaded {
            command.env("LD_PRELOAD", library).env("FULL_WHEN", self.directory.path().join("full"));
        }
        // fsync stays on: what is tested is what is promised.
        command.args([
            "-c",
            "listen_addresses=127.0.0.1",
            "-c",
            "max_connections=200",
            "-c",
            "shared_buffers=64MB",
        ]);
        let process = command
            .stdin(Stdio::piped())
            .stdout(log.try_clone().expect("a log"))
            .stderr(log)
            .spawn()
            .expect("it runs");
        self.process = Some(process);
        let ready = || {
            let mut asked = as_user(&self.programs.join("pg_isready"));
            let asked = asked.arg("-q").arg("-h").arg(&sockets).arg("-p").arg(self.port.to_string());
            asked.status().is_ok_and(|status| status.success())
        };
        let log = || std::fs::read_to_string(self.directory.path().join("log")).unwrap_or_default();
        assert!((0..MAX_ASKED).any(|_| ready()), "PostgreSQL did not start: {}", log());
    }

    /// Starts one whose disk can be full. Built with the C compiler that the store's SQLite needs anyway.
    pub fn start_on_small_disk() -> PostgresServer {
        let mut server = PostgresServer::start();
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/full_disk.c");
        let built = server.directory.path().join("full_disk.so");
        let compiler =
            Command::new("cc").args(["-shared", "-fPIC", "-O1", "-o"]).arg(&built).arg(source).status();
        assert!(compiler.is_ok_and(|status| status.success()), "cc cannot build the disk");
        server.crash();
        server.preloaded = Some(built);
        server.run();
        server
    }

    /// Whether there is no room on its disk for tables to grow.
    pub fn fill_disk(&self, full: bool) {
        let order = self.directory.path().join("full");
        match full {
            true => std::fs::write(order, "").expect("an order"),
            false => std::fs::remove_file(order).expect("an order"),
        }
    }

    /// Ends it at once, as a crash does: connections are cut, and nothing is finished.
    pub fn crash(&mut self) {
        if let Some(process) = &self.process {
            self.tell("-QUIT", process);
        }
        self.wait("keep");
    }

    /// Over TCP, where connections can be cut; `wilco` may do everything and needs no password.
    pub fn url(&self) -> String {
        format!("postgres://wilco@127.0.0.1:{}/postgres", self.port)
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// Runs statements as the owner of everything; what they print.
    pub fn psql(&self, sql: &str) -> String {
        let output = as_user(&self.programs.join("psql"))
            .args(["-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1", "-c", sql])
            .arg(self.url())
            .output()
            .expect("psql runs");
        assert!(output.status.success(), "{sql}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    /// Lets it read its settings again, one of them changed.
    pub fn set(&self, name: &str, value: &str) {
        self.psql(&format!("ALTER SYSTEM SET {name} = {value}"));
        if let Some(process) = &self.process {
            self.tell("-HUP", process);
        }
        assert!(
            (0..MAX_ASKED).any(|_| self.psql(&format!("SHOW {name}")) == value.trim_matches('\'')),
            "{name} does not change"
        );
    }

    /// A pooler in front of it that gives a session out for one transaction at a time; ended when it is dropped.
    pub fn pooled(&self) -> (Running, String) {
        let (port, place) = (free_port(), self.directory.path());
        let settings = format!(
            "[databases]\n* = host=127.0.0.1 port={} user=wilco\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\n\
             unix_socket_dir =\nauth_type = any\npool_mode = transaction\nignore_startup_parameters = extra_float_digits\n",
            self.port
        );
        let file = place.join("pgbouncer.ini");
        std::fs::write(&file, settings).expect("settings");
        let program =
            ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer"].into_iter().find(|path| Path::new(path).exists());
        let program =
            program.expect("this test needs pgbouncer: install its package, as cargo xtask test does");
        let mut pooler = as_user(Path::new(program));
        let child = pooler.arg("-q").arg(&file).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let holder = Running(child.expect("pgbouncer runs"));
        let answers = || std::net::TcpStream::connect(("127.0.0.1", port)).is_ok();
        assert!(
            (0..MAX_ASKED).any(|_| answers() || self.psql("SHOW server_version").is_empty()),
            "pgbouncer did not start"
        );
        (holder, format!("postgres://wilco@127.0.0.1:{port}/postgres"))
    }

    fn tell(&self, signal: &str, process: &Child) {
        let log =
            std::fs::read_to_string(self.directory.path().join("data/postmaster.pid")).unwrap_or_default();
        let postmaster = log.lines().next().unwrap_or_default().to_owned();
        let told = if postmaster.is_empty() { process.id().to_string() } else { postmaster };
        let _ = Command::new("kill").args([signal, &told]).status();
    }

    fn wait(&mut self, word: &str) {
        if let Some(mut process) = self.process.take() {
            // Nobody may be there to hear it.
            let _ = process.stdin.take().map(|mut watcher| writeln!(watcher, "{word}"));
            let (id, (done, ended)) = (process.id(), std::sync::mpsc::channel());
            std::thread::spawn(move || done.send(process.wait()));
            if ended.recv_timeout(PATIENCE).is_err() {
                let _ = writeln!(std::io::stderr(), "PostgreSQL {id} did not end");
            }
        }
    }
}

/// A process that ends with it.
#[derive(Debug)]
pub struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        self.wait("end");
    }
}

/// Gives a directory to the user that the server runs as, for everybody to look into.
pub(crate) fn own(path: &Path) {
    if let Some((user, group)) = other_user() {
        chown(path, Some(user), Some(group)).expect("root may give directories away");
    }
    std::fs::set_permissions(path, PermissionsExt::from_mode(0o755)).expect("permissions");
}

pub(crate) fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("its address").port()
}

/// The directory with the programs of the newest version that is installed.
pub(crate) fn programs() -> PathBuf {
    let versions = std::fs::read_dir(PLACES).into_iter().flatten().flatten();
    let mut versions: Vec<(u32, PathBuf)> = versions
        .filter_map(|entry| Some((entry.file_name().to_str()?.parse().ok()?, entry.path().join("bin"))))
        .filter(|(_, programs)| programs.join("initdb").exists())
        .collect();
    versions.sort();
    let newest = versions.pop().map(|(_, programs)| programs);
    newest.expect("these tests need PostgreSQL: install the package postgresql, as cargo xtask test does")
}

/// PostgreSQL does not run as root; then it runs as the user that its package made.
fn other_user() -> Option<(u32, u32)> {
    let id = |flag: &str, user: &[&str]| {
        let output = Command::new("id").arg(flag).args(user).output().ok()?;
        String::from_utf8_lossy(&output.stdout).trim().parse::<u32>().ok()
    };
    match id("-u", &[]) {
        Some(0) => Some((id("-u", &["postgres"])?, id("-g", &["postgres"])?)),
        Some(_) | None => None,
    }
}

pub(crate) fn as_user(program: &Path) -> Command {
    use std::os::unix::process::CommandExt;
    let mut command = Command::new(program);
    if let Some((user, group)) = other_user() {
        command.uid(user).gid(group);
    }
    command.current_dir("/tmp").env_remove("PGPASSFILE").env_remove("PGSERVICEFILE");
    command
}
