//! Whether git need be asked at all: outside of any repo, starting it would cost more than all the rest.

use std::io;
use std::path::Path;

/// What a directory must hold for git to take it for a repo or the top of a work tree (setup.c): `.git`, file or
/// directory, or else `HEAD`, being a git directory itself. Whatever else these are is left for git to judge.
const SIGNS: [&str; 2] = [".git", "HEAD"];

/// Whether git could find a repo from this directory upwards. If not, it is in no work tree for sure. What can't be
/// looked at may be one.
pub fn may_be_inside(directory: &Path) -> bool {
    let may_hold = |directory: &Path, sign: &&str| {
        // Even a link that leads nowhere is something that git has to say something about.
        let found = directory.join(sign).symlink_metadata();
        !matches!(found, Err(error) if error.kind() == io::ErrorKind::NotFound)
    };
    !directory.is_absolute()
        || directory.ancestors().any(|ancestor| SIGNS.iter().any(|sign| may_hold(ancestor, sign)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn any_sign_of_a_repo_in_any_ancestor_makes_it_possible() {
        let make: [fn(&Path); 5] = [
            |path| fs::create_dir(path.join(".git")).unwrap(),
            |path| fs::write(path.join(".git"), "gitdir: x").unwrap(),
            |path| fs::write(path.join(".git"), "").unwrap(),
            |path| symlink("nowhere", path.join(".git")).unwrap(),
            |path| fs::write(path.join("HEAD"), "").unwrap(),
        ];
        for make in make {
            let root = tempfile::tempdir().unwrap();
            let below = root.path().join("a/b");
            fs::create_dir_all(&below).unwrap();
            assert!(!may_be_inside(&below));
            make(root.path());
            assert!(may_be_inside(root.path()) && may_be_inside(&below));
        }
    }

    #[test]
    fn what_cannot_be_looked_at_may_be_a_repo() {
        assert!(may_be_inside(Path::new("relative")));
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("file"), "").unwrap();
        // ENOTDIR stands for every error that is not ENOENT.
        assert!(may_be_inside(&root.path().join("file")));
    }
}
