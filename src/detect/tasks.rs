//! The task runners: what a repo's own Makefile, justfile, Taskfile or `mise.toml` calls its operations.

pub mod just;
pub mod make;
pub mod mise;
pub mod taskfile;

use super::Operation;

/// The names that say which operation a task is, the best first. `install` is none of them: of a Makefile it
/// installs the program, and `check` means many things.
pub const NAMES: [(Operation, &[&str]); 4] = [
    (Operation::Test, &["test"]),
    (Operation::Lint, &["lint"]),
    (Operation::TypeCheck, &["typecheck", "type-check", "tsc"]),
    (Operation::Build, &["build"]),
];
