//! Every flag and its help text; no behaviour.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

/// The largest `--tail-bytes` (contract section 5).
const MAX_TAIL_BYTES: u32 = 64 << 20;

/// Run a repo's recurring operations by name, and learn which of four things happened.
#[derive(Debug, Parser)]
#[command(name = "cap", version, max_term_width = 100)]
pub struct Cli {
    /// Run as if started in DIR; several count from one another
    #[arg(short = 'C', value_name = "DIR")]
    pub directories: Vec<PathBuf>,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Show the capabilities that this repo declares
    List(ListOptions),
    /// Run a capability and report its outcome
    #[command(after_help = OUTCOMES)]
    Run(RunOptions),
}

const OUTCOMES: &str = "\
Outcomes and exit codes:
  0  ok                      the command exited 0
  1  task-failed             the command ran and failed: trust it
  2  automation-broken       a broken script, a timeout, a signal: don't trust it
  3  capability-unavailable  nothing by this name to run here

The last line of stdout is a JSON envelope with the outcome.";

/// Options of `cap list`.
#[derive(Debug, Args)]
pub struct ListOptions {
    /// Print one line of JSON
    #[arg(long)]
    pub json: bool,
}

/// Options of `cap run`.
#[derive(Debug, Args)]
pub struct RunOptions {
    /// The capability's id, e.g. test.focused
    #[arg(value_name = "ID")]
    pub id: String,
    /// Args for the command; those that start with '-' go behind '--'
    #[arg(value_name = "ARGS")]
    pub args: Vec<String>,
    /// Also write the envelope to this file [default: `$DOSSIER_CAP_ENVELOPE_FILE`]
    #[arg(long, value_name = "PATH")]
    pub envelope_file: Option<PathBuf>,
    /// Keep the last N bytes of output for the envelope
    #[arg(long, value_name = "N", default_value_t = 8192,
          value_parser = clap::value_parser!(u32).range(..=i64::from(MAX_TAIL_BYTES)))]
    pub tail_bytes: u32,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
    }
}
