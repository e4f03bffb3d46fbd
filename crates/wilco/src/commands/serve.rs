//! `wilco serve`: the server.

mod postgres;

use std::io::Write;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use wilco_engine::Settings;
use wilco_outside::Outside;
use wilco_protocol::Time;
use wilco_runtime::{Clock, Handle, TestClock, WriterStart, start};
use wilco_server::{Config as Doors, Sessions, Tokens, serve};
use wilco_store::{Head, OpenError, Others, Reader, SearchIndex, Sqlite, SqliteReader, StoreError, verify};

use crate::config::Config;
use crate::offline;
use crate::output;
use crate::values;

/// Start the server
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    wilco serve\n  \
    wilco serve --listen 127.0.0.1:23000 --data ./wilco-data\n  \
    WILCO_LOG=info wilco serve --config ./wilco.toml\n\n\
    The first line on stdout names the address. SIGTERM or Ctrl-C ends it when everything begun is answered.")]
pub(crate) struct Args {
    /// The address to listen on; port 0 picks a free one
    #[arg(long, value_name = "ADDRESS:PORT", value_parser = values::address)]
    listen: Option<SocketAddr>,
    /// The data directory
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// The configuration file
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Keep the data in this PostgreSQL: postgres://USER@HOST/DATABASE, without a password
    #[arg(long, value_name = "URL")]
    store: Option<String>,
    /// The name of this node, with --store; else that of the machine
    #[arg(long, value_name = "NAME")]
    node: Option<String>,
    /// Where other nodes reach this one, with --store; else the address it listens on
    #[arg(long, value_name = "URL")]
    advertise: Option<String>,
    /// Migrate the schema although nodes run that know only the old one; they end
    #[arg(long)]
    migrate: bool,
    /// Let time stand still until POST /v1/test/clock moves it (for tests)
    #[arg(long, value_name = "TIME", num_args = 0..=1, require_equals = true)]
    test_clock: Option<Option<Time>>,
}

/// Events that are verified before the server answers; the rest follows while it runs.
const VERIFIED_AT_START: u64 = 10_000;

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    // What a client of MCP does wrong, it is told itself. A log that cannot be written is no reason to end.
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_ansi(output::has_colours(&std::io::stderr()))
        .log_internal_errors(false)
        .with_env_filter(
            tracing_subscriber::EnvFilter::try_from_env("WILCO_LOG")
                .unwrap_or_else(|_| "warn,rmcp=off".into()),
        )
        .init();
    // The writer has a thread of its own; with as many for the doors as there are processors they would
    // only get in each other's way.
    let doors = std::thread::available_parallelism().map_or(1, |many| many.get().saturating_sub(1).max(1));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(doors).enable_all().build()?;
    let code = runtime.block_on(serving(args))?;
    // A verification that still runs must not hold the process up.
    runtime.shutdown_background();
    Ok(code)
}

/// Files that are open besides connections: the store's, those of readers and programs, connections turned away.
const OTHER_FILES: u64 = 1024;

/// Every connection is an open file. As far as the system lets us, there is room for all of them.
fn make_room_for(connections: usize) {
    let (limit, wanted) = (getrlimit(Resource::Nofile), connections as u64 + OTHER_FILES);
    if limit.current.is_none_or(|current| current >= wanted) {
        return;
    }
    let current = Some(limit.maximum.map_or(wanted, |most| most.min(wanted)));
    if setrlimit(Resource::Nofile, Rlimit { current, maximum: limit.maximum }).is_err()
        || current < Some(wanted)
    {
        tracing::warn!(wanted, allowed = ?limit.maximum, "not so many files may be open; raise it with: ulimit -n");
    }
}

