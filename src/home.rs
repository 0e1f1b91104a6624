//! `~/.dossier`, the user's own data: where it is, and what `config.json` there says.

pub mod setting;

use std::fs::{self, DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

use nix::unistd::{Uid, User};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::file::{self, ReadError};

/// The key that says whether runs are recorded.
pub const AUDIT_LOG: &str = "auditLog";

/// A config file larger than this is not one that anybody wrote.
const CONFIG_LIMIT: u64 = 1 << 20;

/// The user's home directory: `$HOME`, or the account's if that is unset or empty.
pub fn directory() -> Option<PathBuf> {
    match std::env::var_os("HOME") {
        Some(home) if !home.is_empty() => Some(PathBuf::from(home)),
        Some(_) | None => {
            let account = User::from_uid(Uid::effective()).ok().flatten()?;
            Some(account.dir).filter(|home| !home.as_os_str().is_empty())
        }
    }
}

/// `~/.dossier` below this home.
pub fn data(home: &Path) -> PathBuf {
    home.join(".dossier")
}

/// Makes `~/.dossier` below this home, for its owner alone, if it is not there.
pub fn make_data(home: &Path) -> io::Result<()> {
    let directory = data(home);
    match DirBuilder::new().mode(0o700).create(&directory) {
        // Whatever the umask is.
        Ok(()) => fs::set_permissions(directory, Permissions::from_mode(0o700)),
        // Another run may have been first.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

/// Whether runs are recorded (contract section 12).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AuditLog {
    /// Every run appends a row.
    On,
    /// No rows.
    Off,
}

/// A config file that can't be used; the defaults apply.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// It could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// It is not a JSON object.
    #[error("not a JSON object: {0}")]
    Malformed(#[from] serde_json::Error),
    /// It is not UTF-8, so it is no JSON.
    #[error("not a JSON object: {0}")]
    NotUtf8(#[from] std::str::Utf8Error),
}

/// The path of the config file below this home.
pub fn config_path(home: &Path) -> PathBuf {
    data(home).join("config.json")
}

/// What the config file says on telemetry. Only the boolean `false` turns it off.
pub fn audit_log(home: &Path) -> Result<AuditLog, ConfigError> {
    match config(home)?.get(AUDIT_LOG) {
        Some(Value::Bool(false)) => Ok(AuditLog::Off),
        Some(_) | None => Ok(AuditLog::On),
    }
}

/// The whole config, in the file's order; empty if there is no file.
pub fn config(home: &Path) -> Result<Map<String, Value>, ConfigError> {
    config_text(home)?.map_or_else(|| Ok(Map::new()), |text| parse(&text))
}

/// The config file as it is, if there is one.
fn config_text(home: &Path) -> Result<Option<String>, ConfigError> {
    match file::read_regular(&config_path(home), CONFIG_LIMIT) {
        Ok(bytes) => String::from_utf8(bytes).map(Some).map_err(|error| error.utf8_error().into()),
        Err(error) if error.is_nothing_there() => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Reads the text of a config file as an object, whatever its values are to be.
fn parse<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, ConfigError> {
    Ok(serde_json::from_str(text.strip_prefix('\u{feff}').unwrap_or(text))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn audit_log_of(config: &str) -> Result<AuditLog, ConfigError> {
        let home = tempfile::tempdir().unwrap();
        std::fs::create_dir(data(home.path())).unwrap();
        std::fs::write(config_path(home.path()), config).unwrap();
        audit_log(home.path())
    }

    #[test]
    fn only_the_boolean_false_turns_telemetry_off() {
        assert_eq!(audit_log_of(r#"{"auditLog": false}"#).unwrap(), AuditLog::Off);
        for on in ["{}", r#"{"auditLog": true}"#, r#"{"auditLog": 0}"#, r#"{"auditLog": "false"}"#]
        {
            assert_eq!(audit_log_of(on).unwrap(), AuditLog::On, "{on}");
        }
    }

    #[test]
    fn a_config_that_is_no_object_is_malformed() {
        for text in ["", "[]", "false", "{\"auditLog\": fals", "\u{0}"] {
            assert!(matches!(audit_log_of(text), Err(ConfigError::Malformed(_))), "{text:?}");
        }
    }
}
