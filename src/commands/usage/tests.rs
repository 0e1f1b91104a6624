//! What is said of each way to mistype a command line.

use super::*;
use crate::cli::Cli;
use clap::Parser as _;

fn explained(line: &str) -> Vec<String> {
    let words: Vec<OsString> =
        shell_words::split(line).unwrap().into_iter().map(OsString::from).collect();
    let words = Words::of(&words);
    let error = Cli::try_parse_from(words.as_slice()).unwrap_err();
    explanation(&error, &words).lines().map(str::to_owned).collect()
}

/// Each is explained by two lines, of which the second is this.
fn helped(lines: &[(&str, &str)]) {
    for (typed, help) in lines {
        let lines = explained(typed);
        assert!(lines.len() == 2 && lines[0].starts_with("error: "), "{lines:?}");
        assert_eq!(lines[1], format!("help: {help}"), "{typed}");
    }
}

#[test]
fn a_flag_of_the_command_is_put_behind_dashes() {
    helped(&[
        ("cap run test.focused --grep auth", "cap run test.focused -- --grep auth"),
        ("cap run test.focused -v", "cap run test.focused -- -v"),
        ("cap run a -vx 'it''s' '$b'", "cap run a -- -vx its '$b'"),
        (
            "cap -C 'a b' run a one --tail-bytes 5 --grep 'x y' -- --z",
            "cap -C 'a b' run a --tail-bytes 5 -- one --grep 'x y' --z",
        ),
        ("cap run a --no", "cap run a -- --no"),
        ("cap run a --envelope-file=e --x", "cap run a '--envelope-file=e' -- --x"),
        ("cap run --tail-bytes 5 a --x", "cap run a --tail-bytes 5 -- --x"),
        ("cap last-ok a --here -k one", "cap last-ok a --here -- -k one"),
        ("cap last-ok a one --here", "cap last-ok a --here -- one"),
        ("cap last-ok a --here --prefix d one", "cap last-ok a --here --prefix d -- one"),
    ]);
}

#[test]
fn a_flag_before_the_id_is_not_guessed_about() {
    let help = "what is meant for the command goes behind '--': cap run ID -- ARGS";
    helped(&[
        ("cap run --grep auth a", help),
        ("cap run -v a", help),
        ("cap run --x", help),
        ("cap run --version", help),
        ("cap run --tail-bytes 5 --x", help),
    ]);
}

#[test]
fn a_directory_is_put_before_the_subcommand() {
    helped(&[
        ("cap run -C d b.c", "cap -C d run b.c"),
        ("cap list -Cd --json", "cap -Cd list --json"),
        ("cap -C a run b -C 'c d' e", "cap -C a -C 'c d' run b e"),
        ("cap run b -C", "it goes before the subcommand: cap -C DIR …"),
    ]);
}

#[test]
fn an_id_without_run_is_run() {
    helped(&[
        ("cap test.focused", "cap run test.focused"),
        ("cap -C d test.focused -v", "cap -C d run test.focused -- -v"),
        ("cap test.focused auth", "cap run test.focused auth"),
        ("cap build", "'cap run build' runs a capability, 'cap --help' shows the subcommands"),
    ]);
}

#[test]
fn what_is_missing_is_shown() {
    helped(&[
        ("cap run", "'cap list' shows the ids"),
        ("cap -C d run", "'cap -C d list' shows the ids"),
        ("cap last-ok", "'cap list' shows the ids"),
        ("cap last-ok a", "cap last-ok a --here"),
        ("cap last-ok a -- b", "cap last-ok a --here -- b"),
        ("cap completions", "'cap completions --help' shows how"),
    ]);
}

#[test]
fn any_other_error_is_one_line_with_a_way_on() {
    helped(&[
        ("cap lst", "some similar subcommands exist: 'last-ok', 'list'"),
        ("cap confg", "a similar subcommand exists: 'config'"),
        ("cap 'a b'", "'cap --help' shows how"),
        ("cap help nope", "'cap --help' shows how"),
        ("cap list --jso", "a similar argument exists: '--json'"),
        ("cap list extra", "'cap list --help' shows how"),
        ("cap --json list", "'cap list --json' exists"),
        ("cap -X list", "'cap --help' shows how"),
        ("cap --grep run a", "'cap --help' shows how"),
        ("cap run a --envelope-fil x", "a similar argument exists: '--envelope-file'"),
        ("cap run a --tail-bytes x", "'cap run --help' shows how"),
        ("cap run a --tail-bytes -1", "'cap run --help' shows how"),
        ("/usr/bin/cap -C", "'cap --help' shows how"),
    ]);
}

#[test]
fn the_error_says_what_is_wrong() {
    for (typed, error) in [
        ("cap lst", "unrecognized subcommand 'lst'"),
        ("cap list --jso", "unexpected argument '--jso' found"),
        ("cap run", "the following required arguments were not provided: <ID>"),
        (
            "cap run a --tail-bytes x",
            "invalid value 'x' for '--tail-bytes <N>': invalid digit found in string",
        ),
        (
            "cap run a --tail-bytes -1",
            "invalid value '-1' for '--tail-bytes <N>': -1 is not in 0..=67108864",
        ),
    ] {
        assert_eq!(explained(typed)[0], format!("error: {error}"), "{typed}");
    }
}

#[test]
fn a_line_that_would_not_be_what_was_typed_is_not_shown() {
    helped(&[
        (
            "cap run a --x '\u{1b}[31m'",
            "what is meant for the command goes behind '--': cap run ID -- ARGS",
        ),
        ("cap run -C '\u{1b}' a", "it goes before the subcommand: cap -C DIR …"),
        ("cap test.focused '\u{1b}'", "'cap --help' shows how"),
    ]);
}
