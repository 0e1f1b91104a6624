//! One value of the config file changed, and nothing else in it: neither order nor spacing, nor numbers that
//! would not survive being read.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::{AUDIT_LOG, AuditLog, ConfigError, config_path, config_text, make_data, parse};
use crate::file;

/// A config file that stays as it was.
#[derive(Debug, thiserror::Error)]
pub enum SetError {
    /// What is there can't be read, so it would be lost.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// Whoever made the link has something in mind that is not there.
    #[error("it links to '{}', which is not there", crate::text::printable_path(.0))]
    Dangling(PathBuf),
    /// The system refused.
    #[error("cannot write: {0}")]
    Io(#[from] io::Error),
}

/// Says in the config file whether runs are recorded. The file is replaced whole, so of two at a time the last
/// one counts. A symbolic link stays, and what it leads to is replaced: people keep such files elsewhere.
pub fn set_audit_log(home: &Path, audit_log: AuditLog) -> Result<(), SetError> {
    let value = match audit_log {
        AuditLog::On => "true",
        AuditLog::Off => "false",
    };
    make_data(home)?;
    let text = config_text(home)?.unwrap_or_else(|| "{}\n".to_owned());
    // A number out of range, which stands in nobody's way here, would keep readers from using the file.
    parse::<Map<String, Value>>(&text)?;
    let text = with_value(&text, AUDIT_LOG, value)?;
    let (path, mode) = target(config_path(home))?;
    Ok(file::replace(&path, &[text.as_bytes()], mode)?)
}

/// What a path leads to, and its mode; of what is not there yet, the mode that it shall have.
fn target(path: PathBuf) -> Result<(PathBuf, u32), SetError> {
    match fs::canonicalize(&path) {
        Ok(target) => {
            let mode = fs::metadata(&target)?.permissions().mode();
            Ok((target, mode & 0o777))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => match fs::read_link(&path) {
            Ok(link) => Err(SetError::Dangling(link)),
            Err(_) => Ok((path, 0o600)),
        },
        Err(error) => Err(error.into()),
    }
}

/// The text of an object with `key` set to `value`; a key that is not there is put first.
fn with_value(text: &str, key: &str, value: &str) -> Result<String, ConfigError> {
    // The values are slices of the text, which tells where they stand. Of a key that is there twice, it is
    // the last one, which counts for readers, too.
    let values: BTreeMap<String, &RawValue> = parse(text)?;
    let (start, end, new) = if let Some(old) = values.get(key) {
        let start = old.get().as_ptr().addr() - text.as_ptr().addr();
        (start, start + old.get().len(), value.to_owned())
    } else {
        let start = text.find('{').map_or(0, |brace| brace + 1);
        let rest = &text[start..];
        if values.is_empty() {
            let end = text.rfind('}').unwrap_or(start);
            (start, end, format!("\n  \"{key}\": {value}\n"))
        } else {
            let space = &rest[..rest.len() - rest.trim_start().len()];
            (start, start, format!("{space}\"{key}\": {value},"))
        }
    };
    Ok([&text[..start], &new, &text[end..]].concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn set(text: &str) -> String {
        with_value(text, "auditLog", "false").unwrap()
    }

    #[test]
    fn a_value_is_changed_where_it_stands() {
        let texts = [
            ("{\"auditLog\":true}", "{\"auditLog\":false}"),
            (
                "{\"a\":12345678901234567890123,\n\t\"auditLog\" : [1, 2] ,\"b\":\"\"}\n",
                "{\"a\":12345678901234567890123,\n\t\"auditLog\" : false ,\"b\":\"\"}\n",
            ),
            ("{\"audit\\u004cog\": null}", "{\"audit\\u004cog\": false}"),
            ("{\"auditLog\": 1, \"auditLog\": 2}", "{\"auditLog\": 1, \"auditLog\": false}"),
            (
                "\u{feff}{\"é\": \"}\", \"auditLog\": \"{\"}",
                "\u{feff}{\"é\": \"}\", \"auditLog\": false}",
            ),
        ];
        for (before, after) in texts {
            assert_eq!(set(before), after);
        }
    }

    #[test]
    fn a_new_key_is_put_first_and_spaced_like_the_others() {
        assert_eq!(set("{}"), "{\n  \"auditLog\": false\n}");
        assert_eq!(set("{ }\n"), "{\n  \"auditLog\": false\n}\n");
        assert_eq!(set("{\n    \"a\": 1\n}\n"), "{\n    \"auditLog\": false,\n    \"a\": 1\n}\n");
        assert_eq!(set("\u{feff} {\"a\": {}}"), "\u{feff} {\"auditLog\": false,\"a\": {}}");
    }

    #[test]
    fn what_is_no_object_is_left_alone() {
        for text in ["", "[]", "null", "{", "{\"a\": 1,}", "{\"a\": 1} x", "\u{feff}\u{feff}{}"] {
            assert!(
                matches!(with_value(text, "a", "1"), Err(ConfigError::Malformed(_))),
                "{text:?}"
            );
        }
    }

    fn object() -> impl Strategy<Value = Map<String, Value>> {
        let value = prop_oneof![
            any::<String>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<bool>().prop_map(Value::from),
            any::<Vec<String>>().prop_map(Value::from),
            any::<String>().prop_map(|key| json!({key: {"auditLog": true}})),
        ];
        let key = prop_oneof![any::<String>(), Just("auditLog".to_owned())];
        prop::collection::vec((key, value), 0..5).prop_map(|entries| entries.into_iter().collect())
    }

    proptest! {
        #[test]
        fn whatever_else_is_there_stays(before in object(), is_pretty in any::<bool>()) {
            let write = if is_pretty { serde_json::to_string_pretty } else { serde_json::to_string };
            let after: Map<String, Value> = serde_json::from_str(&set(&write(&before).unwrap())).unwrap();
            prop_assert_eq!(&after["auditLog"], &json!(false));
            let others = |map: &Map<String, Value>| {
                map.iter().filter(|(key, _)| *key != "auditLog").map(|(key, value)| (key.clone(), value.clone())).collect::<Vec<_>>()
            };
            prop_assert_eq!(others(&after), others(&before));
        }
    }
}
