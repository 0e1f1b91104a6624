//! The layout's promises: who may import whom, that each file says what it is for, and that none is too long.

mod source;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use source::{Token, declared_modules, names_process_command, references, tokens};

/// The top-level modules, highest first. A module may import from the layers below its own, and nothing else.
const ORDER: [&[&str]; 6] = [
    &["commands"],
    &["scaffold"],
    &["detect", "assumption", "telemetry", "envelope"],
    &["git"],
    &["exec", "manifest", "home"],
    &["cli", "file", "outcome", "text"],
];

const MOST_LINES: usize = 400;

/// A source file: its path below `src/`, and its text.
struct File {
    path: PathBuf,
    text: String,
}

impl File {
    /// The names of the modules that the file is in, top level first; none for the crate's own root and `main`.
    fn modules(&self) -> Vec<String> {
        let path = self.path.with_extension("");
        let names: Vec<String> =
            path.iter().map(|name| name.to_string_lossy().into_owned()).collect();
        if names == ["lib"] || names == ["main"] { Vec::new() } else { names }
    }
}

fn layer(module: &str) -> Option<usize> {
    ORDER.iter().position(|layer| layer.contains(&module))
}

/// The imports of a file that don't go down the order.
fn wrong_imports(file: &File) -> Vec<String> {
    let modules = file.modules();
    let Some(own) = modules.first() else { return Vec::new() };
    let Some(own_layer) = layer(own) else {
        return vec![format!("src/{}: '{own}' has no place in the order", file.path.display())];
    };
    references(&file.text, modules.len())
        .into_iter()
        .filter(|reference| reference.module != *own)
        .filter(|reference| layer(&reference.module).is_none_or(|other| other <= own_layer))
        .map(|reference| {
            format!(
                "src/{}:{}: '{own}' must not name '{}'",
                file.path.display(),
                reference.line,
                reference.module
            )
        })
        .collect()
}

/// What differs between the modules that `lib.rs` declares and those that are there.
fn wrong_map(lib: &str, top_level: &BTreeSet<String>) -> Vec<String> {
    let declared: BTreeSet<String> = declared_modules(lib).into_iter().collect();
    declared
        .symmetric_difference(top_level)
        .map(|name| format!("src/lib.rs: is '{name}' declared, and is it there?"))
        .collect()
}

fn wrong_head(file: &File) -> Option<String> {
    let is_said =
        file.text.lines().next().is_some_and(|line| {
            line.strip_prefix("//! ").is_some_and(|line| !line.trim().is_empty())
        });
    (!is_said).then(|| {
        format!("src/{}: the first line must say `//! ` what the file is for", file.path.display())
    })
}

fn wrong_command(file: &File) -> Option<String> {
    let is_exec = file.modules().first().is_some_and(|name| name == "exec");
    (!is_exec && names_process_command(&file.text))
        .then(|| format!("src/{}: only exec starts processes", file.path.display()))
}

fn wrong_length(path: &Path, text: &str) -> Option<String> {
    let lines = text.lines().count();
    (lines > MOST_LINES)
        .then(|| format!("{}: {lines} lines are more than {MOST_LINES}", path.display()))
}

