//! A command line that is not understood: what is wrong with it, and the line to type instead.

use std::ffi::{OsStr, OsString};

use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::exec::shell::quote;
use crate::text::nearest;

/// What `cap run` takes: what is near to one of them is probably no flag of the command.
const OPTIONS: [&str; 3] = ["--envelope-file", "--tail-bytes", "--help"];

/// The words of a command line, printable, the first being the program's name.
pub struct Words<'a>(pub &'a [String]);

/// What is said of a usage error: one `error:` line, and a `help:` line for each remedy.
pub fn explanation(error: &clap::Error, words: &Words<'_>) -> String {
    let (message, tips) = said(error);
    let remedies = match words.remedy(error) {
        Some(line) => vec![line],
        None if tips.is_empty() => vec![format!("'{} --help' shows how", words.command(error))],
        None => tips,
    };
    let remedies = remedies.iter().map(|remedy| format!("\nhelp: {remedy}"));
    format!("error: {message}{}", remedies.collect::<String>())
}

/// The message and the tips that clap has, without what it says of usage.
fn said(error: &clap::Error) -> (String, Vec<String>) {
    let rendered = error.render().to_string();
    let lines = rendered.lines().map(str::trim).filter(|line| !line.is_empty());
    let lines =
        lines.take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more"));
    let (mut message, mut tips) = (String::new(), Vec::new());
    for line in lines {
        if let Some(tip) = line.strip_prefix("tip: ") {
            tips.push(tip.to_owned());
        } else {
            let separator = if message.is_empty() { "" } else { " " };
            message = [&message, separator, line.strip_prefix("error: ").unwrap_or(line)].concat();
        }
    }
    (message, tips)
}

impl Words<'_> {
    /// The program's name and the subcommand that the words name, if it is one.
    fn command(&self, error: &clap::Error) -> String {
        let is_one = error.kind() != ErrorKind::InvalidSubcommand;
        let subcommand = subcommand(self.0).filter(|_| is_one);
        let subcommand = subcommand.map(|at| format!(" {}", quote(&self.0[at])));
        format!("{}{}", self.name(), subcommand.unwrap_or_default())
    }

    /// The program's name, without the directory that it was found in.
    fn name(&self) -> &str {
        let name = self.0.first().map_or("cap", String::as_str);
        name.rsplit('/').next().unwrap_or(name)
    }

    /// The line that was probably meant, where there is hardly a doubt.
    fn remedy(&self, error: &clap::Error) -> Option<String> {
        let text = |kind| match error.get(kind) {
            Some(ContextValue::String(text)) => Some(text.as_str()),
            Some(_) | None => None,
        };
        let at = subcommand(self.0)?;
        if error.kind() == ErrorKind::UnknownArgument {
            return match text(ContextKind::InvalidArg)? {
                option if option.starts_with("-C") => self.with_directory_first(at),
                option if self.0[at] == "run" && nearest(option, OPTIONS).is_none() => {
                    self.with_dashes(at)
                }
                _ => None,
            };
        }
        // `cap test.focused`: nothing but an id has a dot.
        let is_id = error.kind() == ErrorKind::InvalidSubcommand && self.0[at].contains('.');
        let run = || [&["run".to_owned()], &self.0[at..]].concat();
        is_id.then(|| self.line(&self.0[1..at], &run()))
    }

    /// `-C DIR` in front of the subcommand, where it belongs.
    fn with_directory_first(&self, at: usize) -> Option<String> {
        let own = self.0[at..].iter().position(|word| word.starts_with("-C"))? + at;
        let behind = if self.0[own] == "-C" { own + 2 } else { own + 1 };
        let (directory, rest) = (self.0.get(own..behind)?, self.0.get(behind..)?);
        Some(self.line(&[&self.0[1..at], directory].concat(), &[&self.0[at..own], rest].concat()))
    }

    /// What is not an option of `cap run` behind `--`, where it is an arg of the command.
    fn with_dashes(&self, at: usize) -> Option<String> {
        let (mut own, mut args, mut id) = (Vec::new(), Vec::new(), None);
        let mut words = self.0[at + 1..].iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--" => args.extend(words.by_ref().cloned()),
                "--envelope-file" | "--tail-bytes" => {
                    own.push(word.clone());
                    own.extend(words.next().cloned());
                }
                word if word.starts_with("--envelope-file=")
                    || word.starts_with("--tail-bytes=") =>
                {
                    own.push(word.to_owned());
                }
                _ if id.is_none() && !word.starts_with('-') => id = Some(word.clone()),
                _ => args.push(word.clone()),
            }
        }
        let run = [vec![self.0[at].clone(), id?], own, vec!["--".to_owned()], args].concat();
        Some(self.line(&self.0[1..at], &run))
    }

    /// A line to type.
    fn line(&self, before: &[String], words: &[String]) -> String {
        let quoted = before.iter().chain(words).map(|word| format!(" {}", quote(word)));
        format!("{}{}", self.name(), quoted.collect::<String>())
    }
}

