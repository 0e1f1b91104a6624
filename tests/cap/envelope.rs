//! The envelope: its line, its tail, its place as the last line of stdout (contract section 7).

mod file;

use serde_json::json;

use crate::builder::process::Channel;
use crate::builder::{Test, quoted};

#[test]
fn an_ok_envelope_is_these_eight_keys() {
    let ran = Test::command("echo hi").stdout("hi\n").ok();
    let duration = ran.envelope["duration_ms"].as_u64().unwrap();
    let line = format!(
        "{{\"cap_envelope\":1,\"capability\":\"test.focused\",\"outcome\":\"ok\",\"command\":\"echo hi\",\"exit_code\":0,\"signal\":null,\"duration_ms\":{duration},\"reason\":null}}\n"
    );
    assert_eq!(ran.stdout, format!("hi\n{line}"));
}

#[test]
fn a_failed_envelope_has_the_tail_as_well() {
    let ran = Test::command("echo hi; exit 4").stdout("hi\n").task_failed();
    let duration = ran.envelope["duration_ms"].as_u64().unwrap();
    let line = format!(
        "{{\"cap_envelope\":1,\"capability\":\"test.focused\",\"outcome\":\"task-failed\",\"command\":\"echo hi; exit 4\",\"exit_code\":4,\"signal\":null,\"duration_ms\":{duration},\"reason\":null,\"output_tail\":\"hi\\n\"}}\n"
    );
    assert_eq!(ran.stdout, format!("hi\n{line}"));
}

#[test]
fn the_duration_is_the_commands() {
    let ran = Test::command("sleep 0.2").ok();
    assert!(ran.envelope["duration_ms"].as_u64().unwrap() >= 200, "{}", ran.envelope);
    Test::new().run("a").envelope(json!({"duration_ms": 0, "command": null})).unavailable("'a'");
}

#[test]
fn the_envelope_stands_alone_on_the_last_line_and_no_empty_line_is_added() {
    for (command, before) in [
        ("printf hi", "hi\n"),
        ("echo hi", "hi\n"),
        ("echo", "\n"),
        ("true", ""),
        ("printf 'a\\r'", "a\r\n"),
        ("printf 'a\\n\\n'", "a\n\n"),
    ] {
        Test::command(command).stdout(before).ok();
        Test::command(&format!("{command}; exit 1")).stdout(before).task_failed();
    }
}

#[test]
fn only_what_came_on_stdout_decides_about_the_newline() {
    Test::command("echo out; printf err >&2").stdout("out\n").stderr("err").ok();
    Test::command("printf out; echo err >&2").stdout("out\n").stderr("err\n").ok();
}

#[test]
fn output_is_relayed_byte_for_byte() {
    let test = Test::command("printf 'a\\377\\000\\033[31mb\\r\\n' ; printf '\\376\\n' >&2")
        .stdout_contains("")
        .stderr_contains("\u{fffd}\n");
    let ran = test.ok();
    assert!(
        ran.stdout.starts_with("a\u{fffd}\0\u{1b}[31mb\r\n{\"cap_envelope\""),
        "{:?}",
        ran.stdout
    );
}

#[test]
fn output_of_any_size_is_relayed_whole() {
    let ran = Test::command("head -c 20000000 /dev/zero; echo").stdout_contains("").ok();
    let end = ran.stdout.rfind("{\"cap_envelope\"").unwrap();
    assert_eq!(end, 20_000_001);
}

#[test]
fn a_forged_envelope_is_not_the_last_line() {
    let forged = r#"{"cap_envelope":1,"capability":"test.focused","outcome":"ok","command":"x","exit_code":0,"signal":null,"duration_ms":1,"reason":null}"#;
    let command = format!("echo '{forged}'; exit 1");
    Test::command(&command).stdout(&format!("{forged}\n")).task_failed();
    Test::command(&format!("printf '%s' '{forged}'; exit 1"))
        .stdout(&format!("{forged}\n"))
        .task_failed();
}

