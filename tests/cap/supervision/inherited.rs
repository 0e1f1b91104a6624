//! However cap itself was started, the command gets a clean process, and cap sees what it must see
//! (contract section 5, "The child").

use std::path::Path;

use crate::builder::Test;
use crate::builder::verdict::{Ran, text_of};

/// Prints the open descriptors of the shell itself and what they are, one a line.
const DESCRIPTORS: &str = "i=0; while [ $i -lt 40 ]; do
    if [ -e /proc/$$/fd/$i ]; then printf '%s ' $i; readlink /proc/$$/fd/$i; fi; i=$((i+1)); done";
/// Starts cap with everything blocked that can be, and SIGCHLD ignored.
const HOSTILE: &str =
    "exec env --block-signal --ignore-signal=CHLD,INT,HUP,PIPE,TSTP,USR1 \"$0\" \"$@\"";

fn is_linux() -> bool {
    Path::new("/proc/self/status").exists()
}

/// A set of signals as proc(5) shows it, less the two that glibc keeps for itself and lets nobody reset.
fn signals(status: &str, set: &str) -> u64 {
    let value = status.lines().find_map(|line| line.strip_prefix(set)?.strip_prefix(':'));
    u64::from_str_radix(value.unwrap().trim(), 16).unwrap() & !0x1_8000_0000
}

#[test]
fn signals_are_neither_blocked_nor_ignored() {
    if is_linux() {
        for before in ["", "trap '' INT HUP QUIT TERM PIPE CHLD TSTP", HOSTILE] {
            let test = Test::command("exec cat /proc/self/status").before(before);
            let ran = test.stdout_contains("SigBlk").ok();
            for set in ["SigBlk", "SigIgn", "SigCgt"] {
                assert_eq!(signals(&ran.stdout, set), 0, "{set} after {before:?}");
            }
        }
    }
}

#[test]
fn it_leads_a_session_and_a_group_of_its_own_and_has_no_terminal() {
    if is_linux() {
        // proc(5): the fifth and the sixth field are the process group and the session.
        let show = "set -- $(cat /proc/$$/stat); [ $5 = $$ ] && [ $6 = $$ ] && echo leads";
        Test::command(show).stdout("leads\n").ok();
    }
    Test::command("(: </dev/tty) 2>/dev/null || echo none").stdout("none\n").ok();
}

#[test]
fn it_has_three_descriptors_and_none_of_caps_own() {
    if is_linux() {
        let ran = Test::command(DESCRIPTORS)
            .before(&format!("({DESCRIPTORS}) >inherited"))
            .stdout_contains("")
            .ok();
        let shown = descriptors(&ran.stdout);
        assert_eq!(shown[0], "0 /dev/null");
        assert!(shown[1].starts_with("1 pipe:") && shown[2].starts_with("2 pipe:"), "{shown:?}");
        let inherited = text_of(ran.sandbox.project().join("inherited"));
        assert_eq!(&shown[3..], &descriptors(&inherited)[3..]);
    }
}

/// The lines that tell of a descriptor.
fn descriptors(text: &str) -> Vec<&str> {
    text.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit())).collect()
}

#[test]
fn both_streams_are_one_pipe_if_caps_are_one_file_and_two_if_not() {
    let show = "readlink /proc/$$/fd/1; readlink /proc/$$/fd/2";
    let pipes = |ran: Ran| {
        let lines: Vec<String> = ran.stdout.lines().map(str::to_owned).collect();
        (lines[0].clone(), lines[1].clone())
    };
    if is_linux() {
        let (stdout, stderr) = pipes(Test::command(show).stdout_contains("pipe:").ok());
        assert_ne!(stdout, stderr);
        let one = Test::command(show).stderr_to(crate::builder::process::Stream::SameAsStdout);
        let (stdout, stderr) = pipes(one.stdout_contains("pipe:").ok());
        assert_eq!(stdout, stderr);
    }
}

#[test]
fn a_pipe_within_the_command_ends_as_it_does_in_a_shell() {
    Test::command("yes | head -n 1").stdout("y\n").ok();
}

#[test]
fn descriptors_above_2_are_passed_on() {
    let ran = Test::command("echo three >&3; read line <&4; echo $line")
        .file("input", "four\n")
        .before("exec 3>three 4<input")
        .stdout("four\n")
        .ok();
    assert_eq!(text_of(ran.sandbox.project().join("three")), "three\n");
}

#[test]
fn descriptors_that_cap_was_not_given_are_not_mixed_up() {
    for closed in
        ["exec <&-", "exec >&-", "exec 2>&-", "exec <&- >&-", "exec <&- 2>&-", "exec <&- >&- 2>&-"]
    {
        let test = Test::command("cat; echo out; echo err >&2; exit 3").before(closed);
        let test = if closed.contains(" >&-") { test.stdout_lost() } else { test.stdout("out\n") };
        let stderr = if closed.contains("2>&-") { "" } else { "err\n" };
        test.stderr(stderr).task_failed();
    }
}

#[test]
fn nothing_is_missed_when_everything_is_blocked_and_sigchld_is_ignored() {
    let test = Test::command("(exit 4) & sh -c 'exit 5'; echo $?; exit 6").before(HOSTILE);
    let ran = test.stdout("5\n").task_failed();
    assert_eq!(ran.envelope["exit_code"], 6);
}

#[test]
fn an_interrupt_that_came_in_blocked_is_seen_and_one_that_came_in_ignored_is_not() {
    use crate::builder::process::Channel;
    use nix::sys::signal::Signal;
    for before in [HOSTILE, "trap '' INT HUP TSTP"] {
        let test = Test::command(&format!("echo ready; {}; exit 3", super::WAIT)).before(before);
        let running = test.stdout("ready\n").start();
        running.wait_for_line(Channel::Stdout, "ready");
        for ignored in [Signal::SIGINT, Signal::SIGHUP, Signal::SIGTSTP] {
            running.signal(ignored);
        }
        running.sandbox.write("go", "");
        running.task_failed();
        let test = Test::command("echo ready; exec sleep 1000").before(before);
        let running = test.stdout("ready\n").start();
        running.wait_for_line(Channel::Stdout, "ready");
        running.signal(Signal::SIGHUP);
        running.signal(Signal::SIGTERM);
        running.automation_broken("interrupted by SIGTERM");
    }
}

#[test]
fn a_timeout_comes_when_everything_is_blocked_and_sigchld_is_ignored() {
    let test = super::within(200, "setsid sleep 1000 & exec sleep 1000").before(HOSTILE);
    test.automation_broken(super::TIMED_OUT);
}
