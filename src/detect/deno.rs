//! Deno: its tasks, and the commands that its files prove.

use serde_json::Value;

use super::survey::{Survey, file_name, has_ending};
use super::{Operation, pins, script, tasks as runners};

const FILES: [&str; 2] = ["deno.json", "deno.jsonc"];
const LOCK: &str = "deno.lock";

/// Directories and endings by which `deno test` knows its modules.
const MODULES: [&str; 6] = [".ts", ".tsx", ".mts", ".js", ".jsx", ".mjs"];

/// The tasks that serve an operation by their name.
pub fn tasks(survey: &mut Survey<'_>) {
    let Some(path) = survey.first_file(&FILES) else { return };
    let Some(file) = survey.json_with_comments(path) else { return };
    let deno = pins::pinned(survey, "deno");
    runners::add(survey, path, "task", deno.as_ref(), |_, name| {
        let task = file.get("tasks")?.get(name)?;
        let command = task.as_str().or_else(|| task.get("command")?.as_str());
        let why = script::unfit(command.unwrap_or_default());
        let why = why.filter(|_| task.get("dependencies").is_none());
        Some(why.map_or_else(|| Ok(format!("deno task {name}")), Err))
    });
}

/// The commands of deno itself.
pub fn commands(survey: &mut Survey<'_>) {
    let Some(path) = survey.first_file(&FILES) else { return };
    let Some(file) = survey.json_with_comments(path) else { return };
    let deno = pins::pinned(survey, "deno");
    let mut commands = Vec::new();
    // `deno install` without a name came with the lock file's version 4.
    let lock = survey.json(LOCK);
    let version = lock.as_ref().and_then(|lock| lock.get("version")?.as_str()?.parse::<u32>().ok());
    if version.is_some_and(|version| version >= 4) {
        commands.push((Operation::Install, "deno install --frozen", LOCK.to_owned()));
    }
    if let Some(test) = survey.search(is_test) {
        commands.push((Operation::Test, "deno test", test));
    }
    if file.get("lint").is_some() {
        commands.push((Operation::Lint, "deno lint", format!("\"lint\" in {path}")));
    }
    let module = match file.get("exports") {
        Some(Value::String(module)) => Some(module.as_str()),
        Some(exports) => exports.get(".").and_then(Value::as_str),
        None => None,
    };
    let check = module.map(|module| format!("deno check {}", crate::exec::shell::quote(module)));
    if let Some(check) = &check {
        commands.push((Operation::TypeCheck, check, format!("\"exports\" in {path}")));
    }
    survey.found_all(commands, path, &[&deno]);
}

/// `a_test.ts`, `a.test.ts`, `test.ts`.
fn is_test(path: &str) -> bool {
    let name = file_name(path);
    let Some(stem) = MODULES.iter().find_map(|ending| name.strip_suffix(ending)) else {
        return false;
    };
    stem == "test" || has_ending(stem, &["_test", ".test"])
}
