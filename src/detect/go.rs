//! Go: what the go command runs for a module.

use super::range::at_least;
use super::survey::Survey;
use super::{Operation, pins};
use crate::manifest::version::Requirement;

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
        // Without -o, a module of one command gets its program written into the work tree.
        (Operation::TypeCheck, "go build -o /dev/null ./..."),
        (Operation::Build, "go build ./..."),
    ];
    let always = always.map(|(operation, command)| (operation, command, MODULE));
    survey.found_all(always, MODULE, &[&go]);
    if let Some(path) = survey.first_file(&GOLANGCI) {
        let (command, linter) = if has_tool(&module, "golangci-lint") {
            ("go tool golangci-lint run", None)
        } else {
            ("golangci-lint run", linter(survey, path))
        };
        let found = survey.found(Operation::Lint, command, path).needs_file(path);
        found.needs(go).needs(linter).add();
    }
}

/// Whether a module keeps this program as a tool: `tool a/b`, or a line in `tool ( … )`.
fn has_tool(module: &str, name: &str) -> bool {
    let mut is_in_block = false;
    module.lines().any(|line| {
        let mut words = line.split_whitespace();
        let path = match words.next() {
            Some("tool") => words.next(),
            first => first.filter(|_| is_in_block),
        };
        is_in_block = path == Some("(") || is_in_block && !line.trim_start().starts_with(')');
        path.is_some_and(|path| path.rsplit('/').next() == Some(name))
    })
}

/// The golangci-lint that a configuration is for: the first one refuses what the second one reads.
fn linter(survey: &mut Survey<'_>, path: &str) -> Option<Requirement> {
    let text = survey.text(path)?;
    let is_second = text.lines().any(|line| {
        let line = line.trim().trim_end_matches(',').replace(['"', '\'', ' '], "");
        matches!(&*line, "version:2" | "version=2")
    });
    is_second.then(|| at_least("golangci-lint", "2")).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_of_the_module_is_known_by_the_end_of_its_path() {
        let path = "github.com/golangci/golangci-lint/v2/cmd/golangci-lint";
        for module in [format!("tool {path}\n"), format!("module a\ntool (\n\tx/y\n\t{path}\n)\n")]
        {
            assert!(has_tool(&module, "golangci-lint"), "{module}");
        }
        for module in [format!("require (\n\t{path} v2\n)\n"), format!("tool (\n)\n{path}\n")] {
            assert!(!has_tool(&module, "golangci-lint"), "{module}");
        }
    }
}
