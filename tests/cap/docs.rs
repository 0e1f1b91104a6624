//! The README and the docs: what they show is run, and must print what they say; what they promise in numbers is
//! what the code has.
//!
//! In a page, in order: a block under `<!-- file: PATH -->` is written; an `sh` block is read by the shell; the
//! lines of a `console` block that begin with `$ ` are run, and what they print follows, with `…` for anything;
//! an indented line that begins with `cap ` is run in a repo and must succeed; a manifest
//! must be one.

mod blocks;
mod numbers;

use std::fs;
use std::path::{Path, PathBuf};

use crate::builder::Test;
use crate::builder::sandbox::{MANIFEST, Sandbox};
use blocks::{Block, blocks};

/// Separates what the commands of a block print.
const NEXT: &str = "\u{1}next\u{1}\n";

/// What the examples' tools print, without their being here.
const TOOLS: [(&str, &str); 2] = [
    ("node", "echo v20.20.2"),
    (
        "npm",
        "case $* in *auth*) echo 'auth: rejects an old token: failed'; exit 1 ;; *) echo passed ;; esac",
    ),
];

fn repo() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

fn pages() -> Vec<PathBuf> {
    let docs = fs::read_dir(repo().join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let is_page = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "md");
    let mut pages: Vec<PathBuf> = docs.filter(is_page).chain([repo().join("README.md")]).collect();
    pages.sort();
    pages
}

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    for (name, body) in TOOLS {
        sandbox.write_executable(sandbox.tools().join(name), &format!("#!/bin/sh\n{body}\n"));
    }
    sandbox.write("node_modules/.package-lock.json", "{}");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_cap"), sandbox.tools().join("cap")).unwrap();
    sandbox
}

/// A repo that can do what a command by itself may ask for.
fn in_a_repo() -> Sandbox {
    let sandbox = sandbox();
    sandbox.write(MANIFEST, "capabilities: {test.focused: {command: echo passed}}\n");
    sandbox.git(["init", "-q"]);
    sandbox.git(["add", "-A"]);
    sandbox.git(["commit", "-q", "-m", "start"]);
    sandbox
}

/// What each of the commands prints on both streams, run by one shell.
fn run(sandbox: &Sandbox, functions: &str, commands: &[&str]) -> (Vec<String>, bool) {
    let next = format!("\ncode=$?; printf '{}'; (exit $code)\n", NEXT.replace('\n', "\\n"));
    let script = commands.join(&next);
    let output = sandbox.output("sh", ["-c", &format!("exec 2>&1\n{functions}\n{script}{next}")]);
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let parts = printed.split(NEXT).map(str::to_owned);
    (parts.take(commands.len()).collect(), output.status.success())
}

/// Whether a text is what is expected, with `…` for anything.
fn is_like(text: &str, expected: &str) -> bool {
    let Some((start, mut rest)) = expected.split_once('…') else { return text == expected };
    let Some(mut text) = text.strip_prefix(start) else { return false };
    while let Some((piece, behind)) = rest.split_once('…') {
        let Some(at) = text.find(piece) else { return false };
        text = &text[at + piece.len()..];
        rest = behind;
    }
    text.ends_with(rest)
}

/// What is wrong in a page.
fn check(page: &Path) -> Vec<String> {
    let (sandbox, mut functions, mut wrong) = (sandbox(), String::new(), Vec::new());
    for block in blocks(&fs::read_to_string(page).unwrap()) {
        match block {
            Block::File { path, content } => {
                sandbox.write(path, content);
            }
            Block::Shell(text) => functions += &text,
            Block::Manifest(text) => {
                let ran = Test::new().manifest_bytes(text).list().stdout_contains(MANIFEST);
                ran.success();
            }
            Block::Command(command) => {
                let (printed, is_success) = run(&in_a_repo(), "", &[&command]);
                if !is_success {
                    wrong.push(format!("$ {command}\n{}", printed.concat()));
                }
            }
            Block::Console(commands) => {
                let lines: Vec<&str> = commands.iter().map(|(line, _)| &**line).collect();
                let (printed, _) = run(&sandbox, &functions, &lines);
                for ((command, expected), found) in commands.iter().zip(printed) {
                    if !is_like(&found, expected) {
                        wrong.push(format!("$ {command}\n{expected}--- but it prints\n{found}"));
                    }
                }
            }
        }
    }
    wrong
}

#[test]
fn every_command_in_the_docs_does_what_they_say() {
    let wrong: Vec<String> = pages()
        .iter()
        .flat_map(|page| check(page).into_iter().map(|it| format!("{}:\n{it}", page.display())))
        .collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn every_link_in_the_docs_leads_somewhere() {
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let path = target.split('#').next().unwrap_or_default();
            if !path.is_empty() && !path.starts_with("https://") {
                let target = page.parent().unwrap().join(path);
                assert!(target.exists(), "{}: {path}", page.display());
            }
        }
    }
}

#[test]
fn dots_stand_for_anything() {
    for (text, expected) in [("a", "a"), ("a1b2c", "a…b…c"), ("abc", "…c"), ("a", "a…"), ("", "…")]
    {
        assert!(is_like(text, expected), "{text} {expected}");
    }
    for (text, expected) in [("a", "b"), ("ab", "a"), ("ac", "a…b…c"), ("ab", "…a"), ("", "a…")]
    {
        assert!(!is_like(text, expected), "{text} {expected}");
    }
}
