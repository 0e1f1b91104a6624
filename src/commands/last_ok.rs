//! `cap last-ok`: has exactly this tree already passed? (contract section 10)

use std::fs::File;
use std::path::Path;
use std::process::ExitCode;

use nix::sys::signal::{Signal, raise};

use super::{from_here, print, run_directory, show};
use crate::cli::LastOkOptions;
use crate::exec::signals::Signals;
use crate::file;
use crate::git::finding::{Finding, State};
use crate::git::{Absent, Git};
use crate::home::{self, AuditLog};
use crate::manifest::{self, Lifecycle, find};
use crate::telemetry;
use crate::telemetry::search::{self, Key, Pass};
use crate::text::{printable, printable_path};

/// There is no such row.
const NO_MATCH: u8 = 1;
/// The question is wrong, or can't be answered; also the exit code of its usage errors.
pub const ERROR: u8 = 2;
/// Nobody can say.
const AUDITING_OFF: u8 = 3;

/// Why the log was not searched, in the order in which it is looked at.
enum Refusal {
    /// Nothing is recorded, so nobody can say.
    AuditingOff,
    /// The question can't be answered, for this reason.
    Error(String),
    /// This signal came while git was asked.
    Interrupted(Signal),
    /// The answer is no, whatever the log says.
    NoMatch(NoMatch),
}

/// Why no row can match: a line for the user.
struct NoMatch(String);

/// Which tree is asked about, and which directory of it.
struct Target {
    tree: String,
    prefix: String,
}

/// Runs `cap last-ok`.
pub fn last_ok(options: &LastOkOptions) -> ExitCode {
    match find_pass(options) {
        Ok(Some(pass)) => {
            if let Some(later) = &pass.later {
                let (outcome, time) = (printable(&later.outcome), printable(&later.timestamp));
                show::message(&format!("note: a later run of the same was {outcome}, at {time}"));
            }
            print(&format!("{}\n", pass.row))
        }
        Ok(None) => ExitCode::from(NO_MATCH),
        Err(Refusal::NoMatch(NoMatch(line))) => {
            show::message(&line);
            ExitCode::from(NO_MATCH)
        }
        Err(Refusal::Error(cause)) => {
            show::error(&cause);
            ExitCode::from(ERROR)
        }
        Err(Refusal::AuditingOff) => {
            show::message("note: auditing is off, so nobody can say");
            ExitCode::from(AUDITING_OFF)
        }
        Err(Refusal::Interrupted(signal)) => {
            // It ends us now as it would have then.
            let _ = raise(signal);
            ExitCode::from(ERROR)
        }
    }
}

/// What can go wrong is all looked at before the answer may be no.
fn find_pass(options: &LastOkOptions) -> Result<Option<Pass>, Refusal> {
    let home = home::directory();
    check_auditing(home.as_deref())?;
    let run_directory =
        run_directory().map_err(|cause| error("the current directory is gone", &cause))?;
    let log = open_log(home.as_deref())?;
    let command_hash = command_hash(&options.id, &run_directory, home.as_deref())?;
    let target = target(options)?;
    let (command_hash, target) = (command_hash?, target?);
    let Some(log) = log else {
        return Ok(None);
    };
    let key = Key {
        capability: options.id.clone(),
        tree: target.tree,
        prefix: target.prefix,
        args_hash: telemetry::args_hash(&options.args),
        command_hash,
    };
    search::newest_pass(&log, &key).map_err(|cause| error("cannot read the log", &cause))
}

fn check_auditing(home: Option<&Path>) -> Result<(), Refusal> {
    let home = home.ok_or_else(|| Refusal::Error("no home directory".to_owned()))?;
    match home::audit_log(home) {
        Ok(AuditLog::On) => Ok(()),
        Ok(AuditLog::Off) => Err(Refusal::AuditingOff),
        Err(cause) => {
            show::message(&show::ignored_config(home, &cause));
            Ok(())
        }
    }
}

