//! Documents and issues of handoffs at GitHub, as the courier carries them out.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use wilco_engine::Order;
use wilco_outside::{EffectResult, Github, Handoffs, Outside, Template, Tls};
use wilco_protocol::decision::{Effect, Report as Brought};
use wilco_protocol::handoff::{self, Body, DocumentOrder, IssuesOrder, Party, Publish, Published, Report};
use wilco_protocol::{ExchangeId, Span, Time};
use wilco_testkit::github_server::{Fault, GithubServer, TOKEN};

const NAME: &str = "replacement-handoff-implementer-1-to-implementer-2-20260131T143000Z.md";

struct Scene {
    github: GithubServer,
    outside: Outside,
    directory: TempDir,
}

impl Scene {
    async fn new() -> Scene {
        let github = GithubServer::start(&[42, 43]).await;
        let client = Github::new(&github.url(), "owner/repo", TOKEN.to_owned(), Tls::default()).unwrap();
        let directory = tempfile::tempdir().unwrap();
        let handoffs = Handoffs {
            documents: directory.path().join("handoffs"),
            template: Template::default(),
            github: Some(client.patient_for(Duration::from_secs(2))),
            ..Handoffs::default()
        };
        let outside = Outside { handoffs, ..Outside::default() };
        Scene { github, outside, directory }
    }

    async fn carry_out(&self, order: handoff::Effect, payload: Value) -> EffectResult {
        let exchange: ExchangeId = "del-1".parse().unwrap();
        let order = Order { effect: Effect::Handoff { exchange, order }, payload };
        self.outside.carry_out(&order, Time::ZERO).await
    }

    async fn publish(&self, order: &DocumentOrder) -> Published {
        let outcome = self.carry_out(handoff::Effect::PublishDocument { number: 1 }, json!(order)).await;
        match outcome {
            EffectResult::Reported(Brought::Handoff(Report::DocumentPublished {
                number: 1,
                published,
                ..
            })) => published,
            other => panic!("{other:?}"),
        }
    }

    fn comments(&self, issue: u64) -> Vec<String> {
        let world = self.github.world();
        world.issues[&issue].comments.iter().map(|one| one["body"].as_str().unwrap().to_owned()).collect()
    }
}

fn document(text: &str, publish: Publish) -> DocumentOrder {
    DocumentOrder {
        handoff_id: "handoff-uuid-123".to_owned(),
        name: NAME.to_owned(),
        body: Body::Given(text.to_owned()),
        publish,
        issue: Some(42),
        description: "Agent replacement handoff: implementer-1 to implementer-2".to_owned(),
        local_url: "http://127.0.0.1:23000/v1/handoffs/handoff-uuid-123/document".to_owned(),
        at: "2026-01-31T14:30:00.000Z".parse().unwrap(),
    }
}

fn party(id: &str, github: Option<&str>) -> Party {
    Party { id: id.to_owned(), session: id.to_owned(), github: github.map(str::to_owned) }
}

fn issues(issues: &[u64], pulls: &[u64]) -> Value {
    json!(IssuesOrder {
        handoff_id: "handoff-uuid-123".to_owned(),
        issues: issues.to_vec(),
        pulls: pulls.to_vec(),
        failed: party("implementer-1", None),
        replacement: party("implementer-2", None),
        comment: "Work moved.".to_owned(),
        at: Some(Time::ZERO),
    })
}

#[tokio::test]
async fn ho_3_a_document_is_saved_first_and_commented_once() {
    let scene = Scene::new().await;
    let order = document("# Hello\r\nbyte for byte", Publish::GithubIssue);
    let published = scene.publish(&order).await;
    assert_eq!(published.url, format!("{}/owner/repo/issues/42#issuecomment-1", scene.github.url()));
    assert_eq!((published.published_as, published.bytes), (Publish::GithubIssue, 22));
    assert!(published.failures.is_empty(), "{:?}", published.failures);
    let marker = format!("<!-- wilco handoff handoff-uuid-123 {NAME} -->");
    assert_eq!(scene.comments(42), [format!("# Hello\r\nbyte for byte\n\n{marker}")]);

    let directory = scene.directory.path().join("handoffs");
    assert_eq!(scene.outside.handoffs.saved(NAME).unwrap().unwrap(), "# Hello\r\nbyte for byte");
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&directory), mode(&directory.join(NAME))), (0o700, 0o600));

    assert_eq!(scene.publish(&order).await.url, published.url, "repeated, as after a crash");
    assert_eq!(scene.comments(42).len(), 1);
}

