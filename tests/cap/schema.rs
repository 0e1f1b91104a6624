//! The manifest's JSON Schema accepts and refuses what cap does, as far as a schema can tell.

mod validator;

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::builder::{Test, dedent};

fn repo_file(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

/// Whether an editor that has the schema finds no fault with this text.
fn is_fine_to_the_schema(yaml: &str) -> bool {
    let schema: Value = serde_json::from_str(&repo_file("docs/manifest.schema.json")).unwrap();
    let document: Value = serde_yaml::from_str(yaml).unwrap();
    validator::is_valid(&schema, &schema, &document)
}

fn accepted(yaml: &str) {
    let yaml = dedent(yaml);
    assert!(is_fine_to_the_schema(&yaml), "the schema refuses {yaml}");
    let test = Test::new().manifest(&yaml).list();
    test.stdout_contains("").stderr_contains("").success();
}

fn refused(yaml: &str) {
    let yaml = dedent(yaml);
    assert!(!is_fine_to_the_schema(&yaml), "the schema accepts {yaml}");
    Test::new().manifest(&yaml).list().stderr_contains("error: manifest invalid: ").failure(1);
}

/// An entry with this beside its command.
fn entry(line: &str) -> String {
    format!("capabilities:\n  a:\n    command: x\n    {line}\n")
}

#[test]
fn both_accept_what_is_valid() {
    accepted("null\n");
    accepted("capabilities: {}\n");
    accepted("version: 1.0\ngates: none-declared-on-purpose\ncapabilities: {a-.b: {command: x}}\n");
    accepted("capabilities: {'10': {command: x}, test.full: {command: \" x \\n\\ny\"}}\n");
    accepted("capabilities: {a: &a {command: x}, b: *a}\n");
    for line in [
        "lifecycle: active",
        "lifecycle: shadow",
        "description: ''",
        "timeout_ms: 1",
        "timeout_ms: 3e5",
        "timeout_ms: 300000.0",
        "timeout_ms: 9007199254740991",
        "min_duration_ms: 0",
        "timeout_prone: true",
        "assumptions: []",
        "assumptions: [file-exists: /a b, file-exists: ../*, tool-version: 'node >= 20.1']",
        "assumptions: [tool-version: node>=20 <22, tool-version: 'a/b+-_.1==v3.11.x,<4.5.6.*']",
    ] {
        accepted(&entry(line));
    }
}

#[test]
fn both_accept_keys_of_a_newer_format() {
    accepted("later: 1\nx-mine: [1]\ncapabilities: {a: {command: x, later: {}, x-mine: null}}\n");
}

#[test]
fn both_refuse_what_is_not() {
    for document in [
        "5\n",
        "text\n",
        "[]\n",
        "version: 1\n",
        "capabilities: null\n",
        "capabilities: []\n",
        "version: 2\ncapabilities: {}\n",
        "version: '1'\ncapabilities: {}\n",
        "version: null\ncapabilities: {}\n",
        "gates: none\ncapabilities: {}\n",
        "gates: null\ncapabilities: {}\n",
        "capabilities: {A: {command: x}}\n",
        "capabilities: {a..b: {command: x}}\n",
        "capabilities: {-a: {command: x}}\n",
        "capabilities: {'': {command: x}}\n",
        "capabilities: {a: null}\n",
        "capabilities: {a: x}\n",
        "capabilities: {a: {}}\n",
        "capabilities: {test.full: {}}\n",
        "capabilities: {a: {command: null}}\n",
        "capabilities: {a: {command: 5}}\n",
        "capabilities: {a: {command: ''}}\n",
        "capabilities: {a: {command: \" \\t\\n\"}}\n",
        "capabilities: {a: {command: \"x\\0\"}}\n",
    ] {
        refused(document);
    }
    for line in [
        "lifecycle: Active",
        "lifecycle: null",
        "description: 5",
        "description: null",
        "timeout_ms: 0",
        "timeout_ms: 1.5",
        "timeout_ms: '1'",
        "timeout_ms: 9007199254740992",
        "timeout_ms: null",
        "min_duration_ms: -1",
        "timeout_prone: yes",
        "timeout_prone: null",
        "assumptions: null",
        "assumptions: {file-exists: a}",
        "assumptions: [a]",
        "assumptions: [{}]",
        "assumptions: [{file-exists: a, tool-version: a>=1}]",
        "assumptions: [file-exist: a]",
        "assumptions: [file-exists: '']",
        "assumptions: [file-exists: 5]",
        "assumptions: [file-exists: \"a\\0\"]",
        "assumptions: [tool-version: node]",
        "assumptions: [tool-version: node>=]",
        "assumptions: [tool-version: node^20]",
        "assumptions: [tool-version: node>=x]",
        "assumptions: [tool-version: node>20.x]",
        "assumptions: [tool-version: node>=20<22]",
        "assumptions: [tool-version: 'node>=20,']",
        "assumptions: [tool-version: node>=1.2.3.4.5]",
        "assumptions: [tool-version: node=1.2.3.4.x]",
    ] {
        refused(&entry(line));
    }
}

#[test]
fn the_manifests_of_this_repo_and_of_its_docs_are_valid() {
    accepted(&repo_file(".dossier/automation/manifest.yaml"));
    for path in ["README.md", "docs/manifest.md"] {
        let text = repo_file(path);
        let examples = text.split("```yaml\n").skip(1);
        let examples: Vec<&str> = examples.filter_map(|rest| rest.split("```").next()).collect();
        assert!(!examples.is_empty(), "{path} shows no manifest");
        examples.into_iter().for_each(accepted);
    }
}
