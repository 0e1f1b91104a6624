//! What is no ordinary file, or no ordinary text: it gives nothing, and the manifest says why.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use nix::sys::stat::Mode;

use crate::builder::Test;

const MAKEFILE: &str = ".PHONY: test\ntest:\n\ttrue && ./run\n";

/// What `cap init` prints of a project with a Makefile that is fine.
fn printed(test: Test) -> String {
    let test = test.file("Makefile", MAKEFILE).cap(["init", "--print"]);
    let printed = test.stdout_contains("command: make test").success().stdout;
    // What is printed must load without a warning, too.
    Test::new().manifest_bytes(&printed).list().stdout_contains("make test").success();
    printed
}

#[track_caller]
fn is_not_used(test: Test, notes: &[&str]) {
    let printed = printed(test);
    for note in notes {
        let line = printed.lines().find(|line| line.contains(note));
        assert!(line.is_some_and(|it| it.starts_with("# Not used: ")), "{note}:\n{printed}");
    }
}

#[test]
fn a_file_that_cannot_be_parsed_gives_nothing() {
    let broken = [
        ("package.json", "{\"scripts\": "),
        ("package.json", "[]"),
        ("package.json", "\u{fffe}"),
        ("Cargo.toml", "[package\n"),
        ("pyproject.toml", "x = \n"),
        ("Taskfile.yml", "tasks: [\n"),
        ("deno.json", "{"),
        ("CMakePresets.json", "nothing"),
        ("composer.json", "true"),
    ];
    for (path, content) in broken {
        is_not_used(Test::new().file(path, content), &[&format!("{path}: not ")]);
    }
    let utf_16: Vec<u8> = "{}".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let with_mark = [&[0xff, 0xfe], &utf_16[..]].concat();
    is_not_used(Test::new().file("package.json", with_mark), &["package.json: not valid UTF-8"]);
}

#[test]
fn a_file_of_unusual_size_or_depth_gives_nothing() {
    let large = format!("{{\"name\": \"{}\"}}", "x".repeat(1 << 20));
    is_not_used(Test::new().file("package.json", large), &["package.json: larger than"]);
    let deep = "[".repeat(100_000);
    for path in ["package.json", "deno.json", "Taskfile.yml", "mise.toml"] {
        let content = if path == "mise.toml" { format!("x = {deep}") } else { deep.clone() };
        is_not_used(Test::new().file(path, content), &[path]);
    }
    let line = |n: usize| format!("a{n}: &a{n} [{}]", vec![format!("*a{}", n - 1); 9].join(", "));
    let lines = ["a0: &a0 [x]".to_owned()].into_iter().chain((1..12).map(line));
    let bomb = lines.collect::<Vec<_>>().join("\n");
    is_not_used(Test::new().file("Taskfile.yml", bomb), &["Taskfile.yml: not valid YAML"]);
}

#[test]
fn what_is_no_file_is_not_read_and_nobody_waits() {
    let fifo = Test::new().given(|sandbox| {
        nix::unistd::mkfifo(&sandbox.project().join("package.json"), Mode::S_IRWXU).unwrap();
    });
    printed(fifo);
    printed(Test::new().directory("package.json").directory(""));
    let dangling = Test::new()
        .given(|sandbox| symlink("nowhere", sandbox.project().join("package.json")).unwrap());
    printed(dangling);
}

#[test]
fn a_link_to_a_file_counts_and_a_link_to_a_directory_is_not_searched() {
    let package = r#"{"scripts": {"lint": "eslint ."}}"#;
    let linked = Test::new().file("config/package.json", package).given(|sandbox| {
        symlink("config/package.json", sandbox.project().join("package.json")).unwrap();
    });
    assert!(printed(linked).contains("npm run lint"));
    // The only test is outside, and in a circle.
    let elsewhere = Test::new()
        .file("pytest.ini", "[pytest]\n")
        .file("../elsewhere/test_a.py", "")
        .given(|sandbox| {
            symlink("../elsewhere", sandbox.project().join("tests")).unwrap();
            symlink(".", sandbox.project().join("circle")).unwrap();
        });
    is_not_used(elsewhere, &["pytest.ini: pytest: no test_*.py"]);
}

#[test]
fn a_file_that_may_not_be_read_gives_nothing() {
    let test = Test::new().file("package.json", "{}").file("Makefile", MAKEFILE).given(|sandbox| {
        let closed = fs::Permissions::from_mode(0o0);
        fs::set_permissions(sandbox.project().join("package.json"), closed).unwrap();
    });
    let Some(test) = test.powerless() else { return };
    let test = test.cap(["init", "--print"]);
    test.stdout_contains("# Not used: package.json: cannot read: Permission denied").success();
}

#[test]
fn a_byte_order_mark_and_other_line_ends_are_fine_where_the_tool_takes_them() {
    let package = "\u{feff}{\r\n\"scripts\": {\"lint\": \"eslint .\"}\r\n}\r\n";
    assert!(printed(Test::new().file("package.json", package)).contains("npm run lint"));
    let cargo = "\u{feff}[package]\r\nname = 'x'\r\nrust-version = '1.70'\r\n";
    assert!(printed(Test::new().file("Cargo.toml", cargo)).contains("tool-version: cargo>=1.70"));
    let module = "module x\r\n\r\ngo 1.22\r\n";
    assert!(printed(Test::new().file("go.mod", module)).contains("tool-version: go>=1.22"));
}

#[test]
fn a_name_is_one_word_of_the_command_or_left_out() {
    let presets = |name: &str| {
        let name = serde_json::Value::from(name);
        format!(
            "{{\"configurePresets\": [{{\"name\": {name}}}], \
             \"buildPresets\": [{{\"name\": \"b\", \"configurePreset\": {name}}}]}}"
        )
    };
    for (name, word) in [
        ("a b", "'a b'"),
        ("$(touch x)", "'$(touch x)'"),
        ("it's", r"'it'\''s'"),
        ("{a,b}", "'{a,b}'"),
    ] {
        let test = Test::new().file("CMakePresets.json", presets(name)).cap(["init"]);
        let made = test.stdout_contains("written").success();
        let listed = made.again().cap(["list", "--json"]).stdout_contains("").success();
        let command = format!("cmake --preset {word} && cmake --build --preset b");
        let escaped = serde_json::Value::from(command).to_string();
        assert!(listed.stdout.contains(&escaped), "{escaped}: {}", listed.stdout);
    }
    let escape = Test::new().file("CMakePresets.json", presets("a\n\u{1b}[31m"));
    is_not_used(escape, &["a name in it holds a control character"]);
}
