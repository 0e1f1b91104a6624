//! From the words on the command line to one subcommand, and what they share to print.

mod completions;
mod config;
mod init;
mod last_ok;
mod list;
mod name;
mod run;
mod show;
mod usage;

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::builder::StyledStr;
use clap::error::ErrorKind;

use crate::cli::Command;
use crate::home;
use crate::manifest::find::{self, Location};
use crate::text::{printable, printable_path};
use name::{AI_DOSSIER, Called};

/// The exit code of a usage error (contract section 13), but for `last-ok`: there it would say no.
const USAGE: u8 = 1;

/// Runs the program with these arguments, the first being its own name.
pub fn main(arguments: &[OsString]) -> ExitCode {
    if let Some(code) = completions::answer::answer(arguments) {
        return code;
    }
    let called = Called::of(arguments);
    match called.words(arguments) {
        Some(words) => dispatch(&called, &words),
        None => not_served(arguments),
    }
}

/// Another word than `cap` after the name `ai-dossier` (contract section 13).
fn not_served(arguments: &[OsString]) -> ExitCode {
    run::unparsed::forget_old_envelope(arguments);
    let word = arguments.get(1).map(|word| format!(" {}", word.to_string_lossy()));
    let typed = format!("{AI_DOSSIER}{}", word.unwrap_or_default());
    show::error(&format!(
        "cannot do '{}': this is cap, not the whole of ai-dossier",
        printable(&typed)
    ));
    show::message("help: only 'ai-dossier cap …' is served: try 'ai-dossier cap --help'");
    ExitCode::from(USAGE)
}

/// Runs the subcommand that the words name, the first being the program's name.
fn dispatch(called: &Called, arguments: &[OsString]) -> ExitCode {
    let cli = match called.parse(arguments) {
        Ok(cli) => cli,
        Err(error) => return explain(&error, called, arguments),
    };
    for directory in &cli.directories {
        if let Err(cause) = std::env::set_current_dir(directory) {
            run::unparsed::forget_old_envelope(arguments);
            let path = printable_path(directory);
            show::error(&format!("cannot change into directory '{path}': {cause}"));
            return usage_error(arguments);
        }
    }
    match cli.command {
        Command::Completions(options) => completions::completions(options.shell, called),
        Command::Config(options) => config::config(&options),
        Command::Init(options) => init::init(&options),
        Command::LastOk(options) => last_ok::last_ok(&options),
        Command::List(options) => list::list(&options),
        Command::Run(options) => run::run(options),
    }
}

/// Help and version are no errors; anything else is a usage error.
fn explain(error: &clap::Error, called: &Called, arguments: &[OsString]) -> ExitCode {
    // Who asks for help runs nothing, either.
    run::unparsed::forget_old_envelope(arguments);
    let text = error.render();
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        let is_coloured = show::is_coloured(&io::stdout());
        return print(&styled(&text, is_coloured));
    }
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        let is_coloured = show::is_coloured(&io::stderr());
        show::message(styled(&text, is_coloured).trim_end());
    } else {
        // The same error again, with nothing in it that could drive a terminal.
        let words = usage::Words::of(arguments);
        let shown =
            called.parse(words.as_slice()).err().filter(|again| again.kind() == error.kind());
        let shown = shown.as_ref().unwrap_or(error);
        show::message(&usage::explanation(shown, &words));
    }
    usage_error(arguments)
}

fn styled(text: &StyledStr, is_coloured: bool) -> String {
    if is_coloured { text.ansi().to_string() } else { text.to_string() }
}

/// The exit code of a command line that is not understood, by the subcommand that it seems to name.
fn usage_error(arguments: &[OsString]) -> ExitCode {
    let is_last_ok = usage::subcommand(arguments).is_some_and(|at| arguments[at] == "last-ok");
    ExitCode::from(if is_last_ok { last_ok::ERROR } else { USAGE })
}

/// Prints `text` on stdout, for the subcommands that only inform.
fn print(text: &str) -> ExitCode {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => show::output_failed(&error),
    }
}

/// The run directory: the physical current directory (contract section 1).
fn run_directory() -> io::Result<PathBuf> {
    std::env::current_dir()
}

/// The run directory, and where its manifest is or would be; for the subcommands that do nothing without.
fn locate() -> Result<(PathBuf, Location), ExitCode> {
    let directory = run_directory().map_err(|cause| {
        show::error(&format!("the current directory is gone: {cause}"));
        ExitCode::FAILURE
    })?;
    let location = find::find(&directory, home::directory().as_deref());
    Ok((directory, location))
}

/// A path as people read it best: from the run directory, if it is below.
fn from_here<'a>(path: &'a Path, run_directory: &Path) -> &'a Path {
    path.strip_prefix(run_directory).unwrap_or(path)
}
