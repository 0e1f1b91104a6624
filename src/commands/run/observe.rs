//! What happens in a run, from the manifest to the command's end. It never fails: whatever goes wrong
//! is an observation.

use std::time::{Duration, Instant};

use super::super::{from_here, show};
use super::{Run, note};
use crate::assumption::{self, AssumptionError};
use crate::exec::lineage::Lineage;
use crate::exec::signals::{Signals, signal_name};
use crate::exec::{self, Cause, Finished, Job, Status, shell};
use crate::manifest::find::{self, Location};
use crate::manifest::{self, Capability, Lifecycle, Manifest};
use crate::outcome::{Doubts, Ending, Observed, Outcome, Pace, Syntax, Verdict};
use crate::telemetry;
use crate::text::{nearest, printable_path};

/// What was observed of a run, with the texts that its reason needs.
#[derive(Debug)]
pub struct Observation {
    /// What decides the outcome.
    pub observed: Observed,
    /// What went wrong, where that has a text of its own.
    pub detail: String,
    /// The line that ran, or the entry's command if none was started.
    pub command: Option<String>,
    /// The hash of the entry's command.
    pub command_hash: Option<String>,
    /// The entry's budget in milliseconds.
    pub timeout_ms: u64,
    /// The entry's `min_duration_ms`.
    pub min_duration_ms: u64,
    /// Of the command, or of the assumptions if one failed.
    pub duration: Duration,
    /// How the command went, if one was started.
    pub finished: Option<Finished>,
}

impl Observation {
    fn new(observed: Observed, detail: String) -> Self {
        Self {
            observed,
            detail,
            command: None,
            command_hash: None,
            timeout_ms: 0,
            min_duration_ms: 0,
            duration: Duration::ZERO,
            finished: None,
        }
    }

    /// A fault inside `cap`.
    pub fn internal_fault(detail: String) -> Self {
        Self::new(Observed::InternalFault, detail)
    }

    /// Something that the system refused before there was an entry to speak of.
    pub fn not_started(detail: String) -> Self {
        Self::new(Observed::NotStarted, detail)
    }

    /// What the shell returned.
    pub fn exit_code(&self) -> Option<u8> {
        match self.finished.as_ref()?.status? {
            Status::Exited(code) => Some(code),
            Status::Signalled(_) => None,
        }
    }

    /// The signal that ended the shell.
    pub fn signal(&self) -> Option<String> {
        match self.finished.as_ref()?.status? {
            Status::Exited(_) => None,
            Status::Signalled(number) => Some(signal_name(number)),
        }
    }

    /// The end of the output, on every outcome but `ok` for which a command was started.
    pub fn tail(&self, verdict: Verdict) -> Option<&str> {
        let tail = self.finished.as_ref().map(|finished| finished.tail.as_str());
        tail.filter(|_| verdict.outcome() != Outcome::Ok)
    }

    /// Whether an interrupt came after the command's end.
    pub fn is_hurried(&self) -> bool {
        self.finished.as_ref().is_some_and(|finished| finished.is_hurried)
    }

    /// Whether a background process still held the output.
    pub fn has_leftover(&self) -> bool {
        self.finished.as_ref().is_some_and(|finished| finished.has_leftover)
    }
}

/// Observes a run.
pub fn observe(run: &Run, signals: &Signals) -> Observation {
    let Some(directory) = &run.directory else {
        return Observation::not_started("the run directory is gone".to_owned());
    };
    let location = find::find(directory, run.home.as_deref());
    let path = from_here(&location.path, directory);
    let manifest = match manifest::load(&location, directory) {
        Ok(Some(checked)) => {
            show::warnings(&checked.warnings, path).for_each(|line| note(run, &line));
            checked.manifest
        }
        Ok(None) => return undeclared(run, &location, None),
        Err(invalid) => {
            note(run, &show::faults(&invalid, path));
            return Observation::new(Observed::ManifestInvalid, invalid.summary(path));
        }
    };
    match manifest.capability(&run.id) {
        None => undeclared(run, &location, Some(&manifest)),
        Some(capability) => Observation {
            command_hash: Some(telemetry::command_hash(&capability.command)),
            timeout_ms: capability.timeout_ms,
            min_duration_ms: capability.min_duration_ms,
            ..observe_capability(run, capability, signals)
        },
    }
}

