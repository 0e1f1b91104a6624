//! The name that cap was called by: its own, or `ai-dossier`, of which it serves one word (contract section 13).

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::path::{self, Path};

use clap::{Command, CommandFactory as _, FromArgMatches as _};

use crate::cli::Cli;

/// The program's own name, and the word that it serves under the other one.
pub const CAP: &str = "cap";
/// The name of the Dossier tools, of whose commands `cap` is one.
pub const AI_DOSSIER: &str = "ai-dossier";

/// How cap was called.
#[derive(Debug, PartialEq, Eq)]
pub struct Called {
    /// [`CAP`] or [`AI_DOSSIER`].
    pub name: &'static str,
    /// What a script is to call, from whatever directory.
    pub program: String,
}

impl Called {
    /// How these arguments call cap. Look before the current directory changes.
    pub fn of(arguments: &[OsString]) -> Self {
        let typed = Path::new(arguments.first().map_or(OsStr::new(CAP), OsString::as_os_str));
        let is_other = typed.file_name() == Some(OsStr::new(AI_DOSSIER));
        let name = if is_other { AI_DOSSIER } else { CAP };
        let has_directory = typed.components().count() > 1;
        let path = has_directory.then(|| path::absolute(typed).ok()).flatten();
        // Scripts quote it, but not all of them well.
        let path = path.and_then(|path| path.into_os_string().into_string().ok());
        let program = path.filter(|path| path.chars().all(is_plain));
        Self { name, program: program.unwrap_or_else(|| name.to_owned()) }
    }

    /// The arguments as `cap` has them, the first being the name to show: under the other name, that and the
    /// word `cap` are one. None if it is another word, or none.
    pub fn words<'a>(&self, arguments: &'a [OsString]) -> Option<Cow<'a, [OsString]>> {
        if self.name == CAP {
            return Some(Cow::Borrowed(arguments));
        }
        let [_, word, rest @ ..] = arguments else { return None };
        let both = || OsString::from(format!("{AI_DOSSIER} {CAP}"));
        (word == CAP).then(|| std::iter::once(both()).chain(rest.iter().cloned()).collect())
    }

    /// Understands the [`words`](Self::words).
    pub fn parse<W: Into<OsString> + Clone>(
        &self,
        words: impl IntoIterator<Item = W>,
    ) -> Result<Cli, clap::Error> {
        let command = if self.name == CAP { Cli::command() } else { renamed(Cli::command()) };
        Cli::from_arg_matches(&command.try_get_matches_from(words)?)
    }
}

/// With the examples in its help under the other name.
fn renamed(command: Command) -> Command {
    let command = command.mut_subcommands(renamed);
    match command.get_after_help().map(ToString::to_string) {
        Some(help) => {
            let (cap, both) = (format!("{CAP} "), format!("{AI_DOSSIER} {CAP} "));
            command.after_help(help.replace(&cap, &both))
        }
        None => command,
    }
}

fn is_plain(character: char) -> bool {
    character.is_ascii_alphanumeric() || "/._-+".contains(character)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<OsString> {
        text.split(' ').filter(|word| !word.is_empty()).map(OsString::from).collect()
    }

    fn shown(text: &str) -> Option<Vec<OsString>> {
        let arguments = words(text);
        Called::of(&arguments).words(&arguments).map(Cow::into_owned)
    }

    #[test]
    fn under_the_other_name_it_serves_the_word_cap() {
        let expected = ["ai-dossier cap", "run", "x", "--", "cap"].map(OsString::from).to_vec();
        for text in ["ai-dossier cap run x -- cap", "/usr/bin/ai-dossier cap run x -- cap"] {
            assert_eq!(shown(text).as_ref(), Some(&expected), "{text}");
        }
        for text in
            ["ai-dossier", "ai-dossier run cap", "ai-dossier -C d cap run x", "./ai-dossier caps"]
        {
            assert_eq!(shown(text), None, "{text}");
        }
    }

    #[test]
    fn under_any_other_name_nothing_changes() {
        for text in ["", "cap", "cap cap run x", "other run x", "ai-dossier/cap cap"] {
            assert_eq!(shown(text), Some(words(text)), "{text}");
        }
    }

    #[test]
    fn a_script_calls_the_same_program_from_everywhere() {
        let program = |text: &str| Called::of(&words(text)).program;
        assert_eq!(program("cap"), "cap");
        assert_eq!(program("ai-dossier"), "ai-dossier");
        assert_eq!(program("/usr/bin/ai-dossier cap"), "/usr/bin/ai-dossier");
        assert_eq!(program("/a'b/cap"), "cap");
        assert_eq!(program(""), "cap");
        let here = std::env::current_dir().unwrap();
        if here.to_str().is_some_and(|path| path.chars().all(is_plain)) {
            assert_eq!(program("target/cap"), here.join("target/cap").to_str().unwrap());
        }
    }
}
