//! What a person sees in a terminal: tables that fit, colour only where it is wanted, the way out of a failure
//! (contract sections 4 and 5).

use nix::sys::signal::Signal;

use crate::builder::Test;
use crate::builder::pty::Terminal;
use crate::builder::sandbox::MANIFEST;
use crate::builder::verdict::Ran;

const LONG: &str = "
    capabilities:
      dependencies.install:
        command: npm ci
      test.focused:
        command: npm test -- --silent --reporter=dot --coverage=false --runInBand tests/unit
        description: the fast tests, those that everybody runs before each commit of theirs
      test.full:
        command: |
          set -e
          npm test
        description: \"漢字漢字漢字漢字漢字 wide, e\\u0301e\\u0301 combining, 🦀🦀🦀🦀🦀🦀🦀🦀 both\"
      gate.batch: {command: scripts/gate --all, lifecycle: shadow}
    ";

/// What is on a terminal of this width when cap has listed a manifest there.
fn listed(manifest: &str, columns: u16) -> Vec<String> {
    let terminal = Terminal::of_width(columns);
    let test = Test::new().manifest(manifest).env("TERM", "xterm").list();
    test.stdout_to(terminal.stream()).stdout_lost().success();
    terminal.rest().lines().map(str::to_owned).collect()
}

/// The columns that a text takes in a terminal, for the characters of these tests.
fn columns(text: &str) -> usize {
    let width = |c: char| match c {
        '\u{301}' => 0,
        '漢' | '字' | '🦀' => 2,
        _ => 1,
    };
    text.chars().map(width).sum()
}

#[test]
fn a_table_fits_the_terminal_and_each_entry_stays_on_one_row() {
    for width in [200, 80, 60, 40, 20] {
        let lines = listed(LONG, width);
        // The manifest's path and the head are above.
        assert_eq!(lines.len(), 6, "{lines:#?}");
        for line in &lines[1..] {
            assert!(columns(line) <= width.into(), "{width}: {line:?}");
        }
    }
}

#[test]
fn at_80_columns_ids_are_whole_and_all_else_is_there() {
    for width in [80, 60] {
        let lines = listed(LONG, width);
        for part in ["dependencies.install  active", "npm test", "the fast", "shadow"] {
            assert!(lines.iter().any(|line| line.contains(part)), "{lines:#?} lacks {part}");
        }
    }
}

#[test]
fn an_id_of_200_characters_leaves_room_for_the_others() {
    let manifest = format!(
        "capabilities: {{{}: {{command: echo hello}}, b: {{command: x}}}}\n",
        "a".repeat(200)
    );
    let lines = listed(&manifest, 80);
    assert!(lines[2].contains("…  active     echo hello"), "{lines:#?}");
    assert!(lines.iter().skip(1).all(|line| columns(line) <= 80), "{lines:#?}");
}

#[test]
fn in_a_narrow_terminal_ids_are_what_stays() {
    for (width, head) in
        [(40, "COMMAND"), (35, "LIFECYCLE"), (30, "CAPABILITY"), (20, "CAPABILITY")]
    {
        let lines = listed(LONG, width);
        assert!(lines[1].ends_with(head), "{width}: {lines:#?}");
        assert!(lines[2].starts_with("dependencies.install"), "{width}: {lines:#?}");
        assert!(lines[3].starts_with("test.focused"), "{width}: {lines:#?}");
    }
    assert!(listed(LONG, 10)[2].starts_with("dependenc…"));
    assert_eq!(listed(LONG, 1)[1..], ["…"; 5]);
}

#[test]
fn a_terminal_without_a_name_or_a_width_is_listed_in_as_well() {
    let shown = |columns: u16, set: &dyn Fn(Test) -> Test| {
        let terminal = Terminal::of_width(columns);
        let test = set(Test::new().manifest(LONG).env("TERM", "xterm")).list();
        test.stdout_to(terminal.stream()).stdout_lost().success();
        terminal.rest()
    };
    let usual = shown(60, &|test| test);
    assert!(usual.contains("dependencies.install  active"), "{usual}");
    for columns in ["0", "20", "x", ""] {
        assert_eq!(shown(60, &|test| test.env("COLUMNS", columns)), usual, "COLUMNS={columns}");
    }
    assert_eq!(shown(60, &|test| test.env("TERM", "dumb")), usual);
    assert_eq!(shown(60, &|test| test.env_remove("TERM")), usual);
    let whole = shown(0, &|test| test);
    assert!(whole.contains("before each commit of theirs"), "{whole}");
}

