//! The template that documents are written from: the built-in one, or a file of the user's.

use std::fmt;
use std::sync::Arc;

use minijinja::Environment;
use minijinja::value::{Enumerator, Object};
use serde_json::{Value, json};

/// A template that was tried once and works.
#[derive(Debug, Clone)]
pub struct Template(Arc<Environment<'static>>);

const BUILT_IN: &str = include_str!("handoff.md.j2");
const NAME: &str = "handoff.md";
/// Steps that a template may take; a loop that runs away is an error.
const FUEL: u64 = 20_000_000;
/// Larger documents are mistakes.
const MAX_DOCUMENT: usize = 8 << 20;

impl Default for Template {
    fn default() -> Template {
        // The built-in one is read by a test.
        Template::read(BUILT_IN).unwrap_or_else(|error| unreachable!("{error}"))
    }
}

impl Template {
    /// Reads a template and fills it in once: what is wrong with it shows at the start, with its line.
    pub fn read(text: &str) -> Result<Template, String> {
        let mut environment = Environment::new();
        environment.set_fuel(Some(FUEL));
        environment.add_template_owned(NAME, text.to_owned()).map_err(|error| said(&error))?;
        let template = Template(Arc::new(environment));
        template.filled(&sample())?;
        Ok(template)
    }

    /// The document. Values stand in it as they are: nothing in them is evaluated.
    pub(super) fn filled(&self, variables: &Value) -> Result<String, String> {
        let template = self.0.get_template(NAME).map_err(|error| said(&error))?;
        let text = template.render(plain(variables)).map_err(|error| said(&error))?;
        match text.len() {
            size if size > MAX_DOCUMENT => {
                Err(format!("the document has {size} bytes; {MAX_DOCUMENT} are the most"))
            }
            _ => Ok(text),
        }
    }
}

/// JSON as the template sees it: data, and no text in it is marked as safe.
fn plain(value: &Value) -> minijinja::Value {
    match value {
        Value::Null => minijinja::Value::from(()),
        Value::Bool(flag) => minijinja::Value::from(*flag),
        Value::Number(number) => match number.as_i64() {
            Some(whole) => minijinja::Value::from(whole),
            None => minijinja::Value::from(number.as_f64().unwrap_or_default()),
        },
        Value::String(text) => minijinja::Value::from(text.clone()),
        Value::Array(items) => minijinja::Value::from(items.iter().map(plain).collect::<Vec<_>>()),
        Value::Object(entries) => {
            let pairs =
                minijinja::Value::from_pairs(entries.iter().map(|(key, value)| (key.clone(), plain(value))));
            match entries.get("id").and_then(Value::as_str) {
                Some(id) => minijinja::Value::from_object(Identified { id: id.to_owned(), pairs }),
                None => pairs,
            }
        }
    }
}

/// Something with an id, such as an agent: it prints as its id, and its fields can be named.
#[derive(Debug)]
struct Identified {
    id: String,
    pairs: minijinja::Value,
}

impl Object for Identified {
    fn get_value(self: &Arc<Self>, key: &minijinja::Value) -> Option<minijinja::Value> {
        self.pairs.get_item(key).ok().filter(|value| !value.is_undefined())
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Values(self.pairs.try_iter().map(Iterator::collect).unwrap_or_default())
    }

    fn render(self: &Arc<Self>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.id)
    }
}

fn said(error: &minijinja::Error) -> String {
    let line = error.line().map_or_else(String::new, |line| format!("line {line}: "));
    let detail = error.detail().map_or_else(String::new, |detail| format!(": {detail}"));
    format!("{line}{}{detail}", error.kind())
}

