//! The line for `/bin/sh`: args appended so that each arrives as exactly one word, or not at all.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::io;
use std::time::Duration;

use super::capture::{End, capture};
use super::signals::Signals;
use super::{SHELL, Status};

/// Parsing takes the shell milliseconds; past this the machine is stuck.
const PARSE_LIMIT: Duration = Duration::from_secs(10);

/// Why args can't be appended to a command.
#[derive(Debug, thiserror::Error)]
pub enum AppendError {
    /// Behind it, they would be lost, misread or a syntax error.
    #[error("{0}")]
    Unfit(&'static str),
    /// The shell that has to say so can't be run.
    #[error("cannot run {SHELL} -n: {0}")]
    Shell(#[from] io::Error),
    /// An interrupt came to `cap`, which is still to be taken.
    #[error("interrupted")]
    Interrupted,
}

/// `command` with `args` behind it, each quoted (contract section 5, "The command line").
pub fn append(command: &str, args: &[String], signals: &Signals) -> Result<String, AppendError> {
    if args.is_empty() {
        return Ok(command.to_owned());
    }
    let command = command.trim_end_matches(|c: char| c.is_ascii_whitespace());
    if command.ends_with(['\\', '&', ';', '|']) {
        return Err(AppendError::Unfit("its last line ends in '\\', '&', ';' or '|'"));
    }
    // `sh -n` does not expand them.
    if command
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '-')
        .any(|word| word == "alias")
    {
        return Err(AppendError::Unfit("an alias in it could swallow them"));
    }
    let line = join(command, args);
    if !is_accepted(command, Some(signals))? {
        return Err(AppendError::Unfit("the shell can't parse it"));
    }
    if !is_accepted(&line, Some(signals))? {
        return Err(AppendError::Unfit("with them, the shell can't parse it"));
    }
    if is_accepted(&format!("{command} )"), Some(signals))? {
        return Err(AppendError::Unfit(
            "a comment or a here-document at its end would swallow them",
        ));
    }
    Ok(line)
}

fn join(command: &str, args: &[String]) -> String {
    args.iter().fold(command.to_owned(), |line, arg| line + " " + &quote(arg))
}

/// Whether the shell can parse `line`. Where it can't be asked, the line is not to blame.
pub fn parses(line: &str) -> bool {
    // Not to be interrupted: the answer is part of a verdict that is already due.
    is_accepted(line, None).unwrap_or(true)
}

fn is_accepted(line: &str, signals: Option<&Signals>) -> Result<bool, AppendError> {
    let captured = capture(OsStr::new(SHELL), &["-n", "-c", "--", line], PARSE_LIMIT, signals)?;
    match captured.end {
        End::Ended(status) => Ok(status == Status::Exited(0)),
        End::TimedOut => Err(io::Error::from(io::ErrorKind::TimedOut).into()),
        End::Interrupted => Err(AppendError::Interrupted),
    }
}

/// `arg` as one word for any shell.
pub fn quote(arg: &str) -> Cow<'_, str> {
    let quoted = shell_words::quote(arg);
    // `shell_words` knows what POSIX makes special; bash expands more, such as `{a,b}`.
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./,:=@%+".contains(c);
    if quoted == arg && !arg.chars().all(is_plain) {
        return Cow::Owned(format!("'{arg}'"));
    }
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn each_arg_stands_behind_a_space() {
        let args = ["--grep", "auth"].map(str::to_owned);
        let line = join("npm test -- --silent", &args);
        assert_eq!(line, "npm test -- --silent --grep auth");
    }

    #[test]
    fn an_arg_that_a_shell_would_expand_is_quoted() {
        assert_eq!(quote(""), "''");
        assert_eq!(quote("a'b"), r"'a'\''b'");
        for arg in ["{a,b}", "~", "a=~", "$x", "!x", "#", "^", "a\nb", "é", "a\\b", "*", "[x]"] {
            assert!(quote(arg).starts_with('\''), "{arg}");
        }
    }

    proptest! {
        #[test]
        fn an_arg_is_one_word_again_when_a_shell_splits_the_line(args: Vec<String>) {
            let words = shell_words::split(&join("x", &args)).unwrap();
            prop_assert_eq!(&words[1..], &args[..]);
        }
    }
}
