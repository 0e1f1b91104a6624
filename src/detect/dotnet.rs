//! .NET: what the dotnet command runs for a solution or a project.

use super::range::at_least;
use super::survey::{Survey, file_name, has_ending};
use super::{Operation, pins};
use crate::exec::shell::quote;

const SDK: &str = "global.json";
const PROJECTS: [&str; 3] = [".csproj", ".fsproj", ".vbproj"];
const LOCK: &str = "packages.lock.json";

/// Any of these in a project makes its tests known to `dotnet test`.
const TEST_SDKS: [&str; 2] = ["Microsoft.NET.Test.Sdk", "MSTest.Sdk"];

/// dotnet's commands for the only solution, else the only project.
pub fn commands(survey: &mut Survey<'_>) {
    let named = |survey: &Survey<'_>, endings: &[&str]| -> Vec<String> {
        let names = survey.names("").into_iter();
        names.filter(|name| has_ending(name, endings)).collect()
    };
    let solutions = named(survey, &[".sln", ".slnx"]);
    let projects = named(survey, &PROJECTS);
    let path = match (&solutions[..], &projects[..]) {
        ([path], _) | ([], [path]) => path,
        ([], []) => return,
        ([path, ..], _) | ([], [path, ..]) => {
            survey.note(path, "one of several, and nothing says which counts");
            return;
        }
    };
    let sdk = survey.json_with_comments(SDK);
    let sdk = sdk.as_ref().and_then(|file| file.get("sdk")?.get("version")?.as_str());
    let dotnet = sdk
        .and_then(|version| at_least("dotnet", version))
        .or_else(|| pins::pinned(survey, "dotnet"));
    // With more than one of them in the directory, dotnet must be told which.
    let is_only = solutions.len() + projects.len() == 1;
    let operand = if is_only { String::new() } else { format!(" {}", quote(path)) };
    // A solution's projects need not all have a lock file.
    let is_locked = solutions.is_empty() && survey.has_file(LOCK);
    let locked = if is_locked { " --locked-mode" } else { "" };
    let mut commands = vec![
        (Operation::Install, format!("dotnet restore{operand}{locked}"), path.clone()),
        (Operation::TypeCheck, format!("dotnet build{operand}"), path.clone()),
        (Operation::Build, format!("dotnet build{operand}"), path.clone()),
    ];
    if let Some(tests) = test_project(survey, path) {
        commands.push((Operation::Test, format!("dotnet test{operand}"), tests));
    }
    survey.found_all(commands, path, &[&dotnet]);
}

/// The first project that has tests: the only project itself, or one that the solution names.
fn test_project(survey: &mut Survey<'_>, top: &str) -> Option<String> {
    let solution = if has_ending(top, &PROJECTS) { None } else { Some(survey.text(top)?) };
    let is_part = |path: &str| match &solution {
        Some(solution) => has_ending(path, &PROJECTS) && solution.contains(file_name(path)),
        None => path == top,
    };
    survey.search_text(is_part, |text| TEST_SDKS.iter().any(|sdk| text.contains(sdk)))
}
