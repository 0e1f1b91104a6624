//! What happens in a run, from the manifest to the command's end. It never fails: whatever goes wrong
//! is an observation.

use std::path::Path;
use std::time::{Duration, Instant};

use super::super::{from_here, show};
use super::{Run, note, tree};
use crate::assumption::{self, AssumptionError};
use crate::exec::lineage::Lineage;
use crate::exec::signals::{Signals, signal_name};
use crate::exec::{self, Cause, Finished, Job, Status, shell};
use crate::git::finding::Finding;
use crate::manifest::find::{self, Location};
use crate::manifest::{self, Capability, Lifecycle, Manifest};
use crate::outcome::{Doubts, Ending, Observed, Outcome, Pace, Syntax, Verdict};
use crate::telemetry;

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
    /// The tree that this run verifies, where there is one.
    pub tree: Option<Finding>,
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
            tree: None,
        }
    }

    /// Of a run for which an entry was found.
    fn of(capability: &Capability, observed: Observed, detail: String) -> Self {
        Self {
            command: Some(capability.command.clone()),
            command_hash: Some(telemetry::command_hash(&capability.command)),
            timeout_ms: capability.timeout_ms,
            min_duration_ms: capability.min_duration_ms,
            ..Self::new(observed, detail)
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

    /// What ended the command, if it did not end by itself.
    pub fn cause(&self) -> Option<Cause> {
        self.finished.as_ref()?.cause
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
    // Before anything is started that may leave something behind.
    let lineage = Lineage::begin();
    let prepare = || prepare(run, directory, signals);
    let git = tree::git_to_ask(directory, run.home.as_deref());
    let (prepared, before) = match &git {
        Some(git) => tree::probe_beside(git, signals, prepare),
        None => (prepare(), None),
    };
    let observation = match prepared {
        Ok(prepared) => start(run, prepared, signals, &lineage),
        Err(observation) => *observation,
    };
    let tree = match (before, &observation.finished, &git) {
        (Some(before), Some(finished), Some(git)) => {
            Some(tree::confirm(before, finished, git, signals))
        }
        (before, _, _) => before,
    };
    if let Some(error) = tree.as_ref().and_then(Finding::failure) {
        note(run, &show::unknown_tree(error));
    }
    Observation { tree, ..observation }
}

/// A command that is ready to start.
struct Prepared {
    capability: Capability,
    line: Result<String, shell::AppendError>,
}

/// From the manifest to a line for the shell; or why there is nothing to start.
fn prepare(run: &Run, directory: &Path, signals: &Signals) -> Result<Prepared, Box<Observation>> {
    let location = find::find(directory, run.home.as_deref());
    let path = from_here(&location.path, directory);
    let manifest = match manifest::load(&location, directory) {
        Ok(Some(checked)) => {
            // One line each: a run is not the place to read a manifest.
            checked.warnings.iter().for_each(|it| note(run, &show::warning(it, path)));
            checked.manifest
        }
        Ok(None) => return Err(undeclared(run, &location, None).into()),
        Err(invalid) => {
            note(run, &show::faults(&invalid, path));
            let summary = invalid.summary(path);
            return Err(Observation::new(Observed::ManifestInvalid, summary).into());
        }
    };
    let Some(capability) = manifest.capability(&run.id) else {
        return Err(undeclared(run, &location, Some(&manifest)).into());
    };
    match capability.lifecycle {
        Lifecycle::Active => {}
        Lifecycle::Shadow => {
            return Err(Observation::of(capability, Observed::Shadow, String::new()).into());
        }
    }
    check_assumptions(capability, signals)?;
    let line = shell::append(&capability.command, &run.args, signals);
    Ok(Prepared { capability: capability.clone(), line })
}

fn check_assumptions(capability: &Capability, signals: &Signals) -> Result<(), Box<Observation>> {
    let started = Instant::now();
    for assumption in &capability.assumptions {
        match assumption::check(assumption, signals) {
            Ok(()) => {}
            // The interrupt is still to be taken, before anything is started.
            Err(AssumptionError::Interrupted) => break,
            Err(error) => {
                let failed = Observed::AssumptionFailed;
                let observation = Observation::of(capability, failed, error.to_string());
                return Err(Observation { duration: started.elapsed(), ..observation }.into());
            }
        }
    }
    Ok(())
}

fn undeclared(run: &Run, location: &Location, manifest: Option<&Manifest>) -> Observation {
    Observation::new(Observed::Undeclared, show::undeclared(&run.id, location, manifest))
}

fn start(run: &Run, prepared: Prepared, signals: &Signals, lineage: &Lineage) -> Observation {
    let Prepared { capability, line } = prepared;
    let before_start = |observed, detail| Observation::of(&capability, observed, detail);
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
    let job = Job { line: &line, budget, tail_bytes: run.tail_bytes, lineage };
    match exec::run(&job, &run.streams, signals) {
        Err(error) => before_start(Observed::NotStarted, error.to_string()),
        Ok(finished) => {
            let observed = Observed::Ran(ending(&finished, &line, capability.min_duration_ms));
            Observation {
                duration: finished.duration,
                command: Some(line),
                finished: Some(finished),
                ..before_start(observed, String::new())
            }
        }
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
