//! Go: what the go command runs for a module.

use super::range::at_least;
use super::survey::Survey;
use super::{Operation, pins};

const MODULE: &str = "go.mod";
const WORKSPACE: &str = "go.work";
const GOLANGCI: [&str; 4] = [".golangci.yml", ".golangci.yaml", ".golangci.toml", ".golangci.json"];

/// The go command's own commands, and the linter that is configured.
pub fn commands(survey: &mut Survey<'_>) {
    let Some(module) = survey.text(MODULE) else {
        if survey.has_file(WORKSPACE) {
            survey.note(WORKSPACE, "its modules are in other directories: run `cap init` in one");
        }
        return;
    };
    let stated = module.lines().find_map(|line| line.trim().strip_prefix("go ")).map(str::trim);
    let go =
        stated.and_then(|version| at_least("go", version)).or_else(|| pins::pinned(survey, "go"));
    let always = [
        (Operation::Install, "go mod download"),
        (Operation::Test, "go test ./..."),
        (Operation::TypeCheck, "go build ./..."),
        (Operation::Build, "go build ./..."),
    ];
    let always = always.map(|(operation, command)| (operation, command, MODULE));
    survey.found_all(always, MODULE, &[&go]);
    if let Some(path) = survey.first_file(&GOLANGCI) {
        survey.found(Operation::Lint, "golangci-lint run", path).needs_file(path).needs(go).add();
    }
}
