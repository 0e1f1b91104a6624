//! Tests of writing a manifest.

use super::*;
use crate::detect::Worth;
use crate::manifest::check::check;
use proptest::prelude::*;

fn finding(operation: Operation, command: &str, evidence: &str) -> Finding {
    Finding {
        operation,
        command: command.to_owned(),
        evidence: evidence.to_owned(),
        assumptions: Vec::new(),
        worth: Worth::Own,
    }
}

fn commands(text: &str) -> Vec<(String, String)> {
    let checked = check(text).unwrap_or_else(|invalid| panic!("{:?}\n{text}", invalid.faults));
    assert_eq!(checked.warnings, [], "{text}");
    let capabilities = checked.manifest.capabilities.into_iter();
    capabilities.map(|capability| (capability.id, capability.command)).collect()
}

#[test]
fn a_project_that_shows_nothing_gets_an_empty_manifest_with_stubs() {
    let scaffold = scaffold(&Shown::default(), None);
    assert_eq!(commands(&scaffold.text), []);
    assert_eq!(scaffold.missing, ["test.focused", "test.full", "typecheck.run"]);
    for id in scaffold.missing {
        assert!(scaffold.text.contains(&format!("# {id}:")), "{}", scaffold.text);
    }
}

#[test]
fn a_stub_that_is_filled_in_is_an_entry() {
    let scaffold = scaffold(&Shown::default(), None);
    let filled = scaffold.text.replace("capabilities: {}", "capabilities:");
    let filled =
        filled.replace("  # test.f", "  test.f").replace("  #   command: TODO", "    command: x");
    let filled = filled.replace("  # typecheck", "  typecheck");
    let ids: Vec<String> = commands(&filled).into_iter().map(|(id, _)| id).collect();
    assert_eq!(ids, ["test.focused", "test.full", "typecheck.run"]);
}

#[test]
fn one_test_command_serves_both_ids_and_others_are_named() {
    let shown = Shown {
        findings: vec![
            finding(Operation::Test, "make test", "target \"test\" in Makefile"),
            finding(Operation::Test, "cargo test", "Cargo.toml"),
            finding(Operation::Test, "make test", "again"),
        ],
        notes: vec!["a.json: not valid\nJSON".to_owned()],
    };
    let scaffold = scaffold(&shown, Some("cli\u{1b}"));
    let test = |id: &str| (id.to_owned(), "make test".to_owned());
    assert_eq!(commands(&scaffold.text), [test("test.focused"), test("test.full")]);
    assert_eq!(scaffold.text.matches("# also: cargo test (Cargo.toml)").count(), 2);
    assert!(scaffold.text.contains("# Not used: a.json: not valid\\nJSON\n"), "{}", scaffold.text);
    assert!(scaffold.text.contains("cli\\u{1b} and work there"), "{}", scaffold.text);
}

#[test]
fn own_evidence_comes_before_borrowed() {
    let borrowed = Finding {
        worth: Worth::Borrowed,
        ..finding(Operation::TypeCheck, "npm run build --", "package.json")
    };
    let own = finding(Operation::TypeCheck, "make typecheck", "Makefile");
    let shown = Shown { findings: vec![borrowed, own], notes: Vec::new() };
    let expected = ("typecheck.run".to_owned(), "make typecheck".to_owned());
    assert_eq!(commands(&scaffold(&shown, None).text), [expected]);
}

proptest! {
    #[test]
    fn any_text_is_the_same_text_when_it_is_read(text in any::<String>(), word in "[a-z.0-9:# -]{1,9}") {
        for text in [text, word] {
            prop_assume!(!text.trim().is_empty() && !text.contains('\0'));
            let command = finding(Operation::Build, &text, &text);
            let shown = Shown { findings: vec![command], notes: vec![text.clone()] };
            let read = commands(&scaffold(&shown, Some(&text)).text);
            prop_assert_eq!(read, [("build.run".to_owned(), text)]);
        }
    }

    #[test]
    fn any_path_is_the_same_path_when_it_is_read(path in "[^\0]{1,20}") {
        let mut command = finding(Operation::Build, "make", "Makefile");
        command.assumptions = vec![Assumption::FileExists(path)];
        let wanted = command.assumptions.clone();
        let shown = Shown { findings: vec![command], notes: Vec::new() };
        let read = check(&scaffold(&shown, None).text).unwrap().manifest;
        prop_assert_eq!(&read.capabilities[0].assumptions, &wanted);
    }
}
