//! Where the database is, and how to get in. Passwords go no further than here.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rustls::ClientConfig;
use tokio_postgres::config::{Host, SslMode, TargetSessionAttrs};

use crate::error::ConnectError;

use super::tls;

/// What an operator says about the database.
#[derive(Clone)]
pub struct PostgresOptions {
    /// As libpq has it: `postgres://user@host1,host2/db`.
    pub url: String,
    pub schema: String,
    pub ca_file: Option<PathBuf>,
    pub password_file: Option<PathBuf>,
    /// A file as libpq has it, with passwords for several servers.
    pub pass_file: Option<PathBuf>,
    /// How long an unreachable database is waited for at the start.
    pub patience: Duration,
    /// How long a writer is one without a sign of life.
    pub lease: Duration,
}

/// The address may hold a password.
impl std::fmt::Debug for PostgresOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PostgresOptions").field("schema", &self.schema).finish_non_exhaustive()
    }
}

/// Where to connect to: checked, with everything that was read from files.
#[derive(Clone)]
pub struct PostgresTarget {
    pub(super) config: tokio_postgres::Config,
    pub(super) security: Security,
    pub(super) schema: String,
    pub(super) lease: Duration,
    pub(super) patience: Duration,
    pub(super) connects_within: Duration,
    pub(super) answers_within: Duration,
    /// The address without a password.
    pub(super) shown: String,
}

#[derive(Clone)]
pub(super) enum Security {
    /// On the same machine, or where the operator asked for it.
    Plain,
    Verified(Arc<ClientConfig>),
}

impl std::fmt::Debug for PostgresTarget {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} (schema {})", self.shown, self.schema)
    }
}

/// A schema is a plain word of at most so many letters, as PostgreSQL cuts longer ones.
const SCHEMA_LETTERS: usize = 63;

/// Systems count the time between signs of life of a connection in seconds.
const SECOND: Duration = Duration::from_secs(1);

/// No answer is waited for longer, whatever is asked.
const ANSWERS_WITHIN: Duration = Duration::from_secs(30);

impl PostgresTarget {
    pub fn new(options: &PostgresOptions) -> Result<PostgresTarget, ConnectError> {
        let mut config = parsed(&options.url)?;
        let plain = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_';
        let is_word = options.schema.chars().all(plain) && !options.schema.starts_with("pg_");
        if options.schema.is_empty() || options.schema.len() > SCHEMA_LETTERS || !is_word {
            return Err(ConnectError::Schema { schema: options.schema.clone() });
        }
        if let Some(file) = &options.password_file {
            config.password(read(file)?.trim_end_matches(['\n', '\r']));
        } else if let (None, Some(file)) = (config.get_password(), &options.pass_file)
            && let Some(password) = password_in(&read(file)?, &config)
        {
            config.password(password);
        }
        let security = security(&config, options.ca_file.as_deref())?;
        config.ssl_mode(match security {
            Security::Plain => SslMode::Disable,
            Security::Verified(_) => SslMode::Require,
        });
        config
            .application_name("wilco")
            .target_session_attrs(TargetSessionAttrs::ReadWrite)
            .connect_timeout(options.patience.min(options.lease))
            .tcp_user_timeout(options.lease * 2 / 3)
            .keepalives(true)
            .keepalives_idle((options.lease / 3).max(SECOND))
            .keepalives_interval((options.lease / 6).max(SECOND))
            .keepalives_retries(2);
        Ok(PostgresTarget {
            shown: shown(&config),
            config,
            security,
            schema: options.schema.clone(),
            lease: options.lease,
            patience: options.patience,
            connects_within: options.patience,
            answers_within: ANSWERS_WITHIN,
        })
    }

    /// How long a writer is one without a sign of life.
    pub fn lease(&self) -> Duration {
        self.lease
    }

    /// How long something that is not there is waited for.
    pub fn patience(&self) -> Duration {
        self.patience
    }

    /// The schema that is this realm.
    pub fn schema(&self) -> &str {
        &self.schema
    }

    /// The same, waiting less: for those who must know soon whether anything answers.
    #[must_use]
    pub fn answering_within(mut self, within: Duration) -> PostgresTarget {
        (self.answers_within, self.connects_within) = (within, within);
        self
    }

    /// The same, trying to connect less long.
    #[must_use]
    pub(super) fn connecting_within(mut self, within: Duration) -> PostgresTarget {
        self.connects_within = self.connects_within.min(within);
        self
    }

