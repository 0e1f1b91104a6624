//! The tree that a run verifies: probed before the command and after it (contract sections 5 and 9).

use std::any::Any;
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::thread;

use crate::exec::Finished;
use crate::exec::signals::{Signals, away_from_signals};
use crate::git::finding::{Finding, ProbeError};
use crate::git::{Absent, Git, discovery};
use crate::home::{self, AuditLog};

/// A probe's result, whatever became of it.
type Probed = Result<Finding, Absent>;

/// The git that tells of the tree; none where there is no tree to tell of, or nobody to be told since runs are not
/// recorded.
pub fn git_to_ask(directory: &Path, home: Option<&Path>) -> Option<Git> {
    let is_recorded = home.is_some_and(|home| !matches!(home::audit_log(home), Ok(AuditLog::Off)));
    if !is_recorded || !discovery::may_be_inside(directory) {
        return None;
    }
    Git::find(std::env::var_os("PATH").as_deref()).ok()
}

/// Probes the tree while `prepare` runs; both have ended when this returns.
pub fn probe_beside<T>(
    git: &Git,
    signals: &Signals,
    prepare: impl FnOnce() -> T,
) -> (T, Option<Finding>) {
    thread::scope(|scope| {
        let thread = away_from_signals(|| {
            thread::Builder::new().spawn_scoped(scope, || probe(git, signals))
        });
        let prepared = prepare();
        let probed = match thread {
            Ok(thread) => thread.join().unwrap_or_else(|payload| Ok(panicked(&*payload))),
            // No thread is to be had: then one after the other.
            Err(_) => probe(git, signals),
        };
        (prepared, probed.ok())
    })
}

/// What is known of the tree when the command has ended: a second probe says whether it is still clean,
/// if it was and the verdict is not due at once.
pub fn confirm(before: Finding, finished: &Finished, git: &Git, signals: &Signals) -> Finding {
    if !before.is_clean() {
        return before;
    }
    if finished.cause.is_some() || finished.is_hurried {
        return before.unconfirmed();
    }
    before.confirmed_by(probe(git, signals).ok())
}

/// A fault inside the probe is a probe that failed, never a verdict lost.
fn probe(git: &Git, signals: &Signals) -> Probed {
    panic::catch_unwind(AssertUnwindSafe(|| git.probe(Some(signals))))
        .unwrap_or_else(|payload| Ok(panicked(&*payload)))
}

fn panicked(payload: &(dyn Any + Send)) -> Finding {
    Finding::failed(ProbeError::Panicked(super::panic_text(payload)))
}
