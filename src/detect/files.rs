//! The files of a project, as far as detection may look at them.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::fs::{self, Metadata};
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use crate::file::{self, ReadError};

/// A file larger than this is no evidence: nobody wrote it by hand, and a lock file need only be there.
const SIZE_LIMIT: u64 = 1 << 20;

/// As much of a lock file as tells who wrote it, in bytes.
const HEAD: u64 = 4096;

/// What stands under a name; a symbolic link is what it leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
    /// A regular file that somebody may execute.
    Program,
    /// A directory.
    Directory,
    /// A symbolic link to a directory, which may lead anywhere.
    LinkedDirectory,
}

/// A directory with a project. Paths are relative to it, with `/` between the names; `""` is itself.
pub trait Files {
    /// The names in a directory, sorted; none if it can't be read.
    fn names(&self, directory: &str) -> Vec<String>;
    /// What is at this path, if it is one of these.
    fn kind(&self, path: &str) -> Option<Kind>;
    /// The bytes of a file.
    fn read(&self, path: &str) -> Result<Vec<u8>, ReadError>;
    /// The first bytes of a file, whatever its size.
    fn head(&self, path: &str) -> Vec<u8>;
}

/// A project on disk.
#[derive(Debug)]
pub struct Disk {
    root: PathBuf,
    /// The names in the directories that were looked at.
    listed: RefCell<HashMap<String, Rc<BTreeSet<String>>>>,
}

impl Disk {
    /// The project at this directory.
    pub fn at(root: &Path) -> Self {
        Self { root: root.to_owned(), listed: RefCell::default() }
    }

    fn list(&self, directory: &str) -> Rc<BTreeSet<String>> {
        let read = || {
            let entries = fs::read_dir(self.root.join(directory)).into_iter().flatten();
            entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect()
        };
        let mut listed = self.listed.borrow_mut();
        let names = listed.entry(directory.to_owned()).or_insert_with(|| Rc::new(read()));
        Rc::clone(names)
    }
}

impl Files for Disk {
    fn names(&self, directory: &str) -> Vec<String> {
        self.list(directory).iter().cloned().collect()
    }

    fn kind(&self, path: &str) -> Option<Kind> {
        // Where case doesn't count, a file system says that `makefile` is there if `Makefile` is.
        let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
        let is_listed = self.list(directory).contains(name);
        let path = self.root.join(path);
        let metadata = is_listed.then(|| fs::metadata(&path).ok()).flatten()?;
        if metadata.is_dir() && path.is_symlink() {
            return Some(Kind::LinkedDirectory);
        }
        kind(&metadata)
    }

    fn read(&self, path: &str) -> Result<Vec<u8>, ReadError> {
        file::read_regular(&self.root.join(path), SIZE_LIMIT)
    }

    fn head(&self, path: &str) -> Vec<u8> {
        let mut head = Vec::new();
        if let Ok(file) = file::open_regular(&self.root.join(path)) {
            // What can't be read shows nothing.
            let _ = file.take(HEAD).read_to_end(&mut head);
        }
        head
    }
}

fn kind(metadata: &Metadata) -> Option<Kind> {
    let (is_file, is_executable) = (metadata.is_file(), metadata.permissions().mode() & 0o111 != 0);
    match (is_file, is_executable) {
        (true, true) => Some(Kind::Program),
        (true, false) => Some(Kind::File),
        (false, _) => metadata.is_dir().then_some(Kind::Directory),
    }
}

/// A project that exists in a test only.
#[cfg(test)]
#[derive(Debug, Default)]
pub struct Fake {
    files: std::collections::BTreeMap<String, Vec<u8>>,
}

#[cfg(test)]
impl Fake {
    /// A project with these files; directories come with them, and a name ending in `*` is a program.
    pub fn of(files: &[(&str, &str)]) -> Self {
        let files = files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec()));
        Self { files: files.collect() }
    }
}

#[cfg(test)]
impl Files for Fake {
    fn names(&self, directory: &str) -> Vec<String> {
        let below = if directory.is_empty() { String::new() } else { format!("{directory}/") };
        let rests = self.files.keys().filter_map(|path| path.strip_prefix(&below));
        let names = rests.filter_map(|rest| rest.split('/').next());
        let names: BTreeSet<String> =
            names.map(|name| name.trim_end_matches('*').to_owned()).collect();
        names.into_iter().filter(|name| !name.is_empty()).collect()
    }

    fn kind(&self, path: &str) -> Option<Kind> {
        if self.files.contains_key(path) {
            Some(Kind::File)
        } else if self.files.contains_key(&format!("{path}*")) {
            Some(Kind::Program)
        } else {
            let is_directory = self.files.keys().any(|it| it.starts_with(&format!("{path}/")));
            is_directory.then_some(Kind::Directory)
        }
    }

    fn read(&self, path: &str) -> Result<Vec<u8>, ReadError> {
        let found = self.files.get(path).or_else(|| self.files.get(&format!("{path}*")));
        found.cloned().ok_or_else(|| std::io::Error::from(std::io::ErrorKind::NotFound).into())
    }

    fn head(&self, path: &str) -> Vec<u8> {
        self.read(path).unwrap_or_default()
    }
}
