//! What a checked manifest says, as data, and how one is loaded.

pub mod check;
pub mod fault;
pub mod find;
mod places;
#[cfg(test)]
mod schema;
pub mod version;
pub mod yaml;

use std::path::Path;

use crate::file::{self, ReadError};
use check::Checked;
use fault::{Invalid, Place};
use find::Location;
use version::Requirement;

/// The largest manifest that is read, in bytes (contract section 15).
pub const SIZE_LIMIT: u64 = 1 << 20;

/// A manifest that passed every check (contract section 2): its entries in the file's order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Manifest {
    /// The declared capabilities, in the file's order.
    pub capabilities: Vec<Capability>,
    /// What the repo says on the batch gates.
    pub gates: Gates,
}

/// What a repo says on the gates that a batch of changes passes (contract sections 2 and 14).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Gates {
    /// Nothing: they should be declared.
    #[default]
    Expected,
    /// It leaves them out on purpose.
    NoneOnPurpose,
}

impl Manifest {
    /// The entry with this id.
    pub fn capability(&self, id: &str) -> Option<&Capability> {
        self.capabilities.iter().find(|capability| capability.id == id)
    }
}

/// One named operation of the repo.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capability {
    /// The key's text as written, e.g. `test.focused`.
    pub id: String,
    /// A command line for `/bin/sh -c`, exactly as written.
    pub command: String,
    /// Whether `cap run` may run it.
    pub lifecycle: Lifecycle,
    /// What must hold before the command runs, in order.
    pub assumptions: Vec<Assumption>,
    /// Shown by `cap list`.
    pub description: Option<String>,
    /// The command's budget in milliseconds.
    pub timeout_ms: u64,
    /// A non-zero exit sooner than this many milliseconds is not believed.
    pub min_duration_ms: u64,
    /// The repo's own word that this one tends to outrun any sensible budget.
    pub timeout_prone: bool,
}

/// Whether `cap run` runs an entry or only `cap list` shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lifecycle {
    /// Runs.
    Active,
    /// Listed, but refused by `cap run`.
    Shadow,
}

/// What must hold before a command runs (contract section 3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Assumption {
    /// This path, relative to the run directory, exists.
    FileExists(String),
    /// This tool runs and its version is right.
    ToolVersion(Requirement),
}

/// Reads and checks the manifest at `location` for runs in `run_directory`; `None` if there is none,
/// which is a normal state.
pub fn load(location: &Location, run_directory: &Path) -> Result<Option<Checked>, Invalid> {
    location.check_owners(run_directory).map_err(|error| Invalid::as_a_whole(error.to_string()))?;
    let bytes = match file::read_regular(&location.path, SIZE_LIMIT) {
        Ok(bytes) => bytes,
        Err(error) if error.is_nothing_there() && !location.path.is_symlink() => return Ok(None),
        Err(ReadError::TooLarge(_)) => {
            return Err(Invalid::as_a_whole("a manifest is at most 1 MiB".to_owned()));
        }
        Err(error) => return Err(Invalid::as_a_whole(error.to_string())),
    };
    let text = String::from_utf8(bytes).map_err(|error| not_utf8(&error))?;
    check::check(text.strip_prefix('\u{feff}').unwrap_or(&text)).map(Some)
}

/// Where the entry with this id stands in the manifest at `location`, as far as that can be told.
pub fn place_of(location: &Location, id: &str) -> Option<Place> {
    let text = String::from_utf8(file::read_regular(&location.path, SIZE_LIMIT).ok()?).ok()?;
    check::place_of(text.strip_prefix('\u{feff}').unwrap_or(&text), id)
}

fn not_utf8(error: &std::string::FromUtf8Error) -> Invalid {
    let valid_up_to = error.utf8_error().valid_up_to();
    let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
    let place = Some(Place::of_offset(&text, valid_up_to));
    Invalid::at(place, "invalid UTF-8".to_owned(), text)
}
