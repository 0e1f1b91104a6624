//! A `package.json`: its scripts, and which of them can be run for their result.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::super::survey::Survey;
use super::super::{pins, range, script};
use crate::manifest::version::Requirement;

/// A package's `package.json`.
pub struct Package {
    /// What it says.
    pub content: Map<String, Value>,
    /// Where it is.
    pub path: String,
}

/// What runs a script of the same package by its name.
const RUNNERS: [&str; 4] = ["npm", "pnpm", "yarn", "bun"];

/// What runs several.
const SEVERAL: [&str; 5] = ["run-s", "run-p", "npm-run-all", "npm-run-all2", "concurrently"];

/// With these, a runner means the scripts of other packages.
const ELSEWHERE: [&str; 9] = [
    "-w",
    "--workspace",
    "--workspaces",
    "-ws",
    "--prefix",
    "-r",
    "--recursive",
    "--filter",
    "--cwd",
];

impl Package {
    /// The package at this path, if its `package.json` can be used.
    pub fn read(survey: &mut Survey<'_>, path: String) -> Option<Self> {
        survey.json(&path).map(|content| Self { content, path })
    }

    /// What a script runs.
    pub fn script(&self, name: &str) -> Option<&str> {
        self.content.get("scripts")?.get(name)?.as_str()
    }

    /// The first of these scripts that can be run for its result; a note for each that can't.
    pub fn fit_script<'n>(&self, survey: &mut Survey<'_>, names: &[&'n str]) -> Option<&'n str> {
        names.iter().copied().find(|name| {
            if self.script(name).is_none() {
                return false;
            }
            let why = self.unfit(name);
            if let Some(why) = why {
                survey.note(&self.path, &format!("script \"{name}\": {why}"));
            }
            why.is_none()
        })
    }

    /// Why a script is no evidence: it is unfit, or it runs one that never ends, or nothing but one that is unfit.
    pub fn unfit(&self, name: &str) -> Option<&'static str> {
        let (mut seen, mut alone) = (HashSet::new(), Some(name));
        while let Some(name) = alone {
            if !seen.insert(name) {
                return Some("it runs nothing but itself");
            }
            let script = self.script(name)?;
            if let Some(why) = script::unfit(script) {
                return Some(why);
            }
            alone = match (&script::parts(script)[..], &self.named(script)[..]) {
                ([_], [other]) => Some(*other),
                _ => None,
            };
        }
        let is_endless = |script| script::unfit(script) == Some(script::ENDLESS);
        self.reached(name).iter().any(|(_, script)| is_endless(script)).then_some(script::ENDLESS)
    }

    /// Whether a script, or one that it runs, holds one of these words.
    pub fn runs(&self, name: &str, words: &[&str]) -> bool {
        self.reached(name)
            .iter()
            .flat_map(|(_, script)| script.split(|c: char| c.is_whitespace() || c == '&'))
            .any(|word| words.contains(&word))
    }

