//! What the scorer knows about English: which words carry nothing, which mean the opposite, and which
//! exclude each other. Not which mean the same: what counts are the task's own words.
//!
//! Tables only. They are written in plain words and stemmed once; how they are used is decided by
//! the scorer and its conflicts.

use std::sync::LazyLock;

use rust_stemmers::{Algorithm, Stemmer};

use super::hashed::{HashMap, HashSet};

/// Grammar: in every text, in no task.
pub(crate) fn is_stop(lower: &str) -> bool {
    listed(&STOP, lower)
}

/// Grammar that may change what is said: "one of", "both", "through".
pub(super) fn small_word(lower: &str) -> Option<&'static str> {
    STOP.get(lower).copied().filter(|word| !HARMLESS.contains(word))
}

/// What people say when they agree to anything, as listed.
pub(super) fn filler(lower: &str) -> Option<&'static str> {
    FILLER.get(lower).copied()
}

/// What people say when they agree to anything.
pub(super) fn is_filler(lower: &str, stem: &str) -> bool {
    listed(&FILLER, lower) || listed(&FILLER, stem)
}

/// What people say when they agree, and what tasks are about as well: "copy", "request", "complete".
pub(super) fn is_polite(lower: &str) -> bool {
    listed(&POLITE, lower)
}

/// Says that somebody is going to do what is named next.
pub(super) fn is_opener(lower: &str) -> bool {
    listed(&OPENER, lower)
}

/// Too general to tell one task from another.
pub(super) fn is_general(lower: &str, stem: &str) -> bool {
    listed(&GENERAL, lower) || listed(&BUILDS, stem)
}

/// Says nothing of a task wherever it stands: "make sure", "properly".
pub(super) fn announces(lower: &str) -> bool {
    listed(&ANNOUNCES, lower)
}

/// Says nothing where a phrase begins: "add", "create".
pub(super) fn begins(stem: &str) -> bool {
    listed(&BEGINS, stem)
}

/// Takes back what stands next to it.
pub(super) fn is_negator(lower: &str) -> bool {
    lower.ends_with("n't") || listed(&NEGATOR, lower)
}

/// A small word of another language; unlike a negation it changes nothing.
pub(super) fn is_foreign_article(lower: &str) -> bool {
    listed(&FOREIGN_ARTICLE, lower)
}

/// The words that cannot stand for this one: its opposites and the other choices of its kind.
pub(super) fn excluded(stem: &str) -> &'static [String] {
    EXCLUDED.get(stem).map_or(&[], Vec::as_slice)
}

fn listed(list: &LazyLock<HashSet<&'static str>>, lower: &str) -> bool {
    list.contains(lower)
}

fn set(table: &'static str) -> HashSet<&'static str> {
    table.split_whitespace().collect()
}

pub(crate) fn stem(lower: &str) -> String {
    // The stemmer knows English; other scripts are compared as they are.
    if !lower.is_ascii() {
        return lower.to_owned();
    }
    STEMMER.stem(lower).into_owned()
}

static STEMMER: LazyLock<Stemmer> = LazyLock::new(|| Stemmer::create(Algorithm::English));

static EXCLUDED: LazyLock<HashMap<String, Vec<String>>> = LazyLock::new(|| {
    let mut map: HashMap<String, Vec<String>> = HashMap::default();
    for group in OPPOSITES.iter().chain(CHOICES) {
        exclude(&mut map, group);
    }
    map
});

fn exclude(map: &mut HashMap<String, Vec<String>>, group: &str) {
    let words: Vec<String> = group.split(' ').map(stem).collect();
    for word in &words {
        let others = words.iter().filter(|other| *other != word).cloned();
        map.entry(word.clone()).or_default().extend(others);
    }
}

static STOP: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    set(
        "a about above across after again against all also although am an and any are around as at be because \
 been being below beneath between beyond both by can could did do does doing done during each every few for from further get gets getting had has \
 have having he her here him his how i i'd i'll i'm i've if in into is it it's its itself may me mine more most much must \
 my myself need needed needs of off on once one onto or our ours out over own per put same shall she should so such than \
 that that's the their theirs them then there these they they're this those through thus to too toward towards under until \
 up upon us use used uses using very via was we we'd we'll we're we've were what when where whether which while who whom whose why will with within \
 would you you'd you'll you're your yours anyone anything itself times time gonna let's i.e e.g etc where's \
 become becomes come comes goes go so-called",
    )
});

static HARMLESS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    set(
        "a an the this that that's these those it it's its itself i i'd i'll i'm i've we we'd we'll we're we've me my myself \
 mine our ours us you you'd you'll you're your yours they they're their theirs them he she him her his am are be been being is was were \
 do does did doing had has have having will would need needed needs get gets getting let's gonna for of in on at with as via about use \
 used uses using and so thus because also too which who whom whose where where's here there how what",
    )
});

static FILLER: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    set(
        "ack acked acknowledge acknowledged acknowledging acknowledgement acknowledgment affirmative alright aim asap \
 assignment away absolutely awesome aye best ability care carefully certainly clearly course criteria acceptance \
 delegation described directly everything exactly excellent expected fine given glad go going good got great \
 happy hello hi immediately instruction instructions intend just know let listed lgtm met mission noted now ok \
 okay outlined perfect perfectly please proceed proceeding promptly quickly ready responsibility roger scope \
 shortly soon specification specified spec stated straight straightforward sure take taken taking task tasks \
 thank thanks thing things thoroughly totally understand understanding understood want way well wilco willing \
 work working yep yes yup according accordingly asked above aforementioned assure opportunity sounds sound \
 problem consider considered definitely gotcha cool nice love pleasure cheers amazing wonderful",
    )
});

