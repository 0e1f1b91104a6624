//! Every row of the table of outcomes that can be reached without signals to cap (contract section 6).

use serde_json::json;

use crate::builder::Test;

#[test]
fn exit_0_is_ok_and_can_be_trusted() {
    Test::command("echo fine")
        .stdout("fine\n")
        .envelope(json!({"exit_code": 0, "signal": null, "reason": null}))
        .ok();
}

#[test]
fn a_command_that_ran_and_exited_non_zero_has_failed_itself() {
    for code in [1, 2, 3, 42, 100, 125, 128] {
        let test = Test::command(&format!("echo seen; echo failed >&2; exit {code}"));
        let test = test
            .stdout("seen\n")
            .stderr("failed\n")
            .envelope(json!({"exit_code": code, "signal": null}));
        let ran = test.task_failed();
        let tail = ran.envelope["output_tail"].as_str().unwrap();
        assert!(tail.contains("seen\n") && tail.contains("failed\n"), "{tail:?}");
    }
}

#[test]
fn exit_126_is_a_command_that_is_not_executable() {
    let test = Test::command("./plain").file("plain", "echo").stderr_contains("plain");
    test.envelope(json!({"exit_code": 126, "reason": "command not executable (exit 126)"}))
        .automation_broken("");
    Test::command("exit 126").automation_broken("command not executable (exit 126)");
}

#[test]
fn exit_127_is_a_command_that_is_not_there() {
    let test = Test::command("no-such-command").stderr_contains("no-such-command");
    test.envelope(json!({"exit_code": 127, "reason": "command not found (exit 127)"}))
        .automation_broken("");
    Test::command("exit 127").automation_broken("command not found (exit 127)");
}

#[test]
fn an_exit_above_128_is_abnormal_and_names_the_signal_if_there_is_one() {
    let cases = [
        (129, "SIGHUP"),
        (130, "SIGINT"),
        (134, "SIGABRT"),
        (137, "SIGKILL"),
        (139, "SIGSEGV"),
        (143, "SIGTERM"),
    ];
    for (code, signal) in cases {
        let test = Test::command(&format!("exit {code}"))
            .envelope(json!({"exit_code": code, "signal": null}));
        let ran = test.automation_broken(&format!("abnormal termination: exit {code}"));
        assert!(ran.envelope["reason"].as_str().unwrap().contains(signal), "{}", ran.envelope);
    }
    for code in [200, 255] {
        let ran = Test::command(&format!("exit {code}"))
            .automation_broken(&format!("abnormal termination: exit {code}"));
        assert!(!ran.envelope["reason"].as_str().unwrap().contains("SIG"), "{}", ran.envelope);
    }
}

#[test]
fn a_shell_that_was_killed_by_a_signal_is_abnormal() {
    for signal in ["KILL", "TERM", "SEGV", "HUP"] {
        let name = format!("SIG{signal}");
        let test = Test::command(&format!("kill -{signal} $$; sleep 60"));
        let reason = format!("abnormal termination: killed by {name}");
        test.envelope(json!({"exit_code": null, "signal": name, "reason": reason}))
            .automation_broken("");
    }
}

#[test]
fn a_crash_below_the_shell_is_automation_broken_whichever_shell_it_is() {
    // dash stays and exits 139, bash is replaced by the command and dies of the signal.
    Test::command("sh -c 'kill -SEGV $$'")
        .stderr_lacks("error:")
        .stderr_contains("")
        .automation_broken("abnormal termination: ");
}

fn manifest_with(command: &str, line: &str) -> Test {
    Test::new()
        .manifest(&format!("capabilities:\n  a:\n    command: {command}\n    {line}\n"))
        .run("a")
}

#[test]
fn a_failure_sooner_than_the_minimum_is_not_believed() {
    let ran = manifest_with("exit 3", "min_duration_ms: 3600000")
        .automation_broken("below min_duration_ms=3600000");
    let reason = ran.envelope["reason"].as_str().unwrap();
    let expected =
        format!("exited 3 after {}ms — below min_duration_ms=3600000", ran.envelope["duration_ms"]);
    assert_eq!(reason, expected);
}

#[test]
fn the_minimum_never_turns_an_ok_into_anything() {
    manifest_with("'true'", "min_duration_ms: 3600000").ok();
}

#[test]
fn a_failure_that_took_its_time_is_believed() {
    manifest_with("sleep 0.2; exit 1", "min_duration_ms: 100").task_failed();
    manifest_with("exit 1", "min_duration_ms: 0").task_failed();
}

#[test]
fn what_the_shell_says_of_the_command_comes_before_the_minimum() {
    let line = "min_duration_ms: 3600000";
    manifest_with("exit 126", line).automation_broken("command not executable (exit 126)");
    manifest_with("exit 127", line).automation_broken("command not found (exit 127)");
    manifest_with("exit 200", line).automation_broken("abnormal termination: exit 200");
    manifest_with("'if'", line).stderr_contains("").automation_broken("syntax error");
}