/// Every variable that a document may use, with something in it.
fn sample() -> Value {
    let party = |name: &str| json!({"id": name, "session": name});
    json!({
        "handoff_id": "handoff-1", "failed_agent": party("implementer-1"), "replacement_agent": party("implementer-2"),
        "orchestrator": "orchestrator", "controller": "ecos-controller", "reason": "context_loss",
        "urgency": "immediate", "ack_required_within": "5 minutes", "created": "2026-01-31T14:30:00.000Z",
        "starting_from": "checkpoint-2",
        "tasks": [{
            "task_id": "t-1", "task_uuid": "task-uuid-1", "exchange": "del-1", "title": "Login", "description": "…",
            "initiator": "orchestrator", "state": "working", "acceptance_criteria": ["Tests pass"],
            "checkpoint": "checkpoint-2",
            "checkpoints": [{"checkpoint": 2, "name": "checkpoint-2", "status": "done", "summary": "…", "at": "2026-01-31T14:00:00.000Z"}],
            "questions": ["Which library?"], "answers": ["PyJWT"],
        }],
        "issues": [42], "pulls": [43], "links": ["http://127.0.0.1:23000/v1/exchanges/del-1"],
        "history": [{"at": "2026-01-31T14:00:00.000Z", "by": "implementer-1", "text": "checkpoint 2"}],
        "messages": [{"at": "2026-01-31T14:00:00.000Z", "from": "a", "to": "b", "subject": "s", "text": "t"}],
        "first_step": "Read the task.", "acknowledge": "Send an ACK.",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ho_2_the_built_in_template_tells_everything() {
        let text = Template::default().filled(&sample()).unwrap();
        for word in [
            "handoff-1",
            "implementer-1",
            "implementer-2",
            "context_loss",
            "immediate",
            "5 minutes",
            "task-uuid-1",
            "Login",
            "Tests pass",
            "checkpoint-2",
            "Which library?",
            "PyJWT",
            "#42",
            "#43",
            "del-1",
            "Read the task.",
            "Send an ACK.",
        ] {
            assert!(text.contains(word), "{word} is not in\n{text}");
        }
        assert!(!text.contains("\n\n\n"), "{text}");
    }

    #[test]
    fn ho_2_a_document_without_tasks_or_records_reads_well() {
        let mut bare = sample();
        for (name, value) in bare.as_object_mut().unwrap() {
            if value.is_array() {
                *value = json!([]);
            } else if name == "starting_from" {
                *value = Value::Null;
            }
        }
        let text = Template::default().filled(&bare).unwrap();
        assert!(!text.contains("none") && !text.contains("null") && !text.contains("\n\n\n"), "{text}");
        let known_to_the_file = json!([{"task_uuid": "u-7", "task_id": null, "title": null, "exchange": null,
            "description": null, "initiator": null, "state": null, "acceptance_criteria": [], "checkpoint": null,
            "checkpoints": [], "questions": [], "answers": []}]);
        bare["tasks"] = known_to_the_file;
        let text = Template::default().filled(&bare).unwrap();
        assert!(text.contains("u-7") && !text.contains("none"), "{text}");
    }

    #[test]
    fn ho_2_values_are_never_evaluated() {
        let template = Template::read("{{ reason }}|{{ tasks[0].title }}").unwrap();
        let mut variables = sample();
        variables["reason"] = "{{ 7 * 7 }}{% include 'x' %}<b>&".into();
        variables["tasks"][0]["title"] = "{{ handoff_id }}".into();
        assert_eq!(template.filled(&variables).unwrap(), "{{ 7 * 7 }}{% include 'x' %}<b>&|{{ handoff_id }}");
    }

    #[test]
    fn ho_2_an_agent_prints_as_its_id_and_has_its_fields() {
        let template = Template::read(
            "{{ failed_agent }} {{ replacement_agent }} {{ replacement_agent.id }} {{ replacement_agent.session }}",
        )
        .unwrap();
        let filled = template.filled(&sample()).unwrap();
        assert_eq!(filled, "implementer-1 implementer-2 implementer-2 implementer-2");
    }

    #[test]
    fn ho_2_a_broken_template_is_named_with_its_line() {
        for (text, word) in [
            ("one\n{% for x in %}", "line 2"),
            ("a\nb\n{{ tasks | nothing }}", "line 3"),
            ("{% if x %}", "line 1"),
            ("{{ reason.nobody.there }}", "line 1"),
            ("{% for a in range(9999) %}{% for b in range(9999) %}x{% endfor %}{% endfor %}", "fuel"),
        ] {
            let error = Template::read(text).unwrap_err();
            assert!(error.contains(word), "{text}: {error}");
        }
    }
}
