//! Which directory's manifest counts for a run directory, and whether its owner may be trusted.

use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use nix::unistd::{Uid, User};

use crate::text::printable_path;

/// The manifest's place below the directory that the search finds.
const MANIFEST: [&str; 3] = [".dossier", "automation", "manifest.yaml"];

/// As many links in a row as the kernel follows (`path_resolution(7)`).
const MOST_LINKS: usize = 40;

/// Where the manifest is, or would be.
#[derive(Debug, PartialEq, Eq)]
pub struct Location {
    /// The directory that holds `.dossier`, or the run directory if none does.
    pub root: PathBuf,
    /// The manifest's path.
    pub path: PathBuf,
}

/// A manifest that is not looked into.
#[derive(Debug, thiserror::Error)]
pub enum FindError {
    /// Its owner could plant commands for whoever works here.
    #[error(
        "{} belongs to {owner}, who is neither you, root nor the owner of the run directory",
        printable_path(path)
    )]
    Untrusted {
        /// What belongs to somebody else.
        path: PathBuf,
        /// The account's name, or its number.
        owner: String,
    },
    /// It can't be told whose it is.
    #[error("cannot look at {}: {cause}", printable_path(path))]
    Unreadable {
        /// What can't be looked at.
        path: PathBuf,
        /// Why not.
        cause: io::Error,
    },
}

/// Finds the manifest for `run_directory`, which must be a physical path (contract section 1).
pub fn find(run_directory: &Path, home: Option<&Path>) -> Location {
    let home = home.map(|home| fs::canonicalize(home).unwrap_or_else(|_| home.to_path_buf()));
    let root = run_directory
        .ancestors()
        .take_while(|directory| home.as_deref() != Some(*directory))
        .find(|directory| directory.join(MANIFEST[0]).is_dir())
        .unwrap_or(run_directory)
        .to_path_buf();
    let path = MANIFEST.iter().fold(root.clone(), |path, name| path.join(name));
    Location { root, path }
}

impl Location {
    /// Checks that `.dossier`, `automation` and the manifest, and what they link to, belong to the
    /// user, to root, or to the owner of the run directory. What is missing is nobody's.
    pub fn check_owners(&self, run_directory: &Path) -> Result<(), FindError> {
        let mut trusted = vec![Uid::effective().as_raw(), Uid::from_raw(0).as_raw()];
        if let Ok(metadata) = fs::metadata(run_directory) {
            trusted.push(metadata.uid());
        }
        let mut path = self.root.clone();
        for name in MANIFEST {
            path.push(name);
            match check_chain(&path, &trusted) {
                Err(FindError::Unreadable { cause, .. })
                    if matches!(
                        cause.kind(),
                        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                    ) =>
                {
                    return Ok(());
                }
                other => other?,
            }
        }
        Ok(())
    }

    /// A manifest under the other usual ending, which is not read but worth a hint.
    pub fn misnamed(&self) -> Option<PathBuf> {
        Some(self.path.with_extension("yml")).filter(|path| path.is_file())
    }
}

/// Checks a path and, as long as it is a symbolic link, what it leads to: whoever owns a link in between
/// has a say, too.
fn check_chain(path: &Path, trusted: &[u32]) -> Result<(), FindError> {
    let mut path = path.to_path_buf();
    for _ in 0..MOST_LINKS {
        let unreadable =
            |path: &Path, cause| FindError::Unreadable { path: path.to_owned(), cause };
        let metadata = fs::symlink_metadata(&path).map_err(|cause| unreadable(&path, cause))?;
        if !trusted.contains(&metadata.uid()) {
            return Err(FindError::Untrusted { path, owner: owner(&metadata) });
        }
        if !metadata.is_symlink() {
            return Ok(());
        }
        let target = fs::read_link(&path).map_err(|cause| unreadable(&path, cause))?;
        path = path.parent().unwrap_or(Path::new("/")).join(target);
    }
    let cause = io::Error::other("too many symbolic links");
    Err(FindError::Unreadable { path, cause })
}

fn owner(metadata: &Metadata) -> String {
    match User::from_uid(Uid::from_raw(metadata.uid())) {
        Ok(Some(user)) => format!("'{}'", user.name),
        Ok(None) | Err(_) => format!("uid {}", metadata.uid()),
    }
}