#[tokio::test]
async fn ho_3_after_a_lost_answer_nothing_is_posted_twice() {
    let scene = Scene::new().await;
    scene.github.fail("POST /repos/owner/repo/issues/42/comments", Fault::LostAnswer);
    let published = scene.publish(&document("text", Publish::GithubIssue)).await;
    assert_eq!(published.published_as, Publish::GithubIssue);
    assert_eq!(scene.comments(42).len(), 1);
    scene.github.fail("POST /gists", Fault::LostAnswer);
    let published = scene.publish(&document("text", Publish::GithubGist)).await;
    assert_eq!(published.published_as, Publish::GithubGist);
    assert_eq!(scene.github.world().gists.len(), 1);
}

#[tokio::test]
async fn ho_3_a_long_document_becomes_a_secret_gist() {
    let scene = Scene::new().await;
    let text = "ä".repeat(65_537);
    let published = scene.publish(&document(&text, Publish::GithubIssue)).await;
    assert_eq!(published.published_as, Publish::GithubGist);
    assert_eq!(published.url, format!("{}/gist/1", scene.github.url()));
    let gist = scene.github.world().gists[0].clone();
    assert_eq!(gist["public"], false);
    assert_eq!(gist["files"][NAME]["content"], text);
    assert!(scene.comments(42).is_empty());
}

#[tokio::test]
async fn ho_3_a_failing_way_falls_back_to_the_next_and_is_recorded() {
    for (status, headers) in [
        (401, vec![]),
        (403, vec![("retry-after", "60".to_owned())]),
        (404, vec![]),
        (422, vec![]),
        (410, vec![]),
    ] {
        let scene = Scene::new().await;
        let fault = Fault::Answer(status, headers, json!({"message": "body is too long"}));
        scene.github.fail("GET /repos/owner/repo/issues/42/comments", fault);
        let published = scene.publish(&document("text", Publish::GithubIssue)).await;
        assert_eq!(published.published_as, Publish::GithubGist, "{status}");
        assert_eq!(published.failures.len(), 1);
        let failure = &published.failures[0];
        assert!(failure.starts_with("github-issue: ") && failure.contains(&status.to_string()), "{failure}");
    }
    let scene = Scene::new().await;
    for _ in 0..3 {
        scene.github.fail("GET ", Fault::Answer(502, vec![], json!({})));
        scene.github.fail("GET /gists", Fault::Answer(500, vec![], json!({})));
    }
    let published = scene.publish(&document("text", Publish::GithubIssue)).await;
    assert_eq!(published.published_as, Publish::Local);
    assert_eq!(published.url, "http://127.0.0.1:23000/v1/handoffs/handoff-uuid-123/document");
    assert_eq!(published.failures.len(), 2, "{:?}", published.failures);
    assert!(published.failures[1].starts_with("github-gist: "));
}

#[tokio::test]
async fn ho_3_a_github_that_does_not_answer_is_left_after_a_time() {
    let scene = Scene::new().await;
    (0..3).for_each(|_| scene.github.fail("GET /repos/owner/repo/issues/42/comments", Fault::Silence));
    let mut outside = scene.outside.clone();
    outside.handoffs.github =
        outside.handoffs.github.map(|github| github.patient_for(Duration::from_millis(300)));
    let scene = Scene { outside, ..scene };
    let published = scene.publish(&document("text", Publish::GithubIssue)).await;
    assert_eq!(published.published_as, Publish::GithubGist);
    assert!(published.failures[0].contains("did not answer within 300ms"), "{:?}", published.failures);
}

