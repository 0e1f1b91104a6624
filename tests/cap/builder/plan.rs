//! How a test starts cap: the words, the environment, the user, the envelope file.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// What cap is asked to do.
pub enum When {
    /// `cap run ID OPTIONS -- ARGS`, with the envelope file as an option.
    Run { id: String, options: Vec<OsString>, args: Vec<String> },
    /// Words as they are, with the envelope file in the environment.
    Words(Vec<OsString>),
}

/// What becomes of the envelope file.
#[derive(Clone)]
pub enum EnvelopeFile {
    /// It is written and holds what stdout's last line holds.
    Written(PathBuf),
    /// It is asked for, but can't be written.
    Unwritable(PathBuf),
    /// None is asked for.
    None,
}

/// How cap is started.
pub struct Plan {
    pub when: When,
    pub envelope_file: EnvelopeFile,
    pub program: PathBuf,
    pub directory: PathBuf,
    pub environment: Vec<(OsString, Option<OsString>)>,
    pub stdin: Vec<u8>,
    pub before: Option<String>,
    pub uid: Option<u32>,
    pub limit: Duration,
}

impl Plan {
    /// The words after `cap`.
    pub fn words(&self) -> Vec<OsString> {
        match &self.when {
            When::Words(words) => words.clone(),
            When::Run { id, options, args } => {
                let mut words: Vec<OsString> = vec!["run".into(), id.into()];
                if let Some(path) = self.envelope_file.path() {
                    words.extend(["--envelope-file".into(), path.into()]);
                }
                words.extend(options.iter().cloned());
                if !args.is_empty() {
                    words.push("--".into());
                    words.extend(args.iter().map(Into::into));
                }
                words
            }
        }
    }

    pub fn command(&self) -> Command {
        let mut command = match &self.before {
            None => Command::new(&self.program),
            Some(code) => {
                let mut shell = Command::new("/bin/sh");
                shell.arg("-c").arg(format!("{code}\nexec \"$0\" \"$@\"")).arg(&self.program);
                shell
            }
        };
        command.args(self.words()).env_clear().current_dir(&self.directory);
        if let (When::Words(_), Some(path)) = (&self.when, self.envelope_file.path()) {
            command.env("DOSSIER_CAP_ENVELOPE_FILE", path);
        }
        for (name, value) in &self.environment {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        if let Some(uid) = self.uid {
            command.uid(uid).gid(uid);
        }
        command
    }
}

impl EnvelopeFile {
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Written(path) | Self::Unwritable(path) => Some(path),
            Self::None => None,
        }
    }
}
