//! What the courier does for handoffs: documents, the state file, issues, the audit; each may fail.

use serde_json::Value;
use wilco_protocol::handoff::{Effect, IssueUpdate, Publish, Published, Report, TaskUpdate, Updated};

use crate::replacement::Document;
use crate::world::World;

impl World {
    pub(crate) fn came_of_handoff(&mut self, order: &Effect, payload: &Value) -> Report {
        if self.rng.percent(self.fault_rates.mishaps) {
            return order.failed("the disk is full".to_owned());
        }
        match order {
            Effect::PublishDocument { number } => {
                let id = payload["handoff_id"].as_str().unwrap_or("").to_owned();
                self.documents.insert(id, Document::of(&payload["body"]["template"]));
                let published = Published {
                    url: payload["local_url"].as_str().unwrap_or("").to_owned(),
                    bytes: 1000,
                    published_as: Publish::Local,
                    failures: Vec::new(),
                    at: self.now,
                };
                let name = payload["name"].as_str().unwrap_or("").to_owned();
                Report::DocumentPublished { number: *number, name, published }
            }
            Effect::UpdateStateFile => {
                let tasks = payload["replace"]["tasks"].as_array().cloned().unwrap_or_default();
                let tasks =
                    tasks.iter().filter_map(Value::as_str).map(|task| self.task_in_file(task)).collect();
                Report::StateFileUpdated { tasks }
            }
            Effect::UpdateIssues => Report::IssuesUpdated {
                issues: self.issues(&payload["issues"]),
                pulls: self.issues(&payload["pulls"]),
            },
            Effect::AppendAudit => Report::AuditAppended,
        }
    }

    fn task_in_file(&mut self, task: &str) -> TaskUpdate {
        let updated = match self.rng.below(10) {
            0 => Updated::Absent,
            1 => Updated::Foreign { agent: "eve".to_owned() },
            _ => Updated::Moved,
        };
        TaskUpdate { task: task.to_owned(), updated, issue: None, progress: Some(40) }
    }

    fn issues(&mut self, numbers: &Value) -> Vec<IssueUpdate> {
        let numbers = numbers.as_array().cloned().unwrap_or_default();
        let update = |world: &mut World, number| IssueUpdate {
            number,
            assignee_changed: true,
            labels_changed: true,
            comment: None,
            failure: world.rng.percent(20).then(|| "it is locked".to_owned()),
        };
        numbers.iter().filter_map(Value::as_u64).map(|number| update(self, number)).collect()
    }
}
