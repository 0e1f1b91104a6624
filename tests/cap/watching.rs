//! What a person sees in a terminal: tables that fit, colour only where it is wanted, the way out of a failure
//! (contract sections 4 and 5).

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
        for part in ["dependencies.install active", "npm test", "the fast", "shadow"] {
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
    assert!(lines[2].contains("… active") && lines[2].contains("echo hello"), "{lines:#?}");
    assert!(lines.iter().skip(1).all(|line| columns(line) <= 80), "{lines:#?}");
}

#[test]
fn no_width_that_an_environment_claims_counts() {
    let terminal = Terminal::of_width(60);
    let test = Test::new().manifest(LONG).env("COLUMNS", "0").env_remove("TERM").list();
    test.stdout_to(terminal.stream()).stdout_lost().success();
    assert!(terminal.rest().contains("dependencies.install active"));
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
fn a_timeout_tells_what_was_stopped() {
    let manifest = "capabilities: {a: {command: exec sleep 1000, timeout_ms: 50}}\n";
    let test = Test::new().manifest(manifest).run("a");
    let screen = told(test, |test| test.automation_broken("command timed out after 50ms"));
    assert!(screen.contains("after 50ms: stopped 'exec sleep 1000' and what"), "{screen}");
    assert_eq!(screen.lines().count(), 1, "{screen}");
}

#[test]
fn an_id_that_is_not_there_gets_the_way_to_those_that_are() {
    let one = Test::new().manifest("capabilities: {test.full: {command: x}}\n");
    let screen = told(one.run("test.ful"), |test| test.unavailable("test.ful"));
    assert!(screen.contains("did you mean 'test.full'?"), "{screen}");
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
    assert!(help.lines().count() <= 24, "{help}");
    assert!(help.lines().all(|line| line.chars().count() <= 100), "{help}");
    let run = Test::new().cap(["run", "--help"]).stdout_contains("automation-broken").success();
    let codes = ["0  ok", "1  task-failed", "2  automation-broken", "3  capability-unavailable"];
    for outcome in codes {
        assert!(run.stdout.contains(outcome), "{}", run.stdout);
    }
}
