//! `cap init`: a first manifest from what the project shows.

use std::fmt::Write as _;
use std::fs::{self, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::ExitCode;

use super::{from_here, locate, print, show};
use crate::cli::InitOptions;
use crate::detect::detect;
use crate::detect::files::Disk;
use crate::manifest::check::Checked;
use crate::manifest::find::Location;
use crate::manifest::{self, Gates, Manifest};
use crate::scaffold::{GATES, Scaffold, scaffold};
use crate::text::printable_path;

/// Runs `cap init` (contract section 11).
pub fn init(options: &InitOptions) -> ExitCode {
    let (run_directory, location) = match locate() {
        Ok(located) => located,
        Err(code) => return code,
    };
    let made = || {
        let below = run_directory.strip_prefix(&location.root).unwrap_or(&run_directory);
        let place = below.to_string_lossy();
        scaffold(&detect(&Disk::at(&run_directory)), Some(&*place).filter(|it| !it.is_empty()))
    };
    if options.print {
        return print(&made().text);
    }
    let path = from_here(&location.path, &run_directory);
    match manifest::load(&location, &run_directory) {
        Err(invalid) => {
            show::message(&show::faults(&invalid, path));
            show::message("note: it is already there, and stays as it is");
            ExitCode::FAILURE
        }
        Ok(Some(Checked { manifest, .. })) => already_there(path, &manifest),
        Ok(None) => {
            if let Some(other) = location.misnamed() {
                let other = printable_path(from_here(&other, &run_directory));
                show::error(&format!("'{other}' is there, which is not read"));
                show::message("help: rename it to 'manifest.yaml'");
                return ExitCode::FAILURE;
            }
            let scaffold = made();
            let Err(cause) = write(&location, &scaffold.text) else {
                return print(&written(path, &scaffold));
            };
            // Another `cap init` may have been quicker.
            if let Ok(Some(Checked { manifest, .. })) = manifest::load(&location, &run_directory) {
                return already_there(path, &manifest);
            }
            show::error(&format!("cannot write '{}': {cause}", printable_path(path)));
            show::message("help: 'cap init --print' prints it instead");
            ExitCode::FAILURE
        }
    }
}

/// Creates the manifest, whole or not at all, and never in the place of another.
fn write(location: &Location, text: &str) -> io::Result<()> {
    let directory = location.path.parent().unwrap_or(&location.root);
    fs::create_dir_all(directory)?;
    let mut file = tempfile::Builder::new()
        .prefix(".manifest.yaml.")
        // As for any new file: the umask takes from it what the user wants taken.
        .permissions(Permissions::from_mode(0o666))
        .tempfile_in(directory)?;
    file.write_all(text.as_bytes())?;
    file.persist_noclobber(&location.path).map_err(|error| error.error)?;
    Ok(())
}

/// What is said of a manifest that is there: which of the gates' ids it lacks.
fn already_there(path: &Path, manifest: &Manifest) -> ExitCode {
    let mut text = format!("{} is already there, and stays as it is\n", printable_path(path));
    let missing: Vec<&str> =
        GATES.into_iter().filter(|id| manifest.capability(id).is_none()).collect();
    if manifest.gates == Gates::Expected && !missing.is_empty() {
        let missing = missing.join(", ");
        let _ = write!(
            text,
            "it lacks what the gates run: {missing}\n\
             help: 'cap init --print' shows whether the project has something for them; \
             'gates: none-declared-on-purpose' says that it lacks them on purpose\n"
        );
    }
    print(&text)
}

fn written(path: &Path, scaffold: &Scaffold) -> String {
    let path = printable_path(path);
    let mut text = match &scaffold.declared[..] {
        [] => format!("{path}: written, without entries\n"),
        declared => format!("{path}: written, with {}\n", declared.join(", ")),
    };
    if !scaffold.missing.is_empty() {
        let missing = scaffold.missing.join(", ");
        let _ = writeln!(text, "a stub is left for what nothing here shows: {missing}");
    }
    text + if scaffold.declared.is_empty() {
        "help: fill in what it shall have\n"
    } else {
        "help: review it, then run each entry once with 'cap run ID'\n"
    }
}
