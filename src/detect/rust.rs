//! Rust: what cargo runs for a package or a workspace.

use toml::{Table, Value};

use super::range::at_least;
use super::survey::{Survey, has_ending};
use super::{Operation, pins};

const MANIFEST: &str = "Cargo.toml";
const LOCK: &str = "Cargo.lock";
const CONFIGURATIONS: [&str; 2] = [".cargo/config.toml", ".cargo/config"];
const NEXTEST: &str = ".config/nextest.toml";
const CLIPPY: [&str; 2] = ["clippy.toml", ".clippy.toml"];

/// cargo's commands, for the whole workspace if there is one.
pub fn commands(survey: &mut Survey<'_>) {
    let Some(manifest) = survey.toml(MANIFEST) else { return };
    if !["package", "workspace"].iter().any(|key| manifest.contains_key(*key)) {
        survey.note(MANIFEST, "it names neither a package nor a workspace");
        return;
    }
    // Members that the workspace leaves out by default may not build everywhere.
    let is_whole = manifest.get("workspace").is_some_and(|it| it.get("default-members").is_none());
    let workspace = if is_whole { " --workspace" } else { "" };
    let stated = rust_version(&manifest).and_then(|version| at_least("cargo", version));
    let cargo = stated.or_else(|| pins::pinned(survey, "cargo"));

    let (fetch, lock) = if survey.has_file(LOCK) {
        ("cargo fetch --locked", LOCK)
    } else {
        ("cargo fetch", MANIFEST)
    };
    survey.found_all([(Operation::Install, fetch, lock)], lock, &[&cargo]);

    let foreign = foreign_target(survey);
    if let Some((path, target)) = &foreign {
        survey.note(path, &format!("tests: they would be built for {target} and can't run here"));
    }
    if survey.has_file(NEXTEST) && foreign.is_none() {
        let nextest = survey.toml(NEXTEST).as_ref().and_then(nextest_version);
        survey
            .found(Operation::Test, format!("cargo nextest run{workspace}"), NEXTEST)
            .needs_file(MANIFEST)
            .needs(cargo.clone())
            .needs(nextest.and_then(|version| at_least("cargo-nextest", &version)))
            .add();
    }
    let clippy = survey.first_file(&CLIPPY);
    let lints = ["lints", "workspace"].iter().any(|key| has_clippy_lints(manifest.get(*key)));
    if clippy.is_some() || lints {
        let evidence = clippy.unwrap_or("the lints of clippy in Cargo.toml");
        survey
            .found(Operation::Lint, format!("cargo clippy{workspace}"), evidence)
            .needs_file(MANIFEST)
            .needs(cargo.clone())
            .add();
    }
    let verbs =
        [(Operation::Test, "test"), (Operation::TypeCheck, "check"), (Operation::Build, "build")];
    let verbs = verbs.into_iter().filter(|(it, _)| *it != Operation::Test || foreign.is_none());
    let commands =
        verbs.map(|(operation, verb)| (operation, format!("cargo {verb}{workspace}"), MANIFEST));
    survey.found_all(commands, MANIFEST, &[&cargo]);
}

/// The target that cargo is configured to build for, if no system runs its programs, and where that is said.
fn foreign_target(survey: &mut Survey<'_>) -> Option<(&'static str, String)> {
    let path = survey.first_file(&CONFIGURATIONS)?;
    let configuration = survey.toml(path)?;
    let target = configuration.get("build")?.get("target")?;
    let first = target.as_array().map_or(Some(target), |several| several.first())?.as_str()?;
    // `thumbv7em-none-eabihf`, `wasm32-unknown-unknown`, a file of its own.
    let is_foreign =
        first.contains("-none") || first.starts_with("wasm") || has_ending(first, &[".json"]);
    is_foreign.then(|| (path, first.to_owned()))
}

fn rust_version(manifest: &Table) -> Option<&str> {
    let package = manifest.get("package");
    let workspace = manifest.get("workspace").and_then(|table| table.get("package"));
    [package, workspace].into_iter().flatten().find_map(|table| table.get("rust-version")?.as_str())
}

/// `nextest-version` is a version, or what is required and recommended.
fn nextest_version(settings: &Table) -> Option<String> {
    let version = settings.get("nextest-version")?;
    version.as_str().or_else(|| version.get("required")?.as_str()).map(str::to_owned)
}

/// Whether a `[lints]` table, or that of the workspace, is about clippy.
fn has_clippy_lints(table: Option<&Value>) -> bool {
    let lints = |table: &Value| table.get("clippy").is_some();
    table.is_some_and(|table| lints(table) || table.get("lints").is_some_and(lints))
}
