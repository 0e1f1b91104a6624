//! Every flag and its help text; no behaviour.

#[cfg(test)]
mod man;
pub mod value;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{ArgGroup, Args, Parser, Subcommand, ValueHint};
use clap_complete::Shell;

/// The largest `--tail-bytes` (contract section 5).
const MAX_TAIL_BYTES: u32 = 64 << 20;

/// Run a repo's operations by name and learn which of four things happened.
#[derive(Debug, Parser)]
#[command(name = "cap", version, max_term_width = 100, after_help = FIRST_STEPS)]
pub struct Cli {
    /// Run as if started in DIR; several count from one another
    #[arg(short = 'C', value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub directories: Vec<PathBuf>,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Write a first manifest from what this project shows
    Init(InitOptions),
    /// Show the capabilities that this repo declares
    List(ListOptions),
    /// Run a capability and report its outcome
    #[command(after_help = OUTCOMES)]
    Run(RunOptions),
    /// Has exactly this tree already passed? Print the row that says so
    #[command(name = "last-ok", after_help = LAST_OK)]
    LastOk(LastOkOptions),
    /// Show or change the user's own settings, ~/.dossier/config.json
    #[command(after_help = CONFIG)]
    Config(ConfigOptions),
    /// Print the script by which a shell completes options and ids
    #[command(after_help = COMPLETIONS)]
    Completions(CompletionsOptions),
}

// Lines of these texts are no longer than 78 characters: they are tables, and man pages show them as they are.

const FIRST_STEPS: &str = "\
In a repo: 'cap init' writes a manifest, 'cap list' shows what is in it,
'cap run test.focused' runs one, and exits with its outcome:
0 ok, 1 task-failed, 2 automation-broken, 3 capability-unavailable.";

const OUTCOMES: &str = "\
Outcomes and exit codes:
  0  ok                      the command exited 0: trust it
  1  task-failed             the command ran and failed: trust it
  2  automation-broken       broken script, timeout, signal: don't trust it
  3  capability-unavailable  nothing by this name to run here

The last line of stdout is a JSON envelope with the outcome.

Example, with args for the command:
  cap run test.focused -- --grep auth";

const LAST_OK: &str = "\
Exit codes:
  0  it has passed; the row is on stdout
  1  no such row
  2  bad options, an unreadable log, an invalid manifest, no git work tree
  3  auditing is off, so nobody can say

A row counts only for the same id, command, args, tree and directory, and only
if nothing differed from the tree before and after the run. Not part of that,
on purpose: ignored files, the versions of tools, the environment. The log is
the user's own file, ~/.dossier/caps.jsonl: whatever runs as the user can
write to it.

To skip work that is already done:
  cap last-ok test.focused --here || cap run test.focused";

const CONFIG: &str = "\
Settings:
  auditLog  whether runs are recorded in ~/.dossier/caps.jsonl
            true, which is the default, or false

Without KEY, the whole file is printed; without VALUE, KEY's value as JSON.
Other keys are those of other tools, and stay as they are.

Exit codes:
  0  done
  1  KEY is not set, or the command line is wrong
  2  the file can't be read or written, and stays as it was";

const COMPLETIONS: &str = "\
Where it belongs, and the line that loads it:
  ~/.bashrc                   eval \"$(cap completions bash)\"
  ~/.zshrc, after compinit    source <(cap completions zsh)
  ~/.config/fish/config.fish  cap completions fish | source
  ~/.config/elvish/rc.elv     eval (cap completions elvish | slurp)
  powershell's $PROFILE       cap completions powershell | Out-String | iex

All complete commands and options; all but powershell complete the ids of the
manifest, too.";

/// Options of `cap init`.
#[derive(Debug, Args)]
pub struct InitOptions {
    /// Print it instead of writing it
    #[arg(long)]
    pub print: bool,
}

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
    #[arg(value_name = "ARGS", value_hint = ValueHint::AnyPath)]
    pub args: Vec<String>,
    #[arg(long, value_name = "PATH", value_hint = ValueHint::FilePath,
          help = "Also write the envelope to this file [default: $DOSSIER_CAP_ENVELOPE_FILE]")]
    pub envelope_file: Option<OsString>,
    /// Keep the last N bytes of output for the envelope
    #[arg(long, value_name = "N", default_value_t = 8192, allow_negative_numbers = true,
          value_parser = clap::value_parser!(u32).range(..=i64::from(MAX_TAIL_BYTES)))]
    pub tail_bytes: u32,
}

/// Options of `cap last-ok`.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("which tree").required(true).args(["tree", "here"])))]
pub struct LastOkOptions {
    /// The capability's id, e.g. test.focused
    #[arg(value_name = "ID")]
    pub id: String,
    /// The tree's id, 40 or 64 hexadecimal digits
    #[arg(long, value_name = "SHA", value_parser = value::tree)]
    pub tree: Option<String>,
    /// The tree of this directory, if nothing here differs from it
    #[arg(long)]
    pub here: bool,
    /// The run directory, counted from the top [default: this one]
    #[arg(long, value_name = "DIR", value_parser = value::prefix)]
    pub prefix: Option<String>,
    /// The args of the run, behind '--'
    #[arg(value_name = "ARGS", last = true, value_hint = ValueHint::AnyPath)]
    pub args: Vec<String>,
}

/// Options of `cap config`.
#[derive(Debug, Args)]
pub struct ConfigOptions {
    /// The setting's name
    #[arg(value_name = "KEY")]
    pub key: Option<String>,
    /// What to set it to
    #[arg(value_name = "VALUE")]
    pub value: Option<String>,
}

/// Options of `cap completions`.
#[derive(Debug, Args)]
pub struct CompletionsOptions {
    /// The shell that is to read the script
    #[arg(value_name = "SHELL")]
    pub shell: Shell,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn no_line_of_a_table_is_broken_in_a_terminal_of_80_columns() {
        let cli = Cli::command();
        for command in cli.get_subcommands().chain([&cli]) {
            let text = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            for line in text.lines() {
                assert!(line.chars().count() < 79, "{}: {line:?}", command.get_name());
            }
        }
    }
}