static POLITE: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    set(
        "accept accepted agree agreed assigned begin beginning carry clear commence complete completed completely \
 completing confirm confirmed confirming copy deliver description detail details execute executing follow \
 following finish full fully handle handling help item items job look looking looks message perform plan planned \
 provided receive received receiving request requested require required requirement requirements right start \
 started starting undertake begun finished posted updated count team",
    )
});

static OPENER: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    set("begin carry commence complete deliver execute finish handle perform start undertake")
});

static GENERAL: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    set(
        "generate generates setup extend extends read reads reading user users endpoint endpoints feature features functionality logic code system app application version variable \
 layer case cases implementation component components new everywhere properly correctly proper correct correctly ensure ensures ensuring \
 make makes making set sets setting support supports supported supporting allow allows provide provides based simple existing current \
 able response responses respond answer answers value values result results return returns returning handle type types \
 upto anyone anybody kind related relevant necessary appropriate respective corresponding within include includes including \
 included called contain contains containing have cover covers covering covered",
    )
});

static ANNOUNCES: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    set(
        "ensure ensures ensuring make makes making sure properly correctly feature functionality implement implements \
 implementing implementation",
    )
});

/// Stems of what is done in every task.
static BUILDS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| set("build implement creat add develop write make introduc construct code"));

static BEGINS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| set("add creat build develop introduc write provid setup"));

static NEGATOR: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    set(
        "not no never without none nor neither cannot cant wont dont nothing nobody nowhere non skip skips skipping skipped avoid \
 avoids avoiding omit omits omitting omitted exclude excludes excluding excluded except excepting ignore ignores ignoring ignored \
 unable lack lacks lacking minus defer defers deferring deferred postpone \
 postponed postponing zero unnecessary unneeded impossible hardly rarely seldom kein keine keinen keiner keinem nicht ohne nie pas jamais sans nunca",
    )
});

static FOREIGN_ARTICLE: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    set("la le les un une des de du der die das den dem ein eine einen el los las una il um uma ich je yo \
 werde werden wird vais voy")
});

const OPPOSITES: &[&str] = &[
    "read write",
    "add remove",
    "grant revoke",
    "accept refuse",
    "accept deny",
    "allow refuse",
    "allow reject",
    "enable disable",
    "increase decrease",
    "increase reduce",
    "show hide",
    "start stop",
    "open close",
    "allow deny",
    "allow block",
    "allow forbid",
    "include exclude",
    "upload download",
    "import export",
    "encrypt decrypt",
    "encode decode",
    "before after",
    "min max",
    "first last",
    "ascending descending",
    "asc desc",
    "client server",
    "sync async",
    "public private",
    "internal external",
    "required optional",
    "true false",
    "above below",
    "more fewer",
    "more less",
    "always never",
    "install uninstall",
    "lock unlock",
    "push pull",
    "accept reject",
    "approve reject",
    "merge split",
    "merge revert",
    "frontend backend",
    "upgrade downgrade",
    "horizontal vertical",
    "left right",
    "top bottom",
    "lower upper",
    "lowercase uppercase",
    "sender receiver",
    "fast slow",
    "expand collapse",
    "connect disconnect",
    "subscribe unsubscribe",
    "mount unmount",
    "deploy rollback",
    "permanent temporary",
    "manual automatic",
    "mutable immutable",
    "valid invalid",
    "success failure",
    "old new",
    "keep remove",
    "keep replace",
    "same different",
    "light dark",
    "inbound outbound",
    "incoming outgoing",
    "input output",
    "on off",
    "up down",
    "begin end",
    "grow shrink",
    "least most",
    "under over",
    "within beyond",
    "compress decompress",
    "serialize deserialize",
    "active inactive",
    "strict lenient",
    "online offline",
    "plain encrypted",
    "hide reveal",
    "join leave",
    "attach detach",
    "mask unmask",
    "wide narrow",
    "early late",
    "create remove",
    "restore remove",
    "sequential parallel",
    "local remote",
    "static dynamic",
    "single multiple",
    "soft hard",
    "request response",
    "login logout",
    "verbose quiet",
    "whitelist blacklist",
    "allowlist denylist",
    "serial concurrent",
    "< >",
    "≤ ≥",
];

const CHOICES: &[&str] = &[
    "staging production development",
    "windows linux macos ios android",
    "json xml yaml csv toml html markdown pdf",
    "postgres mysql sqlite redis mongodb mariadb oracle cassandra dynamodb",
    "python rust go golang java javascript typescript ruby php kotlin swift",
    "monday tuesday wednesday thursday friday saturday sunday",
    "january february march april june july august september october november december",
    "chrome firefox safari edge",
    "aws azure gcp",
    "red green blue yellow",
    "mail sms slack webhook",
    "react vue angular svelte",
    "http grpc graphql",
    "stripe paypal adyen",
    "jwt oauth saml",
    "hourly daily weekly monthly yearly",
    "hour day week month year minute second millisecond",
    "md5 sha bcrypt argon2",
    "docker podman",
    "github gitlab bitbucket",
    "buyer seller",
    "admin guest",
    "unit integration e2e",
    "invoice order receipt",
];
