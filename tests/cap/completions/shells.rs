//! The scripts in real shells, where those are installed.

use std::io::Write as _;

use super::{declared, link};
use crate::builder::sandbox::Sandbox;

/// A project with a directory below it, and cap in `PATH` under both names.
fn project() -> Sandbox {
    let test = declared().file("deep er/x", "");
    for name in ["cap", "ai-dossier"] {
        link(&test.sandbox, name);
    }
    test.sandbox
}

/// What a shell prints; none, with a note, if it isn't installed.
fn output(sandbox: &Sandbox, shell: &str, code: &str) -> Option<String> {
    let is_there = sandbox.output("/bin/sh", ["-c", "command -v \"$0\"", shell]).status.success();
    if !is_there {
        let _ = writeln!(std::io::stderr(), "skipped: {shell} isn't installed");
        return None;
    }
    let output = sandbox.output(shell, ["-c", code]);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && stderr.is_empty(), "{shell}: {code}\n{stderr}");
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// What bash would offer for the last of these words.
fn bash(sandbox: &Sandbox, words: &str) -> Option<String> {
    let name = words.split(' ').next().unwrap_or_default();
    let (subcommand, function) = if name == "cap" { ("", "cap") } else { ("cap ", "ai_dossier") };
    let code = format!(
        "eval \"$({name} {subcommand}completions bash)\"
        COMP_WORDS=({words}) COMP_TYPE=9
        COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
        _clap_complete_{function} {name} \"${{COMP_WORDS[COMP_CWORD]}}\" x
        printf '%s\\n' \"${{COMPREPLY[@]}}\""
    );
    output(sandbox, "bash", &code)
}

/// What zsh would offer: `_describe` shows each as `VALUE:DESCRIPTION`.
fn zsh(sandbox: &Sandbox, words: &str) -> Option<String> {
    let code = format!(
        "compdef() {{ completer=$1 }}
        _describe() {{ print -rl -- ${{(P)3}} }}
        source <(cap completions zsh)
        words=({words}) CURRENT=${{#words}}
        $completer"
    );
    output(sandbox, "zsh", &code)
}

/// What fish would offer for a line.
fn fish(sandbox: &Sandbox, line: &str) -> Option<String> {
    let name = line.split(' ').next().unwrap_or_default();
    let subcommand = if name == "cap" { "" } else { "cap " };
    let code = format!("{name} {subcommand}completions fish | source; complete -C '{line}'");
    output(sandbox, "fish", &code)
}

#[test]
fn bash_completes_ids_options_and_commands() {
    let sandbox = project();
    let Some(ids) = bash(&sandbox, "cap run ''") else { return };
    assert_eq!(ids, "test.full\ntest.focused\nbuild.run\n");
    let offered = |words| bash(&sandbox, words).unwrap();
    assert_eq!(offered("cap last-ok test.fo"), "test.focused\n");
    assert_eq!(offered("cap run --ta"), "--tail-bytes\n");
    assert_eq!(offered("cap -C \\'.\\' run b"), "build.run\n");
    assert_eq!(offered("cap las"), "last-ok\n");
    assert_eq!(offered("cap run nothing"), "\n");
    assert_eq!(offered("ai-dossier cap run b"), "build.run\n");
}

#[test]
fn bash_completes_file_names_where_cap_has_nothing_to_offer() {
    let sandbox = project();
    let code = "eval \"$(cap completions bash)\"; complete -p cap";
    let Some(registered) = output(&sandbox, "bash", code) else { return };
    assert!(registered.contains("-o default"), "{registered}");
}

#[test]
fn bash_says_nothing_where_the_manifest_is_broken() {
    let sandbox = project();
    sandbox.write(sandbox.manifest(), "5\n");
    if let Some(ids) = bash(&sandbox, "cap run t") {
        assert_eq!(ids, "\n");
    }
}

#[test]
fn zsh_completes_ids_with_their_descriptions() {
    let sandbox = project();
    let Some(ids) = zsh(&sandbox, "cap run ''") else { return };
    assert_eq!(ids, "test.full:all: of \"them\"\ntest.focused:the first line\nbuild.run\n");
    let offered = |words| zsh(&sandbox, words).unwrap();
    assert_eq!(offered("cap last-ok b"), "build.run\n");
    assert_eq!(offered("cap -C . run b"), "build.run\n");
    assert!(offered("cap run --ta").starts_with("--tail-bytes:"));
    assert_eq!(offered("cap run nothing"), "");
}

#[test]
fn zsh_completes_the_first_time_from_a_file_in_fpath() {
    let sandbox = project();
    let code = "mkdir functions; cap completions zsh > functions/_cap
        fpath=($PWD/functions $fpath)
        compdef() { : }
        _describe() { print -rl -- ${(P)3} }
        autoload -U _cap
        words=(cap run b) CURRENT=3
        _cap";
    if let Some(ids) = output(&sandbox, "zsh", code) {
        assert_eq!(ids, "build.run\n");
    }
}

#[test]
fn fish_completes_ids_with_their_descriptions() {
    let sandbox = project();
    let Some(ids) = fish(&sandbox, "cap run ") else { return };
    assert_eq!(ids, "test.full\tall: of \"them\"\ntest.focused\tthe first line\nbuild.run\n");
    let offered = |line| fish(&sandbox, line).unwrap();
    assert_eq!(offered("cap last-ok b"), "build.run\n");
    assert_eq!(offered("cap -C \"deep er\" run b"), "build.run\n");
    assert_eq!(offered("ai-dossier cap run b"), "build.run\n");
    assert!(offered("cap run --ta").starts_with("--tail-bytes\t"));
    assert_eq!(offered("cap run nothing"), "");
}
