//! The directories a test owns: a home, a project below it, a directory of tools, and whatever runs in them.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tempfile::TempDir;

/// The environment variable that marks every process a test has started; its value is the sandbox's path.
pub const MARK: &str = "CAP_TEST_SANDBOX";

/// Where the manifest is below the project, and how cap shows it to those who work there.
pub const MANIFEST: &str = ".dossier/automation/manifest.yaml";

/// A directory of a test's own, removed with everything that still runs in it.
pub struct Sandbox {
    _directory: TempDir,
    root: PathBuf,
}

impl Sandbox {
    pub fn new() -> Self {
        let directory = tempfile::Builder::new().prefix("cap-test-").tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        let sandbox = Self { _directory: directory, root };
        for part in [sandbox.project(), sandbox.tools(), sandbox.out()] {
            fs::create_dir_all(part).unwrap();
        }
        sandbox
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// `$HOME`. The project is below it, so that the upward search never leaves the sandbox.
    pub fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    pub fn project(&self) -> PathBuf {
        self.home().join("project")
    }

    /// First in `PATH`.
    pub fn tools(&self) -> PathBuf {
        self.root.join("tools")
    }

    /// Where the envelope file goes unless a test says otherwise.
    pub fn out(&self) -> PathBuf {
        self.root.join("out")
    }

    pub fn log(&self) -> PathBuf {
        self.home().join(".dossier/caps.jsonl")
    }

    pub fn manifest(&self) -> PathBuf {
        self.project().join(MANIFEST)
    }

    /// Writes a file, relative to the project, with the directories it needs.
    pub fn write(&self, path: impl AsRef<Path>, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.project().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    /// Writes an executable file. A child of another thread's fork may hold it open for writing for a moment
    /// ("text file busy"), so a helper process writes it.
    pub fn write_executable(&self, path: impl AsRef<Path>, content: &str) -> PathBuf {
        let path = self.project().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let made = Command::new("/bin/sh")
            .args(["-c", r#"printf %s "$2" > "$1" && chmod 755 "$1""#, "sh"])
            .arg(&path)
            .arg(content)
            .status()
            .unwrap();
        assert!(made.success(), "cannot write {}", path.display());
        path
    }

    /// What the environment of everything in the sandbox starts from.
    pub fn environment(&self) -> Vec<(String, std::ffi::OsString)> {
        let mut path = self.tools().into_os_string();
        path.push(":/usr/local/bin:/usr/bin:/bin");
        let plain = |name: &str, value: &str| (name.to_owned(), value.into());
        vec![
            ("PATH".to_owned(), path),
            ("HOME".to_owned(), self.home().into_os_string()),
            (MARK.to_owned(), self.root.clone().into_os_string()),
            plain("GIT_CONFIG_GLOBAL", "/dev/null"),
            plain("GIT_CONFIG_NOSYSTEM", "1"),
            plain("GIT_AUTHOR_NAME", "A U Thor"),
            plain("GIT_AUTHOR_EMAIL", "author@example.com"),
            plain("GIT_AUTHOR_DATE", "2026-01-01T00:00:00Z"),
            plain("GIT_COMMITTER_NAME", "C O Mitter"),
            plain("GIT_COMMITTER_EMAIL", "committer@example.com"),
            plain("GIT_COMMITTER_DATE", "2026-01-01T00:00:00Z"),
        ]
    }

    /// Runs git in the project and returns what it prints.
    pub fn git<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> String {
        let output = self.output("git", args);
        assert!(output.status.success(), "git: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Runs a program to its end in the project, with the sandbox's environment.
    pub fn output<S: AsRef<OsStr>>(
        &self,
        program: &str,
        args: impl IntoIterator<Item = S>,
    ) -> Output {
        Command::new(program)
            .args(args)
            .env_clear()
            .envs(self.environment())
            .current_dir(self.project())
            .stdin(Stdio::null())
            .output()
            .unwrap()
    }

    /// The living processes of this sandbox.
    pub fn processes(&self) -> Vec<Pid> {
        processes_in(&self.root)
    }

    /// Kills what still runs in the sandbox.
    pub fn kill_all(&self) {
        // A process may fork while it is being looked for, so look again, but not for ever.
        for _ in 0..100 {
            // One that has lost the mark still works here.
            let alive = [self.processes(), processes_at_work_in(&self.root)].concat();
            if alive.is_empty() {
                return;
            }
            for pid in alive {
                let _ = kill(pid, Signal::SIGKILL);
            }
        }
    }

    /// Gives the whole sandbox to another user (only root can).
    pub fn give_to(&self, uid: u32) -> bool {
        fn walk(path: &Path, uid: u32) -> std::io::Result<()> {
            std::os::unix::fs::lchown(path, Some(uid), Some(uid))?;
            if path.symlink_metadata()?.is_dir() {
                for entry in fs::read_dir(path)? {
                    walk(&entry?.path(), uid)?;
                }
            }
            Ok(())
        }
        walk(&self.root, uid).is_ok()
    }

    /// Every file below the project, with what would show that it was touched.
    pub fn snapshot(&self) -> BTreeMap<PathBuf, String> {
        let mut found = BTreeMap::new();
        visit(&self.project(), &mut |path, metadata| {
            let content =
                if metadata.is_file() { fs::read(path).unwrap_or_default() } else { Vec::new() };
            let state = format!(
                "{:o} {}.{} {content:?}",
                metadata.mode(),
                metadata.mtime(),
                metadata.mtime_nsec()
            );
            found.insert(path.to_owned(), state);
        });
        found
    }

    /// What is in the sandbox, for a person to read; `.git` is left out.
    pub fn listing(&self) -> String {
        let mut lines = Vec::new();
        visit(&self.root, &mut |path, metadata| {
            let name = path.strip_prefix(&self.root).unwrap_or(path);
            if name.components().all(|part| part.as_os_str() != ".git") {
                let link = fs::read_link(path)
                    .map(|to| format!(" -> {}", to.display()))
                    .unwrap_or_default();
                let mode = metadata.permissions().mode();
                lines.push(format!("{mode:06o} {:>6} {}{link}", metadata.len(), name.display()));
            }
        });
        lines.join("\n")
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        self.kill_all();
        // A test may have made a directory that its owner can't empty.
        visit(&self.root, &mut |path, metadata| {
            if metadata.is_dir() {
                let _ = fs::set_permissions(path, fs::Permissions::from_mode(0o700));
            }
        });
    }
}

/// The living processes of the sandbox that is or was at `root` (Linux; elsewhere none are found).
pub fn processes_in(root: &Path) -> Vec<Pid> {
    let mut mark = format!("{MARK}=").into_bytes();
    mark.extend_from_slice(root.as_os_str().as_bytes());
    processes_that(|directory| {
        let environment = fs::read(directory.join("environ")).unwrap_or_default();
        environment.split(|&byte| byte == 0).any(|variable| variable == mark)
    })
}

/// The living processes whose current directory is below `root`.
fn processes_at_work_in(root: &Path) -> Vec<Pid> {
    processes_that(|directory| {
        fs::read_link(directory.join("cwd")).is_ok_and(|cwd| cwd.starts_with(root))
    })
}

/// The processes of whose directory in `/proc` this holds.
fn processes_that(holds: impl Fn(&Path) -> bool) -> Vec<Pid> {
    let directories = fs::read_dir("/proc").into_iter().flatten().flatten();
    directories
        .filter_map(|entry| Some((entry.file_name().to_str()?.parse().ok()?, entry.path())))
        .filter(|(_, path)| holds(path))
        .map(|(pid, _)| Pid::from_raw(pid))
        .collect()
}

/// Calls `seen` for everything below a directory, in order of names, without following symlinks.
fn visit(directory: &Path, seen: &mut impl FnMut(&Path, &fs::Metadata)) {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        let Ok(metadata) = path.symlink_metadata() else { continue };
        seen(&path, &metadata);
        if metadata.is_dir() {
            visit(&path, seen);
        }
    }
}
