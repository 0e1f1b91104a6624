//! Assumptions: what must hold before a command runs (contract section 3).

use std::os::unix::fs::symlink;

use serde_json::json;

use crate::builder::invariants::leftovers::survivors;
use crate::builder::verdict::Ran;
use crate::builder::{Test, quoted};

/// A capability with these assumptions, one flow mapping each.
fn assuming(assumptions: &[&str]) -> Test {
    let list = assumptions.join(", ");
    Test::new()
        .manifest(&format!(
            "capabilities: {{a: {{command: echo ran; touch ran, assumptions: [{list}]}}}}\n"
        ))
        .run("a")
}

fn holds(test: Test) {
    test.stdout("ran\n").ok();
}

/// The run ends before the command, with a reason that holds all these words.
fn fails(test: Test, words: &[&str]) -> Ran {
    let envelope = json!({"command": "echo ran; touch ran", "exit_code": null, "signal": null});
    let ran = test.envelope(envelope).automation_broken("assumption failed");
    let reason = ran.envelope["reason"].as_str().unwrap();
    for word in words.iter().chain(&["not run"]) {
        assert!(reason.contains(word), "{word:?} in {reason:?}");
    }
    assert!(!ran.sandbox.project().join("ran").exists());
    ran
}

#[test]
fn a_file_a_directory_and_a_link_to_either_exist() {
    for path in [
        "file",
        "directory",
        "directory/",
        "./file",
        "link",
        "directory/../file",
        "../outside",
        "/dev/null",
    ] {
        let test = assuming(&[&format!("{{file-exists: {path}}}")])
            .file("file", "")
            .file("directory/x", "")
            .file("../outside", "");
        holds(test.given(|sandbox| symlink("directory", sandbox.project().join("link")).unwrap()));
    }
}

#[test]
fn a_missing_file_is_a_failed_assumption() {
    for path in ["nowhere", "file/below", "dangling", "/nowhere/at/all"] {
        let test = assuming(&[&format!("{{file-exists: {path}}}")]).file("file", "");
        let test =
            test.given(|sandbox| symlink("nothing", sandbox.project().join("dangling")).unwrap());
        fails(test, &["file-exists", path]);
    }
}

#[test]
fn a_path_is_literal() {
    for path in ["*.toml", "~/x", "$HOME", "fi?e"] {
        let test = assuming(&[&format!("{{file-exists: {}}}", quoted(path))])
            .file("Cargo.toml", "")
            .file("../x", "")
            .file("file", "");
        fails(test, &["file-exists", path]);
    }
    holds(assuming(&["{file-exists: '*.toml'}"]).file("*.toml", ""));
}

#[test]
fn a_path_is_relative_to_the_run_directory_not_to_the_manifest() {
    fails(assuming(&["{file-exists: here}"]).file("here", "").directory("deep"), &["here"]);
    holds(assuming(&["{file-exists: here}"]).file("deep/here", "").directory("deep"));
}

#[test]
fn the_first_assumption_that_fails_ends_the_run() {
    let test = assuming(&["{file-exists: one}", "{file-exists: two}", "{tool-version: probe>=1}"])
        .file("one", "");
    let ran = fails(test.tool("probe", "touch probed; echo probe 1.0"), &["two"]);
    assert!(!ran.sandbox.project().join("probed").exists());
}

#[test]
fn assumptions_are_checked_again_on_every_run() {
    let ran = fails(assuming(&["{file-exists: later}"]), &["later"]);
    ran.sandbox.write("later", "");
    ran.again().run("a").stdout("ran\n").ok();
}

#[test]
fn a_control_character_in_a_path_is_shown_escaped() {
    let ran = fails(assuming(&["{file-exists: \"a\\e[31m\"}"]), &["a\\u{1b}[31m"]);
    assert!(!ran.envelope["reason"].as_str().unwrap().contains('\u{1b}'));
}

fn with_node(requirement: &str) -> Test {
    assuming(&[&format!("{{tool-version: {}}}", quoted(requirement))]).tool("node", "echo v20.20.2")
}

#[test]
fn a_tool_of_the_right_version_holds() {
    let right = [
        "node>=20",
        "node >= 20.1",
        "node>=20.20.2",
        "node>20.20.1",
        "node<=20.20.2",
        "node<21",
        "node=20.20.2",
        "node==20.20.2.0",
        "node==20.x",
        "node=20.20.*",
        "node>=20 <22",
        "node>=20,<22",
        "node >= v20 , < 22 , > 1",
        "node>=20.x",
        "node<21.x",
        " node>=20 ",
    ];
    for requirement in right {
        holds(with_node(requirement));
    }
}

#[test]
fn a_tool_of_the_wrong_version_fails_with_what_was_wanted_and_what_was_found() {
    let wrong = [
        "node>=21",
        "node>20.20.2",
        "node<20",
        "node<=20.20",
        "node=20.20",
        "node==19.x",
        "node>=18 <20",
        "node>=18, <20",
        "node<20.x",
        "node>=20.20.10",
    ];
    for requirement in wrong {
        fails(with_node(requirement), &["tool-version", requirement, "20.20.2"]);
    }
}

#[test]
fn an_exact_version_that_is_too_short_gets_a_hint() {
    fails(with_node("node==20"), &["20.20.2", "==20.x"]);
}

