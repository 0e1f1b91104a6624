//! What the index holds: entries that git would not look at, submodules, what is below a directory.

use std::ffi::OsString;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use super::oid::Oid;
use super::records::ReadRecord;

/// The arguments of the question that [`Entries`] reads the answer to. Without `--sparse` git expands a
/// sparse index, and touches the trees it needs for that.
pub const QUESTION: [&str; 8] =
    ["ls-files", "--sparse", "-v", "-s", "-z", "--full-name", "--", ":/"];

/// The same for a git before 2.36, which knows no `--sparse`.
pub const OLD_QUESTION: [&str; 7] = ["ls-files", "-v", "-s", "-z", "--full-name", "--", ":/"];

/// The mode of a submodule's entry.
const LINK_MODE: &[u8] = b"160000";

/// A submodule's entry.
#[derive(Debug, PartialEq, Eq)]
pub struct Link {
    /// Its path below the top.
    pub path: PathBuf,
    /// The commit that is recorded for it.
    pub commit: Oid,
}

/// What has been read of an index.
#[derive(Debug)]
pub struct Entries<'a> {
    prefix: &'a str,
    /// Whether some entry is below the prefix.
    pub is_prefix_held: bool,
    /// Whether an entry is flagged assume-unchanged or skip-worktree, or is in conflict.
    pub is_flagged: bool,
    /// Whether something was read that is no entry.
    pub is_malformed: bool,
    /// The submodules.
    pub links: Vec<Link>,
}

impl<'a> Entries<'a> {
    /// Reads the index of a repo in which the directory that matters is at this prefix.
    pub fn below(prefix: &'a str) -> Self {
        let is_prefix_held = prefix.is_empty();
        Self { prefix, is_prefix_held, is_flagged: false, is_malformed: false, links: Vec::new() }
    }
}

impl ReadRecord for Entries<'_> {
    fn read(&mut self, record: &[u8]) -> ControlFlow<()> {
        // git-ls-files(1): `H` is an entry without a flag; in lower case it is assumed unchanged.
        let Some(entry) = record.strip_prefix(b"H ") else {
            self.is_flagged = true;
            return ControlFlow::Break(());
        };
        let Some((mode, id, path)) = split(entry) else {
            self.is_malformed = true;
            return ControlFlow::Break(());
        };
        self.is_prefix_held |= path.starts_with(self.prefix.as_bytes());
        if mode == LINK_MODE {
            let Some(commit) = Oid::parse(id) else {
                self.is_malformed = true;
                return ControlFlow::Break(());
            };
            let path = PathBuf::from(OsString::from_vec(path.to_owned()));
            self.links.push(Link { path, commit });
        }
        ControlFlow::Continue(())
    }
}

/// Mode, id and path of `MODE ID 0<tab>PATH`.
fn split(entry: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let tab = memchr::memchr(b'\t', entry)?;
    let mut words = entry[..tab].split(|byte| *byte == b' ');
    let (mode, id) = (words.next()?, words.next()?);
    let is_merged = words.next()? == b"0" && words.next().is_none();
    is_merged.then_some((mode, id, &entry[tab + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "587be6b4c3f93f93c489c0111bba5596147a26cb";

    fn read<'a>(prefix: &'a str, records: &[String]) -> Entries<'a> {
        let mut entries = Entries::below(prefix);
        let _ = records.iter().try_for_each(|record| entries.read(record.as_bytes()));
        entries
    }

    fn file(path: &str) -> String {
        format!("H 100644 {ID} 0\t{path}")
    }

    #[test]
    fn an_entry_is_below_a_directory_and_not_beside_it() {
        let records = ["a/b", "ab/c", "d\te\n/f"].map(file);
        for prefix in ["", "a/", "ab/", "d\te\n/"] {
            assert!(read(prefix, &records).is_prefix_held, "{prefix}");
        }
        for prefix in ["b/", "a/b/", "ab/c/", "A/", "d/"] {
            assert!(!read(prefix, &records).is_prefix_held, "{prefix}");
        }
        assert!(read("", &[]).is_prefix_held);
    }

    #[test]
    fn submodules_are_told_with_the_commit_that_is_recorded() {
        let entries = read("", &[file("a"), format!("H 160000 {ID} 0\tlib/b c"), file("d")]);
        let link =
            Link { path: PathBuf::from("lib/b c"), commit: Oid::parse(ID.as_bytes()).unwrap() };
        assert_eq!(entries.links, [link]);
        assert!(!entries.is_flagged && !entries.is_malformed);
    }

    #[test]
    fn any_tag_but_h_is_a_flag() {
        for tag in ["h", "S", "s", "M", "R", "C", "K", "?", "U", ""] {
            let record = format!("{tag} 100644 {ID} 0\ta");
            assert!(read("", &[file("b"), record]).is_flagged, "{tag}");
        }
        assert!(read("", &[String::new()]).is_flagged);
    }

    #[test]
    fn what_is_no_entry_is_malformed() {
        let wrong = [
            format!("H 100644 {ID} 0 a"),
            format!("H 100644 {ID} 1\ta"),
            format!("H 100644 {ID}\ta"),
            format!("H 100644 {ID} 0 0\ta"),
            "H 160000 HEAD 0\ta".to_owned(),
            "H ".to_owned(),
        ];
        for record in wrong {
            assert!(read("", std::slice::from_ref(&record)).is_malformed, "{record}");
        }
    }
}
