//! The commands that `cap init` finds, really run: each must pass. What a machine lacks is skipped with a note;
//! `scripts/try-init` gets it first.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::builder::Test;
use crate::builder::sandbox::Sandbox;

/// Where Debian keeps Maven's plugins, for builds without a network.
const MAVEN_REPOSITORY: &str = "/usr/share/maven-repo";

/// Whether this program runs here, with these words.
fn is_here(program: &str, words: &[&str]) -> bool {
    let mut command = Command::new(program);
    command.args(words).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let is_here = command.status().is_ok_and(|status| status.success());
    if !is_here {
        let _ = writeln!(std::io::stderr(), "skipped: {program} {} doesn't run", words.join(" "));
    }
    is_here
}

/// cap with the tools of whoever runs the tests, and the places where cargo and rustup keep their own.
fn with_tools(sandbox: Sandbox) -> Test {
    let home = std::env::var_os("HOME").unwrap_or_default();
    let place = |name: &str, below: &str| {
        std::env::var_os(name).unwrap_or_else(|| Path::new(&home).join(below).into_os_string())
    };
    Test::in_sandbox(sandbox)
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("CARGO_HOME", place("CARGO_HOME", ".cargo"))
        .env("RUSTUP_HOME", place("RUSTUP_HOME", ".rustup"))
        .env("CARGO_NET_OFFLINE", "true")
        .env("PYENV_ROOT", place("PYENV_ROOT", ".pyenv"))
        .env("MAVEN_OPTS", format!("-Dmaven.repo.local={MAVEN_REPOSITORY}"))
        .limit(std::time::Duration::from_mins(5))
}

/// Makes the manifest of a project and runs every entry, which must be these.
fn every_entry_passes(files: &[(&str, &str)], expected: &[&str]) {
    let sandbox = Sandbox::new();
    for (path, content) in files {
        sandbox.write(path, content);
    }
    let made = with_tools(sandbox).cap(["init"]).stdout_contains("written").success();
    let listed = made.again().cap(["list", "--json"]).stdout_contains("").success();
    let listing: Value = serde_json::from_str(&listed.stdout).unwrap();
    let entries = listing["capabilities"].as_array().unwrap();
    let ids: Vec<&str> = entries.iter().map(|entry| entry["id"].as_str().unwrap()).collect();
    assert_eq!(ids, expected);
    let mut sandbox = listed.sandbox;
    for id in ids {
        let test = with_tools(sandbox).run(id).stdout_contains("").stderr_contains("");
        sandbox = test.may_change_files().ok().sandbox;
    }
}

const ALL: [&str; 6] =
    ["dependencies.install", "test.focused", "test.full", "lint.run", "typecheck.run", "build.run"];

#[test]
fn what_is_found_of_node_and_npm_passes() {
    if !is_here("npm", &["--version"]) {
        return;
    }
    let package = r#"{
        "name": "app", "version": "1.0.0", "engines": {"node": ">=16"},
        "scripts": {
            "test": "node --test", "lint": "node --check index.js",
            "typecheck": "node --check index.js", "build": "node index.js"
        }
    }"#;
    let lock = r#"{"name": "app", "version": "1.0.0", "lockfileVersion": 3, "requires": true,
        "packages": {"": {"name": "app", "version": "1.0.0"}}}"#;
    let test = "require('node:test')('adds', () => require('node:assert').equal(1 + 1, 2));\n";
    let files = [
        ("package.json", package),
        ("package-lock.json", lock),
        ("index.js", "console.log('built');\n"),
        ("index.test.js", test),
    ];
    every_entry_passes(&files, &ALL);
}

