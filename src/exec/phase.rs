//! The course of a run as pure steps: from what the loop sees to what is to be done about it.

use std::time::Duration;

use nix::sys::signal::Signal;

use super::Cause;

/// From the first SIGTERM, or the signal passed on, to SIGKILL (contract section 15).
const GRACE: Duration = Duration::from_secs(2);
/// How long output is still read after SIGKILL.
const DRAIN_AFTER_KILL: Duration = Duration::from_millis(500);
/// A background process that holds the output is given up after this long without a byte …
const LEFTOVER_IDLE: Duration = Duration::from_millis(500);
/// … or after this long in all: an idle limit alone would hang on a chatty one.
const LEFTOVER_TOTAL: Duration = Duration::from_secs(2);
/// The same signal again within this time is one that came twice, not a second one.
const SAME_SIGNAL: Duration = Duration::from_millis(250);
/// The longest wait of the loop: the shell's status is looked at even if no signal tells of its end.
const LONGEST_WAIT: Duration = Duration::from_millis(250);
/// The wait while processes are being ended: not every end of one is announced.
const SHORT_WAIT: Duration = Duration::from_millis(5);

/// What the loop sees in one turn. Times count from the command's start, less the time suspended.
#[derive(Debug, Clone, Copy)]
pub struct Sight {
    /// The time now.
    pub now: Duration,
    /// An interrupt to `cap` that was just taken.
    pub signal: Option<Signal>,
    /// The shell's status was taken.
    pub shell_ended: bool,
    /// Nobody is left in the shell's group.
    pub group_empty: bool,
    /// Nobody holds a pipe of the run any more.
    pub output_closed: bool,
    /// When the last byte was read.
    pub last_byte: Duration,
}

/// What the loop is to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Send this signal, and SIGCONT, to the group.
    Send(Signal),
    /// SIGKILL to the group and to every descendant that left it, in this turn and each that follows.
    Kill,
}

/// How far a run has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// The command runs.
    Running,
    /// It was asked to end.
    Stopping {
        /// When SIGKILL is due.
        kill_at: Duration,
        /// The last signal that came to `cap`, and when.
        last_signal: Option<(Signal, Duration)>,
        /// Whether what the shell left behind was told to end, too: shells start background jobs with
        /// SIGINT ignored.
        rest_told: bool,
    },
    /// SIGKILL was sent; what is in the pipes is still read.
    Killed {
        /// When that ends.
        until: Duration,
    },
    /// The command has ended by itself; what is in the pipes is still read.
    Draining {
        /// When it ended.
        since: Duration,
    },
    /// All is done.
    Over,
}

/// One run's course.
#[derive(Debug)]
pub struct Course {
    /// How far it has come.
    pub phase: Phase,
    /// What ended the command, unless it ended by itself.
    pub cause: Option<Cause>,
    /// Whether a background process still held the output when reading was given up.
    pub has_leftover: bool,
    /// Whether an interrupt came when there was nothing left to interrupt: somebody is in a hurry.
    pub is_hurried: bool,
    budget: Duration,
}

impl Course {
    /// A command that was just started and may run for `budget`.
    pub fn new(budget: Duration) -> Self {
        Self { phase: Phase::Running, cause: None, has_leftover: false, is_hurried: false, budget }
    }

    /// Takes one turn. An interrupt counts before the shell's end, its end before the budget's: an exit
    /// that may have come from the same Ctrl-C is not to be trusted, one just in time is.
    pub fn step(&mut self, sight: Sight) -> Option<Order> {
        match self.phase {
            Phase::Running => self.step_running(sight),
            Phase::Stopping { kill_at, last_signal, rest_told } => {
                self.step_stopping(sight, kill_at, last_signal, rest_told)
            }
            Phase::Killed { until } => {
                self.step_killed(sight, until);
                Some(Order::Kill)
            }
            Phase::Draining { since } => {
                self.step_draining(sight, since);
                None
            }
            Phase::Over => None,
        }
    }

    fn step_running(&mut self, sight: Sight) -> Option<Order> {
        let kill_at = sight.now + GRACE;
        if let Some(signal) = sight.signal {
            self.cause = Some(Cause::Interrupted(signal));
            let last_signal = Some((signal, sight.now));
            self.phase = Phase::Stopping { kill_at, last_signal, rest_told: false };
            return Some(Order::Send(signal));
        }
        if sight.shell_ended {
            self.phase = Phase::Draining { since: sight.now };
            self.step_draining(sight, sight.now);
            return None;
        }
        if sight.now >= self.budget {
            self.cause = Some(Cause::TimedOut);
            self.phase = Phase::Stopping { kill_at, last_signal: None, rest_told: true };
            return Some(Order::Send(Signal::SIGTERM));
        }
        None
    }

    fn step_stopping(
        &mut self,
        sight: Sight,
        kill_at: Duration,
        last_signal: Option<(Signal, Duration)>,
        rest_told: bool,
    ) -> Option<Order> {
        let is_second = sight.signal.is_some_and(|signal| match last_signal {
            Some((last, at)) => signal != last || sight.now >= at + SAME_SIGNAL,
            None => true,
        });
        let all_gone = sight.shell_ended && sight.group_empty;
        if is_second || all_gone || sight.now >= kill_at {
            self.phase = Phase::Killed { until: sight.now + DRAIN_AFTER_KILL };
            return Some(Order::Kill);
        }
        if sight.shell_ended && !rest_told {
            self.phase = Phase::Stopping { kill_at, last_signal, rest_told: true };
            return Some(Order::Send(Signal::SIGTERM));
        }
        None
    }

    fn step_killed(&mut self, sight: Sight, until: Duration) {
        let is_asked_again = sight.signal.is_some() && sight.shell_ended;
        let is_finished = sight.shell_ended && sight.group_empty && sight.output_closed;
        self.is_hurried |= is_asked_again;
        if is_asked_again || is_finished || sight.now >= until {
            self.phase = Phase::Over;
        }
    }

    fn step_draining(&mut self, sight: Sight, since: Duration) {
        let is_silent = sight.now >= since.max(sight.last_byte) + LEFTOVER_IDLE;
        self.is_hurried |= sight.signal.is_some();
        if sight.output_closed || sight.signal.is_some() {
            self.phase = Phase::Over;
        } else if is_silent || sight.now >= since + LEFTOVER_TOTAL {
            self.has_leftover = true;
            self.phase = Phase::Over;
        }
    }

    /// How long the loop may wait before the next turn, if nothing happens.
    pub fn wait(&self, now: Duration, last_byte: Duration) -> Duration {
        let deadline = match self.phase {
            Phase::Running => self.budget,
            Phase::Stopping { .. } | Phase::Killed { .. } => now + SHORT_WAIT,
            Phase::Draining { since } => {
                (since + LEFTOVER_TOTAL).min(since.max(last_byte) + LEFTOVER_IDLE)
            }
            Phase::Over => now,
        };
        deadline.saturating_sub(now).min(LONGEST_WAIT)
    }

    /// Whether a stalled reader may hold up the command: not once it is gone or being ended, since that
    /// would hold up the verdict.
    pub fn may_wait_for_reader(&self) -> bool {
        matches!(self.phase, Phase::Running)
    }
}

#[cfg(test)]
mod tests;
