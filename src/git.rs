//! The git-tree probe: which tree the current directory is, and whether what is on disk is that tree
//! (contract section 9).
//!
//! A dirty tree that is reported clean is the worst fault this program can have; a clean one that is
//! reported dirty costs only time. So clean is what everything that was asked agrees on, and whatever
//! is odd, late or unknown makes a tree dirty.

pub mod discovery;
mod entries;
pub mod finding;
mod marks;
pub mod oid;
pub mod position;
mod process;
mod records;
mod repo;
mod status;

use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::exec::signals::Signals;
use finding::{Finding, ProbeError, State};
use process::{Asking, Stop};
use repo::Place;

/// The time that one probe has in all (contract section 15).
const LIMIT: Duration = Duration::from_secs(10);

/// What is absent, so that there is no tree to speak of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Absent {
    /// No absolute directory in `PATH` has a `git`.
    #[error("there is no git in PATH")]
    Git,
    /// The current directory is in no work tree.
    #[error("this is no git work tree")]
    WorkTree,
    /// The branch has no commit yet.
    #[error("there is no commit yet")]
    Commit,
}

/// The git that is asked, the same one from the start to the end.
#[derive(Debug)]
pub struct Git {
    program: PathBuf,
}

impl Git {
    /// The first one in this `PATH`. Relative entries are skipped: what they lead to is the repo's.
    pub fn find(path: Option<&OsStr>) -> Result<Self, Absent> {
        std::env::split_paths(path.unwrap_or_default())
            .filter(|directory| directory.is_absolute())
            .map(|directory| directory.join("git"))
            .find(|program| is_executable(program))
            .map(|program| Self { program })
            .ok_or(Absent::Git)
    }

    /// Probes the tree that the current directory is in. An interrupt to `cap` ends the probe, and is
    /// still to be taken.
    pub fn probe(&self, signals: Option<&Signals>) -> Result<Finding, Absent> {
        let asking = self.asking(signals);
        let position = match asking.place(Path::new("")) {
            Ok(Place::Outside) => return Err(Absent::WorkTree),
            Ok(Place::Unborn) => return Err(Absent::Commit),
            Ok(Place::At(position)) => position,
            Err(stop) => return Ok(Finding { position: None, state: stop.into() }),
        };
        let state = match asking.compare(Path::new(""), &position) {
            Ok(marks) => State::Clean(marks),
            Err(stop) => stop.into(),
        };
        Ok(Finding { position: Some(position.position), state })
    }

    /// The current directory below the top of its work tree, as [`position::Position::prefix`] has it;
    /// none outside one, or when an interrupt came, which is still to be taken.
    pub fn prefix(&self, signals: Option<&Signals>) -> Result<Option<String>, ProbeError> {
        match self.asking(signals).prefix() {
            Ok(prefix) => Ok(prefix),
            Err(Stop::Failed(error)) => Err(error),
            Err(Stop::Dirty | Stop::Interrupted) => Ok(None),
        }
    }

    fn asking<'a>(&'a self, signals: Option<&'a Signals>) -> Asking<'a> {
        Asking { program: &self.program, deadline: Instant::now() + LIMIT, signals }
    }
}

fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|it| it.is_file() && it.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, Permissions};

    #[test]
    fn git_is_the_first_executable_one_of_an_absolute_directory() {
        let root = tempfile::tempdir().unwrap();
        let directory = |name: &str, mode: u32| {
            let directory = root.path().join(name);
            fs::create_dir(&directory).unwrap();
            fs::write(directory.join("git"), "").unwrap();
            fs::set_permissions(directory.join("git"), Permissions::from_mode(mode)).unwrap();
            directory
        };
        let (plain, first, second) =
            (directory("plain", 0o644), directory("first", 0o755), directory("second", 0o755));
        let found = |path: &[&Path]| {
            let path = std::env::join_paths(path).unwrap();
            Git::find(Some(&path)).map(|git| git.program)
        };
        let dots = Path::new("../../../../../../../..").join(first.strip_prefix("/").unwrap());
        assert_eq!(found(&[&plain, &first, &second]), Ok(first.join("git")));
        assert_eq!(found(&[&dots, Path::new(""), Path::new("."), &second]), Ok(second.join("git")));
        assert_eq!(found(&[&plain, &root.path().join("none")]), Err(Absent::Git));
        assert_eq!(Git::find(None).map(|git| git.program), Err(Absent::Git));
    }
}
