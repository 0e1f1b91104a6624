//! What the probe found, and what two of them say together about a run.

use std::io;

use super::marks::Mark;
use super::position::Position;

/// What one probe found.
#[derive(Debug)]
pub struct Finding {
    /// Where it was; none if the probe failed before that was known.
    pub position: Option<Position>,
    /// Whether what is on disk is that tree.
    pub state: State,
}

/// Whether what is on disk is the tree, by every rule of contract section 9.
#[derive(Debug)]
pub enum State {
    /// It is; and these are the marks by which a HEAD that moves meanwhile is noticed.
    Clean(Vec<Mark>),
    /// It is not, or may not be.
    Dirty,
    /// Nobody knows, so it counts as dirty.
    Failed(ProbeError),
}

/// A probe that failed.
#[derive(Debug, thiserror::Error)]
pub enum ProbeError {
    /// It was not done in time.
    #[error("git took too long")]
    TimedOut,
    /// git had something to say, if only a warning: it passes over what it can't look at.
    #[error("git said: {0}")]
    Warned(String),
    /// git returned something else than 0.
    #[error("git {0} failed")]
    Exited(&'static str),
    /// git printed something else than what it was asked for.
    #[error("the answer of git {0} is not understood")]
    NotUnderstood(&'static str),
    /// The system refused.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A fault inside `cap`.
    #[error("internal error: {0}")]
    Panicked(String),
}

impl ProbeError {
    /// Its name in the telemetry row.
    pub fn name(&self) -> &'static str {
        match self {
            Self::TimedOut => "timeout",
            Self::Warned(_)
            | Self::Exited(_)
            | Self::NotUnderstood(_)
            | Self::Io(_)
            | Self::Panicked(_) => "error",
        }
    }
}

impl Finding {
    /// A probe that failed before it found anything.
    pub fn failed(error: ProbeError) -> Self {
        Self { position: None, state: State::Failed(error) }
    }

    /// Whether the tree is what is on disk.
    pub fn is_clean(&self) -> bool {
        matches!(self.state, State::Clean(_))
    }

    /// Why the probe failed, if it did.
    pub fn failure(&self) -> Option<&ProbeError> {
        match &self.state {
            State::Failed(error) => Some(error),
            State::Clean(_) | State::Dirty => None,
        }
    }

    /// The same tree, but nobody looked whether it still is what is on disk.
    pub fn unconfirmed(self) -> Self {
        match self.state {
            State::Clean(_) | State::Dirty => Self { state: State::Dirty, ..self },
            State::Failed(_) => self,
        }
    }

    /// What this probe, before a run, and one after it say together. None after it: there is no tree
    /// any more.
    pub fn confirmed_by(self, after: Option<Self>) -> Self {
        let state = match (self.state, after) {
            (State::Clean(marks), Some(Self { position, state: State::Clean(later) }))
                if position == self.position && marks == later =>
            {
                State::Clean(marks)
            }
            (State::Clean(_), Some(Self { state: State::Failed(error), .. }))
            | (State::Failed(error), _) => State::Failed(error),
            (State::Clean(_) | State::Dirty, _) => State::Dirty,
        };
        Self { position: self.position, state }
    }
}

#[cfg(test)]
mod tests {
    use super::super::oid::Oid;
    use super::*;

    fn position(tree: &str, prefix: &str) -> Position {
        let oid = |digit: &str| Oid::parse(digit.repeat(40).as_bytes()).unwrap();
        Position { head: oid("a"), tree: oid(tree), prefix: prefix.to_owned() }
    }

    fn clean() -> Finding {
        Finding { position: Some(position("b", "")), state: State::Clean(Vec::new()) }
    }

    fn dirty() -> Finding {
        Finding { state: State::Dirty, ..clean() }
    }

    fn failed() -> Finding {
        Finding { state: State::Failed(ProbeError::TimedOut), ..clean() }
    }

    #[test]
    fn only_two_clean_probes_of_one_tree_are_clean() {
        assert!(clean().confirmed_by(Some(clean())).is_clean());
        for other in [position("c", ""), position("b", "x/")] {
            let moved = Finding { position: Some(other), state: State::Clean(Vec::new()) };
            assert!(matches!(clean().confirmed_by(Some(moved)).state, State::Dirty));
        }
        for before in [clean, dirty, failed] {
            for after in [Some(dirty()), Some(failed()), None] {
                assert!(!before().confirmed_by(after).is_clean());
            }
            assert!(!before().unconfirmed().is_clean());
        }
        assert!(!dirty().confirmed_by(Some(clean())).is_clean());
        assert!(!failed().confirmed_by(Some(clean())).is_clean());
    }

    #[test]
    fn a_failure_of_either_is_told_and_the_tree_is_the_one_before() {
        let late = Finding::failed(ProbeError::TimedOut);
        let merged = clean().confirmed_by(Some(late));
        assert_eq!(merged.failure().map(ProbeError::name), Some("timeout"));
        assert_eq!(merged.position, clean().position);
        assert!(failed().confirmed_by(None).failure().is_some());
        assert!(failed().unconfirmed().failure().is_some());
        assert!(dirty().confirmed_by(Some(failed())).failure().is_none());
    }
}
