//! `cap completions`: the script by which a shell completes; it asks `cap` itself, see `answer`.

pub mod answer;

use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::CommandFactory as _;
use clap_complete::Shell;
use clap_complete::env::{EnvCompleter, Shells};

use super::name::{AI_DOSSIER, CAP, Called};
use super::{print, show};
use crate::cli::Cli;

/// Set by the scripts to the shell's name when they ask.
const VARIABLE: &str = "_CAP_COMPLETE";

/// Prints a shell's script.
pub fn completions(shell: Shell, called: &Called) -> ExitCode {
    let mut script = Vec::new();
    let asking = Shells::builtins();
    let written = match asking.completer(&shell.to_string()) {
        // To ask, powershell's script would evaluate what was typed so far, `$(…)` included.
        Some(asking) if shell != Shell::PowerShell => register(asking, called, &mut script),
        Some(_) | None => {
            clap_complete::generate(shell, &mut command(called.name), called.name, &mut script);
            Ok(())
        }
    };
    match written {
        Ok(()) => print(&String::from_utf8_lossy(&script)),
        Err(cause) => show::output_failed(&cause),
    }
}

fn register(shell: &dyn EnvCompleter, called: &Called, script: &mut Vec<u8>) -> io::Result<()> {
    let name = called.name;
    shell.write_registration(VARIABLE, name, name, &called.program, script)?;
    match shell.name() {
        // Files where cap has nothing to offer: bash quotes their names.
        "bash" => writeln!(script, "compopt -o default {name} 2>/dev/null || :"),
        // A file `_cap` in `fpath` is read for the first completion, and has to answer it, too.
        "zsh" => {
            let function = format!("_clap_dynamic_completer_{}", name.replace('-', "_"));
            writeln!(script, "[[ $funcstack[1] != _{name} ]] || {function} \"$@\"")
        }
        _ => Ok(()),
    }
}

/// The command line as it is typed under this name.
fn command(name: &'static str) -> clap::Command {
    let cap = Cli::command();
    if name == CAP {
        return cap;
    }
    clap::Command::new(AI_DOSSIER)
        .disable_help_flag(true)
        .disable_help_subcommand(true)
        .subcommand(cap)
}
