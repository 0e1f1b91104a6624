//! A person at a terminal: the summary, the keys, the terminal that goes away (contract section 5).

use serde_json::json;

use super::{LOOP, WAIT, within};
use crate::builder::Test;
use crate::builder::pty::Terminal;

const BASH: &str = "bash --norc --noprofile -i";

fn has_bash() -> bool {
    std::path::Path::new("/bin/bash").exists()
}

#[test]
fn one_line_in_colour_tells_a_person_how_it_went() {
    let outcomes = [
        ("echo out", "ok", ""),
        ("exit 3", "task-failed", ""),
        ("exit 127", "automation-broken", ": command not found (exit 127)"),
    ];
    for (command, outcome, reason) in outcomes {
        let terminal = Terminal::open();
        let test = Test::command(command).env("TERM", "xterm").stdout_contains("");
        let test = test.stderr_to(terminal.stream());
        match outcome {
            "ok" => test.ok(),
            "task-failed" => test.task_failed(),
            _ => test.automation_broken("exit 127"),
        };
        let screen = terminal.rest();
        assert_eq!(screen.lines().count(), 1, "{screen:?}");
        for part in ["test.focused", outcome, reason, " ms", "\u{1b}["] {
            assert!(screen.contains(part), "{screen:?} lacks {part:?}");
        }
    }
}

#[test]
fn the_summary_has_no_colour_where_nobody_wants_it() {
    for (name, value) in [("NO_COLOR", "1"), ("TERM", "dumb")] {
        let terminal = Terminal::open();
        let test = Test::command("exit 3").env("TERM", "xterm").env(name, value);
        test.stderr_to(terminal.stream()).task_failed();
        let screen = terminal.rest();
        assert!(screen.contains("task-failed") && !screen.contains('\u{1b}'), "{screen:?}");
    }
}

#[test]
fn nobody_but_a_person_gets_a_summary() {
    // The terminal is stdout here, and stderr a pipe.
    let terminal = Terminal::open();
    Test::command("exit 3")
        .env("TERM", "xterm")
        .stdout_to(terminal.stream())
        .stderr("")
        .task_failed();
    let screen = terminal.rest();
    assert!(
        screen.starts_with("{\"cap_envelope\":1,") && screen.lines().count() == 1,
        "{screen:?}"
    );
    Test::command("exit 3").env("CLICOLOR_FORCE", "1").stderr("").task_failed();
}

#[test]
fn the_summary_comes_behind_the_output_and_before_the_envelope() {
    let terminal = Terminal::open();
    terminal.around(Test::command("echo out; printf part >&2")).env("NO_COLOR", "1").ok();
    let screen = terminal.rest();
    let lines: Vec<&str> = screen.lines().collect();
    assert_eq!(lines[..2], ["out", "part"]);
    assert!(lines[2].contains("test.focused") && lines[2].contains("ok"), "{screen:?}");
    assert!(lines[3].starts_with("{\"cap_envelope\":1,") && lines.len() == 4, "{screen:?}");
}

#[test]
fn what_asks_for_a_password_fails_at_once_instead_of_waiting_for_nobody() {
    let ask = "(printf 'password: ' >/dev/tty) 2>/dev/null || echo cannot ask
        (read -r answer </dev/tty) 2>/dev/null || echo cannot read
        (stty -echo </dev/tty) 2>/dev/null || echo cannot hide; read -r answer || echo no answer";
    let mut terminal = Terminal::open();
    let running = terminal.around(Test::command(ask)).start();
    terminal.press("secret\n");
    for line in ["cannot ask", "cannot read", "cannot hide", "no answer"] {
        terminal.wait_for(&format!("{line}\r\n"));
    }
    running.ok();
}

#[test]
fn keys_interrupt_the_run_and_the_command_can_clean_up() {
    for (key, name) in [("\u{3}", "INT"), ("\u{1c}", "QUIT")] {
        let mut terminal = Terminal::open();
        let command = format!("trap 'echo clean; exit 1' {name}; echo ready; {LOOP}");
        let test = terminal.around(Test::command(&command)).env("NO_COLOR", "1");
        let running = test.envelope(json!({"exit_code": 1})).start();
        terminal.wait_for("ready\r\n");
        terminal.press(key);
        terminal.wait_for("clean\r\n");
        running.automation_broken(&format!("interrupted by SIG{name}"));
        let screen = terminal.rest();
        let summary = format!("interrupted by SIG{name}: stopped 'trap ");
        assert!(screen.contains(&summary), "{screen}");
        assert!(screen.contains("what it had started\r\n{\"cap_envelope\":1,"), "{screen}");
    }
}

#[test]
fn a_terminal_that_goes_away_interrupts_the_run_and_its_verdict_is_kept() {
    let mut terminal = Terminal::open();
    let command = format!("trap 'sleep 0.1; touch cleaned; exit 1' HUP; echo ready; {LOOP}");
    let running = terminal.around(Test::command(&command)).start();
    terminal.wait_for("ready\r\n");
    drop(terminal);
    let ran = running.automation_broken("interrupted by SIGHUP");
    assert!(ran.sandbox.project().join("cleaned").exists());
}

#[test]
fn a_run_is_stopped_and_continued_from_an_interactive_shell() {
    if !has_bash() {
        return;
    }
    let stopped = ["fg", "bg; wait %1"].map(|continued| {
        let mut terminal = Terminal::open();
        let test = within(1500, &format!("echo ready; {WAIT}; echo on; exit 3"));
        let running = terminal.with_shell(test, BASH).start();
        terminal.press("$RUN\n");
        terminal.wait_for("ready\r\n");
        terminal.press("\u{1a}");
        terminal.wait_for("Stopped");
        (continued, terminal, running)
    });
    // Longer than the budget: the clock stands still meanwhile.
    std::thread::sleep(std::time::Duration::from_millis(1600));
    for (continued, mut terminal, running) in stopped {
        running.sandbox.write("go", "");
        terminal.press(&format!("{continued}; exit $?\n"));
        terminal.wait_for("on\r\n");
        terminal.wait_for("{\"cap_envelope\":1,");
        running.task_failed();
    }
}

#[test]
fn ctrl_c_in_an_interactive_shell_ends_the_run_and_not_the_shell() {
    if !has_bash() {
        return;
    }
    let mut terminal = Terminal::open();
    let test = Test::command("sleep 1000 & echo ready; sleep 1000");
    let running = terminal.with_shell(test, BASH).start();
    terminal.press("$RUN\n");
    terminal.wait_for("ready\r\n");
    terminal.press("\u{3}");
    terminal.wait_for("{\"cap_envelope\":1,");
    terminal.press("exit $?\n");
    running.automation_broken("interrupted by SIGINT");
}

#[test]
fn a_run_in_the_background_of_a_terminal_is_not_stopped_by_what_it_writes_or_reads() {
    if !has_bash() {
        return;
    }
    let mut terminal = Terminal::open();
    let test = Test::command("echo ready; cat; (cat </dev/tty) 2>/dev/null; echo on; exit 3");
    let running = terminal.with_shell(test, BASH).start();
    terminal.press("$RUN & wait %1; exit $?\n");
    terminal.wait_for("ready\r\non\r\n");
    running.task_failed();
}
