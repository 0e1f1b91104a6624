//! A command line that is not understood: what is wrong with it, and the line to type instead.

mod behind;

use std::ffi::{OsStr, OsString};

use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::exec::shell::quote;
use crate::manifest::check::is_id;
use crate::text::printable;
use behind::Behind;

/// The subcommand that an id alone probably asks for.
const RUN: &str = "run";

/// The words of a command line as text that can't drive a terminal, the first being the program's name.
pub struct Words {
    words: Vec<String>,
    /// Whether they are as typed: else they are no line to type again.
    is_exact: bool,
}

/// What is said of a usage error: one `error:` line, and a `help:` line with the way on.
pub fn explanation(error: &clap::Error, words: &Words) -> String {
    let (message, tips) = said(error, words.name());
    let remedies = match words.remedy(error) {
        Some(remedy) => vec![remedy],
        None if tips.is_empty() => vec![format!("'{} --help' shows how", words.command(error))],
        None => tips,
    };
    let remedies = remedies.iter().map(|remedy| format!("\nhelp: {remedy}"));
    format!("error: {message}{}", remedies.collect::<String>())
}

/// The message and the tips that clap has, without what it says of usage.
fn said(error: &clap::Error, name: &str) -> (String, Vec<String>) {
    let rendered = error.render().to_string();
    let lines = rendered.lines().map(str::trim).filter(|line| !line.is_empty());
    let lines =
        lines.take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more"));
    let (mut message, mut tips) = (String::new(), Vec::new());
    for line in lines {
        match line.strip_prefix("tip: ") {
            // It takes whatever begins with a dash for a value, and says so of every option.
            Some(tip) if tip.starts_with("to pass '") => {}
            // It leaves the program's name out.
            Some(tip) if tip.ends_with("' exists") => {
                tips.push(tip.replacen('\'', &format!("'{name} "), 1));
            }
            Some(tip) => tips.push(tip.to_owned()),
            None => {
                let separator = if message.is_empty() { "" } else { " " };
                message =
                    [&message, separator, line.strip_prefix("error: ").unwrap_or(line)].concat();
            }
        }
    }
    (message, tips)
}

impl Words {
    /// The words of these arguments.
    pub fn of(arguments: &[OsString]) -> Self {
        let words: Vec<String> =
            arguments.iter().map(|word| printable(&word.to_string_lossy()).into_owned()).collect();
        let is_exact = arguments.iter().zip(&words).all(|(typed, shown)| typed == shown.as_str());
        Self { words, is_exact }
    }

    /// The words themselves.
    pub fn as_slice(&self) -> &[String] {
        &self.words
    }

    /// The program's name and the subcommand that the error is about.
    fn command(&self, error: &clap::Error) -> String {
        let is_one = error.kind() != ErrorKind::InvalidSubcommand;
        let subcommand = self.place(error).filter(|_| is_one);
        let subcommand = subcommand.map(|at| format!(" {}", quote(&self.words[at])));
        format!("{}{}", self.name(), subcommand.unwrap_or_default())
    }

    /// The program's name, without the directory that it was found in.
    fn name(&self) -> &str {
        let name = self.words.first().map_or("cap", String::as_str);
        name.rsplit('/').next().unwrap_or(name)
    }

    /// Where the subcommand is named, unless the error is about an option before it.
    fn place(&self, error: &clap::Error) -> Option<usize> {
        let at = subcommand(&self.words)?;
        // `-C` may be there, too, where it belongs.
        let is_option = |it: &&str| it.starts_with('-') && !it.starts_with("-C");
        let option = invalid(error).filter(is_option);
        let is_before = |option| self.words[1..at].iter().any(|word| word.starts_with(option));
        (!option.is_some_and(is_before)).then_some(at)
    }

    /// What was probably meant, where there is hardly a doubt.
    fn remedy(&self, error: &clap::Error) -> Option<String> {
        let (before, words) = self.words[1..].split_at(self.place(error)? - 1);
        if error.kind() == ErrorKind::UnknownArgument {
            let option = invalid(error)?;
            return if option.starts_with("-C") {
                Some(self.with_directory_first(before, words))
            } else {
                self.with_dashes(option, before, words)
            };
        }
        match error.get(ContextKind::InvalidArg) {
            Some(ContextValue::Strings(missing)) => self.with_missing(missing, before, words),
            Some(_) => None,
            None => self.with_run(error, before, words),
        }
    }

    /// `-C DIR` in front of the subcommand, where it belongs.
    fn with_directory_first(&self, before: &[String], words: &[String]) -> String {
        let typed = words.iter().position(|word| word.starts_with("-C")).and_then(|own| {
            let behind = if words[own] == "-C" { own + 2 } else { own + 1 };
            let (directory, rest) = (words.get(own..behind)?, words.get(behind..)?);
            self.line(&[before, directory, &words[..own], rest])
        });
        typed.unwrap_or_else(|| format!("it goes before the subcommand: {} -C DIR …", self.name()))
    }

    /// What is the command's own behind `--`, unless it is near to an option of the subcommand.
    fn with_dashes(&self, option: &str, before: &[String], words: &[String]) -> Option<String> {
        let subcommand = &words[0];
        let behind = Behind::of(subcommand).filter(|behind| !behind.is_near(option))?;
        let typed = behind
            .sorted(&words[1..])
            .and_then(|sorted| self.line(&[before, &words[..1], &sorted]));
        let name = self.name();
        Some(typed.unwrap_or_else(|| {
            format!(
                "what is meant for the command goes behind '--': {name} {subcommand} ID -- ARGS"
            )
        }))
    }

    /// The way to the ids, or the tree that is usually meant.
    fn with_missing(
        &self,
        missing: &[String],
        before: &[String],
        words: &[String],
    ) -> Option<String> {
        if missing.iter().any(|it| it == "<ID>") {
            let list = self.line(&[before, &["list".to_owned()]])?;
            return Some(format!("'{list}' shows the ids"));
        }
        missing.iter().find(|it| it.contains("--here"))?;
        let dashes = words.iter().position(|word| word == "--").unwrap_or(words.len());
        let (own, args) = words.split_at(dashes);
        self.line(&[before, own, &["--here".to_owned()], args])
    }

    /// An id without `run`, unless it is near to a subcommand. Nothing but an id has a dot.
    fn with_run(&self, error: &clap::Error, before: &[String], words: &[String]) -> Option<String> {
        let is_unknown = match error.get(ContextKind::InvalidSubcommand) {
            Some(ContextValue::String(word)) => *word == words[0] && is_id(word),
            Some(_) | None => false,
        };
        let sorted = Behind::of(RUN).filter(|_| is_unknown)?.sorted(words)?;
        let line = self.line(&[before, &[RUN.to_owned()], &sorted])?;
        if words[0].contains('.') {
            return Some(line);
        }
        let name = self.name();
        let is_near = error.get(ContextKind::SuggestedSubcommand).is_some();
        (!is_near)
            .then(|| format!("'{line}' runs a capability, '{name} --help' shows the subcommands"))
    }

    /// A line to type; none if what was typed can't be shown as it was.
    fn line(&self, words: &[&[String]]) -> Option<String> {
        let mut line = self.name().to_owned();
        for word in words.iter().copied().flatten() {
            line.push(' ');
            line += &quote(word);
        }
        self.is_exact.then_some(line)
    }
}

/// The word that an error is about.
fn invalid(error: &clap::Error) -> Option<&str> {
    match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(text)) => Some(text),
        Some(_) | None => None,
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

#[cfg(test)]
mod tests;
