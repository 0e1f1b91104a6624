//! The newest row that says that a tree has passed: backwards through the log, by a byte search for the
//! tree before anything is parsed, and with memory that does not grow (contract section 10).

pub mod backwards;
pub mod recorded;

use std::fs::File;
use std::io;
use std::ops::ControlFlow;

use recorded::Recorded;

/// How much of the log is read at once, in bytes.
const BLOCK: u64 = 256 << 10;

/// What a row must say to have verified the same thing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    /// The id.
    pub capability: String,
    /// The tree's id, in lower case.
    pub tree: String,
    /// The run directory below the top, with a slash at its end.
    pub prefix: String,
    /// Of the args.
    pub args_hash: String,
    /// Of the manifest's command.
    pub command_hash: String,
}

/// The newest row by which the key has passed.
#[derive(Debug, PartialEq, Eq)]
pub struct Pass {
    /// The row as it stands in the log.
    pub row: String,
    /// A later run of the same key that did not pass, the newest one.
    pub later: Option<Later>,
}

/// A run that ended otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Later {
    /// Its outcome's name.
    pub outcome: String,
    /// When it ended.
    pub timestamp: String,
}

/// Looks for the newest pass of `key` in the log.
pub fn newest_pass(log: &File, key: &Key) -> io::Result<Option<Pass>> {
    let mut later = None;
    backwards::rows_with(log, key.tree.as_bytes(), BLOCK, &mut |row| {
        let Ok(row) = std::str::from_utf8(row) else {
            return ControlFlow::Continue(());
        };
        let Some(recorded) = Recorded::parse(row).filter(|recorded| recorded.is_of(key)) else {
            return ControlFlow::Continue(());
        };
        if recorded.has_passed() {
            return ControlFlow::Break(Pass { row: row.to_owned(), later: later.take() });
        }
        if later.is_none() {
            later = recorded.into_later();
        }
        ControlFlow::Continue(())
    })
}

#[cfg(test)]
mod tests;