/// Where the word stands that seems to name the subcommand, in words of which the first is the program's name.
pub fn subcommand(words: &[impl AsRef<OsStr>]) -> Option<usize> {
    let mut at = 1;
    while let Some(word) = words.get(at) {
        match word.as_ref() {
            word if word == "-C" => at += 2,
            word if word.as_encoded_bytes().starts_with(b"-") => at += 1,
            _ => return Some(at),
        }
    }
    None
}

/// The words as text that can't drive a terminal.
pub fn printable_words(arguments: &[OsString]) -> Vec<String> {
    let printable = |word: &OsString| crate::text::printable(&word.to_string_lossy()).into_owned();
    arguments.iter().map(printable).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Cli;
    use clap::Parser as _;

    fn explained(line: &str) -> Vec<String> {
        let words = shell_words::split(line).unwrap();
        let error = Cli::try_parse_from(&words).unwrap_err();
        explanation(&error, &Words(&words)).lines().map(str::to_owned).collect()
    }

    #[test]
    fn a_flag_of_the_command_is_put_behind_dashes() {
        for (typed, meant) in [
            ("cap run test.focused --grep auth", "cap run test.focused -- --grep auth"),
            ("cap run test.focused -v", "cap run test.focused -- -v"),
            (
                "cap -C 'a b' run a one --tail-bytes 5 --grep 'x y' -- --z",
                "cap -C 'a b' run a --tail-bytes 5 -- one --grep 'x y' --z",
            ),
            ("cap run a --no", "cap run a -- --no"),
            ("cap run a --envelope-file=e --x", "cap run a '--envelope-file=e' -- --x"),
        ] {
            assert_eq!(explained(typed).last().unwrap(), &format!("help: {meant}"), "{typed}");
        }
    }

    #[test]
    fn a_directory_is_put_before_the_subcommand() {
        assert_eq!(explained("cap run -C d b.c").last().unwrap(), "help: cap -C d run b.c");
        assert_eq!(explained("cap list -Cd --json").last().unwrap(), "help: cap -Cd list --json");
    }

    #[test]
    fn an_id_without_run_is_run() {
        assert_eq!(explained("cap test.focused").last().unwrap(), "help: cap run test.focused");
    }

    #[test]
    fn any_other_error_is_one_line_with_a_way_on() {
        for (typed, error, help) in [
            ("cap lst", "unrecognized subcommand 'lst'", "similar"),
            ("cap 'a b'", "unrecognized subcommand 'a b'", "'cap --help'"),
            ("cap list --jso", "unexpected argument '--jso' found", "'--json'"),
            ("cap run a --envelope-fil x", "unexpected argument", "'--envelope-file'"),
            ("cap run", "required arguments were not provided: <ID>", "'cap run --help'"),
            ("cap last-ok a", "not provided: <--tree <SHA>|--here>", "'cap last-ok --help'"),
            ("cap run a --tail-bytes x", "'x' for '--tail-bytes <N>'", "'cap run --help'"),
            ("cap run a --tail-bytes -1", "'-1' for '--tail-bytes <N>'", "'cap run --help'"),
            ("cap run --x", "unexpected argument '--x'", "'--x'"),
        ] {
            let lines = explained(typed);
            assert_eq!(lines.len(), 2, "{lines:?}");
            assert!(lines[0].starts_with("error: ") && lines[0].contains(error), "{lines:?}");
            assert!(lines[1].starts_with("help: ") && lines[1].contains(help), "{lines:?}");
        }
    }
}