#[test]
fn where_there_is_no_manifest_the_way_to_one_comes_last() {
    let terminal = Terminal::open();
    terminal.around(Test::new().list()).env("NO_COLOR", "1").stdout_lost().success();
    let screen = terminal.rest();
    let lines: Vec<&str> = screen.lines().collect();
    assert!(lines.len() == 2 && lines[0].ends_with(" (none)"), "{screen}");
    assert_eq!(lines[1], "help: 'cap init' writes one from what this project shows");
}

#[test]
fn many_entries_and_the_largest_manifest_are_listed_whole() {
    let entry = |n: usize| format!("  cap.number-{n}: {{command: echo {n}}}\n");
    let many: String = (0..500).map(entry).collect();
    let ran = Test::new()
        .manifest(&format!("capabilities:\n{many}"))
        .list()
        .stdout_contains("")
        .success();
    assert_eq!(ran.stdout.lines().count(), 502);
    let command = "x".repeat(100_000);
    let manifest = format!("capabilities: {{a: {{command: {command}}}}}\n#");
    let padding = "-".repeat((1 << 20) - manifest.len());
    let largest = manifest + &padding;
    let ran = Test::new().manifest_bytes(largest).list().stdout_contains("").success();
    assert!(ran.stdout.contains(&command), "{} bytes", ran.stdout.len());
}

#[test]
fn a_list_for_a_pipe_is_whole_even_if_a_person_sees_the_messages() {
    let terminal = Terminal::of_width(40);
    let test = Test::new().manifest(LONG).list().stderr_to(terminal.stream());
    test.stdout_contains("before each commit of theirs\n").success();
}

/// What a person sees of stderr, in a terminal without colours.
fn told(test: Test, end: impl FnOnce(Test) -> Ran) -> String {
    let terminal = Terminal::open();
    let test = test.env("TERM", "xterm").env("NO_COLOR", "1").stdout_contains("");
    end(test.stderr_to(terminal.stream()));
    terminal.rest()
}

#[test]
fn a_failure_of_the_machinery_tells_where_its_entry_is() {
    let manifest = "
        capabilities:
          other: {command: x}
          test.focused:
            command: no-such-program
        ";
    let test = Test::new().manifest(manifest).run("test.focused");
    let screen = told(test, |test| test.automation_broken("exit 127"));
    assert!(screen.contains(&format!("command not found (exit 127) ({MANIFEST}:3)")), "{screen}");
    let manifest =
        "capabilities: {a: {command: x, assumptions: [tool-version: no-such-tool>=1]}}\n";
    let test = Test::new().manifest(manifest).run("a");
    let screen = told(test, |test| test.automation_broken("no-such-tool"));
    assert!(screen.contains("no-such-tool is not runnable"), "{screen}");
    assert!(screen.contains(&format!("({MANIFEST}:1)")), "{screen}");
}

#[test]
fn a_timeout_tells_what_was_stopped_and_where_its_budget_is() {
    let manifest = "capabilities: {a: {command: exec sleep 1000, timeout_ms: 50}}\n";
    let test = Test::new().manifest(manifest).run("a");
    let screen = told(test, |test| test.automation_broken("command timed out after 50ms"));
    let stopped = "stopped 'exec sleep 1000' and what it had started";
    let end = format!(": command timed out after 50ms: {stopped} ({MANIFEST}:1)\r\n");
    assert!(screen.ends_with(&end), "{screen}");
    assert_eq!(screen.lines().count(), 1, "{screen}");
}

#[test]
fn a_failed_task_tells_its_exit_code_and_a_pass_has_nothing_more_to_tell() {
    let screen = told(Test::command("exit 3"), Test::task_failed);
    assert!(screen.ends_with(" ms: exit 3\r\n"), "{screen}");
    let screen = told(Test::command("exit 0"), Test::ok);
    assert!(screen.ends_with(" ms\r\n"), "{screen}");
}

#[test]
fn an_interrupt_before_the_command_tells_that_nothing_was_started() {
    let manifest =
        "capabilities: {a: {command: touch ran, assumptions: [tool-version: tool>=1]}}\n";
    let terminal = Terminal::open();
    let test = Test::new().manifest(manifest).tool("tool", "touch asked; exec sleep 1000").run("a");
    let test = test.env("TERM", "xterm").env("NO_COLOR", "1").stderr_to(terminal.stream());
    let running = test.start();
    let asked = running.sandbox.project().join("asked");
    running.wait_until("the tool is asked", || asked.exists());
    running.signal(Signal::SIGTERM);
    let ran = running.automation_broken("interrupted by SIGTERM");
    assert!(!ran.sandbox.project().join("ran").exists());
    let screen = terminal.rest();
    let end = "interrupted by SIGTERM: the command was not started\r\n";
    assert!(screen.ends_with(end) && screen.lines().count() == 1, "{screen}");
}