#[test]
fn a_tool_that_cannot_run_is_not_runnable_and_the_reason_says_why() {
    let test = assuming(&["{tool-version: no-such-tool>=1}"]);
    fails(test, &["tool-version", "no-such-tool", "not runnable"]);
    let test = assuming(&["{tool-version: crashes>=1}"])
        .tool("crashes", "echo 1.0; echo no licence >&2; exit 3");
    fails(test, &["crashes", "not runnable", "3"]);
    let test = assuming(&["{tool-version: dies>=1}"]).tool("dies", "kill -9 $$");
    fails(test, &["dies", "not runnable", "SIGKILL"]);
    let test = assuming(&["{tool-version: ./plain>=1}"]).file("plain", "echo 1.0");
    fails(test, &["./plain", "not runnable"]);
    let test = assuming(&["{tool-version: ./directory>=1}"]).directory("directory").directory("");
    fails(test, &["./directory", "not runnable"]);
}

#[test]
fn a_tool_without_a_version_in_its_output_says_so() {
    for output in ["echo no version here", "true", "echo bzip2", "echo sha256sum"] {
        let ran = fails(
            assuming(&["{tool-version: vague>=1}"]).tool("vague", output),
            &["vague", "version"],
        );
        assert!(
            !ran.envelope["reason"].as_str().unwrap().contains("not runnable"),
            "it did run: {}",
            ran.envelope
        );
    }
}

#[test]
fn a_tool_is_found_in_path_or_relative_to_the_run_directory() {
    let test = assuming(&["{tool-version: ./bin/tool>=2}"])
        .script("deep/bin/tool", "#!/bin/sh\necho 2.5\n");
    holds(test.directory("deep"));
    let test =
        assuming(&["{tool-version: bin/tool>=2}"]).script("bin/tool", "#!/bin/sh\necho 2.5\n");
    holds(test);
    fails(
        assuming(&["{tool-version: tool>=2}"]).script("tool", "#!/bin/sh\necho 2.5\n"),
        &["not runnable"],
    );
}

#[test]
fn a_tool_sees_no_shell_no_stdin_and_nothing_of_it_is_shown() {
    let body = r#"
        [ "$*" = --version ] || exit 1
        cat
        [ -z "${DOSSIER_CAP_ENVELOPE_FILE+set}" ] || exit 2
        echo quiet 3.1
        echo noise >&2
        "#;
    let test = assuming(&["{tool-version: quiet>=3}"]).tool("quiet", body).stdin("secret\n");
    holds(test);
    let test = assuming(&["{tool-version: quiet>=3}"]).tool("quiet", body).cap(["run", "a"]);
    holds(test);
}

#[test]
fn a_version_is_found_on_stderr_and_behind_escapes_too() {
    holds(assuming(&["{tool-version: old=1.8.0}"]).tool("old", "echo 'old version \"1.8.0\"' >&2"));
    holds(
        assuming(&["{tool-version: gaudy=3.8.7}"])
            .tool("gaudy", "printf '\\033[1mGaudy 3.8.7\\033[m\\n'"),
    );
    holds(
        assuming(&["{tool-version: perl=5.36.0}"])
            .tool("perl", "echo 'This is perl 5, version 36 (v5.36.0)'"),
    );
    holds(assuming(&["{tool-version: both=2.0}"]).tool("both", "echo 1.0 >&2; echo both 2.0"));
}

#[test]
fn a_tool_without_the_usual_option_is_asked_in_its_own_way() {
    let go = "[ \"$*\" = version ] && echo go version go1.22.1 linux/amd64";
    holds(assuming(&["{tool-version: go>=1.22 <1.23}"]).tool("go", go));
    let openssl = "[ \"$*\" = version ] && echo OpenSSL 3.0.16 11 Feb 2025";
    holds(assuming(&["{tool-version: openssl=3.0.16}"]).tool("openssl", openssl));
    let ssh = "[ \"$*\" = -V ] && echo OpenSSH_9.2p1, OpenSSL 3.0.16 >&2";
    holds(assuming(&["{tool-version: ssh>=9.2 <9.3}"]).tool("ssh", ssh));
}

#[test]
fn a_tool_that_prints_without_an_end_of_its_own_is_read_and_dropped() {
    holds(
        assuming(&["{tool-version: chatty=4.2}"])
            .tool("chatty", "echo chatty 4.2; head -c 3000000 /dev/zero"),
    );
    let late = "head -c 100000 /dev/zero | tr '\\0' x; echo; echo late 4.2";
    fails(assuming(&["{tool-version: late=4.2}"]).tool("late", late), &["late"]);
}

#[test]
fn a_tool_that_hangs_is_ended_and_not_runnable() {
    let test = assuming(&["{tool-version: stuck>=1}"])
        .tool("stuck", "echo stuck 1.0; sleep 1000 & sleep 1000");
    let ran = fails(test, &["stuck", "not runnable"]);
    assert_eq!(survivors(&ran.sandbox), [""; 0]);
    assert!(ran.envelope["duration_ms"].as_u64().unwrap() >= 10_000, "{}", ran.envelope);
}

#[test]
fn a_tool_that_leaves_something_running_is_not_waited_for_for_ever() {
    holds(assuming(&["{tool-version: lazy=1.0}"]).tool("lazy", "echo lazy 1.0; sleep 1000 &"));
}