    /// The same for who does much in one commit, while nobody else writes.
    #[must_use]
    pub(super) fn unhurried(mut self) -> PostgresTarget {
        self.lease = self.lease.max(ANSWERS_WITHIN);
        self
    }

    /// What every session is told first. A transaction that hangs ends before its lease does. Whatever is asked has an
    /// index; a plan that reads a whole table was made when that was small, and is kept when it has grown.
    pub(super) fn settings(&self) -> String {
        let hangs = (self.lease * 2 / 3).as_millis();
        format!(
            "SET search_path = \"{}\"; SET synchronous_commit = on; SET client_min_messages = warning; SET jit = off;
             SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off;
             SET default_transaction_isolation = 'read committed'; SET idle_in_transaction_session_timeout = {hangs}",
            self.schema
        )
    }
}

/// Whether an address holds a password, which must not stand where everybody can read it. What cannot be read may.
pub fn has_password(url: &str) -> bool {
    match url.parse::<tokio_postgres::Config>() {
        Ok(config) => config.get_password().is_some(),
        Err(_) => {
            url.contains("password")
                || url.rsplit_once('@').is_some_and(|(user, _)| user.matches(':').count() > 1)
        }
    }
}

/// This address with the password of another one for the same user at the same hosts; as it is where that has none.
pub fn with_password_of(url: &str, other: &str) -> String {
    let parse = |url: &str| url.parse::<tokio_postgres::Config>().ok();
    let same = parse(url).zip(parse(other)).is_some_and(|(one, two)| {
        (one.get_user(), one.get_hosts(), one.get_ports())
            == (two.get_user(), two.get_hosts(), two.get_ports())
    });
    let user = |url: &str| Some(url.split_once("://")?.1.split_once('@')?.0.to_owned());
    let password = user(other).filter(|_| same).and_then(|user| Some(user.split_once(':')?.1.to_owned()));
    match (password, url.split_once('@')) {
        (Some(password), Some((user, rest))) if !has_password(url) => format!("{user}:{password}@{rest}"),
        _ => url.to_owned(),
    }
}

/// The text of the error may repeat what was given, so it is not told.
fn parsed(url: &str) -> Result<tokio_postgres::Config, ConnectError> {
    let is_url = url.starts_with("postgres://") || url.starts_with("postgresql://");
    let config =
        is_url.then(|| url.parse::<tokio_postgres::Config>().ok()).flatten().ok_or(ConnectError::Url)?;
    if config.get_hosts().is_empty() { Err(ConnectError::Url) } else { Ok(config) }
}

fn read(file: &Path) -> Result<String, ConnectError> {
    fs::read_to_string(file).map_err(|source| ConnectError::File { path: file.to_owned(), source })
}

/// Over a network TLS is verified, unless the address says `sslmode=disable`.
fn security(config: &tokio_postgres::Config, ca_file: Option<&Path>) -> Result<Security, ConnectError> {
    let nearby = |host: &Host| match host {
        Host::Tcp(name) => matches!(name.as_str(), "localhost" | "127.0.0.1" | "::1"),
        Host::Unix(_) => true,
    };
    let wanted = match config.get_ssl_mode() {
        SslMode::Disable => false,
        SslMode::Require => true,
        _ => ca_file.is_some() || !config.get_hosts().iter().all(nearby),
    };
    if !wanted {
        return Ok(Security::Plain);
    }
    let unusable = |source: io::Error| ConnectError::File {
        path: ca_file.map_or_else(|| PathBuf::from("the certificates of the system"), Path::to_owned),
        source,
    };
    Ok(Security::Verified(tls::trusting(ca_file).map_err(unusable)?))
}

fn shown(config: &tokio_postgres::Config) -> String {
    let hosts: Vec<String> = config
        .get_hosts()
        .iter()
        .enumerate()
        .map(|(at, host)| {
            let ports = config.get_ports();
            let port = ports.get(at).or(ports.first()).copied().unwrap_or(5432);
            match host {
                Host::Tcp(name) => format!("{name}:{port}"),
                Host::Unix(path) => format!("{}:{port}", path.display()),
            }
        })
        .collect();
    let user = config.get_user().map(|user| format!("{user}@")).unwrap_or_default();
    let database = config.get_dbname().or(config.get_user()).unwrap_or_default();
    format!("postgres://{user}{}/{database}", hosts.join(","))
}

