//! What is inside the binary, for those who must know: a CycloneDX document, made from what cargo resolved.

use std::collections::BTreeSet;

use anyhow::Context;
use serde_json::{Value, json};

use crate::workspace::cargo;

use super::stage::output;

pub(super) fn document() -> anyhow::Result<String> {
    let metadata = output(cargo().args(["metadata", "--format-version", "1", "--locked"]))?;
    let bill = bill(&serde_json::from_str(&metadata)?).context("cargo metadata has another form")?;
    Ok(format!("{bill:#}\n"))
}

/// Every package that the binary is linked from; what only builds or tests it is left out.
fn bill(metadata: &Value) -> Option<Value> {
    let packages = metadata["packages"].as_array()?;
    let nodes = metadata["resolve"]["nodes"].as_array()?;
    let main = packages.iter().find(|package| package["name"] == "wilco")?;
    let mut reached = BTreeSet::new();
    let mut waiting = vec![main["id"].as_str()?];
    let mut dependencies = Vec::new();
    while let Some(id) = waiting.pop() {
        if !reached.insert(id) {
            continue;
        }
        let node = nodes.iter().find(|node| node["id"] == id)?;
        let linked: Vec<&str> = node["deps"]
            .as_array()?
            .iter()
            .filter(|dep| is_linked(dep))
            .filter_map(|dep| dep["pkg"].as_str())
            .collect();
        let on: Option<BTreeSet<String>> = linked.iter().map(|id| purl(packages, id)).collect();
        dependencies.push(json!({"ref": purl(packages, id)?, "dependsOn": on?}));
        waiting.extend(linked);
    }
    let own = main["id"].as_str()?;
    let components: Option<Vec<Value>> =
        reached.iter().filter(|id| **id != own).map(|id| component(packages, id)).collect();
    dependencies.sort_by_key(|one| one["ref"].to_string());
    Some(json!({
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "metadata": {"component": component(packages, own)?},
        "components": components?, "dependencies": dependencies,
    }))
}

/// A null kind is a plain dependency; the others are for tests and build scripts.
fn is_linked(dependency: &Value) -> bool {
    dependency["dep_kinds"].as_array().is_some_and(|kinds| kinds.iter().any(|kind| kind["kind"].is_null()))
}

fn package<'a>(packages: &'a [Value], id: &str) -> Option<&'a Value> {
    packages.iter().find(|package| package["id"] == id)
}

fn purl(packages: &[Value], id: &str) -> Option<String> {
    let package = package(packages, id)?;
    Some(format!("pkg:cargo/{}@{}", package["name"].as_str()?, package["version"].as_str()?))
}

fn component(packages: &[Value], id: &str) -> Option<Value> {
    let (package, purl) = (package(packages, id)?, purl(packages, id)?);
    let kind = if package["name"] == "wilco" { "application" } else { "library" };
    // Older crates separate licences with a slash.
    let licence = package["license"].as_str().map(|licence| licence.replace('/', " OR "));
    let licences: Vec<Value> = licence.iter().map(|licence| json!({"expression": licence})).collect();
    Some(json!({
        "type": kind, "bom-ref": purl, "name": package["name"], "version": package["version"], "purl": purl,
        "licenses": licences,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_linked_is_listed_and_what_builds_or_tests_it_is_not() {
        let package =
            |name: &str| json!({"id": name, "name": name, "version": "1.0.0", "license": "MIT/Apache-2.0"});
        let needs = |name: &str, kind: Value| json!({"pkg": name, "dep_kinds": [{"kind": kind}]});
        let metadata = json!({
            "packages": [package("wilco"), package("linked"), package("tests"), package("builds")],
            "resolve": {"nodes": [
                {"id": "wilco", "deps": [needs("linked", Value::Null), needs("tests", json!("dev"))]},
                {"id": "linked", "deps": [needs("builds", json!("build"))]},
            ]},
        });
        let bill = bill(&metadata).expect("a bill");
        assert_eq!(bill["components"].as_array().map(Vec::len), Some(1));
        assert_eq!(bill["components"][0]["purl"], "pkg:cargo/linked@1.0.0");
        assert_eq!(bill["components"][0]["licenses"][0]["expression"], "MIT OR Apache-2.0");
        assert_eq!(bill["dependencies"][1]["dependsOn"], json!(["pkg:cargo/linked@1.0.0"]));
    }
}
