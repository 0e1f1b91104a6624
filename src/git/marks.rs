//! What shows that HEAD moved, even if it moved back: the files that git writes when it does.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The arguments of the question that [`Directories::parse`] reads the answer to.
pub const QUESTION: [&str; 3] = ["rev-parse", "--absolute-git-dir", "--git-common-dir"];

/// Where a repo keeps its refs.
#[derive(Debug, PartialEq, Eq)]
pub struct Directories {
    /// The work tree's own: `HEAD` and its log.
    own: PathBuf,
    /// What all linked work trees share: the branches.
    common: PathBuf,
}

impl Directories {
    /// Reads git's answer to [`QUESTION`], asked in `directory`; none if a path holds a newline, so that
    /// nobody can tell where it ends.
    pub fn parse(stdout: &[u8], directory: &Path) -> Option<Self> {
        let mut lines = stdout.strip_suffix(b"\n")?.split(|byte| *byte == b'\n');
        let mut path = || Some(PathBuf::from(OsString::from_vec(lines.next()?.to_owned())));
        let (own, common) = (path()?, path()?);
        let is_whole = lines.next().is_none() && own.is_absolute();
        is_whole.then(|| Self { own, common: directory.join(common) })
    }

    /// Looks at the files that change when HEAD moves, `branch` being its name below `refs/heads/`.
    pub fn look(&self, branch: &OsStr) -> io::Result<Vec<Mark>> {
        let own = ["HEAD", "logs/HEAD", "reftable/tables.list"].map(|name| self.own.join(name));
        let common = ["packed-refs", "reftable/tables.list"].map(|name| self.common.join(name));
        // A HEAD that points out of `refs/heads/` has its whole name here.
        let branches = ["refs/heads", ""].map(|base| self.common.join(base).join(branch));
        own.into_iter().chain(common).chain(branches).map(Mark::of).collect()
    }
}

/// One file, and what tells it from any other that was in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    path: PathBuf,
    /// None if there is no such file.
    stamp: Option<Stamp>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    /// Seconds and nanoseconds of the last change of its content.
    modified: (i64, i64),
    /// The same of its inode.
    changed: (i64, i64),
    size: u64,
    inode: u64,
}

impl Mark {
    fn of(path: PathBuf) -> io::Result<Self> {
        let absent = [io::ErrorKind::NotFound, io::ErrorKind::NotADirectory];
        let stamp = match fs::metadata(&path) {
            Ok(metadata) => Some(Stamp {
                modified: (metadata.mtime(), metadata.mtime_nsec()),
                changed: (metadata.ctime(), metadata.ctime_nsec()),
                size: metadata.size(),
                inode: metadata.ino(),
            }),
            Err(cause) if absent.contains(&cause.kind()) => None,
            Err(cause) => return Err(cause),
        };
        Ok(Self { path, stamp })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relative_directory_counts_from_where_git_was_asked() {
        let parse = |stdout: &str, directory| {
            Directories::parse(stdout.as_bytes(), Path::new(directory))
                .map(|it| (it.own.display().to_string(), it.common.display().to_string()))
        };
        let both = |own: &str, common: &str| Some((own.to_owned(), common.to_owned()));
        assert_eq!(parse("/r/.git\n.git\n", ""), both("/r/.git", ".git"));
        assert_eq!(parse("/r/.git\n../.git\n", "../lib"), both("/r/.git", "../lib/../.git"));
        assert_eq!(parse("/r/.git/worktrees/w\n/r/.git\n", "x").unwrap().1, "/r/.git");
        for stdout in ["", "\n", "/r/.git\n", "/r\n/.git\n.git\n", ".git\n.git\n", "/a\n/b"] {
            assert_eq!(parse(stdout, ""), None, "{stdout:?}");
        }
    }

    #[test]
    fn a_branch_that_was_written_again_is_marked_even_if_it_says_the_same() {
        let root = tempfile::tempdir().unwrap();
        let heads = root.path().join("refs/heads");
        fs::create_dir_all(&heads).unwrap();
        fs::write(heads.join("main"), "a").unwrap();
        let own = root.path().to_owned();
        let directories = Directories { common: own.clone(), own };
        let look = || directories.look(OsStr::new("main")).unwrap();
        let before = look();
        assert_eq!(before, look());
        fs::write(root.path().join("main.lock"), "a").unwrap();
        fs::rename(root.path().join("main.lock"), heads.join("main")).unwrap();
        assert_ne!(before, look());
    }
}
