//! Workspaces of Node: scripts that only the members have.

use serde_json::Value;

use super::super::survey::Survey;
use super::super::{Operation, Worth, script};
use super::manager::Manager;
use super::package::Package;
use super::{PACKAGE, WATCHING, ended};
use crate::manifest::yaml::Node;

/// Where the members are, for pnpm.
const PNPM_WORKSPACE: &str = "pnpm-workspace.yaml";

/// Whether this is the top of a workspace.
pub fn is_top(survey: &Survey<'_>, package: &Package) -> bool {
    survey.has_file(PNPM_WORKSPACE) || package.content.contains_key("workspaces")
}

/// The script of the members for an operation, if any has one and it can be run in all that do.
pub fn script(
    survey: &mut Survey<'_>,
    top: &Package,
    manager: Manager,
    (operation, worth): (Operation, Worth),
    names: &[&str],
) {
    let members = members(survey, top, manager);
    for name in names {
        let having = || members.iter().filter(|member| member.script(name).is_some());
        if let Some((path, why)) = having().find_map(|member| hindrance(member, name)) {
            survey
                .note(path, &format!("script \"{name}\", which would run with the others: {why}"));
            continue;
        }
        let Some(member) = having().find(|member| member.unfit(name).is_none()) else {
            continue;
        };
        if let Some(command) = manager.run_in_members(name, survey, top) {
            let is_watching =
                operation == Operation::Test && having().any(|member| member.runs(name, &WATCHING));
            let command = ended(command, is_watching);
            let node = if manager == Manager::Bun { None } else { top.node(survey) };
            let path = &member.path;
            let evidence = format!("script \"{name}\" in {path}, a member of the workspace");
            let found = survey.found(operation, command, evidence).worth(worth);
            found.needs_file(PACKAGE).needs(node).add();
        } else {
            let members = format!("only members of the workspace have a script \"{name}\"");
            let why = format!("{members}, which {} can't always run", manager.program());
            survey.note(PACKAGE, &why);
        }
        return;
    }
}

/// What keeps a run of this script in all members from ending well, and where.
fn hindrance<'a>(member: &'a Package, name: &str) -> Option<(&'a str, &'static str)> {
    let endless = member.unfit(name).filter(|why| *why == script::ENDLESS);
    let failing = member.script(name).is_some_and(script::only_fails).then_some("it only fails");
    endless.or(failing).map(|why| (&*member.path, why))
}

/// The packages that the workspace's patterns name.
fn members(survey: &mut Survey<'_>, top: &Package, manager: Manager) -> Vec<Package> {
    let patterns = match manager {
        Manager::Pnpm => of_pnpm(survey),
        Manager::Npm | Manager::Yarn | Manager::ClassicYarn | Manager::Bun => of_package(top),
    };
    if patterns.is_empty() {
        return Vec::new();
    }
    if let Some(unknown) = patterns.iter().find(|pattern| pattern.contains(['{', '[', '('])) {
        survey.note(PACKAGE, &format!("which members the workspace has: \"{unknown}\" is unclear"));
        return Vec::new();
    }
    let is_of_member = |path: &str| {
        let directory = path.rsplit_once('/').filter(|(_, name)| *name == PACKAGE);
        directory.is_some_and(|(directory, _)| is_member(directory, &patterns))
    };
    let paths = survey.search_all(is_of_member).into_iter();
    paths.filter_map(|path| Package::read(survey, path)).collect()
}

/// Whether the last of the patterns that fits a directory is no exclusion.
fn is_member(directory: &str, patterns: &[String]) -> bool {
    let names: Vec<&str> = directory.split('/').collect();
    let mut is_member = false;
    for pattern in patterns {
        let (pattern, is_included) = match pattern.strip_prefix('!') {
            Some(excluded) => (excluded, false),
            None => (&**pattern, true),
        };
        let pattern = pattern.trim_start_matches("./").trim_end_matches('/');
        if fits(&names, &pattern.split('/').collect::<Vec<_>>()) {
            is_member = is_included;
        }
    }
    is_member
}

/// Whether the names of a path fit those of a pattern, in which `**` stands for any number of names.
fn fits(names: &[&str], pattern: &[&str]) -> bool {
    fits_by(
        names,
        pattern,
        |part| *part == "**",
        |name, part| {
            let [name, part] = [name, part].map(|text| text.chars().collect::<Vec<_>>());
            fits_by(&name, &part, |c| *c == '*', PartialEq::eq)
        },
    )
}

/// Whether items fit a pattern, in which a star stands for any number of items. Only the last star that was met
/// may have to take more: what is before it fits already.
fn fits_by<T>(
    items: &[T],
    pattern: &[T],
    is_star: impl Fn(&T) -> bool,
    fits: impl Fn(&T, &T) -> bool,
) -> bool {
    let (mut item, mut part) = (0, 0);
    let mut star = None;
    while item < items.len() {
        if pattern.get(part).is_some_and(&is_star) {
            star = Some((part, item));
            part += 1;
        } else if pattern.get(part).is_some_and(|part| fits(&items[item], part)) {
            (item, part) = (item + 1, part + 1);
        } else if let Some((at, taken)) = star {
            star = Some((at, taken + 1));
            (item, part) = (taken + 1, at + 1);
        } else {
            return false;
        }
    }
    pattern[part..].iter().all(is_star)
}

fn of_package(top: &Package) -> Vec<String> {
    let workspaces = top.content.get("workspaces");
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_pattern_that_fits_tells_whether_a_directory_is_a_member() {
        let is_member = |directory: &str, patterns: &[&str]| {
            let patterns: Vec<String> = patterns.iter().map(|it| (*it).to_owned()).collect();
            super::is_member(directory, &patterns)
        };
        for (directory, patterns) in [
            ("packages/a", &["packages/*"][..]),
            ("packages/a", &["./packages/*/"]),
            ("packages/a/b", &["packages/**"]),
            ("packages", &["packages/**"]),
            ("app", &["lib", "app"]),
            ("apps/web-ui", &["apps/web-*"]),
        ] {
            assert!(is_member(directory, patterns), "{directory} {patterns:?}");
        }
        for (directory, patterns) in [
            ("packages/a/b", &["packages/*"][..]),
            ("other/a", &["packages/**"]),
            ("packages/old", &["packages/*", "!packages/old"]),
            ("packages/a/test/x", &["packages/**", "!**/test/**"]),
            ("apps/web", &["apps/web-*"]),
        ] {
            assert!(!is_member(directory, patterns), "{directory} {patterns:?}");
        }
    }

    #[test]
    fn many_stars_take_no_time() {
        let (name, stars) = ("a".repeat(200), "*a".repeat(50) + "b");
        assert!(!fits(&[&name], &[&stars]));
        assert!(!fits(&["a"; 200], &[["**", "a"].repeat(50), vec!["b"]].concat()));
    }
}