async fn serving(args: Args) -> anyhow::Result<ExitCode> {
    let config = Config::load(args.config.as_deref())?
        .flagged("data", args.data.map(|data| data.display().to_string()), "--data")
        .flagged("server.listen", args.listen.map(|listen| listen.to_string()), "--listen")
        .store_flagged(args.store)?;
    if let (None, Some(found)) = (&args.config, config.local_file()) {
        eprintln!("wilco: configured by ./{}, as no --config names another", found.display());
    }
    // Before anything is opened or made.
    config.check()?;
    let address = config.listen()?;
    if args.test_clock.is_some() && !address.ip().is_loopback() {
        bail!("--test-clock works on loopback only; listen on 127.0.0.1");
    }
    let data = config.data()?;
    make_room_for(config.limits()?.connections);
    let target = config.store()?;
    let store = if target.is_none() { Some(open(&data)?) } else { None };
    let listener = TcpListener::bind(address).await.with_context(|| {
        format!(
            "cannot listen on {address}; if a server runs there already, use it (wilco status --url http://{address}), \
             else choose another with --listen 127.0.0.1:0"
        )
    })?;
    let bound = listener.local_addr()?;
    let url = config.url().unwrap_or_else(|| format!("http://{}", reachable(bound)));
    let settings = config.settings(url)?;
    let outside = Outside { home: home(&data), ..config.outside(&data)? };
    let advertised = args.advertise.unwrap_or_else(|| format!("http://{}", reachable(bound)));
    let authority = advertised.strip_prefix("http://").map(str::parse::<http::uri::Authority>);
    if !matches!(authority, Some(Ok(_))) {
        bail!("--advertise: expected http://HOST:PORT, got {advertised:?}");
    }
    let handle = match (store, target.clone()) {
        (Some(store), _) => embedded(store, &data, settings.clone(), outside, args.test_clock)?,
        (None, None) => bail!("there is neither a data directory nor a database"),
        (None, Some(target)) => {
            std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&data)?;
            let (settings, address) = (settings.clone(), advertised.clone());
            let (name, test_clock) = (args.node, args.test_clock);
            let others = if args.migrate { Others::Ended } else { Others::Spared };
            let secret = config.cluster_secret()?;
            let asked = postgres::NodeOptions {
                target,
                name,
                address,
                settings,
                outside,
                test_clock,
                secret,
                others,
            };
            tokio::task::spawn_blocking(move || postgres::open(asked)).await??
        }
    };
    let mut doors = doors(&config, &settings, bound, &data)?;
    if target.is_some() {
        doors.tokens = Tokens::of_node(&handle);
        doors.hosts.extend(advertised.split_once("://").map(|(_, authority)| authority.to_owned()));
    }
    if doors.auth_required && doors.tokens.list()?.is_empty() {
        let made = format!("wilco token create NAME --data {}", data.display());
        // Whoever does not read it is told by every call.
        let _ =
            writeln!(std::io::stderr(), "Every call needs a token and there is none yet. Make one: {made}");
    }
    announce(bound)?;
    match target {
        Some(target) => postgres::verify_all(target, handle.clone()),
        None => verify_all(data.clone(), handle.clone()),
    }
    let mut stop = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    let mut found = None;
    let stopped = async {
        tokio::select! {
            _ = stop.0.recv() => {}
            _ = stop.1.recv() => {}
            damage = handle.damaged() => found = Some(damage),
        }
    };
    serve(listener, handle.clone(), doors, stopped).await;
    handle.stop().await;
    match found {
        Some(damage) if matches!(*damage, StoreError::Damaged { .. }) => Err(unserved(&data, &damage)),
        Some(other) => bail!("{other}"),
        None => Ok(ExitCode::SUCCESS),
    }
}

/// Starts the writer on a data directory.
fn embedded(
    store: Sqlite,
    data: &Path,
    settings: Settings,
    outside: Outside,
    asked_clock: Option<Option<Time>>,
) -> anyhow::Result<Handle> {
    let test_clock = asked_clock.is_some().then(|| TestClock::new(data));
    let last_alive = test_clock.as_ref().and_then(TestClock::position).max(store.head()?.at);
    let clock = clock(asked_clock, test_clock.as_ref(), last_alive)?;
    let readers = data.to_owned();
    let search = SearchIndex::open(data, &store)
        .inspect_err(
            |error| tracing::warn!(%error, "there is no search index; searching looks at every message"),
        )
        .ok();
    Ok(start(WriterStart {
        store,
        readers: Box::new(move || {
            SqliteReader::open(&readers).map(|reader| Box::new(reader) as Box<dyn Reader + Send>)
        }),
        search,
        settings,
        outside,
        clock,
        last_alive,
        test_clock,
        version: env!("CARGO_PKG_VERSION").to_owned(),
    })?)
}

