//! `cap list`: what this repo declares.

mod table;

use std::io;
use std::path::Path;
use std::process::ExitCode;

use serde::Serialize;

use super::{from_here, locate, print, show};
use crate::cli::ListOptions;
use crate::manifest::check::Checked;
use crate::manifest::find::Location;
use crate::manifest::{self, Assumption, Capability, Lifecycle, Manifest};
use crate::text::{json_line, printable, printable_path};
use table::Cells;

/// Runs `cap list` (contract section 4).
pub fn list(options: &ListOptions) -> ExitCode {
    let (run_directory, location) = match locate() {
        Ok(located) => located,
        Err(code) => return code,
    };
    let path = from_here(&location.path, &run_directory);
    let checked = match manifest::load(&location, &run_directory) {
        Ok(checked) => checked,
        Err(invalid) => {
            show::message(&show::faults(&invalid, path));
            return ExitCode::FAILURE;
        }
    };
    if let Some(Checked { warnings, text, .. }) = &checked {
        let warnings = show::warnings(warnings, path, text);
        if !warnings.is_empty() {
            show::message(warnings.trim_end());
        }
    }
    let manifest = checked.as_ref().map(|checked| &checked.manifest);
    let (text, help) = match manifest {
        _ if options.json => (json(&location, manifest), None),
        Some(manifest) if manifest.capabilities.is_empty() => {
            (format!("{}: no capabilities\n", printable_path(path)), None)
        }
        Some(manifest) => (table(path, manifest), None),
        None => (format!("{} (none)\n", printable_path(path)), Some(first_step(&location))),
    };
    let code = print(&text);
    if let Some(help) = help {
        show::message(&format!("help: {help}"));
    }
    code
}

/// What to do where there is no manifest.
fn first_step(location: &Location) -> String {
    match location.misnamed() {
        Some(other) => format!("rename '{}' to 'manifest.yaml'", printable_path(&other)),
        None => "'cap init' writes one from what this project shows".to_owned(),
    }
}

fn table(path: &Path, manifest: &Manifest) -> String {
    let head = ["CAPABILITY", "LIFECYCLE", "COMMAND", "DESCRIPTION"].map(str::to_owned);
    let rows: Vec<Cells> =
        [head].into_iter().chain(manifest.capabilities.iter().map(cells)).collect();
    let terminal = terminal_size::terminal_size_of(io::stdout());
    let columns = terminal.map(|(terminal_size::Width(columns), _)| columns.into());
    format!("{}\n{}", printable_path(path), table::table(&rows, columns))
}

fn cells(capability: &Capability) -> Cells {
    let description = capability.description.as_deref().unwrap_or_default();
    let texts =
        [&capability.id, capability.lifecycle.name(), capability.command.trim(), description];
    texts.map(|text| printable(text).into_owned())
}

fn json(location: &Location, manifest: Option<&Manifest>) -> String {
    let listing = Listing {
        manifest: manifest.map(|_| location.path.to_string_lossy().into_owned()),
        capabilities: manifest
            .map_or(&[][..], |it| &it.capabilities)
            .iter()
            .map(Listed::of)
            .collect(),
    };
    format!("{}\n", json_line(&listing))
}

/// What `cap list --json` prints, with its keys in the contract's order.
#[derive(Serialize)]
struct Listing<'a> {
    manifest: Option<String>,
    capabilities: Vec<Listed<'a>>,
}

#[derive(Serialize)]
struct Listed<'a> {
    id: &'a str,
    lifecycle: &'static str,
    command: &'a str,
    description: Option<&'a str>,
    timeout_ms: u64,
    min_duration_ms: u64,
    timeout_prone: bool,
    assumptions: Vec<ListedAssumption<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
enum ListedAssumption<'a> {
    FileExists(&'a str),
    ToolVersion(&'a str),
}

impl<'a> Listed<'a> {
    fn of(capability: &'a Capability) -> Self {
        let assumptions = capability.assumptions.iter().map(|assumption| match assumption {
            Assumption::FileExists(path) => ListedAssumption::FileExists(path),
            Assumption::ToolVersion(requirement) => {
                ListedAssumption::ToolVersion(&requirement.text)
            }
        });
        Self {
            id: &capability.id,
            lifecycle: capability.lifecycle.name(),
            command: &capability.command,
            description: capability.description.as_deref(),
            timeout_ms: capability.timeout_ms,
            min_duration_ms: capability.min_duration_ms,
            timeout_prone: capability.timeout_prone,
            assumptions: assumptions.collect(),
        }
    }
}

impl Lifecycle {
    fn name(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Shadow => "shadow",
        }
    }
}