    /// The names and texts of a script and of all that it runs by their names, itself first.
    pub fn reached<'a>(&'a self, name: &'a str) -> Vec<(&'a str, &'a str)> {
        let mut reached: Vec<(&str, &str)> = Vec::new();
        let mut left = vec![name];
        while let Some(name) = left.pop() {
            let is_new = !reached.iter().any(|(known, _)| *known == name);
            if let Some(script) = self.script(name).filter(|_| is_new) {
                reached.push((name, script));
                let parts = script::parts(script).into_iter();
                left.extend(parts.flat_map(|(_, part)| self.named(part)));
            }
        }
        reached
    }

    /// The scripts of this package that a command runs.
    fn named<'a>(&'a self, command: &'a str) -> Vec<&'a str> {
        let is_setting = |word: &&str| word.contains('=') || *word == "cross-env";
        let mut words = command.split_whitespace().skip_while(is_setting);
        let Some(runner) = words.next() else { return Vec::new() };
        if SEVERAL.contains(&runner) {
            let all = self.content.get("scripts").and_then(Value::as_object);
            let all: Vec<&str> = all.into_iter().flat_map(Map::keys).map(String::as_str).collect();
            return words.flat_map(|word| of_pattern(word, &all)).collect();
        }
        let mut words = words.peekable();
        if !RUNNERS.contains(&runner) || words.clone().any(|word| ELSEWHERE.contains(&word)) {
            return Vec::new();
        }
        let is_told = words.next_if(|word| matches!(*word, "run" | "run-script")).is_some();
        let name = words.find(|word| !word.starts_with('-'));
        // Without `run`, npm knows few scripts, and bun has commands of its own by the usual names.
        let is_script = |name: &&str| match runner {
            _ if is_told => true,
            "npm" => matches!(*name, "test" | "start" | "stop" | "restart"),
            "bun" => !matches!(*name, "test" | "build" | "install"),
            _ => true,
        };
        let name = name.filter(is_script).filter(|name| self.script(name).is_some());
        name.into_iter().collect()
    }

    /// The versions of all dependencies that the package names.
    pub fn dependencies(&self) -> impl Iterator<Item = &str> {
        ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"]
            .into_iter()
            .filter_map(|key| self.content.get(key)?.as_object())
            .flat_map(|versions| versions.values().filter_map(Value::as_str))
    }

    /// The package manager that it states, and its version, which may be empty.
    pub fn manager(&self) -> Option<(&str, &str)> {
        if let Some(stated) = self.content.get("packageManager").and_then(Value::as_str) {
            return Some(stated.split_once('@').unwrap_or((stated, "")));
        }
        let stated = self.content.get("devEngines")?.get("packageManager")?;
        let first = stated.as_array().map_or(Some(stated), |several| several.first())?;
        let version = first.get("version").and_then(Value::as_str).unwrap_or_default();
        Some((first.get("name")?.as_str()?, version))
    }

    /// The version of Node that it states, or that the project pins.
    pub fn node(&self, survey: &mut Survey<'_>) -> Option<Requirement> {
        let stated = |table: &str| self.content.get(table)?.get("node")?.as_str();
        match (stated("engines"), stated("volta")) {
            // One version alone is what the project is made with: managers only warn of another.
            (Some(engines), _) if range::is_exact(engines) => {
                range::pinned("node", engines.trim().trim_start_matches('='), range::Pin::Major)
            }
            (Some(engines), _) => range::requirement("node", engines, range::Dialect::Npm),
            (None, Some(volta)) => range::pinned("node", volta, range::Pin::Major),
            (None, None) => pins::pinned(survey, "node"),
        }
    }
}

/// The scripts that a word of `run-s` and its like means: by name, as `npm:NAME`, or as `test:*`.
fn of_pattern<'a>(word: &str, all: &[&'a str]) -> Vec<&'a str> {
    let word = word.trim_matches(['"', '\'']).trim_start_matches("npm:");
    let fits = |name: &str| match word.split_once('*') {
        Some((start, _)) => name.starts_with(start),
        None => name == word,
    };
    all.iter().copied().filter(|name| fits(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unfit(scripts: &[(&str, &str)]) -> Option<&'static str> {
        let scripts: Map<String, Value> =
            scripts.iter().map(|(name, script)| ((*name).to_owned(), (*script).into())).collect();
        let content = [("scripts".to_owned(), Value::Object(scripts))].into_iter().collect();
        Package { content, path: String::new() }.unfit("test")
    }

    #[test]
    fn a_script_is_unfit_if_the_one_that_it_runs_never_ends() {
        for script in [
            "npm run unit",
            "npm run -s unit",
            "yarn unit",
            "lint && pnpm run unit",
            "CI=1 bun run unit",
            "run-s lint unit",
            "run-p 'un*'",
            "npm run all",
        ] {
            let scripts =
                [("test", script), ("unit", "jest --watch"), ("lint", "a"), ("all", "yarn unit")];
            assert_eq!(unfit(&scripts), Some(script::ENDLESS), "{script}");
        }
    }

    #[test]
    fn a_script_is_fit_if_what_it_runs_is() {
        let unit = ("unit", "jest");
        let fit =
            ["npm run unit", "npm run gone", "npm run test --workspaces", "yarn jest", "bun test"];
        for script in fit {
            assert_eq!(unfit(&[("test", script), unit]), None, "{script}");
        }
        // Only a part of it does nothing.
        assert_eq!(
            unfit(&[("test", "npm run lint && npm run unit"), unit, ("lint", "true")]),
            None
        );
        assert!(unfit(&[("test", "npm run lint"), ("lint", "echo none")]).is_some());
    }

    #[test]
    fn scripts_that_run_one_another_in_a_circle_are_unfit() {
        let why = Some("it runs nothing but itself");
        assert_eq!(unfit(&[("test", "npm run test")]), why);
        assert_eq!(unfit(&[("test", "npm run a"), ("a", "yarn b"), ("b", "npm test")]), why);
    }
}
