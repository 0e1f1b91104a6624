//! What can be read of a command line for `cap run` that is no valid one: where an old envelope is.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

use super::super::{run_directory, usage};
use super::envelope_file;
use crate::exec::spawn::ENVELOPE_FILE_VARIABLE;

/// Removes the envelope of an earlier run when a usage error keeps this one from running, if the file's
/// path can be read all the same.
pub fn forget_old_envelope(arguments: &[OsString]) {
    let Some(run) = usage::subcommand(arguments).filter(|at| arguments[*at] == "run") else {
        return;
    };
    let words: Vec<&OsStr> = arguments.iter().map(OsString::as_os_str).collect();
    let directories = option_values(&words[..run], "-C").into_iter();
    let own = words[run..].split(|word| *word == "--").next().unwrap_or_default();
    let base = directories.fold(run_directory().unwrap_or_default(), |base, path| base.join(path));
    let path = match option_values(own, "--envelope-file").pop() {
        Some(path) => path.to_owned(),
        None => std::env::var_os(ENVELOPE_FILE_VARIABLE).unwrap_or_default(),
    };
    if let Some(file) = envelope_file(Some(&base), &path) {
        let _ = file.remove_old();
    }
}

/// The values that an option has among words that may be no valid command line as a whole.
fn option_values<'a>(words: &[&'a OsStr], option: &str) -> Vec<&'a OsStr> {
    let attached = |word: &&'a OsStr| {
        let value = word.as_bytes().strip_prefix(option.as_bytes())?;
        let value = if option.starts_with("--") { value.strip_prefix(b"=")? } else { value };
        (!value.is_empty()).then(|| OsStr::from_bytes(value))
    };
    words
        .iter()
        .enumerate()
        .filter_map(|(index, word)| match words.get(index + 1) {
            Some(value) if *word == option => Some(*value),
            Some(_) | None => attached(word),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn option_values_are_found_attached_and_apart() {
        let words = ["-C", "a", "-Cb", "run", "--envelope-file", "x", "--envelope-file=y"];
        let words = words.map(OsStr::new);
        assert_eq!(option_values(&words, "-C"), ["a", "b"]);
        assert_eq!(option_values(&words, "--envelope-file"), ["x", "y"]);
        assert_eq!(option_values(&words, "--tail-bytes"), Vec::<&OsStr>::new());
    }
}