fn undeclared(run: &Run, location: &Location, manifest: Option<&Manifest>) -> Observation {
    let path = printable_path(&location.path);
    let detail = match manifest {
        None => match location.misnamed() {
            None => format!("there is no '{path}'"),
            Some(_) => format!("there is no '{path}', but a 'manifest.yml': rename it"),
        },
        Some(manifest) => {
            let ids = manifest.capabilities.iter().map(|capability| capability.id.as_str());
            let hint = nearest(&run.id, ids).map(|near| format!(": did you mean '{near}'?"));
            format!("'{path}' does not declare it{}", hint.unwrap_or_default())
        }
    };
    Observation::new(Observed::Undeclared, detail)
}

fn observe_capability(run: &Run, capability: &Capability, signals: &Signals) -> Observation {
    let before_start = |observed, detail| Observation {
        command: Some(capability.command.clone()),
        ..Observation::new(observed, detail)
    };
    match capability.lifecycle {
        Lifecycle::Active => {}
        Lifecycle::Shadow => return before_start(Observed::Shadow, String::new()),
    }
    let lineage = Lineage::begin();
    let started = Instant::now();
    for assumption in &capability.assumptions {
        match assumption::check(assumption, signals) {
            Ok(()) => {}
            // The interrupt is still to be taken, below.
            Err(AssumptionError::Interrupted) => break,
            Err(error) => {
                let observation = before_start(Observed::AssumptionFailed, error.to_string());
                return Observation { duration: started.elapsed(), ..observation };
            }
        }
    }
    let line = shell::append(&capability.command, &run.args, signals);
    if let Some(signal) = signals.next_interrupt() {
        // A probe may have left something behind. What can't be killed so fast is not to be killed.
        lineage.kill(|_, _| {});
        return before_start(Observed::InterruptedBefore, signal.to_string());
    }
    let line = match line {
        Ok(line) => line,
        Err(shell::AppendError::Unfit(why)) => {
            return before_start(Observed::ArgsNotAppendable, why.to_owned());
        }
        Err(error) => return before_start(Observed::NotStarted, error.to_string()),
    };
    let budget = Duration::from_millis(capability.timeout_ms);
    let job = Job { line: &line, budget, tail_bytes: run.tail_bytes, lineage: &lineage };
    match exec::run(&job, &run.streams, signals) {
        Err(error) => before_start(Observed::NotStarted, error.to_string()),
        Ok(finished) => Observation {
            duration: finished.duration,
            command: Some(line.clone()),
            observed: Observed::Ran(ending(&finished, &line, capability.min_duration_ms)),
            finished: Some(finished),
            ..Observation::new(Observed::InternalFault, String::new())
        },
    }
}

fn ending(finished: &Finished, line: &str, min_duration_ms: u64) -> Ending {
    match (finished.cause, finished.status) {
        (Some(Cause::TimedOut), _) => Ending::TimedOut,
        (Some(Cause::Interrupted(_)), _) => Ending::Interrupted,
        (None, Some(Status::Exited(code))) => {
            // Only then does it matter, and asking costs a process.
            let is_broken = code == 2 && !shell::parses(line);
            let is_fast = finished.duration < Duration::from_millis(min_duration_ms);
            let syntax = if is_broken { Syntax::Broken } else { Syntax::Valid };
            let pace = if is_fast { Pace::TooFast } else { Pace::Plausible };
            Ending::Exited(code, Doubts { syntax, pace })
        }
        (None, Some(Status::Signalled(_)) | None) => Ending::Signalled,
    }
}
