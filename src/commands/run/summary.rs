//! One line for a person who watches a run.

use std::io;
use std::time::Duration;

use anstream::{AutoStream, ColorChoice};
use clap::builder::styling::{AnsiColor, Style};

use crate::envelope::Envelope;
use crate::outcome::Outcome;
use crate::text::printable;

/// The summary of a run, if stderr is a terminal; in colour unless the user wants none.
pub fn summary(envelope: &Envelope<'_>, outcome: Outcome) -> Option<String> {
    let stderr = io::stderr();
    if !io::IsTerminal::is_terminal(&stderr) {
        return None;
    }
    let style = match AutoStream::choice(&stderr) {
        ColorChoice::Never => Style::new(),
        ColorChoice::Auto | ColorChoice::AlwaysAnsi | ColorChoice::Always => style(outcome),
    };
    let id = printable(envelope.capability);
    let time = duration(Duration::from_millis(envelope.duration_ms));
    let reason =
        envelope.reason.map(|reason| format!(": {}", printable(reason))).unwrap_or_default();
    Some(format!("cap: {id}: {style}{}{style:#} in {time}{reason}", outcome.name()))
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