#[tokio::test]
async fn ho_3_nothing_is_published_that_could_not_be_saved() {
    let scene = Scene::new().await;
    fs::write(scene.directory.path().join("handoffs"), "in the way").unwrap();
    let order = json!(document("text", Publish::GithubIssue));
    let outcome = scene.carry_out(handoff::Effect::PublishDocument { number: 1 }, order).await;
    let EffectResult::Reported(Brought::Handoff(Report::DocumentFailed { number: 1, reason })) = outcome
    else {
        panic!("{outcome:?}");
    };
    assert!(reason.contains("cannot be saved"), "{reason}");
    assert!(scene.github.world().calls.is_empty());

    let scene = Scene::new().await;
    let elsewhere = DocumentOrder { name: "../../evil.md".to_owned(), ..document("x", Publish::Local) };
    let outcome = scene.carry_out(handoff::Effect::PublishDocument { number: 1 }, json!(elsewhere)).await;
    assert!(
        matches!(outcome, EffectResult::Reported(Brought::Handoff(Report::DocumentFailed { .. }))),
        "{outcome:?}"
    );
}

#[tokio::test]
async fn ho_3_another_document_of_the_same_name_is_kept_beside_it() {
    let scene = Scene::new().await;
    scene.publish(&document("first", Publish::GithubIssue)).await;
    // Repeated, as after a crash, it is found where it was saved.
    for _ in 0..2 {
        scene.publish(&document("second", Publish::GithubIssue)).await;
    }
    let directory = scene.directory.path().join("handoffs");
    assert_eq!(scene.outside.handoffs.saved(NAME).unwrap().unwrap(), "first");
    let beside = NAME.replace(".md", "-2.md");
    assert_eq!(scene.outside.handoffs.saved(&beside).unwrap().unwrap(), "second");
    assert_eq!(fs::read_dir(&directory).unwrap().count(), 2);
    assert_eq!(scene.comments(42).len(), 2, "each is commented once");
}

#[tokio::test]
async fn ho_3_ho_20_ho_30_handoffs_that_end_together_share_their_files() {
    const TOGETHER: usize = 24;
    let scene = Scene::new().await;
    let mut outside = scene.outside.clone();
    let file = scene.directory.path().join("state.yaml");
    fs::write(&file, "active_assignments: []\n").unwrap();
    outside.handoffs.state_file = Some(file.clone());
    outside.handoffs.audit_file = scene.directory.path().join("audit.yaml");
    outside.handoffs.audit_rotate_bytes = 1 << 20;
    let scene = Scene { outside, ..scene };
    let one = async |number: usize| {
        let id = format!("handoff-{number}");
        let replacement = json!({"replace": {
            "failed": party("implementer-1", None), "replacement": party("implementer-2", None),
            "reason": "r", "at": Time::ZERO, "handoff_id": id, "handoff_url": "u", "tasks": [],
            "replacement_status": null, "note": "n",
        }});
        let order = DocumentOrder { handoff_id: id.clone(), ..document(&id, Publish::Local) };
        scene.publish(&order).await;
        for (order, payload) in [
            (handoff::Effect::UpdateStateFile, replacement),
            (handoff::Effect::AppendAudit, audit_entry(&id)),
        ] {
            let outcome = scene.carry_out(order, payload).await;
            assert!(matches!(outcome, EffectResult::Reported(_)), "{outcome:?}");
        }
    };
    futures_util::future::join_all((0..TOGETHER).map(one)).await;
    let count = |path: &std::path::Path, word: &str| fs::read_to_string(path).unwrap().matches(word).count();
    assert_eq!(count(&file, "tasks_transferred"), TOGETHER, "every replacement is in the history");
    assert_eq!(count(&scene.outside.handoffs.audit_file, "event:"), TOGETHER);
    assert_eq!(fs::read_dir(scene.directory.path().join("handoffs")).unwrap().count(), TOGETHER);
}

fn audit_entry(id: &str) -> Value {
    json!({
        "timestamp": Time::ZERO, "event": "agent_replacement", "orchestrator": "boss",
        "ecos_notification": {"received_at": Time::ZERO, "notification_id": "n", "urgency": "immediate"},
        "failed_agent": {
            "id": "implementer-1", "session": "s", "reason": "r", "tasks_assigned": [],
            "last_known_progress": "checkpoint-2",
        },
        "replacement_agent": {"id": "implementer-2", "session": "s"},
        "handoff": {"id": id, "url": null, "generated_at": null, "size_bytes": null},
        "github": {"issues_updated": [], "labels_changed": [], "comments_added": []},
        "ack": {"received_at": null, "status": null, "understanding_verified": false},
        "ecos_confirmation": {"sent_at": Time::ZERO, "status": "success"},
        "total_duration": "1 minute", "outcome": "success",
    })
}

