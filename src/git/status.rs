//! What `git status` finds: the commit it compared with, and whether anything differs from it.

use std::ffi::OsString;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStringExt;

use super::oid::Oid;
use super::records::ReadRecord;

/// The arguments of the question that [`Differences`] reads the answer to. A submodule's own files are
/// looked at inside it, not from here.
pub const QUESTION: [&str; 8] = [
    "status",
    "--porcelain=v2",
    "--branch",
    "-z",
    "--no-renames",
    "--no-ahead-behind",
    "--untracked-files=normal",
    "--ignore-submodules=dirty",
];

/// What has been read of a status.
#[derive(Debug, Default)]
pub struct Differences {
    /// The commit that was compared with.
    pub head: Option<Oid>,
    /// The branch's name below `refs/heads/`, or what git says in its place.
    pub branch: Option<OsString>,
    /// Whether the branch has no commit yet.
    pub is_initial: bool,
    /// Whether anything differs.
    pub is_dirty: bool,
}

impl Differences {
    /// Whether it is that of a branch which is known and has no commit yet.
    pub fn is_unborn(&self) -> bool {
        let stand_ins = ["(detached)", "(unknown)"];
        self.is_initial
            && self.branch.as_ref().is_some_and(|branch| stand_ins.iter().all(|it| branch != it))
    }
}

impl ReadRecord for Differences {
    fn read(&mut self, record: &[u8]) -> ControlFlow<()> {
        // git-status(1): headers come first, each with `# ` before it; all else is a path that differs.
        let Some(header) = record.strip_prefix(b"# ") else {
            self.is_dirty = true;
            return ControlFlow::Break(());
        };
        if let Some(head) = header.strip_prefix(b"branch.oid ") {
            self.is_initial = head == b"(initial)";
            self.head = Oid::parse(head);
        }
        if let Some(branch) = header.strip_prefix(b"branch.head ") {
            // A ref of the work tree's own (gitrepository-layout(5)) has no name here, so nobody could see
            // it move.
            self.is_dirty |= branch == b"(null)";
            self.branch = Some(OsString::from_vec(branch.to_owned()));
        }
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "d5021ae11e7d12d062e925097d9d93e9483de05e";

    fn read(records: &[&str]) -> Differences {
        let mut status = Differences::default();
        let _ = records.iter().try_for_each(|record| status.read(record.as_bytes()));
        status
    }

    #[test]
    fn only_headers_are_clean() {
        let oid = format!("# branch.oid {HEAD}");
        let headers = [oid.as_str(), "# branch.head main", "# branch.ab +1 -0", "# stash 1"];
        let status = read(&headers);
        assert!(!status.is_dirty);
        assert_eq!(status.head, Oid::parse(HEAD.as_bytes()));
        assert_eq!(status.branch, Some("main".into()));
        for record in ["? a", "1 .M N... 100644 …", "u UU …", "2 R. …", "", "#", "#a", "! x"]
        {
            assert!(read(&[&headers, [record].as_slice()].concat()).is_dirty, "{record}");
        }
    }

    #[test]
    fn a_head_without_a_name_is_dirty() {
        let oid = format!("# branch.oid {HEAD}");
        assert!(read(&[&oid, "# branch.head (null)"]).is_dirty);
        assert!(!read(&[&oid, "# branch.head (detached)"]).is_dirty);
    }

    #[test]
    fn an_unborn_branch_is_one_with_a_name() {
        let initial = "# branch.oid (initial)";
        assert!(read(&[initial, "# branch.head main"]).is_unborn());
        assert!(read(&[initial, "# branch.head main", "? a"]).is_unborn());
        for records in [
            &[initial][..],
            &["# branch.head main"],
            &[initial, "# branch.head (unknown)"],
            &[initial, "# branch.head (detached)"],
        ] {
            assert!(!read(records).is_unborn(), "{records:?}");
        }
    }
}