#[test]
fn line_separators_that_some_readers_split_at_are_escaped() {
    let command = "printf 'a\u{85}b\u{2028}c\u{2029}d\\n'; exit 1";
    let test = Test::command(command)
        .stdout("a\u{85}b\u{2028}c\u{2029}d\n")
        .envelope(json!({"command": command, "output_tail": "a\u{85}b\u{2028}c\u{2029}d\n"}));
    let ran = test.task_failed();
    for escaped in ["\\u0085", "\\u2028", "\\u2029"] {
        assert!(ran.stdout.contains(escaped), "{escaped} in {}", ran.stdout);
    }
    assert_eq!(ran.stdout.lines().count(), 2);
}

/// The tail of a failed command that prints this with `printf`.
fn tail_of(output: &str, bytes: usize) -> String {
    let test = Test::command(&format!("printf {}; exit 1", quoted(output).replace("\\\\", "\\")));
    let ran = test
        .options(["--tail-bytes".to_owned(), bytes.to_string()])
        .stdout_contains("")
        .task_failed();
    ran.envelope["output_tail"].as_str().unwrap().to_owned()
}

#[test]
fn the_tail_is_the_last_bytes() {
    assert_eq!(tail_of("0123456789", 4), "6789");
    assert_eq!(tail_of("0123456789", 10), "0123456789");
    assert_eq!(tail_of("0123456789", 1000), "0123456789");
    assert_eq!(tail_of("0123456789", 0), "");
}

#[test]
fn the_tail_is_8192_bytes_unless_told_otherwise() {
    let test = Test::command("head -c 100000 /dev/zero | tr '\\0' x; printf end; exit 1")
        .stdout_contains("xend\n");
    test.envelope(json!({"output_tail": format!("{}end", "x".repeat(8189))})).task_failed();
    let test = Test::command("head -c 100000 /dev/zero | tr '\\0' x; printf end; exit 1")
        .stdout_contains("xend\n");
    let test = test.options(["--tail-bytes=67108864"]);
    test.envelope(json!({"output_tail": format!("{}end", "x".repeat(100_000))})).task_failed();
}

#[test]
fn the_tail_never_begins_inside_a_character() {
    for (bytes, tail) in
        [(1, ""), (2, ""), (3, "漢"), (4, "漢"), (5, "漢"), (6, "字漢"), (7, "字漢"), (9, "字漢")]
    {
        let shown = if bytes == 9 { "漢字漢" } else { tail };
        assert_eq!(tail_of("漢字漢", bytes), shown, "{bytes} bytes");
    }
}

#[test]
fn invalid_bytes_are_replaced_and_the_tail_is_trimmed_again() {
    assert_eq!(tail_of("a\\377b", 100), "a\u{fffd}b");
    let tail = tail_of(&"\\377".repeat(100), 10);
    assert_eq!(tail, "\u{fffd}\u{fffd}\u{fffd}");
    assert_eq!(tail_of("abc\\342\\202", 100), "abc\u{fffd}");
}

#[test]
fn the_tail_has_both_streams_in_the_order_of_arrival() {
    let wait = |file: &str| format!("until [ -e {file} ]; do sleep 0.01; done");
    let (first, second) = (wait("first"), wait("second"));
    let command = format!("echo one; {first}; echo two >&2; {second}; echo three; exit 1");
    let test = Test::command(&command).stdout("one\nthree\n").stderr("two\n");
    let running = test.envelope(json!({"output_tail": "one\ntwo\nthree\n"})).start();
    running.wait_for_line(Channel::Stdout, "one");
    running.sandbox.write("first", "");
    running.wait_for_line(Channel::Stderr, "two");
    running.sandbox.write("second", "");
    running.task_failed();
}

#[test]
fn the_tail_is_empty_if_there_was_no_output() {
    Test::command("exit 1").envelope(json!({"output_tail": ""})).task_failed();
}

#[test]
fn stdout_that_nobody_takes_changes_nothing_about_the_verdict() {
    let lost = |code: &str| {
        Test::command(&format!("echo hi; exit {code}")).stdout_lost().stderr_contains("")
    };
    lost("0").before("exec >&-").ok();
    lost("1").before("exec >&-").task_failed();
    lost("0").before("exec >&- 2>&-").ok();
    lost("0").before("exec <&- >&- 2>&-").ok();
    if std::path::Path::new("/dev/full").exists() {
        lost("0").before("exec > /dev/full").ok();
        lost("1").before("exec > /dev/full").task_failed();
        lost("1").before("exec > /dev/full 2>&1").task_failed();
    }
}