/// The log, if there is one.
fn open_log(home: Option<&Path>) -> Result<Option<File>, Refusal> {
    let Some(path) = home.map(telemetry::log_path) else {
        return Ok(None);
    };
    match file::open_regular(&path) {
        Ok(log) => Ok(Some(log)),
        Err(cause) if cause.is_nothing_there() => Ok(None),
        Err(cause) => Err(error(&format!("'{}'", printable_path(&path)), &cause)),
    }
}

/// The hash of the id's command in the manifest found from here.
fn command_hash(
    id: &str,
    run_directory: &Path,
    home: Option<&Path>,
) -> Result<Result<String, NoMatch>, Refusal> {
    let location = find::find(run_directory, home);
    let manifest = manifest::load(&location, run_directory).map_err(|invalid| {
        show::message(&show::faults(&invalid, from_here(&location.path, run_directory)));
        Refusal::Error("without a valid manifest nobody can say what has passed".to_owned())
    })?;
    let manifest = manifest.as_ref().map(|checked| &checked.manifest);
    let no_match = |why: String| Ok(Err(NoMatch(format!("note: {why}"))));
    match manifest.and_then(|manifest| manifest.capability(id)) {
        None => no_match(show::undeclared(id, &location, manifest)),
        Some(capability) => match capability.lifecycle {
            Lifecycle::Active => Ok(Ok(telemetry::command_hash(&capability.command))),
            Lifecycle::Shadow => no_match(format!("'{id}' has lifecycle=shadow")),
        },
    }
}

fn target(options: &LastOkOptions) -> Result<Result<Target, NoMatch>, Refusal> {
    match (&options.tree, &options.prefix) {
        (Some(tree), Some(prefix)) => Ok(Ok(Target { tree: tree.clone(), prefix: prefix.clone() })),
        (Some(tree), None) => Ok(Ok(Target { tree: tree.clone(), prefix: own_prefix()? })),
        (None, prefix) => {
            let here = probe_here()?;
            Ok(here.map(|it| Target { prefix: prefix.clone().unwrap_or(it.prefix), ..it }))
        }
    }
}

/// The current directory below the top of its work tree.
fn own_prefix() -> Result<String, Refusal> {
    match ask_git(Git::prefix)? {
        Ok(Ok(Some(prefix))) => Ok(prefix),
        Ok(Ok(None)) => Err(absent(Absent::WorkTree)),
        Ok(Err(cause)) => Err(error("cannot tell which directory this is", &cause)),
        Err(cause) => Err(absent(cause)),
    }
}

/// The tree of the current directory, if nothing here differs from it.
fn probe_here() -> Result<Result<Target, NoMatch>, Refusal> {
    let finding = match ask_git(Git::probe)?.flatten() {
        Ok(finding) => finding,
        Err(cause @ Absent::Commit) => return Ok(Err(NoMatch(format!("note: {cause}")))),
        Err(cause @ (Absent::WorkTree | Absent::Git)) => return Err(absent(cause)),
    };
    if let Some(cause) = finding.failure() {
        return Ok(Err(NoMatch(show::unknown_tree(cause))));
    }
    Ok(match finding {
        Finding { position: Some(it), state: State::Clean(_) } => {
            Ok(Target { tree: it.tree.to_string(), prefix: it.prefix })
        }
        Finding { .. } => Err(NoMatch("note: this work tree is dirty".to_owned())),
    })
}

/// Asks git with the signals taken over, so that an interrupt ends git as well.
fn ask_git<T>(
    question: impl FnOnce(&Git, Option<&Signals>) -> T,
) -> Result<Result<T, Absent>, Refusal> {
    let signals = Signals::take_over().map_err(|cause| error("cannot handle signals", &cause))?;
    let git = Git::find(std::env::var_os("PATH").as_deref());
    let answer = git.map(|git| question(&git, Some(&signals)));
    match signals.give_back() {
        Some(signal) => Err(Refusal::Interrupted(signal)),
        None => Ok(answer),
    }
}

fn absent(cause: Absent) -> Refusal {
    Refusal::Error(cause.to_string())
}

fn error(what: &str, cause: &dyn std::error::Error) -> Refusal {
    Refusal::Error(format!("{what}: {cause}"))
}

impl From<NoMatch> for Refusal {
    fn from(no_match: NoMatch) -> Self {
        Self::NoMatch(no_match)
    }
}