#[test]
fn what_is_found_of_npm_workspaces_passes() {
    if !is_here("npm", &["--version"]) {
        return;
    }
    let member = r#"{"name": "a", "version": "1.0.0", "scripts": {"test": "node --test"}}"#;
    let files = [
        ("package.json", r#"{"name": "top", "private": true, "workspaces": ["packages/*"]}"#),
        ("packages/a/package.json", member),
        ("packages/a/a.test.js", "require('node:test')('runs', () => {});\n"),
        ("packages/b/package.json", r#"{"name": "b", "version": "1.0.0"}"#),
    ];
    every_entry_passes(&files, &ALL[..3]);
}

#[test]
fn what_is_found_of_cargo_passes() {
    if !is_here("cargo", &["clippy", "--version"]) {
        return;
    }
    let manifest = "[workspace]\n[package]\nname = 'app'\nversion = '0.1.0'\nedition = '2021'\n\
                    rust-version = '1.70'\n[lints.clippy]\nall = 'deny'\n";
    let library = "/// Adds.\npub fn add(a: u8, b: u8) -> u8 {\n    a + b\n}\n\n#[test]\n\
                   fn adds() {\n    assert_eq!(add(1, 1), 2);\n}\n";
    every_entry_passes(&[("Cargo.toml", manifest), ("src/lib.rs", library)], &ALL);
}

#[test]
fn what_is_found_of_make_passes() {
    if !is_here("make", &["--version"]) {
        return;
    }
    let makefile = ".PHONY: test lint typecheck build\n\
                    test lint:\n\ttest -f Makefile\n\
                    typecheck: build\n\
                    build: ; touch built\n";
    every_entry_passes(&[("Makefile", makefile)], &ALL[1..]);
}

#[test]
fn what_is_found_of_python_passes() {
    let tools = ["pytest", "flake8", "mypy"];
    if !tools.iter().all(|tool| is_here("python3", &["-m", tool, "--version"])) {
        return;
    }
    let project = "[project]\nname = 'app'\nversion = '1'\nrequires-python = '>=3.8'\n\
                   [tool.mypy]\nstrict = true\n[tool.pytest.ini_options]\naddopts = '-q'\n";
    let files = [
        ("pyproject.toml", project),
        ("requirements.txt", "pytest\nflake8\nmypy\n"),
        (".flake8", "[flake8]\nmax-line-length = 100\n"),
        ("app/__init__.py", "def add(a: int, b: int) -> int:\n    return a + b\n"),
        (
            "tests/test_app.py",
            "from app import add\n\n\ndef test_adds():\n    assert add(1, 1) == 2\n",
        ),
    ];
    every_entry_passes(&files, &ALL[..5]);
}

#[test]
fn what_is_found_of_maven_passes() {
    if !is_here("mvn", &["--version"]) {
        return;
    }
    // Without Maven's plugins, which come from a network or a distribution, a parent alone can be built.
    let has_plugins = ["surefire", "jar", "compiler", "resources"].iter().all(|plugin| {
        let path = format!("org/apache/maven/plugins/maven-{plugin}-plugin");
        Path::new(MAVEN_REPOSITORY).join(path).exists()
    });
    let (packaging, test) = if has_plugins {
        let dependency = "<dependencies><dependency><groupId>junit</groupId><artifactId>junit</artifactId>\
                          <version>4.x</version><scope>test</scope></dependency></dependencies>";
        ("jar", dependency)
    } else {
        ("pom", "")
    };
    let project = format!(
        "<project><modelVersion>4.0.0</modelVersion><groupId>org.example</groupId>\
         <artifactId>app</artifactId><version>1</version><packaging>{packaging}</packaging>\
         <properties><maven.compiler.source>8</maven.compiler.source>\
         <maven.compiler.target>8</maven.compiler.target></properties>{test}</project>\n"
    );
    let files = [
        ("pom.xml", &*project),
        (".mvn/maven.config", "-o\n"),
        ("src/main/java/A.java", "class A { static int one() { return 1; } }\n"),
        (
            "src/test/java/ATest.java",
            "public class ATest { @org.junit.Test public void one() { org.junit.Assert.assertEquals(1, A.one()); } }\n",
        ),
    ];
    every_entry_passes(&files, &["test.focused", "test.full", "typecheck.run", "build.run"]);
}