#[test]
fn a_timeout_has_exactly_these_words() {
    let test = manifest_with("sleep 600", "timeout_ms: 123");
    test.envelope(json!({"reason": "command timed out after 123ms", "output_tail": ""}))
        .automation_broken("");
}

#[test]
fn the_longest_budget_is_no_trouble() {
    manifest_with("echo fine", "timeout_ms: 9007199254740991").stdout("fine\n").ok();
}

#[test]
fn a_timeout_is_one_even_if_the_command_then_exits_0() {
    let test = Test::new()
        .file("patient.sh", "trap 'exit 0' TERM\necho waiting\nwhile :; do sleep 0.05; done\n");
    let test =
        test.manifest("capabilities: {a: {command: . ./patient.sh, timeout_ms: 1500}}\n").run("a");
    // On a machine that is too slow to set the trap in time the signal ends the shell, which is a timeout all the same.
    let test = test.stdout_contains("").stderr_contains("");
    test.automation_broken("command timed out after 1500ms");
}

#[test]
fn exit_2_of_a_command_that_cannot_be_parsed_is_a_fault_of_the_manifest() {
    for command in ["if", "echo 'unterminated", "echo (", "do", "echo hi; fi"] {
        let test = Test::command(command).stderr_contains("").envelope(json!({"exit_code": 2}));
        test.stdout_contains("").automation_broken("syntax error");
    }
}

#[test]
fn exit_2_of_a_command_that_can_be_parsed_is_its_own() {
    Test::command("exit 2").envelope(json!({"exit_code": 2})).task_failed();
    // A syntax error in what the command evaluates itself is no fault of the manifest.
    Test::command("sh -c 'if'").stderr_contains("").task_failed();
}

#[test]
fn a_shadow_entry_is_listed_but_refused_and_nothing_of_it_is_tried() {
    let yaml = "
        capabilities:
          a:
            command: touch ran
            lifecycle: shadow
            assumptions: [{tool-version: probe>=1}, {file-exists: nowhere}]
        ";
    let test = Test::new().manifest(yaml).tool("probe", "touch probed; echo 1").run("a");
    let ran = test
        .envelope(json!({"command": "touch ran", "exit_code": null, "duration_ms": 0}))
        .unavailable("lifecycle=shadow");
    assert!(ran.envelope["reason"].as_str().unwrap().contains("'a'"), "{}", ran.envelope);
    for trace in ["ran", "probed"] {
        assert!(!ran.sandbox.project().join(trace).exists());
    }
}

#[test]
fn an_unknown_id_is_unavailable_and_the_nearest_known_one_is_named() {
    let test = Test::command("touch ran")
        .run("test.focussed")
        .envelope(json!({"command": null, "exit_code": null}));
    let ran = test.unavailable("test.focussed");
    assert!(ran.envelope["reason"].as_str().unwrap().contains("test.focused"), "{}", ran.envelope);
    let ran = ran.again().run("deploy").unavailable("deploy");
    assert!(!ran.envelope["reason"].as_str().unwrap().contains("test.focused"), "{}", ran.envelope);
}

#[test]
fn an_id_that_could_never_be_declared_is_simply_unavailable() {
    for id in ["UPPER", "a b", "", "ä", "a\nb", "../x", "\u{1b}[31m"] {
        let ran = Test::command("touch ran").run(id).unavailable("");
        assert!(
            !ran.envelope["reason"].as_str().unwrap().contains(char::is_control),
            "{}",
            ran.envelope
        );
    }
}

#[test]
fn a_run_directory_that_is_gone_is_automation_broken() {
    let test = Test::command("echo never").before("mkdir gone && cd gone && rmdir ../gone");
    let ran = test.stderr_contains("").automation_broken("directory");
    assert!(ran.envelope["exit_code"].is_null());
}

#[test]
fn a_command_line_that_is_too_long_could_not_be_started() {
    let test = Test::command(&format!("true {}", "x".repeat(200_000)));
    let ran = test.automation_broken("");
    let reason = ran.envelope["reason"].as_str().unwrap();
    assert!(reason.contains("could not be started") && reason.contains("too long"), "{reason}");
    assert!(ran.envelope["exit_code"].is_null());
}

#[test]
fn args_that_make_the_command_line_too_long_are_not_lost_in_silence() {
    let args = vec!["x".repeat(10_000); 20];
    let test = Test::command("echo").args(args);
    test.envelope(json!({"command": "echo", "duration_ms": 0})).automation_broken("too long");
}

#[test]
fn a_run_in_a_git_repo_leaves_it_untouched() {
    Test::command("echo fine").file("tracked", "x").git_repo().stdout("fine\n").ok();
}
