//! `cap config`: the user's own settings, shown and set (contract section 12).

use std::path::Path;
use std::process::ExitCode;

use serde_json::Value;

use super::{USAGE, print, show};
use crate::cli::ConfigOptions;
use crate::home::setting::{self, SetError};
use crate::home::{self, AUDIT_LOG, AuditLog};
use crate::text::{did_you_mean, json_pretty, printable, printable_path};

/// There is no such key in the file.
const NOT_SET: u8 = 1;
/// The file can't be read or written.
const FAILED: u8 = 2;

/// Runs `cap config`.
pub fn config(options: &ConfigOptions) -> ExitCode {
    let Some(home) = home::directory() else {
        show::error("no home directory");
        return ExitCode::from(FAILED);
    };
    match (&options.key, &options.value) {
        (Some(key), Some(value)) => set(&home, key, value),
        (Some(key), None) => show_value(&home, key),
        (None, _) => show_all(&home),
    }
}

fn show_all(home: &Path) -> ExitCode {
    match home::config(home) {
        Ok(config) => print(&format!("{}\n", json_pretty(&Value::Object(config)))),
        Err(cause) => failed(home, &cause),
    }
}

/// The value as JSON, since `false` turns something off and `"false"` doesn't.
fn show_value(home: &Path, key: &str) -> ExitCode {
    let config = match home::config(home) {
        Ok(config) => config,
        Err(cause) => return failed(home, &cause),
    };
    if let Some(value) = config.get(key) {
        return print(&format!("{}\n", json_pretty(value)));
    }
    let note = if key == AUDIT_LOG {
        format!("'{AUDIT_LOG}' is not set, so runs are recorded")
    } else {
        let known = config.keys().map(String::as_str).chain([AUDIT_LOG]);
        format!("'{}' is not set{}", printable(key), hint(key, known))
    };
    show::message(&format!("note: {note}"));
    ExitCode::from(NOT_SET)
}

fn set(home: &Path, key: &str, value: &str) -> ExitCode {
    if key != AUDIT_LOG {
        let hint = hint(key, [AUDIT_LOG]);
        return unfit(&format!(
            "cannot set '{}', which is no setting of cap{hint}",
            printable(key)
        ));
    }
    let audit_log = match value {
        "true" => AuditLog::On,
        "false" => AuditLog::Off,
        other => {
            let message = format!("'{AUDIT_LOG}' is true or false, not '{}'", printable(other));
            return unfit(&(message + &hint(&other.to_lowercase(), ["true", "false"])));
        }
    };
    match setting::set_audit_log(home, audit_log) {
        Ok(()) => ExitCode::SUCCESS,
        Err(cause) => {
            let code = failed(home, &cause);
            if let SetError::Config(_) | SetError::Dangling(_) = cause {
                show::message("help: mend it or move it away; it was left as it is");
            }
            code
        }
    }
}

/// What to write instead, behind a message.
fn hint<'a>(word: &str, known: impl IntoIterator<Item = &'a str> + Clone) -> String {
    did_you_mean(word, known).map(|hint| format!(": {hint}")).unwrap_or_default()
}

/// A key or a value that can't be set.
fn unfit(message: &str) -> ExitCode {
    show::error(message);
    show::message("help: 'cap config --help' tells the settings");
    ExitCode::from(USAGE)
}

fn failed(home: &Path, cause: &dyn std::error::Error) -> ExitCode {
    let path = printable_path(&home::config_path(home));
    show::error(&format!("'{path}': {}", printable(&cause.to_string())));
    ExitCode::from(FAILED)
}
