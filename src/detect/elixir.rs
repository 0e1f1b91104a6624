//! Elixir: what mix runs for a project.

use super::range::{Dialect, requirement};
use super::survey::Survey;
use super::{Operation, pins};

const PROJECT: &str = "mix.exs";
const CREDO: &str = ".credo.exs";

/// mix's commands.
pub fn commands(survey: &mut Survey<'_>) {
    let Some(project) = survey.text(PROJECT) else { return };
    let stated =
        project.split("elixir:").nth(1).and_then(|text| text.trim_start().split('"').nth(1));
    let elixir = stated
        .and_then(|range| requirement("elixir", range, Dialect::Pessimistic))
        .or_else(|| pins::pinned(survey, "elixir"));
    let mut commands = vec![(Operation::Install, "mix deps.get", PROJECT.to_owned())];
    let is_test = |path: &str| path.ends_with("_test.exs");
    if let Some(path) = survey.search(is_test) {
        commands.push((Operation::Test, "mix test", path));
    }
    if survey.has_file(CREDO) && project.contains(":credo") {
        commands.push((Operation::Lint, "mix credo", CREDO.to_owned()));
    }
    commands.push((Operation::TypeCheck, "mix compile", PROJECT.to_owned()));
    commands.push((Operation::Build, "mix compile", PROJECT.to_owned()));
    survey.found_all(commands, PROJECT, &[&elixir]);
}