#[test]
fn an_entry_that_is_not_to_be_run_tells_where_it_says_so() {
    let manifest = "capabilities:\n  a: {command: x, lifecycle: shadow}\n";
    let screen =
        told(Test::new().manifest(manifest).run("a"), |test| test.unavailable("lifecycle=shadow"));
    assert!(screen.ends_with(&format!("({MANIFEST}:2)\r\n")), "{screen}");
}

#[test]
fn an_id_that_is_not_there_gets_the_way_to_those_that_are() {
    let one = Test::new().manifest("capabilities: {test.full: {command: x}}\n");
    let screen = told(one.run("test.ful"), |test| test.unavailable("test.ful"));
    assert!(screen.contains("did you mean 'test.full'?"), "{screen}");
    let one = Test::new().manifest("capabilities: {test.full: {command: x}}\n");
    let screen = told(one.run("test"), |test| test.unavailable("did you mean 'test.full'?"));
    assert_eq!(screen.lines().count(), 1, "{screen}");
    let one = Test::new().manifest("capabilities: {test.full: {command: x}}\n");
    let screen = told(one.run("deploy"), |test| test.unavailable("deploy"));
    assert!(screen.contains("'cap list' shows what it declares"), "{screen}");
    let screen = told(Test::new().run("deploy"), |test| test.unavailable("deploy"));
    assert!(screen.contains("'cap init' writes one"), "{screen}");
}

#[test]
fn messages_are_in_colour_for_a_person_who_wants_it_and_for_nobody_else() {
    let colour = |set: &dyn Fn(Test) -> Test| {
        let terminal = Terminal::open();
        let test = set(Test::new().manifest("x: 1\ncapabilities: {}\n").env("TERM", "xterm"));
        test.list().stdout_contains("").stderr_to(terminal.stream()).success();
        let screen = terminal.rest();
        assert!(screen.contains("warning:"), "{screen}");
        screen.contains('\u{1b}')
    };
    assert!(colour(&|test| test));
    assert!(!colour(&|test| test.env("NO_COLOR", "1")));
    assert!(!colour(&|test| test.env("TERM", "dumb")));
    assert!(!colour(&|test| test.env_remove("TERM")));
    let forced = |test: Test| test.env("CLICOLOR_FORCE", "1").env("TERM", "xterm");
    let test = forced(Test::new().manifest("x: 1\ncapabilities: {}\n")).list().stdout_contains("");
    let ran = test.stderr_contains(": warning: unknown key 'x'").success();
    assert!(!ran.stderr.contains('\u{1b}'), "no terminal, no colour: {:?}", ran.stderr);
    let help = forced(Test::new()).cap(["--help"]).stdout_contains("Usage: cap").success();
    assert!(!help.stdout.contains('\u{1b}'), "no terminal, no colour: {:?}", help.stdout);
}

#[test]
fn help_fits_one_screen() {
    let help = Test::new().cap(["--help"]).stdout_contains("Usage: cap").success().stdout;
    assert!(help.lines().count() < 24, "the prompt has a line, too: {help}");
    let terminal = Terminal::of_width(80);
    let test = Test::new().cap(["--help"]).env("TERM", "xterm").env("NO_COLOR", "1");
    test.stdout_to(terminal.stream()).stdout_lost().success();
    let screen = terminal.rest();
    assert!(screen.lines().count() < 24, "{screen}");
    assert!(screen.lines().all(|line| line.chars().count() <= 80), "{screen}");
}

#[test]
fn help_on_a_run_tells_the_outcomes_with_their_exit_codes_and_breaks_none_of_them() {
    let terminal = Terminal::of_width(80);
    let test = Test::new().cap(["run", "--help"]).env("TERM", "xterm").env("NO_COLOR", "1");
    test.stdout_to(terminal.stream()).stdout_lost().success();
    let screen = terminal.rest();
    let outcomes = [
        ("0  ok", "trust it"),
        ("1  task-failed", "trust it"),
        ("2  automation-broken", "don't trust it"),
        ("3  capability-unavailable", "nothing by this name to run here"),
    ];
    for (outcome, meaning) in outcomes {
        let line = screen.lines().find(|line| line.trim_start().starts_with(outcome));
        assert!(line.is_some_and(|line| line.ends_with(meaning)), "{screen}");
    }
}

#[test]
fn help_without_being_asked_has_colour_as_well() {
    let terminal = Terminal::open();
    let test = Test::new().cap([""; 0]).env("TERM", "xterm").stderr_to(terminal.stream());
    test.failure(1);
    let screen = terminal.rest();
    assert!(screen.contains("Usage:") && screen.contains('\u{1b}'), "{screen:?}");
}
