//! The builder must notice what it promises to notice: here other programs stand in for cap.

use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use nix::sys::signal::Signal;

use super::Test;
use super::process::{Channel, Stream};

/// Behaves as cap should for `cap run x --envelope-file FILE`.
const GOOD: &str = r#"#!/bin/sh
line='{"cap_envelope":1,"capability":"x","outcome":"ok","command":"true","exit_code":0,"signal":null,"duration_ms":1,"reason":null}'
row='{"timestamp":"2026-01-01T00:00:00.000Z","capability":"x","outcome":"ok","exit_code":0,"duration_ms":1,"reason":null,"signal":null,"cwd":"'$PWD'","args":[],"args_hash":"4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945","command_hash":"00"}'
printf '%s\n' "$line" > "$4"
mkdir -p "$HOME/.dossier"
printf '%s\n' "$row" >> "$HOME/.dossier/caps.jsonl"
printf '%s\n' "$line"
exit 0
"#;

fn stand_in(script: &str) -> Test {
    let test = Test::new().script("../../stand-in", script).run("x");
    let program = test.sandbox.root().join("stand-in");
    test.program(program)
}

/// What a test that must fail says.
fn complaint(test: impl FnOnce() -> super::verdict::Ran) -> String {
    let Err(panic) = catch_unwind(AssertUnwindSafe(test)) else { return String::from("nothing") };
    panic.downcast_ref::<String>().unwrap().clone()
}

#[test]
fn a_program_that_keeps_every_promise_passes() {
    stand_in(GOOD).ok();
}

