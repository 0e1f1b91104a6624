//! Why a run can't be trusted, or had nothing to run, in the contract's words (section 6).

use super::milliseconds;
use super::observe::Observation;
use crate::exec::signals::signal_of_exit_code;
use crate::exec::{Cause, Finished};
use crate::outcome::{Breakage, Lack, Verdict};
use crate::text::printable;

/// The reason of a verdict; none for `ok` and `task-failed`.
pub fn reason(verdict: Verdict, id: &str, observation: &Observation) -> Option<String> {
    let reason = match verdict {
        Verdict::Ok | Verdict::TaskFailed => return None,
        Verdict::Broken(breakage) => breakage_reason(breakage, observation),
        Verdict::Unavailable(Lack::Undeclared) => observation.detail.clone(),
        Verdict::Unavailable(Lack::Shadow) => {
            format!("'{id}' has lifecycle=shadow: it is listed, but not to be run")
        }
    };
    Some(printable(&reason).into_owned())
}

fn breakage_reason(breakage: Breakage, observation: &Observation) -> String {
    let detail = &observation.detail;
    let code = observation.exit_code().unwrap_or_default();
    match breakage {
        Breakage::InternalError => format!("internal error: {detail}"),
        Breakage::ManifestInvalid => format!("manifest invalid: {detail}"),
        Breakage::AssumptionFailed => {
            format!("assumption failed: {detail} (the command was not run)")
        }
        Breakage::ArgsNotAppendable => {
            format!("args can't be appended to this command: {detail}")
        }
        Breakage::NotStarted => format!("the command could not be started: {detail}"),
        // Readers compare these words with `==`.
        Breakage::TimedOut => format!("command timed out after {}ms", observation.timeout_ms),
        Breakage::Interrupted => format!("interrupted by {}", interrupt(observation)),
        Breakage::KilledBySignal => {
            let signal = observation.signal().unwrap_or_default();
            format!("abnormal termination: killed by {signal}")
        }
        Breakage::NotExecutable => "command not executable (exit 126)".to_owned(),
        Breakage::NotFound => "command not found (exit 127)".to_owned(),
        Breakage::AbnormalExit => match signal_of_exit_code(code) {
            Some(signal) => format!("abnormal termination: exit {code} ({signal})"),
            None => format!("abnormal termination: exit {code}"),
        },
        Breakage::SyntaxError => {
            format!("syntax error in the manifest's command (exit {code})")
        }
        Breakage::TooFast => {
            let (duration, least) =
                (milliseconds(observation.duration), observation.min_duration_ms);
            format!("exited {code} after {duration}ms — below min_duration_ms={least}")
        }
    }
}

/// The interrupt's name: it ended a command, or came before one was started.
fn interrupt(observation: &Observation) -> String {
    match &observation.finished {
        Some(Finished { cause: Some(Cause::Interrupted(signal)), .. }) => signal.to_string(),
        Some(_) | None => observation.detail.clone(),
    }
}
