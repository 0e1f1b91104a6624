//! Reading a file that somebody else may have put there: regular files only, bounded, never hanging. And
//! replacing one: whole or not at all.

use std::fs::{File, Metadata, OpenOptions, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

use nix::fcntl::OFlag;

/// A file that is not read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// It can't be opened or read.
    #[error("cannot read: {0}")]
    Io(#[from] io::Error),
    /// It is something else than a file of bytes.
    #[error("not a regular file but a {0}")]
    NotRegular(&'static str),
    /// It is larger than the reader's limit, in bytes.
    #[error("larger than {0} bytes")]
    TooLarge(u64),
}

impl ReadError {
    /// Whether there is nothing at all at the path; a file where it has a directory means that, too.
    pub fn is_nothing_there(&self) -> bool {
        use io::ErrorKind::{NotADirectory, NotFound};
        matches!(self, Self::Io(error) if matches!(error.kind(), NotFound | NotADirectory))
    }
}

/// Opens a regular file for reading.
pub fn open_regular(path: &Path) -> Result<File, ReadError> {
    let file = open_without_waiting(OpenOptions::new().read(true), path)?;
    require_regular(&file.metadata()?)?;
    Ok(file)
}

/// Opens whatever is at the path: non-blocking, or a fifo would wait for its other end. Regular files don't
/// know the difference.
pub fn open_without_waiting(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    let flags = OFlag::O_NONBLOCK | OFlag::O_NOCTTY;
    options.custom_flags(flags.bits()).open(path)
}

/// Refuses what is not a regular file.
pub fn require_regular(metadata: &Metadata) -> Result<(), ReadError> {
    let kind = metadata.file_type();
    if kind.is_file() {
        return Ok(());
    }
    Err(ReadError::NotRegular(if kind.is_dir() {
        "directory"
    } else if kind.is_fifo() {
        "fifo"
    } else if kind.is_socket() {
        "socket"
    } else {
        "device"
    }))
}

/// The bytes of a regular file of at most `limit` bytes.
pub fn read_regular(path: &Path, limit: u64) -> Result<Vec<u8>, ReadError> {
    let file = open_regular(path)?;
    let size = file.metadata()?.len().min(limit) + 1;
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default());
    file.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(ReadError::TooLarge(limit));
    }
    Ok(bytes)
}

/// Puts these parts, one behind the other, as a file at the path: it appears whole or not at all, with this
/// mode whatever the umask is. A symbolic link there is replaced, not followed.
pub fn replace(path: &Path, parts: &[&[u8]], mode: u32) -> io::Result<()> {
    let directory = path.parent().ok_or(io::ErrorKind::IsADirectory)?;
    let mut temporary = tempfile::Builder::new().prefix(".cap-").tempfile_in(directory)?;
    temporary.as_file().set_permissions(Permissions::from_mode(mode))?;
    for part in parts {
        temporary.write_all(part)?;
    }
    temporary.persist(path).map_err(|error| error.error)?;
    Ok(())
}
