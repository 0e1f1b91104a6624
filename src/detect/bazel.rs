//! Bazel: everything that builds, and everything that tests.

use super::Operation;
use super::survey::{Survey, file_name};

const WORKSPACES: [&str; 3] = ["MODULE.bazel", "WORKSPACE.bazel", "WORKSPACE"];

/// Bazel's commands for all packages.
pub fn commands(survey: &mut Survey<'_>) {
    let Some(workspace) = survey.first_file(&WORKSPACES) else { return };
    for operation in [Operation::TypeCheck, Operation::Build] {
        survey.found(operation, "bazel build //...", workspace).needs_file(workspace).add();
    }
    // Without a test target, `bazel test` fails.
    let is_build = |path: &str| matches!(file_name(path), "BUILD" | "BUILD.bazel");
    if let Some(path) = survey.search_text(is_build, |text| text.contains("_test(")) {
        survey.found(Operation::Test, "bazel test //...", path).needs_file(workspace).add();
    }
}
