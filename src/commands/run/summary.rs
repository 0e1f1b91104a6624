//! One line for a person who watches a run.

use std::io::{self, IsTerminal as _};
use std::time::Duration;

use clap::builder::styling::{AnsiColor, Style};

use super::super::{from_here, show};
use super::Run;
use super::observe::Observation;
use crate::envelope::Envelope;
use crate::exec::Cause;
use crate::manifest::{self, find};
use crate::outcome::{Observed, Outcome};
use crate::text::{printable, printable_path};

/// The summary of a run, if stderr is a terminal; in colour unless the user wants none.
pub fn summary(
    run: &Run,
    observation: &Observation,
    envelope: &Envelope<'_>,
    outcome: Outcome,
) -> Option<String> {
    if !io::stderr().is_terminal() {
        return None;
    }
    let style = if show::is_coloured(&io::stderr()) { style(outcome) } else { Style::new() };
    let id = printable(envelope.capability);
    let time = duration(Duration::from_millis(envelope.duration_ms));
    let reason =
        envelope.reason.map(|reason| format!(": {}", printable(reason))).unwrap_or_default();
    let more = more(run, observation, envelope, outcome);
    Some(format!("cap: {id}: {style}{}{style:#} in {time}{reason}{more}", outcome.name()))
}

/// What a person wants to know beside the reason: what was stopped, where to look.
fn more(run: &Run, observation: &Observation, envelope: &Envelope<'_>, outcome: Outcome) -> String {
    let Some(command) = envelope.command else { return String::new() };
    let stopped =
        || format!(": stopped '{}' and what it had started", shortened(&printable(command)));
    match outcome {
        Outcome::Ok => String::new(),
        Outcome::TaskFailed => {
            envelope.exit_code.map(|code| format!(": exit {code}")).unwrap_or_default()
        }
        Outcome::CapabilityUnavailable => place(run),
        Outcome::AutomationBroken => match observation.cause() {
            Some(Cause::TimedOut) => stopped() + &place(run),
            Some(Cause::Interrupted(_)) => stopped(),
            None if observation.observed == Observed::InterruptedBefore => {
                ": the command was not started".to_owned()
            }
            None => place(run),
        },
    }
}

/// As much of a command as tells which it is.
fn shortened(command: &str) -> String {
    let mut characters = command.chars();
    let start: String = characters.by_ref().take(60).collect();
    if characters.next().is_some() { start + "…" } else { start }
}

/// Where the entry is declared, as far as that can be told.
fn place(run: &Run) -> String {
    let declared = || {
        let directory = run.directory.as_deref()?;
        let location = find::find(directory, run.home.as_deref());
        let line = manifest::place_of(&location, &run.id)?.line;
        Some(format!(" ({}:{line})", printable_path(from_here(&location.path, directory))))
    };
    declared().unwrap_or_default()
}

fn style(outcome: Outcome) -> Style {
    let colour = match outcome {
        Outcome::Ok => AnsiColor::Green,
        Outcome::TaskFailed => AnsiColor::Red,
        Outcome::AutomationBroken => AnsiColor::Magenta,
        Outcome::CapabilityUnavailable => AnsiColor::Yellow,
    };
    Style::new().fg_color(Some(colour.into())).bold()
}

fn duration(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0 => format!("{} ms", time.as_millis()),
        1..=59 => format!("{seconds}.{} s", time.subsec_millis() / 100),
        60.. => format!("{} min {} s", seconds / 60, seconds % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_has_the_unit_that_suits_it() {
        let text = |ms| duration(Duration::from_millis(ms));
        assert_eq!([0, 999, 1000, 59_999].map(text), ["0 ms", "999 ms", "1.0 s", "59.9 s"]);
        assert_eq!(text(61_000), "1 min 1 s");
    }
}