/// `host:port:database:user:password`, a line for each, `*` for any; the first that fits. A backslash takes the meaning
/// of the letter behind it away.
fn password_in(file: &str, config: &tokio_postgres::Config) -> Option<String> {
    let hosts: Vec<String> = config
        .get_hosts()
        .iter()
        .map(|host| match host {
            Host::Tcp(name) => name.clone(),
            Host::Unix(_) => "localhost".to_owned(),
        })
        .collect();
    let port = config.get_ports().first().copied().unwrap_or(5432).to_string();
    let user = config.get_user().unwrap_or_default();
    let database = config.get_dbname().unwrap_or(user);
    file.lines().filter(|line| !line.starts_with('#')).find_map(|line| {
        let fields: [String; 5] = fields(line).try_into().ok()?;
        let [host, of_port, of_database, of_user, password] = fields;
        let fits = |field: &str, value: &str| field == "*" || field == value;
        let is_one = hosts.iter().any(|one| fits(&host, one));
        (is_one && fits(&of_port, &port) && fits(&of_database, database) && fits(&of_user, user))
            .then_some(password)
    })
}

fn fields(line: &str) -> Vec<String> {
    let (mut fields, mut escaped) = (vec![String::new()], false);
    for letter in line.chars() {
        match letter {
            '\\' if !escaped => escaped = true,
            ':' if !escaped && fields.len() < 5 => fields.push(String::new()),
            other => {
                fields.last_mut().into_iter().for_each(|field| field.push(other));
                escaped = false;
            }
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(url: &str) -> PostgresOptions {
        PostgresOptions {
            url: url.to_owned(),
            schema: "wilco".to_owned(),
            ca_file: None,
            password_file: None,
            pass_file: None,
            patience: Duration::from_secs(10),
            lease: Duration::from_secs(6),
        }
    }

    #[test]
    fn pg_1_no_secret_is_shown_whatever_is_wrong_with_an_address() {
        for url in
            ["postgres://u:hunter2@h/db", "postgres://u@h/db?password=hunter2", "postgres:u:hunter2@h:1:2"]
        {
            assert!(has_password(url), "{url}");
            match PostgresTarget::new(&options(url)) {
                Ok(target) => assert!(!format!("{target:?}").contains("hunter2")),
                Err(error) => assert!(!format!("{error} {error:?}").contains("hunter2")),
            }
            assert!(!format!("{:?}", options(url)).contains("hunter2"));
        }
        assert!(!has_password("postgres://u@h1,h2/db"));
        let target = PostgresTarget::new(&options("postgres://u@h1,h2:6432/db?sslmode=disable")).unwrap();
        assert_eq!(format!("{target:?}"), "postgres://u@h1:5432,h2:6432/db (schema wilco)");
    }

    #[test]
    fn pg_1_a_password_comes_from_a_file_of_libpq() {
        let target = PostgresTarget::new(&options("postgres://ann@/db?host=/run/pg")).unwrap();
        let file = "# mine\nother:*:*:*:no\nlocalhost:5432:db:bob:no\n*:5432:db:ann:a\\:b\\\\c\n";
        assert_eq!(password_in(file, &target.config).as_deref(), Some("a:b\\c"));
    }

    #[test]
    fn pg_1_over_a_network_tls_is_verified_unless_the_operator_says_otherwise() {
        let security = |url: &str| PostgresTarget::new(&options(url)).unwrap().security;
        assert!(matches!(security("postgres://u@db.example/x"), Security::Verified(_)));
        assert!(matches!(security("postgres://u@db.example/x?sslmode=disable"), Security::Plain));
        assert!(matches!(security("postgres://u@127.0.0.1/x"), Security::Plain));
        assert!(matches!(security("postgres://u@127.0.0.1/x?sslmode=require"), Security::Verified(_)));
        let mut wrong = options("postgres://u@h/db");
        wrong.schema = "Wilco; DROP".to_owned();
        assert!(matches!(PostgresTarget::new(&wrong), Err(ConnectError::Schema { .. })));
    }

    #[test]
    fn pg_1_an_address_takes_the_password_of_one_for_the_same_user_and_host() {
        let secret = "postgres://ann:p%40ss@h:5/one";
        assert_eq!(with_password_of("postgres://ann@h:5/two", secret), "postgres://ann:p%40ss@h:5/two");
        for other in [
            "postgres://bob@h:5/two",
            "postgres://ann@g:5/two",
            "postgres://ann@h:6/two",
            "postgres://h:5/two",
        ] {
            assert_eq!(with_password_of(other, secret), other);
        }
        assert_eq!(with_password_of("postgres://ann@h:5/two", ""), "postgres://ann@h:5/two");
    }
}