#[tokio::test]
async fn ho_21_issues_move_to_the_replacement_and_pull_requests_too() {
    let scene = Scene::new().await;
    for _ in 0..2 {
        let outcome = scene.carry_out(handoff::Effect::UpdateIssues, issues(&[42], &[43])).await;
        let EffectResult::Reported(Brought::Handoff(Report::IssuesUpdated { issues, pulls })) = outcome
        else {
            panic!("{outcome:?}");
        };
        assert!(issues[0].assignee_changed && issues[0].labels_changed && issues[0].failure.is_none());
        assert!(issues[0].comment.as_ref().unwrap().ends_with("/owner/repo/issues/42#issuecomment-1"));
        assert!(pulls[0].assignee_changed && pulls[0].comment.is_none());
        let world = scene.github.world();
        assert_eq!(world.issues[&42].labels, ["bug", "assigned:implementer-2"]);
        assert_eq!(world.issues[&42].assignees, ["somebody", "implementer-2"]);
        assert_eq!(world.issues[&43].assignees, ["somebody", "implementer-2"]);
        assert_eq!(
            world.issues[&43].labels,
            ["bug", "assigned:implementer-1"],
            "a pull request keeps its labels"
        );
    }
    assert_eq!(scene.comments(42), ["Work moved.\n\n<!-- wilco handoff handoff-uuid-123 audit -->"]);
}

#[tokio::test]
async fn ho_21_whom_github_does_not_know_is_not_assigned_and_the_label_tells() {
    let scene = Scene::new().await;
    scene.github.world().people.clear();
    let outcome = scene.carry_out(handoff::Effect::UpdateIssues, issues(&[42], &[])).await;
    let EffectResult::Reported(Brought::Handoff(Report::IssuesUpdated { issues, .. })) = outcome else {
        panic!("{outcome:?}");
    };
    assert!(!issues[0].assignee_changed && issues[0].labels_changed && issues[0].failure.is_none());
}

#[tokio::test]
async fn ho_22_a_rate_limit_is_waited_for_and_each_issue_says_what_became_of_it() {
    let scene = Scene::new().await;
    let limit = Fault::Answer(
        403,
        vec![("retry-after", "90".to_owned())],
        json!({"message": "You have exceeded a secondary rate limit"}),
    );
    scene.github.fail("POST /repos/owner/repo/issues/43/labels", limit);
    let outcome = scene.carry_out(handoff::Effect::UpdateIssues, issues(&[42, 43, 99], &[])).await;
    let EffectResult::NotYet { reason, after, otherwise } = outcome else { panic!("{outcome:?}") };
    assert_eq!(after, Some(Span::seconds(90)));
    assert!(reason.contains("rate limit"), "{reason}");
    let Some(Brought::Handoff(Report::IssuesUpdated { issues: updates, .. })) = otherwise else { panic!() };
    let failures: Vec<_> = updates.iter().map(|one| one.failure.is_some()).collect();
    assert_eq!(failures, [false, true, true]);

    let outcome = scene.carry_out(handoff::Effect::UpdateIssues, issues(&[42, 43, 99], &[])).await;
    let EffectResult::Reported(Brought::Handoff(Report::IssuesUpdated { issues: updates, .. })) = outcome
    else {
        panic!("{outcome:?}");
    };
    assert!(updates[1].failure.is_none(), "{:?}", updates[1]);
    assert!(updates[2].failure.as_ref().unwrap().contains("404"), "there is no issue 99");
    assert_eq!((scene.comments(42).len(), scene.comments(43).len()), (1, 1), "nothing is said twice");
}

