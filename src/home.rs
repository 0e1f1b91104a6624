//! `~/.dossier`, the user's own data: where it is, and what `config.json` there says.

use std::path::{Path, PathBuf};

use nix::unistd::{Uid, User};

use crate::file::{self, ReadError};

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();
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
}

/// The path of the config file below this home.
pub fn config_path(home: &Path) -> PathBuf {
    data(home).join("config.json")
}

/// What the config file says on telemetry. Only the boolean `false` turns it off.
pub fn audit_log(home: &Path) -> Result<AuditLog, ConfigError> {
    let text = match file::read_regular(&config_path(home), CONFIG_LIMIT) {
        Ok(text) => text,
        Err(error) if error.is_nothing_there() => return Ok(AuditLog::On),
        Err(error) => return Err(error.into()),
    };
    let config: serde_json::Map<String, serde_json::Value> =
        serde_json::from_slice(text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&text))?;
    match config.get("auditLog") {
        Some(serde_json::Value::Bool(false)) => Ok(AuditLog::Off),
        Some(_) | None => Ok(AuditLog::On),
    }
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
