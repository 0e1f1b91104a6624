//! What can come next on a command line, told to the script that asks.
//!
//! Scripts call `_CAP_COMPLETE=SHELL cap -- WORDS…`. Without the variable that is a usage error, and with it no
//! other command line means anything else: a variable that somebody has exported never keeps a run from running.
//! Nothing is ever said on stderr, where it would stand in the middle of what is being typed.

use std::ffi::{OsStr, OsString};
use std::io::{self, Write as _};
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Arg, Command, CommandFactory as _, ValueHint};
use clap_complete::engine::{ArgValueCandidates, CompletionCandidate};
use clap_complete::env::{EnvCompleter, Shells};

use super::{VARIABLE, command};
use crate::cli::Cli;
use crate::commands::name::Called;
use crate::commands::run_directory;
use crate::home::{self, AUDIT_LOG};
use crate::manifest::{self, Capability, Lifecycle, find};
use crate::text::printable;

/// Set by the scripts of most shells: which word is to be completed, from 0. For the others it is the last.
const INDEX_VARIABLE: &str = "_CLAP_COMPLETE_INDEX";

/// Answers a script that asks; none if these arguments are no such question.
pub fn answer(arguments: &[OsString]) -> Option<ExitCode> {
    let [_, dashes, words @ ..] = arguments else { return None };
    // Scripts pass on the program's name as well. Whoever has put the dashes in the wrong place must not take
    // silence and exit code 0 for a pass.
    let is_question = dashes == "--" && words.first().is_none_or(|word| word != "run");
    let shell = std::env::var(VARIABLE).ok().filter(|_| is_question)?;
    let shells = Shells::builtins();
    let shell = shells.completer(&shell)?;
    // Nor is a panic.
    panic::set_hook(Box::new(|_| {}));
    let found = panic::catch_unwind(AssertUnwindSafe(|| candidates(shell, words)));
    // A shell that hears nothing offers nothing.
    let _ = io::stdout().lock().write_all(&found.ok().flatten().unwrap_or_default());
    Some(ExitCode::SUCCESS)
}

/// What the shell is to offer, in its own form; none if nothing can be told.
fn candidates(shell: &dyn EnvCompleter, words: &[OsString]) -> Option<Vec<u8>> {
    let last = words.len().checked_sub(1)?;
    let index = std::env::var(INDEX_VARIABLE).ok().and_then(|index| index.parse().ok());
    let index = index.unwrap_or(last).min(words.len());
    change_directory(&words[..index])?;
    let mut command = with_values(command(Called::of(words).name));
    command.build();
    let word = words.get(index).map_or(OsStr::new(""), OsString::as_os_str);
    if !word.as_encoded_bytes().starts_with(b"-") {
        command = each_argument(command, &|argument| argument.hide(true));
    }
    if shell.name() == "bash" {
        // It would take a name with a space in it for two words; but completes files by itself.
        command = each_argument(command, &|argument| argument.value_hint(ValueHint::Other));
    }
    let mut answer = Vec::new();
    let directory = run_directory().ok();
    shell.write_complete(&mut command, words.to_vec(), directory.as_deref(), &mut answer).ok()?;
    Some(answer)
}

/// Goes where the options before the word lead to.
fn change_directory(before: &[OsString]) -> Option<()> {
    let Some(words) = Called::of(before).words(before) else { return Some(()) };
    let Ok(matches) = Cli::command().ignore_errors(true).try_get_matches_from(words.iter()) else {
        return Some(());
    };
    for directory in matches.get_many::<PathBuf>("directories").into_iter().flatten() {
        let typed = || std::env::set_current_dir(unquoted(directory)?).ok();
        std::env::set_current_dir(directory).ok().or_else(typed)?;
    }
    Some(())
}

/// What a path means that is passed on as it was typed, with quotes and `~`.
fn unquoted(typed: &Path) -> Option<PathBuf> {
    let path = PathBuf::from(shell_words::split(typed.to_str()?).ok()?.pop()?);
    match path.strip_prefix("~") {
        Ok(rest) => Some(home::directory()?.join(rest)),
        Err(_) => Some(path),
    }
}

/// The command with what its values can be.
fn with_values(command: Command) -> Command {
    command.mut_subcommands(with_values).mut_args(|argument| match argument.get_id().as_str() {
        "id" => argument.add(ArgValueCandidates::new(ids)),
        "key" => argument.add(fixed(&[AUDIT_LOG])),
        "value" => argument.add(fixed(&["true", "false"])),
        _ => argument,
    })
}

fn fixed(words: &'static [&'static str]) -> ArgValueCandidates {
    ArgValueCandidates::new(|| words.iter().map(CompletionCandidate::new).collect())
}

/// The command with this done to every argument, those of subcommands included.
fn each_argument(command: Command, change: &dyn Fn(Arg) -> Arg) -> Command {
    command.mut_args(change).mut_subcommands(|command| each_argument(command, change))
}

/// The ids that can be run, in the manifest's order. Without a valid manifest that may be trusted, none.
fn ids() -> Vec<CompletionCandidate> {
    let Ok(directory) = run_directory() else { return Vec::new() };
    let location = find::find(&directory, home::directory().as_deref());
    let Ok(Some(checked)) = manifest::load(&location, &directory) else { return Vec::new() };
    let capabilities = checked.manifest.capabilities.into_iter();
    let active = capabilities.filter(|capability| match capability.lifecycle {
        Lifecycle::Active => true,
        Lifecycle::Shadow => false,
    });
    active.map(candidate).collect()
}

fn candidate(capability: Capability) -> CompletionCandidate {
    let description = capability.description.as_deref().unwrap_or_default();
    // One line, and a word on it: what shells show beside the id.
    let line = description.lines().map(str::trim).find(|line| !line.is_empty());
    let help = line.map(|line| printable(line).into_owned().into());
    CompletionCandidate::new(capability.id).help(help)
}
