//! `cap run`: the story of one run, in the order of contract section 5.

mod observe;
mod reason;
mod summary;
mod tree;
pub mod unparsed;

use std::any::Any;
use std::ffi::OsStr;
use std::fs::File;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, SystemTime};

use super::{run_directory, show};
use crate::cli::RunOptions;
use crate::envelope::{Envelope, EnvelopeFile};
use crate::exec::Stream;
use crate::exec::relay::{Patience, Streams};
use crate::exec::signals::Signals;
use crate::exec::spawn::ENVELOPE_FILE_VARIABLE;
use crate::home::{self, AuditLog};
use crate::outcome::{Verdict, judge};
use crate::telemetry::{self, AppendError, GitKeys, Row};
use crate::text::printable_path;
use observe::Observation;

/// What is known of a run before anything has happened.
struct Run {
    id: String,
    args: Vec<String>,
    tail_bytes: usize,
    /// The physical current directory; none if it is gone.
    directory: Option<PathBuf>,
    home: Option<PathBuf>,
    envelope_file: Option<EnvelopeFile>,
    streams: Streams,
}

/// Runs `cap run`: whatever happens, there is one verdict, in the file, the row, the last line and the
/// exit code.
pub fn run(options: RunOptions) -> ExitCode {
    // The verdict's own descriptor, should there be no other left.
    let reserve = File::open("/dev/null");
    // Before anything is done: from here on, a signal ends in a verdict. An old envelope is still there.
    let signals = Signals::take_over();
    let run = begin(options);
    let observation = guard(|| match &signals {
        Ok(signals) => observe::observe(&run, signals),
        Err(cause) => Observation::not_started(cause.to_string()),
    });
    drop(reserve);
    let verdict = judge(observation.observed);
    // Not even a fault in keeping it changes the verdict.
    let keep = || keep(&run, &observation, verdict, signals.as_ref().ok());
    let _ = panic::catch_unwind(AssertUnwindSafe(keep));
    ExitCode::from(verdict.outcome().exit_code())
}

fn begin(options: RunOptions) -> Run {
    let directory = run_directory().ok();
    let envelope_file = options
        .envelope_file
        .or_else(|| std::env::var_os(ENVELOPE_FILE_VARIABLE))
        .and_then(|path| envelope_file(directory.as_deref(), &path));
    if let Some(file) = &envelope_file {
        // If that fails, writing it will, and says so.
        let _ = file.remove_old();
    }
    Run {
        id: options.id,
        args: options.args,
        tail_bytes: options.tail_bytes as usize,
        directory,
        home: home::directory(),
        envelope_file,
        streams: Streams::open(),
    }
}

/// The envelope file at `path`, counted from the run directory; an empty path is none.
fn envelope_file(run_directory: Option<&Path>, path: &OsStr) -> Option<EnvelopeFile> {
    let base = run_directory.unwrap_or(Path::new("."));
    (!path.is_empty()).then(|| EnvelopeFile::new(base, Path::new(path)))
}

/// Makes a panic an observation like any other.
fn guard(observe: impl FnOnce() -> Observation) -> Observation {
    panic::catch_unwind(AssertUnwindSafe(observe))
        .unwrap_or_else(|payload| Observation::internal_fault(panic_text(&*payload)))
}

fn panic_text(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("a panic").to_owned()
}

/// Keeps the verdict: the file, then the row, then what is left of the output, then the last line. None
/// of them can change it, or keep the others from happening.
fn keep(run: &Run, observation: &Observation, verdict: Verdict, signals: Option<&Signals>) {
    let outcome = verdict.outcome();
    let reason = reason::reason(verdict, &run.id, observation);
    let signal = observation.signal();
    let envelope = Envelope {
        format: 1,
        capability: &run.id,
        outcome: outcome.name(),
        command: observation.command.as_deref(),
        exit_code: observation.exit_code(),
        signal: signal.as_deref(),
        duration_ms: milliseconds(observation.duration),
        reason: reason.as_deref(),
        output_tail: observation.tail(verdict),
    };
    let line = envelope.line();
    if let Some(file) = &run.envelope_file
        && let Err(cause) = file.write(&line)
    {
        let path = printable_path(file.path());
        note(run, &format!("warning: cannot write the envelope file '{path}': {cause}"));
    }
    record(run, observation, &envelope);
    if observation.has_leftover() {
        note(run, "warning: a background process still holds the output of this command");
        note(run, "help: redirect its output, e.g. 'server >server.log 2>&1 &'");
    }
    if let Some(summary) = summary::summary(run, observation, &envelope, outcome) {
        note(run, &summary);
    }
    let mut patience = Patience::new(signals, observation.is_hurried());
    run.streams.flush(&mut patience);
    for (stream, name) in [(Stream::Stdout, "stdout"), (Stream::Stderr, "stderr")] {
        if let Some(cause) = run.streams.failure(stream) {
            note(run, &format!("warning: cannot write to {name}: {}", cause.desc()));
        }
    }
    run.streams.flush(&mut patience);
    run.streams.push_line(Stream::Stdout, &line);
    run.streams.flush(&mut patience);
}

/// Appends the row, unless telemetry is off.
fn record(run: &Run, observation: &Observation, envelope: &Envelope<'_>) {
    let row = Row {
        timestamp: timestamp(),
        capability: envelope.capability,
        outcome: envelope.outcome,
        exit_code: envelope.exit_code,
        duration_ms: envelope.duration_ms,
        reason: envelope.reason,
        signal: envelope.signal,
        cwd: run.directory.as_ref().map(|directory| directory.to_string_lossy().into_owned()),
        args: &run.args,
        args_hash: telemetry::args_hash(&run.args),
        command_hash: observation.command_hash.clone(),
        git: observation.tree.as_ref().map(GitKeys::from),
        output_tail: envelope.output_tail,
    };
    let Some(home) = &run.home else {
        return note(run, &format!("warning: this run is not recorded: {}", AppendError::NoHome));
    };
    match home::audit_log(home) {
        Ok(AuditLog::Off) => return,
        Ok(AuditLog::On) => {}
        Err(cause) => note(run, &show::ignored_config(home, &cause)),
    }
    if let Err(cause) = telemetry::append(home, &row) {
        let path = printable_path(&telemetry::log_path(home));
        note(run, &format!("warning: this run is not recorded in '{path}': {cause}"));
    }
}

#[expect(clippy::disallowed_methods, reason = "the one place that tells the time of day")]
fn timestamp() -> String {
    telemetry::timestamp(SystemTime::now())
}

/// Puts a line of `cap`'s own on stderr, behind what the command wrote there.
fn note(run: &Run, line: &str) {
    run.streams.push_line(Stream::Stderr, &show::for_stderr(line));
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::{Breakage, Observed};

    #[test]
    fn a_panic_is_an_internal_error_with_its_message() {
        let observation = guard(|| panic!("slipped on {}", 7));
        assert_eq!(observation.observed, Observed::InternalFault);
        let verdict = judge(observation.observed);
        assert_eq!(verdict, Verdict::Broken(Breakage::InternalError));
        let reason = reason::reason(verdict, "x", &observation);
        assert_eq!(reason.as_deref(), Some("internal error: slipped on 7"));
    }
}
