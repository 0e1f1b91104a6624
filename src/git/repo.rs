//! One repo by every rule, and its submodules by the same rules, at any depth.

use std::path::{Path, PathBuf};

use super::entries::{self, Entries, Link};
use super::finding::ProbeError;
use super::marks::{self, Directories, Mark};
use super::position::{self, Answer, Position, Replacements};
use super::process::{Amount, Asking, Stop, refuse_failure, refuse_warnings};
use super::records::Records;
use super::status::{self, Differences};
use crate::exec::Status;
use crate::exec::capture::Kept;

/// What git says of any directory that is in no repo at all (setup.c), in the C locale.
const NO_REPO: &str = "not a git repository (or any";

/// What git returns for an option that it does not know (usage.c).
const USAGE: Status = Status::Exited(129);

/// Where a directory is.
#[derive(Debug)]
pub enum Place {
    /// In no work tree.
    Outside,
    /// In a work tree whose branch has no commit yet.
    Unborn,
    /// In a work tree with a commit.
    At(Placed),
}

/// A position, and whether commands of git's may see another one.
#[derive(Debug)]
pub struct Placed {
    /// The position.
    pub position: Position,
    replacements: Replacements,
}

impl Asking<'_> {
    /// Asks where `directory` is.
    pub fn place(&self, directory: &Path) -> Result<Place, Stop> {
        let (mut stdout, mut stderr) = (Kept::default(), Kept::default());
        let mut git = [self.start(directory, &position::QUESTION, &mut stdout, &mut stderr)?];
        self.watch(&mut git)?;
        let status = git[0].status();
        drop(git);
        if stdout.bytes.starts_with(b"false\n") || is_no_repo(&stderr) {
            return Ok(Place::Outside);
        }
        let failure = refuse_warnings(&stderr).and_then(|()| refuse_failure(status, "rev-parse"));
        if let Err(error) = failure {
            return if self.is_unborn(directory)? { Ok(Place::Unborn) } else { Err(error.into()) };
        }
        match position::parse(&stdout.bytes) {
            Some(Answer::At(position, replacements)) => {
                Ok(Place::At(Placed { position, replacements }))
            }
            Some(Answer::Outside) => Ok(Place::Outside),
            None => Err(ProbeError::NotUnderstood("rev-parse").into()),
        }
    }

    fn is_unborn(&self, directory: &Path) -> Result<bool, Stop> {
        let (mut status, mut stderr) = (Records::new(Differences::default()), Kept::default());
        let mut git = [self.start(directory, &status::QUESTION, &mut status, &mut stderr)?];
        self.watch(&mut git)?;
        drop(git);
        Ok(status.so_far().is_unborn())
    }

    /// The current directory below the top of its work tree; none outside one.
    pub fn prefix(&self) -> Result<Option<String>, Stop> {
        const QUESTION: [&str; 3] = ["rev-parse", "--is-inside-work-tree", "--show-prefix"];
        let (mut stdout, mut stderr) = (Kept::default(), Kept::default());
        let mut git = [self.start(Path::new(""), &QUESTION, &mut stdout, &mut stderr)?];
        self.watch(&mut git)?;
        let status = git[0].status();
        drop(git);
        if stdout.bytes.starts_with(b"false\n") || is_no_repo(&stderr) {
            return Ok(None);
        }
        refuse_warnings(&stderr)?;
        refuse_failure(status, QUESTION[0])?;
        let prefix = stdout.bytes.strip_prefix(b"true\n").and_then(position::parse_prefix);
        prefix.map(Some).ok_or(Stop::Failed(ProbeError::NotUnderstood(QUESTION[0])))
    }

    /// Compares what is on disk with the tree that `directory` is in: clean, or the reason to stop.
    pub fn compare(&self, directory: &Path, placed: &Placed) -> Result<Vec<Mark>, Stop> {
        let Placed { position, replacements } = placed;
        if *replacements == Replacements::Some || position.tree.is_empty_tree() {
            return Err(Stop::Dirty);
        }
        let Seen { links, mut marks } = self.see(directory, position)?;
        let top = directory.join("../".repeat(position.prefix.matches('/').count()));
        for link in links {
            marks.extend(self.compare_submodule(&top, &link)?);
        }
        Ok(marks)
    }

    /// What only git can tell of one repo.
    fn see(&self, directory: &Path, position: &Position) -> Result<Seen, Stop> {
        match self.see_with(&entries::QUESTION, directory, position)? {
            Some(seen) => Ok(seen),
            None => self
                .see_with(&entries::OLD_QUESTION, directory, position)?
                .ok_or(Stop::Failed(ProbeError::NotUnderstood(entries::QUESTION[0]))),
        }
    }

    /// The three questions at the same time; none if this git does not know `listing`.
    fn see_with(
        &self,
        listing: &[&str],
        directory: &Path,
        position: &Position,
    ) -> Result<Option<Seen>, Stop> {
        let mut status = Records::new(Differences::default());
        let mut entries = Records::new(Entries::below(&position.prefix));
        let mut directories = Kept::default();
        let mut stderrs = [Kept::default(), Kept::default(), Kept::default()];
        let [first, second, third] = &mut stderrs;
        let mut gits = [
            self.start(directory, &status::QUESTION, &mut status, first)?,
            self.start(directory, listing, &mut entries, second)?,
            self.start(directory, &marks::QUESTION, &mut directories, third)?,
        ];
        let amount = self.watch(&mut gits)?;
        let statuses = [0, 1, 2].map(|index| gits[index].status());
        drop(gits);
        if statuses[1] == Some(USAGE) {
            return Ok(None);
        }
        stderrs.iter().try_for_each(refuse_warnings)?;
        let names = [status::QUESTION[0], entries::QUESTION[0], marks::QUESTION[0]];
        let not_understood = |name| Stop::Failed(ProbeError::NotUnderstood(name));
        if status.so_far().is_dirty || entries.so_far().is_flagged {
            return Err(Stop::Dirty);
        }
        if amount == Amount::Enough {
            return Err(not_understood(names[1]));
        }
        statuses.into_iter().zip(names).try_for_each(|(it, name)| refuse_failure(it, name))?;
        let status = status.finish().ok_or_else(|| not_understood(names[0]))?;
        let entries = entries.finish().ok_or_else(|| not_understood(names[1]))?;
        let branch = status.branch.ok_or_else(|| not_understood(names[0]))?;
        if status.head.as_ref() != Some(&position.head) || !entries.is_prefix_held {
            return Err(Stop::Dirty);
        }
        let directories = Directories::parse(&directories.bytes, directory)
            .ok_or_else(|| not_understood(names[2]))?;
        let marks = directories.look(&branch).map_err(ProbeError::from)?;
        Ok(Some(Seen { links: entries.links, marks }))
    }

    /// A submodule must be at its recorded commit, and clean by the same rules. Without a `.git` of its
    /// own, git would look at the repo around it.
    fn compare_submodule(&self, top: &Path, link: &Link) -> Result<Vec<Mark>, Stop> {
        let directory: PathBuf = top.join(&link.path);
        if directory.join(".git").symlink_metadata().is_err() {
            return Err(Stop::Dirty);
        }
        match self.place(&directory)? {
            Place::At(placed)
                if placed.position.head == link.commit && placed.position.prefix.is_empty() =>
            {
                self.compare(&directory, &placed)
            }
            Place::At(_) | Place::Outside | Place::Unborn => Err(Stop::Dirty),
        }
    }
}

/// What was seen of one repo that is clean but for its submodules.
struct Seen {
    links: Vec<Link>,
    marks: Vec<Mark>,
}

fn is_no_repo(stderr: &Kept) -> bool {
    String::from_utf8_lossy(&stderr.bytes).contains(NO_REPO)
}
