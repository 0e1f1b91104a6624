//! The reader as a whole, on manifests that are valid by construction and on those with something done to them.

use std::fmt::Write;
use std::path::Path;

use proptest::prelude::*;

use super::*;
use crate::manifest::fault::Excerpts;

/// A double-quoted string of YAML: JSON's, with what YAML does not take as itself escaped.
fn quoted(text: &str) -> String {
    let mut quoted = String::new();
    for c in serde_json::Value::from(text).to_string().chars() {
        if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}') {
            let _ = write!(quoted, "\\u{:04x}", u32::from(c));
        } else {
            quoted.push(c);
        }
    }
    quoted
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![any::<String>(), "[ -~]{0,30}", "[\\x01-\u{a0}\u{2028}\u{2029}\u{feff}😀]{0,9}"]
        .prop_map(|text| text.replace('\0', ""))
}

fn any_assumption() -> impl Strategy<Value = Assumption> {
    let path = any_text().prop_map(|path| format!("a{path}"));
    let requirement = "[a-z]{1,5}( ?(>=|<|==) ?[0-9]{1,3}(\\.[0-9]{1,3}){0,3}){1,3}";
    prop_oneof![
        path.prop_map(Assumption::FileExists),
        requirement.prop_filter_map("two operators must be parted", |text| {
            text.parse().ok().map(Assumption::ToolVersion)
        }),
    ]
}

fn any_capability() -> impl Strategy<Value = Capability> {
    let lifecycle = prop_oneof![Just(Lifecycle::Active), Just(Lifecycle::Shadow)];
    let texts = (any_text(), prop::option::of(any_text()));
    let numbers = (1..=MAX_WHOLE, 0..=MAX_WHOLE, any::<bool>());
    let assumptions = prop::collection::vec(any_assumption(), 0..3);
    (
        "[a-z0-9][a-z0-9-]{0,4}(\\.[a-z0-9][a-z0-9-]{0,4}){0,2}",
        lifecycle,
        texts,
        numbers,
        assumptions,
    )
        .prop_map(|(id, lifecycle, (command, description), numbers, assumptions)| Capability {
            id,
            command: format!("{command}x"),
            lifecycle,
            assumptions,
            description,
            timeout_ms: numbers.0,
            min_duration_ms: numbers.1,
            timeout_prone: numbers.2,
        })
}

fn any_manifest() -> impl Strategy<Value = Manifest> {
    let gates = prop_oneof![Just(Gates::Expected), Just(Gates::NoneOnPurpose)];
    (prop::collection::vec(any_capability(), 0..4), gates).prop_map(|(mut capabilities, gates)| {
        let mut ids = std::collections::HashSet::new();
        capabilities.retain(|capability| ids.insert(capability.id.clone()));
        Manifest { capabilities, gates }
    })
}

/// A manifest as somebody might write it, in blocks.
fn written(manifest: &Manifest) -> String {
    let mut text = match manifest.gates {
        Gates::Expected => "version: 1\n".to_owned(),
        Gates::NoneOnPurpose => format!("gates: {GATES_OPT_OUT}\n"),
    };
    text.push_str("capabilities:");
    text.push_str(if manifest.capabilities.is_empty() { " {}\n" } else { "\n" });
    for capability in &manifest.capabilities {
        let Capability { id, command, timeout_ms, min_duration_ms, timeout_prone, .. } = capability;
        let lifecycle = match capability.lifecycle {
            Lifecycle::Active => "active",
            Lifecycle::Shadow => "shadow",
        };
        let _ = write!(
            text,
            "  {id}:\n    command: {}\n    lifecycle: {lifecycle}\n    timeout_ms: {timeout_ms}\n    \
             min_duration_ms: {min_duration_ms}\n    timeout_prone: {timeout_prone}\n",
            quoted(command)
        );
        if let Some(description) = &capability.description {
            let _ = writeln!(text, "    description: {}", quoted(description));
        }
        text.push_str("    assumptions:");
        text.push_str(if capability.assumptions.is_empty() { " []\n" } else { "\n" });
        for assumption in &capability.assumptions {
            let (kind, value) = match assumption {
                Assumption::FileExists(path) => ("file-exists", path),
                Assumption::ToolVersion(requirement) => ("tool-version", &requirement.text),
            };
            let _ = writeln!(text, "      - {kind}: {}", quoted(value));
        }
    }
    text
}

/// What no manifest that passed may hold, whatever its text was.
fn is_sound(manifest: &Manifest) -> bool {
    let is_id = |id: &str| {
        id.split('.').all(|word| {
            let rest =
                word.trim_start_matches(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit());
            !word.is_empty()
                && !word.starts_with('-')
                && rest.chars().all(|c| c == '-' || c.is_ascii_lowercase() || c.is_ascii_digit())
        })
    };
    manifest.capabilities.iter().all(|capability| {
        is_id(&capability.id)
            && !capability.command.trim().is_empty()
            && !capability.command.contains('\0')
            && (1..=MAX_WHOLE).contains(&capability.timeout_ms)
            && capability.min_duration_ms <= MAX_WHOLE
    })
}

proptest! {
    #[test]
    fn a_manifest_that_is_valid_by_construction_is_read_as_it_was_meant(manifest in any_manifest()) {
        let text = written(&manifest);
        let checked = check(&text).unwrap_or_else(|invalid| panic!("{text}\n{:?}", invalid.faults));
        prop_assert_eq!(&checked.manifest, &manifest, "{}", text);
        prop_assert!(checked.warnings.is_empty());
    }

    #[test]
    fn whatever_is_done_to_a_manifest_it_is_sound_or_its_faults_can_be_shown(
        manifest in any_manifest(),
        edits in prop::collection::vec(
            (any::<prop::sample::Index>(), 0_usize..12, "(\\PC|[\\[\\]{}&*!|>'\"%@,:?#\\- \\n\\ta-c0-9\u{0}\u{85}]){0,6}"),
            1..4,
        ),
    ) {
        let mut text: Vec<char> = written(&manifest).chars().collect();
        for (at, cut, insert) in edits {
            let at = at.index(text.len() + 1);
            text.splice(at..(at + cut).min(text.len()), insert.chars());
        }
        let text: String = text.into_iter().collect();
        let faults = match check(&text) {
            Ok(checked) => {
                prop_assert!(is_sound(&checked.manifest), "{:?}", checked.manifest);
                checked.warnings
            }
            Err(invalid) => {
                prop_assert!(!invalid.faults.is_empty());
                prop_assert!(!invalid.summary(Path::new("m")).contains(char::is_control));
                invalid.faults
            }
        };
        let mut excerpts = Excerpts::of(&text);
        for fault in faults {
            prop_assert!(!fault.headline(Path::new("m")).contains(char::is_control));
            if let Some(shown) = excerpts.excerpt(&fault) {
                prop_assert_eq!(shown.lines().count(), 2, "{}", shown);
                prop_assert!(!shown.replace('\n', "").contains(char::is_control), "{}", shown);
            }
        }
    }
}
