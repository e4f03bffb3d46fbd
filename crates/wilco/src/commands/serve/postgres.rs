//! Serving from a schema of PostgreSQL, as one of its nodes.

use anyhow::bail;
use wilco_engine::Settings;
use wilco_outside::Outside;
use wilco_protocol::Time;
use wilco_runtime::{Clock, ClusterSecret, Handle, NodeStart, TestClock, join};
use wilco_store::{Others, Postgres, PostgresTarget, Reader, StoreError, verify};

use super::{VERIFIED_AT_START, clock, verify_end};

/// What the server was asked to be.
pub(super) struct NodeOptions {
    pub(super) target: PostgresTarget,
    /// None: the name of the machine.
    pub(super) name: Option<String>,
    pub(super) address: String,
    pub(super) settings: Settings,
    pub(super) outside: Outside,
    pub(super) test_clock: Option<Option<Time>>,
    /// None: the one in the schema.
    pub(super) secret: Option<ClusterSecret>,
    /// What becomes of nodes that know only an older schema.
    pub(super) others: Others,
}

/// Joins the nodes of the schema when its newest events are whole. Blocks.
pub(super) fn open(asked: NodeOptions) -> anyhow::Result<Handle> {
    let NodeOptions { target, name, address, settings, outside, test_clock, secret, others } = asked;
    drop(Postgres::open_changing(&target, others)?);
    let store = Postgres::open(&target)?;
    check(&store, &target)?;
    let name = match name {
        Some(name) => name,
        None => host_name()?,
    };
    check_name(&store, &name)?;
    let lease = target.lease().as_millis().to_string();
    check_alike(&store, "lease", &lease, |kept, others| {
        format!("store.lease is {lease} ms here and {kept} ms at {others}")
    })?;
    let stood = store.head()?.at;
    let (clock, test_clock) = match test_clock {
        None => (Clock::real_at(store.clock()?, stood), None),
        Some(at) => {
            let kept = TestClock::Schema(Box::new(target.clone()));
            let stood = kept.position().max(stood);
            (clock(Some(at), Some(&kept), stood)?, Some(kept))
        }
    };
    let secret = match secret {
        Some(configured) => configured,
        None => kept_secret(&store)?,
    };
    check_alike(&store, "cluster_secret_mark", &secret.mark(), |_, others| {
        format!("store.cluster_secret is another one here than at {others}")
    })?;
    drop(store);
    // Nodes of one machine may share a directory.
    let outside = Outside { home: format!("{}#{}/{name}", outside.home, target.schema()), ..outside };
    let version = env!("CARGO_PKG_VERSION").to_owned();
    Ok(join(NodeStart { target, name, address, settings, outside, clock, test_clock, version, secret })?)
}

/// What the nodes prove their calls with: made by the first of them.
fn kept_secret(store: &Postgres) -> anyhow::Result<ClusterSecret> {
    const NAME: &str = "cluster_secret";
    let mut made = vec![0; 32];
    getrandom::fill(&mut made).map_err(|error| anyhow::anyhow!("no random bytes: {error}"))?;
    store.replace_document(NAME, None, &made)?;
    Ok(ClusterSecret(store.document(NAME)?.unwrap_or(made)))
}

/// Agents name their host in any letter case, so no two nodes may differ in that alone.
fn check_name(store: &Postgres, name: &str) -> anyhow::Result<()> {
    const MOST: usize = 64;
    let good = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '-' | '_');
    if name.is_empty() || name.len() > MOST || !name.chars().all(good) {
        bail!("--node {name:?}: expected 1 to {MOST} letters, digits, '.', '-' and '_'");
    }
    let nodes = store.nodes()?;
    let alike = nodes.iter().find(|node| node.name != name && node.name.eq_ignore_ascii_case(name));
    match alike {
        Some(node) => bail!("there is a node {:?} already; call this one so, or by another name", node.name),
        None => Ok(()),
    }
}

/// What all nodes that run must have alike: how long another may be silent, and what calls are proven with. It is kept
/// under a name; `differs` says what is wrong, from what is kept and the names of those that run.
fn check_alike(
    store: &Postgres,
    name: &str,
    own: &str,
    differs: impl Fn(&str, &str) -> String,
) -> anyhow::Result<()> {
    let kept = store.document(name)?;
    if kept.as_deref() == Some(own.as_bytes()) {
        return Ok(());
    }
    let nodes = store.nodes()?;
    let there: Vec<_> = nodes.iter().filter(|node| node.there).map(|node| node.name.as_str()).collect();
    match &kept {
        Some(kept) if !there.is_empty() => {
            let differs = differs(&String::from_utf8_lossy(kept), &there.join(", "));
            bail!("{differs}; all nodes need the same: change it here, or stop them first")
        }
        Some(_) | None => {
            store.replace_document(name, kept.as_deref(), own.as_bytes())?;
            Ok(())
        }
    }
}

/// Whether what is there can be served.
fn check(store: &Postgres, target: &PostgresTarget) -> anyhow::Result<()> {
    let looked = verify_end(store).and_then(|head| {
        // A node that writes has looked at the tables when it began.
        let alone = store.nodes()?.iter().all(|node| !node.there);
        if alone && head.position <= VERIFIED_AT_START { wilco_engine::differs(store) } else { Ok(None) }
    });
    match looked {
        Ok(None) => Ok(()),
        Ok(Some(difference)) => bail!(
            "the journal is whole, but {difference}; so nothing is served. Make the tables anew with: wilco rebuild --store URL"
        ),
        Err(damage @ StoreError::Damaged { .. }) => {
            bail!("{damage}; so nothing is served from {target:?}. Go back to a backup of the database")
        }
        Err(other) => Err(other.into()),
    }
}

/// Walks the whole journal in the background, and tells of what it finds.
pub(super) fn verify_all(target: PostgresTarget, handle: Handle) {
    tokio::task::spawn_blocking(move || match verify(&Postgres::reader(&target), None) {
        Err(error @ StoreError::Damaged { .. }) => handle.found_damage(error),
        Err(error) => tracing::error!(%error, "the journal could not be verified"),
        Ok(head) => tracing::info!(position = head.position, "the journal is whole"),
    });
}

fn host_name() -> anyhow::Result<String> {
    let told = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    match told.trim() {
        "" => bail!("this machine has no name; name this node with --node NAME"),
        name => Ok(name.to_owned()),
    }
}