#[tokio::test]
async fn ho_22_all_waiting_for_github_together_is_ten_minutes() {
    let scene = Scene::new().await;
    let limit = || {
        let wait = vec![("retry-after", "300".to_owned())];
        Fault::Answer(403, wait, json!({"message": "You have exceeded a secondary rate limit"}))
    };
    let again = async |now: Time| {
        scene.github.fail("POST /repos/owner/repo/issues/42/labels", limit());
        let exchange: ExchangeId = "ho-1".parse().unwrap();
        let effect = Effect::Handoff { exchange, order: handoff::Effect::UpdateIssues };
        scene.outside.carry_out(&Order { effect, payload: issues(&[42], &[]) }, now).await
    };
    for minutes in [0, 5] {
        let outcome = again(Time::ZERO.plus(Span::minutes(minutes))).await;
        assert!(matches!(outcome, EffectResult::NotYet { .. }), "after {minutes} minutes: {outcome:?}");
    }
    let outcome = again(Time::ZERO.plus(Span::minutes(10))).await;
    let EffectResult::Reported(Brought::Handoff(Report::IssuesUpdated { issues, .. })) = outcome else {
        panic!("{outcome:?}");
    };
    assert!(issues[0].failure.as_ref().unwrap().contains("rate limit"), "{issues:?}");
}

#[tokio::test]
async fn ho_22_a_github_that_never_answers_fails_the_issue_and_says_so() {
    let scene = Scene::new().await;
    scene.github.fail("GET /repos/owner/repo/issues/42", Fault::Silence);
    let mut outside = scene.outside.clone();
    outside.handoffs.github =
        outside.handoffs.github.map(|github| github.patient_for(Duration::from_millis(300)));
    let scene = Scene { outside, ..scene };
    let outcome = scene.carry_out(handoff::Effect::UpdateIssues, issues(&[42, 43], &[])).await;
    let EffectResult::NotYet { otherwise: Some(Brought::Handoff(report)), .. } = outcome else {
        panic!("{outcome:?}");
    };
    let Report::IssuesUpdated { issues, .. } = report else { panic!("{report:?}") };
    assert!(issues[0].failure.as_ref().unwrap().contains("did not answer within 300ms"), "{issues:?}");
    assert!(issues[1].failure.is_none(), "one that fails does not hold up the others: {issues:?}");
}

#[tokio::test]
async fn sec_8_the_token_is_in_no_error_and_no_debug_text() {
    let scene = Scene::new().await;
    let wrong = "ghp_wrongtoken9876543210";
    let client = Github::new(&scene.github.url(), "owner/repo", wrong.to_owned(), Tls::default()).unwrap();
    assert!(!format!("{client:?}").contains("ghp_"), "{client:?}");
    let mut outside = scene.outside.clone();
    outside.handoffs.github = Some(client);
    let scene = Scene { outside, ..scene };
    let outcome = scene.carry_out(handoff::Effect::UpdateIssues, issues(&[42], &[43])).await;
    let text = format!("{outcome:?}");
    assert!(text.contains("401") && text.contains("check the token that github.token_env names"), "{text}");
    assert!(!text.contains("ghp_"), "{text}");
    let error =
        Github::new(&scene.github.url(), "owner/repo", "ghp_a b".to_owned(), Tls::default()).unwrap_err();
    assert!(!error.contains("ghp_"), "{error}");
}

#[test]
fn sec_6_http_is_for_this_machine_alone_and_a_repository_is_two_words() {
    let new = |base: &str, repository: &str| Github::new(base, repository, "t".to_owned(), Tls::default());
    assert!(new("http://github.example/", "a/b").unwrap_err().contains("expected https://"));
    assert!(new("http://10.0.0.1/", "a/b").is_err() && new("ftp://x", "a/b").is_err());
    for good in
        ["https://api.github.com", "http://127.0.0.1:9", "http://localhost:9/api/v3", "http://[::1]:9"]
    {
        assert!(new(good, "owner/re.po-1_x").is_ok(), "{good}");
    }
    for bad in ["", "a", "a/", "/b", "a/b/c", "a/..", "a b/c", "a/b?x"] {
        assert!(new("https://api.github.com", bad).is_err(), "{bad}");
    }
}

#[tokio::test]
async fn sec_5_documents_are_not_written_through_symlinks() {
    let scene = Scene::new().await;
    let directory = scene.directory.path().join("handoffs");
    fs::create_dir(&directory).unwrap();
    let target = scene.directory.path().join("target");
    std::os::unix::fs::symlink(&target, directory.join(NAME)).unwrap();
    let order = json!(document("x", Publish::Local));
    let outcome = scene.carry_out(handoff::Effect::PublishDocument { number: 1 }, order).await;
    let text = format!("{outcome:?}");
    assert!(text.contains("DocumentFailed") && text.contains("symbolic link"), "{text}");
    assert!(!target.exists());
}
