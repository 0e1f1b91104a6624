//! A row of `caps.jsonl`: what a run was and how it ended, appended in one write.

pub mod search;

use std::fs::{File, OpenOptions, Permissions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::file::{self, ReadError};
use crate::git::finding::{Finding, ProbeError};
use crate::home;
use crate::text::json_line;

/// How often, and with what pause, the log's lock is tried for. A row is written in far less than a pause.
const LOCK_TRIES: u32 = 200;
const LOCK_PAUSE: Duration = Duration::from_millis(1);

/// One run, with its keys in the contract's order (section 8); `timestamp` must stay first.
#[derive(Debug, Serialize)]
pub struct Row<'a> {
    /// When the run ended.
    pub timestamp: String,
    /// The id that was asked for.
    pub capability: &'a str,
    /// The outcome's name.
    pub outcome: &'a str,
    /// What the shell returned.
    pub exit_code: Option<u8>,
    /// Whole milliseconds.
    pub duration_ms: u64,
    /// Why, for the outcomes that need a reason.
    pub reason: Option<&'a str>,
    /// The signal that ended the shell.
    pub signal: Option<&'a str>,
    /// The run directory; null if it was gone.
    pub cwd: Option<String>,
    /// The args, as given.
    pub args: &'a [String],
    /// See [`args_hash`].
    pub args_hash: String,
    /// See [`command_hash`]; no key at all if no entry was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command_hash: Option<String>,
    /// The tree that was verified; no keys at all outside a git work tree with a commit.
    #[serde(flatten)]
    pub git: Option<GitKeys<'a>>,
    /// As in the envelope.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_tail: Option<&'a str>,
}

/// What the git-tree probe found (contract section 9). What a failed one could not find is null.
#[derive(Debug, Serialize)]
pub struct GitKeys<'a> {
    git_head: Option<&'a str>,
    git_tree: Option<&'a str>,
    git_prefix: Option<&'a str>,
    dirty: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    git_probe: Option<&'static str>,
}

impl<'a> From<&'a Finding> for GitKeys<'a> {
    fn from(finding: &'a Finding) -> Self {
        let position = finding.position.as_ref();
        Self {
            git_head: position.map(|it| it.head.as_str()),
            git_tree: position.map(|it| it.tree.as_str()),
            git_prefix: position.map(|it| it.prefix.as_str()),
            dirty: !finding.is_clean(),
            git_probe: finding.failure().map(ProbeError::name),
        }
    }
}

/// A row that could not be appended.
#[derive(Debug, thiserror::Error)]
pub enum AppendError {
    /// There is no home directory to keep the log in.
    #[error("no home directory")]
    NoHome,
    /// The log is a fifo, a directory, a device …
    #[error(transparent)]
    Log(#[from] ReadError),
    /// The system refused.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// Only so many bytes of the row were taken.
    #[error("the row was cut after {0} bytes")]
    Cut(usize),
}

/// The path of the log below this home.
pub fn log_path(home: &Path) -> PathBuf {
    home::data(home).join("caps.jsonl")
}

/// A moment as the row tells it: `2026-08-29T15:00:00.000Z`.
pub fn timestamp(moment: SystemTime) -> String {
    // A clock outside of the years that have four digits is wrong, but no reason to lose the row.
    let last = SystemTime::UNIX_EPOCH + Duration::from_secs(253_402_300_799);
    humantime::format_rfc3339_millis(moment.clamp(SystemTime::UNIX_EPOCH, last)).to_string()
}

/// The SHA-256 of the args as a compact JSON array, in hexadecimal.
pub fn args_hash(args: &[String]) -> String {
    // Not `json_line`: the hash is of what `serde_json` writes, with nothing more escaped.
    sha256(serde_json::Value::from(args).to_string().as_bytes())
}

/// The SHA-256 of the manifest's command exactly as written, in hexadecimal.
pub fn command_hash(command: &str) -> String {
    sha256(command.as_bytes())
}

fn sha256(bytes: &[u8]) -> String {
    let digits = |byte: &u8| {
        [byte >> 4, byte & 15].map(|digit| char::from(b"0123456789abcdef"[usize::from(digit)]))
    };
    Sha256::digest(bytes).iter().flat_map(digits).collect()
}

/// Appends `row` to the log below `home`.
pub fn append(home: &Path, row: &Row<'_>) -> Result<(), AppendError> {
    let mut log = open(home)?;
    lock(&log);
    let mut line = json_line(row);
    line.push('\n');
    if is_torn(&mut log)? {
        line.insert(0, '\n');
    }
    // One write in append mode, or rows of runs at the same time would mix.
    loop {
        match log.write(line.as_bytes()) {
            Ok(written) if written == line.len() => return Ok(()),
            Ok(written) => return Err(AppendError::Cut(written)),
            // Nothing was written.
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
    }
}

fn open(home: &Path) -> Result<File, AppendError> {
    let path = log_path(home);
    let log = match open_or_create(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            home::make_data(home)?;
            open_or_create(&path)?
        }
        other => other?,
    };
    let metadata = log.metadata()?;
    file::require_regular(&metadata)?;
    if metadata.permissions().mode() & 0o777 != 0o600 {
        // Somebody else's file can't be tightened, and the row is worth more than its mode.
        let _ = log.set_permissions(Permissions::from_mode(0o600));
    }
    Ok(log)
}

fn open_or_create(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true).mode(0o600);
    file::open_without_waiting(&mut options, path)
}

/// Waits a moment for other runs: a row that is just being written looks torn. Whoever holds the lock for
/// longer, by chance or on purpose, does not hold up this run.
fn lock(log: &File) {
    for _ in 0..LOCK_TRIES {
        match log.try_lock() {
            Err(TryLockError::WouldBlock) => std::thread::sleep(LOCK_PAUSE),
            Err(TryLockError::Error(_)) | Ok(()) => return,
        }
    }
}

/// Whether the last row lacks its newline: its writer was killed, or the disk was full.
fn is_torn(log: &mut File) -> io::Result<bool> {
    if log.metadata()?.len() == 0 {
        return Ok(false);
    }
    let mut last = [0];
    log.seek(SeekFrom::End(-1))?;
    log.read_exact(&mut last)?;
    Ok(last != *b"\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_of_no_args_is_that_of_an_empty_array() {
        let expected = "4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945";
        assert_eq!(args_hash(&[]), expected);
    }

    #[test]
    fn the_hash_escapes_nothing_that_serde_json_does_not() {
        let args = ["a\u{2028}\"é".to_owned()];
        assert_eq!(args_hash(&args), sha256("[\"a\u{2028}\\\"é\"]".as_bytes()));
    }

    #[test]
    fn a_timestamp_is_utc_with_milliseconds() {
        let moment = SystemTime::UNIX_EPOCH + Duration::from_millis(1_788_015_600_007);
        assert_eq!(timestamp(moment), "2026-08-29T15:00:00.007Z");
    }

    #[test]
    fn a_clock_before_the_epoch_is_no_reason_to_panic() {
        let moment = SystemTime::UNIX_EPOCH - Duration::from_secs(1);
        assert_eq!(timestamp(moment), "1970-01-01T00:00:00.000Z");
    }
}
