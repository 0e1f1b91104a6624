//! Workspaces of Node: scripts that only the members have.

use serde_json::Value;

use super::super::Operation;
use super::super::survey::{Survey, join};
use super::manager::Manager;
use super::{PACKAGE, Package};
use crate::manifest::yaml::Node;

/// Where the members are, for pnpm.
const PNPM_WORKSPACE: &str = "pnpm-workspace.yaml";

/// The script of the members for an operation, if any has one.
pub fn script(
    survey: &mut Survey<'_>,
    root: &Package,
    manager: Manager,
    operation: Operation,
    names: &[&str],
) {
    for member in members(survey, root, manager) {
        let path = join(&member, PACKAGE);
        if !survey.has_file(&path) {
            continue;
        }
        let Some(package) = Package::read(survey, path.clone()) else { continue };
        let Some(name) = package.fit_script(survey, names) else { continue };
        if let Some(command) = manager.run_in_members(name) {
            let node = root.node(survey);
            let evidence = format!("script \"{name}\" in {path}, a member of the workspace");
            survey.found(operation, command, evidence).needs_file(PACKAGE).needs(node).add();
        } else {
            let members = format!("only members of the workspace have a script \"{name}\"");
            let why = format!("{members}, which {} can't always run", manager.program());
            survey.note(PACKAGE, &why);
        }
        return;
    }
}

/// The directories that the workspace's patterns name, as far as they are plain or end in `/*`.
fn members(survey: &mut Survey<'_>, root: &Package, manager: Manager) -> Vec<String> {
    let patterns = match manager {
        Manager::Pnpm => of_pnpm(survey),
        Manager::Npm | Manager::Yarn | Manager::ClassicYarn | Manager::Bun => of_package(root),
    };
    let is_below = |path: &str| !path.starts_with('/') && !path.split('/').any(|name| name == "..");
    let mut members = Vec::new();
    for pattern in patterns {
        let pattern = pattern.trim_start_matches("./").trim_end_matches('/').to_owned();
        if !is_below(&pattern) {
            continue;
        }
        if let Some(excluded) = pattern.strip_prefix('!') {
            members.retain(|member| member != excluded);
        } else if let Some(directory) = pattern.strip_suffix("/*") {
            members.extend(survey.names(directory).iter().map(|name| join(directory, name)));
        } else {
            members.push(pattern);
        }
    }
    members
}

fn of_package(root: &Package) -> Vec<String> {
    let workspaces = root.content.get("workspaces");
    let patterns = workspaces.map(|value| value.get("packages").unwrap_or(value));
    let patterns = patterns.and_then(Value::as_array).into_iter().flatten();
    patterns.filter_map(|pattern| pattern.as_str().map(str::to_owned)).collect()
}

fn of_pnpm(survey: &mut Survey<'_>) -> Vec<String> {
    let patterns = survey.yaml(PNPM_WORKSPACE);
    let patterns = patterns.as_ref().and_then(|file| file.get("packages")).and_then(Node::as_list);
    let patterns = patterns.into_iter().flatten();
    patterns.filter_map(|pattern| pattern.as_str().map(str::to_owned)).collect()
}