/// The store, if its newest events are whole, and all that is derived from them where these are all.
fn open(data: &Path) -> anyhow::Result<Sqlite> {
    let opened = Sqlite::open(data).and_then(|store| {
        let head = verify_end(&store)?;
        let differs =
            if head.position <= VERIFIED_AT_START { wilco_engine::differs(&store) } else { Ok(None) };
        let difference = match differs {
            // A row that is not even one.
            Err(StoreError::Damaged { position: 0, reason }) => Some(reason),
            other => other?,
        };
        Ok((store, difference))
    });
    match opened {
        Ok((store, None)) => Ok(store),
        Ok((_, Some(difference))) => bail!(
            "the journal is whole, but {difference}; so nothing is served. Make the tables anew with: wilco rebuild --data {}",
            data.display()
        ),
        Err(OpenError::Store(damage @ StoreError::Damaged { .. })) => {
            Err(unserved(data, &offline::located(data, damage)))
        }
        Err(other) => Err(other.into()),
    }
}

/// Why nothing is served, and the ways out.
fn unserved(data: &Path, damage: &StoreError) -> anyhow::Error {
    let data = data.display();
    anyhow::anyhow!(
        "{damage}; so nothing is served. Export what is whole with: wilco doctor --rescue {data} --to FILE. \
         Go back to a copy with: wilco restore FILE --force --data {data}"
    )
}

/// The first line on standard output, for whoever waits for it.
fn announce(bound: SocketAddr) -> anyhow::Result<()> {
    use std::io::Write;
    let mut out = std::io::stdout().lock();
    writeln!(out, "wilco listening on http://{bound}")?;
    Ok(out.flush()?)
}

/// An address that a caller on this machine can use.
fn reachable(bound: SocketAddr) -> SocketAddr {
    match bound.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => (Ipv4Addr::LOCALHOST, bound.port()).into(),
        IpAddr::V6(ip) if ip.is_unspecified() => (Ipv6Addr::LOCALHOST, bound.port()).into(),
        IpAddr::V4(_) | IpAddr::V6(_) => bound,
    }
}

/// The data directory by its one name.
fn home(data: &Path) -> String {
    data.canonicalize().unwrap_or_else(|_| data.to_owned()).display().to_string()
}

fn doors(config: &Config, settings: &Settings, bound: SocketAddr, data: &Path) -> anyhow::Result<Doors> {
    let port = bound.port();
    let mut hosts: Vec<_> = ["127.0.0.1", "localhost", "[::1]"].map(|name| format!("{name}:{port}")).into();
    hosts.extend(config.hosts());
    Ok(Doors {
        hosts,
        origins: config.origins(),
        auth_required: config.auth_required()? || !bound.ip().is_loopback(),
        tokens: Tokens::new(data),
        sessions: Sessions::open(data),
        limits: config.limits()?,
        patience: config.patience()?,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        url: settings.url.clone(),
        default_sender: settings.default_sender.clone(),
        configured: config.shown(),
    })
}

/// The clock: real, or one that stands where it was told to, or where it stood.
fn clock(
    asked: Option<Option<Time>>,
    kept: Option<&TestClock>,
    stood: Option<Time>,
) -> anyhow::Result<Clock> {
    let Some(asked) = asked else { return Ok(Clock::real(stood)) };
    let at = asked.or(stood).unwrap_or_else(Clock::wall);
    if stood.is_some_and(|stood| at < stood) {
        bail!("--test-clock={at} lies before the last commit; time does not go back");
    }
    if let Some(kept) = kept {
        kept.keep(at).context("cannot keep the position of the test clock")?;
    }
    Ok(Clock::test(at))
}

/// Damage in the newest events is found before anything is served.
fn verify_end(store: &dyn Reader) -> Result<Head, StoreError> {
    let head = store.head()?;
    let from = match head.position.checked_sub(VERIFIED_AT_START) {
        Some(position) if position > 0 => {
            store.journal(position - 1, 1)?.first().map(|row| (row.position, row.hash))
        }
        Some(_) | None => None,
    };
    verify(store, from)
}

/// Walks the whole journal in the background, and tells of what it finds.
fn verify_all(data: PathBuf, handle: Handle) {
    tokio::task::spawn_blocking(move || {
        let walked = SqliteReader::open(&data).and_then(|reader| {
            let head = verify(&reader, None)?;
            reader.check_pages()?;
            Ok(head)
        });
        match walked {
            Err(error @ StoreError::Damaged { .. }) => handle.found_damage(error),
            Err(error) => tracing::error!(%error, "the journal could not be verified"),
            Ok(head) => tracing::info!(events = head.position, "the journal is whole"),
        }
    });
}