#[test]
fn each_broken_promise_of_a_run_is_noticed() {
    let sabotage = [
        ("exit 0", "exit 1", "exit code Some(1)"),
        ("exit 0", "kill -9 $$", "signal Some(9)"),
        ("exit 0", "echo more; exit 0", "the envelope is no JSON object"),
        ("exit 0", "echo oops >&2; exit 0", "stderr differs"),
        ("exit 0", "touch \"$4.tmp\"; exit 0", "left beside"),
        ("exit 0", "touch \"$HOME/.dossier/x\"; exit 0", "left beside"),
        ("exit 0", "touch new; exit 0", "the repo was touched"),
        (r#""outcome":"ok","command""#, r#""outcome":"task-failed","command""#, "expected \"ok\""),
        (
            r#""outcome":"ok","exit_code""#,
            r#""outcome":"task-failed","exit_code""#,
            "row.outcome (as in the envelope)",
        ),
        (
            r#""signal":null,"duration_ms":1,"reason":null}"#,
            r#""duration_ms":1,"signal":null,"reason":null}"#,
            "keys",
        ),
        (r#""reason":null}"#, r#""reason":null,"output_tail":""}"#, "keys"),
        (r#""reason":null}"#, r#""reason":"none"}"#, "the reason is"),
        (r#""args":[]"#, r#""args":["x"]"#, "row.args differs"),
        (r#"b945","command_hash""#, r#"b946","command_hash""#, "row.args_hash differs"),
        (r#","command_hash":"00""#, "", "command_hash if and only if"),
        ("00:00.000Z", "00:00Z", "row.timestamp"),
        ("printf '%s\\n' \"$line\" >", "echo >", "the envelope file differs"),
        (
            "printf '%s\\n' \"$line\" >",
            "printf '%s' \"$line\" >",
            "the envelope file isn't one whole line",
        ),
        ("printf '%s\\n' \"$line\"\n", "printf '%s' \"$line\"\n", "isn't whole"),
        (
            "printf '%s\\n' \"$line\"\n",
            "printf 'x%s\\n' \"$line\"\n",
            "the envelope is no JSON object",
        ),
        (
            "printf '%s\\n' \"$line\"\n",
            "echo; printf '%s\\n' \"$line\"\n",
            "stdout before the envelope differs",
        ),
        (
            "printf '%s\\n' \"$row\" >>",
            "printf '%s\\n%s\\n' \"$row\" \"$row\" >>",
            "not one whole row",
        ),
        ("printf '%s\\n' \"$row\" >>", "printf '%s' \"$row\" >>", "not one whole row"),
        ("printf '%s\\n' \"$row\" >>", ": >>", "not one whole row"),
        (
            "printf '%s\\n' \"$row\" >>",
            "printf '%s\\n' \"$row\" >",
            "what was in the telemetry log has changed",
        ),
    ];
    for (from, to, expected) in sabotage {
        assert!(GOOD.contains(from), "{from}");
        let test = stand_in(&GOOD.replacen(from, to, 1))
            .home_file("caps.jsonl", "older\n")
            .file(".git/HEAD", "");
        let complaint = complaint(|| test.ok());
        assert!(
            complaint.contains(expected),
            "{from} -> {to} must say {expected:?}, but says {complaint}"
        );
    }
}

#[test]
fn a_process_that_outlives_a_timeout_is_noticed() {
    let script = GOOD
        .replace(r#""outcome":"ok""#, r#""outcome":"automation-broken""#)
        .replace(r#""reason":null"#, r#""reason":"command timed out after 1ms""#)
        .replace(r#"1ms"}"#, r#"1ms","output_tail":""}"#)
        .replace(r#""command_hash":"00""#, r#""command_hash":"00","output_tail":"""#)
        .replace("exit 0", "sleep 1000 > /dev/null 2>&1 &\nexit 2");
    let complaint = complaint(|| stand_in(&script).automation_broken("timed out"));
    if cfg!(target_os = "linux") {
        assert!(complaint.contains("processes of the run are alive"), "{complaint}");
    }
}

#[test]
fn all_differences_come_at_once_with_the_command_line_and_the_listing() {
    let script = GOOD.replace("exit 0", "echo oops >&2; exit 3");
    let complaint = complaint(|| stand_in(&script).stdout("hello\n").ok());
    for part in
        ["\"run\", \"x\"", "exit code Some(3)", "stderr differs", "hello", "out/envelope.json"]
    {
        assert!(complaint.contains(part), "{part} isn't in {complaint}");
    }
}

#[test]
fn a_program_that_never_ends_is_killed_with_all_its_children() {
    let test =
        stand_in("#!/bin/sh\nsleep 1000 &\necho started\nwait\n").limit(Duration::from_millis(500));
    let root = test.sandbox.root().to_owned();
    let complaint = complaint(|| test.ok());
    assert!(complaint.contains("is still running at the test's time limit"), "{complaint}");
    assert_eq!(super::sandbox::processes_in(&root), []);
}

#[test]
fn a_command_may_be_allowed_to_change_the_repo() {
    let script = GOOD.replace("exit 0", "touch new; exit 0");
    stand_in(&script).file(".git/HEAD", "").may_change_files().ok();
}

#[test]
fn every_verb_ends_a_program_that_was_started_before() {
    let ending = |outcome: &str, code: &str, reason: &str, exit_code: &str, tail: &str| {
        let changes = [
            (r#""outcome":"ok""#, format!(r#""outcome":"{outcome}""#)),
            (r#""reason":null"#, format!(r#""reason":{reason}"#)),
            (r#""exit_code":0"#, format!(r#""exit_code":{exit_code}"#)),
            (r#""reason":null}'"#, format!(r#""reason":null{tail}}}'"#)),
            (r#""command_hash":"00"}"#, format!(r#""command_hash":"00"{tail}}}"#)),
            ("exit 0", format!("exit {code}")),
        ];
        let script = changes
            .iter()
            .rev()
            .fold(GOOD.to_owned(), |script, (from, to)| script.replace(from, to));
        stand_in(&script).start()
    };
    ending("ok", "0", "null", "0", "").ok();
    ending("task-failed", "1", "null", "7", r#","output_tail":"""#).task_failed();
    ending("automation-broken", "2", "\"why\"", "null", "").automation_broken("why");
    ending("capability-unavailable", "3", "\"why\"", "null", "").unavailable("why");
    let wrong = |code: i32| {
        let script = format!("#!/bin/sh\necho 'error: no' >&2\nexit {code}\n");
        stand_in(&script).cap(["x"]).stderr("error: no\n")
    };
    wrong(1).start().usage_error();
    wrong(2).start().usage_error_with(2);
    wrong(2).usage_error_with(2);
}

#[test]
fn a_usage_error_must_leave_nothing() {
    let complaint = complaint(|| stand_in(&GOOD.replace("exit 0", "exit 1")).usage_error());
    for part in
        ["stdout differs", "the telemetry log has changed", "left an envelope file", "`error: …`"]
    {
        assert!(complaint.contains(part), "{part} isn't in {complaint}");
    }
}

#[test]
fn a_test_can_wait_for_a_line_and_send_a_signal() {
    let script = "#!/bin/sh\ntrap 'echo caught; exit 7' USR1\necho ready >&2\nwhile :; do sleep 0.01; done\n";
    let running = stand_in(script).cap(["anything"]).stdout("caught\n").stderr("ready\n").start();
    running.wait_for_line(Channel::Stderr, "ready");
    running.signal(Signal::SIGUSR1);
    running.failure(7);
}

#[test]
fn a_test_can_go_away_as_a_reader() {
    let script =
        "#!/bin/sh\ntrap '' PIPE\nwhile echo line 2>/dev/null; do :; done\necho nobody reads >&2\n";
    let mut running =
        stand_in(script).cap(["anything"]).stdout_contains("").stderr("nobody reads\n").start();
    running.wait_for_line(Channel::Stdout, "line");
    running.close(Channel::Stdout);
    running.success();
}

#[test]
fn a_test_can_stall_a_stream_and_read_on() {
    let script =
        "#!/bin/sh\necho before\ntouch started\nhead -c 1000000 /dev/zero\ntouch finished\n";
    let test =
        stand_in(script).cap(["anything"]).stdout_contains("before\n").stdout_to(Stream::Stalled);
    let mut running = test.start();
    let project = running.sandbox.project();
    running.wait_until("it has started", || project.join("started").exists());
    assert!(!project.join("finished").exists(), "a pipe doesn't hold a million bytes");
    assert!(running.sandbox.processes().contains(&running.pid()));
    running.resume(Channel::Stdout);
    running.wait_for_exit();
    let ran = running.success();
    assert_eq!(ran.stdout.len(), 1_000_007);
}

#[test]
fn a_test_can_give_cap_streams_of_its_own() {
    let script = "#!/bin/sh\necho one\necho two >&2\necho three\n";
    stand_in(script)
        .cap(["x"])
        .stderr_to(Stream::SameAsStdout)
        .stdout("one\ntwo\nthree\n")
        .success();
    stand_in(script).cap(["x"]).before("exec >&-").stdout_lost().stderr_contains("two").failure(1);
    let stand_in = stand_in(script).cap(["x"]);
    let file = File::create(stand_in.sandbox.out().join("log")).unwrap();
    let ran = stand_in.stdout_to(Stream::Given(file)).stderr("two\n").success();
    assert_eq!(super::verdict::text_of(ran.sandbox.out().join("log")), "one\nthree\n");
}