/// The files below a directory of the repo, with their paths relative to it.
fn files(directory: &str) -> Vec<File> {
    fn walk(root: &Path, below: &Path, found: &mut Vec<File>) {
        for entry in fs::read_dir(root.join(below)).unwrap().map(Result::unwrap) {
            let path = below.join(entry.file_name());
            if entry.file_type().unwrap().is_dir() {
                walk(root, &path, found);
            } else {
                let bytes = fs::read(entry.path()).unwrap();
                found.push(File { path, text: String::from_utf8_lossy(&bytes).into_owned() });
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(directory);
    let mut found = Vec::new();
    walk(&root, Path::new(""), &mut found);
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

fn sources() -> Vec<File> {
    files("src")
        .into_iter()
        .filter(|file| file.path.extension().is_some_and(|extension| extension == "rs"))
        .collect()
}

fn none<T: std::fmt::Display>(wrong: impl IntoIterator<Item = T>) {
    let wrong: Vec<String> = wrong.into_iter().map(|one| one.to_string()).collect();
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

#[test]
fn imports_go_down_the_order_only() {
    none(sources().iter().flat_map(wrong_imports));
}

#[test]
fn lib_rs_lists_every_top_level_module() {
    let sources = sources();
    let top_level: BTreeSet<String> =
        sources.iter().filter_map(|file| file.modules().first().cloned()).collect();
    let lib = sources.iter().find(|file| file.path == Path::new("lib.rs")).unwrap();
    none(wrong_map(&lib.text, &top_level));
}

#[test]
fn every_source_file_says_what_it_is_for() {
    none(sources().iter().filter_map(wrong_head));
}

#[test]
fn only_exec_starts_processes() {
    none(sources().iter().filter_map(wrong_command));
}

#[test]
fn no_file_is_named_mod_rs() {
    none(
        files("src")
            .iter()
            .chain(&files("tests"))
            .filter(|file| file.path.ends_with("mod.rs"))
            .map(|file| file.path.display()),
    );
}

#[test]
fn no_file_is_too_long() {
    let of = |directory: &'static str| {
        files(directory)
            .into_iter()
            .filter_map(move |file| wrong_length(&Path::new(directory).join(file.path), &file.text))
    };
    none(of("src").chain(of("tests")));
}

// The checks themselves.

fn file(path: &str, text: &str) -> File {
    File { path: path.into(), text: text.to_owned() }
}

#[test]
fn an_import_upwards_or_sideways_is_caught_wherever_it_hides() {
    let wrong = [
        ("git.rs", "use crate::commands::run;"),
        ("git.rs", "use crate::{exec, envelope::Envelope};"),
        ("exec.rs", "use crate::manifest::Manifest;"),
        ("exec/spawn.rs", "fn f() { crate::home::path() }"),
        ("exec/spawn.rs", "use super::super::git;"),
        ("exec/spawn.rs", "use super::super::{text, home};"),
        ("exec.rs", "use super::git;"),
        ("exec.rs", "mod tests { mod deep { use super::super::super::git; } }"),
        ("text.rs", "use crate::*;"),
        ("text.rs", "/* a /* comment */ */ use crate :: outcome;"),
    ];
    for (path, text) in wrong {
        assert_eq!(wrong_imports(&file(path, text)).len(), 1, "{path}: {text}");
    }
}

#[test]
fn an_import_downwards_or_of_ones_own_is_fine() {
    let right = [
        ("commands/run.rs", "use crate::{exec::{self, git}, text}; use crate::commands::list;"),
        ("exec/spawn.rs", "use super::relay; use super::super::text; use crate::exec::kill;"),
        ("exec.rs", "mod tests { use super::*; use super::spawn; }"),
        ("exec.rs", "pub(crate) fn f() -> &'static str { \"crate::git\" } // crate::git"),
        (
            "exec.rs",
            "const A: &str = r#\"crate::git \" \"#; const B: char = '\"'; const C: u8 = b'\\''; /* crate::git */",
        ),
        ("lib.rs", "use crate::commands;"),
    ];
    for (path, text) in right {
        assert_eq!(wrong_imports(&file(path, text)), [""; 0], "{path}: {text}");
    }
}

#[test]
fn a_module_without_a_place_is_caught() {
    assert_eq!(
        wrong_imports(&file("utils.rs", "")),
        ["src/utils.rs: 'utils' has no place in the order"]
    );
    assert_eq!(
        wrong_imports(&file("exec.rs", "use crate::utils;")),
        ["src/exec.rs:1: 'exec' must not name 'utils'"]
    );
}

#[test]
fn a_module_that_the_map_lacks_is_caught() {
    let top_level = BTreeSet::from(["exec".to_owned(), "git".to_owned()]);
    assert_eq!(wrong_map("mod exec;\npub mod git;", &top_level), [""; 0]);
    assert_eq!(wrong_map("mod exec; // mod git;", &top_level).len(), 1);
    assert_eq!(wrong_map("mod exec; mod git; mod old;", &top_level).len(), 1);
}

#[test]
fn a_file_without_a_head_or_with_too_many_lines_is_caught() {
    assert!(wrong_head(&file("exec.rs", "//! Runs.\n")).is_none());
    assert!(wrong_head(&file("exec.rs", "use std::fs;\n//! Runs.\n")).is_some());
    assert!(wrong_head(&file("exec.rs", "//! \n")).is_some());
    assert!(wrong_length(Path::new("a"), &"\n".repeat(MOST_LINES)).is_none());
    assert!(wrong_length(Path::new("a"), &"\n".repeat(MOST_LINES + 1)).is_some());
}

#[test]
fn a_process_that_is_started_elsewhere_is_caught() {
    for text in [
        "use std::process::Command;",
        "use std::process::{ExitCode, Command};",
        "use std::{fs, process::Command};",
    ] {
        assert!(wrong_command(&file("git.rs", text)).is_some(), "{text}");
        assert!(wrong_command(&file("exec/spawn.rs", text)).is_none(), "{text}");
    }
    for text in ["use std::process::ExitCode;", "use clap::Command;", "// std::process::Command"] {
        assert!(wrong_command(&file("git.rs", text)).is_none(), "{text}");
    }
}

#[test]
fn lines_are_counted_through_comments_and_texts() {
    let source = "/*\n*/ \"a\n\" r#\"\n\"# x";
    assert_eq!(tokens(source), [(4, Token::Word("x".to_owned()))]);
}
