//! Maven: the phases that every project has.

use super::survey::Survey;
use super::{Operation, pins};

const PROJECT: &str = "pom.xml";
const WRAPPER: &str = "mvnw";

/// Maven's phases, through the project's own wrapper if there is one.
pub fn commands(survey: &mut Survey<'_>) {
    if !survey.has_file(PROJECT) {
        return;
    }
    let maven = survey.wrapper(WRAPPER).unwrap_or_else(|| "mvn".to_owned());
    let java = pins::pinned(survey, "java");
    let pinned = if maven == "mvn" { pins::pinned(survey, "mvn") } else { None };
    // What a phase downloads depends on the plugins, so none of them is an install.
    let phases = [
        (Operation::Test, "test"),
        (Operation::TypeCheck, "test-compile"),
        (Operation::Build, "package -DskipTests"),
    ];
    let commands =
        phases.map(|(operation, phase)| (operation, format!("{maven} -B {phase}"), PROJECT));
    survey.found_all(commands, PROJECT, &[&java, &pinned]);
}
