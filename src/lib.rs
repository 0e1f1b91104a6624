//! `cap` runs a repo's recurring operations by name, and reports each run as exactly one of four
//! outcomes.
//!
//! The map, lowest layer first; a module imports only from layers below its own:
//!
//! | layer | module | what it is for |
//! |---|---|---|
//! | 1 | `text` | what more than one place needs to show text |
//! | 1 | `file` | reading a file that somebody else may have put there |
//! | 1 | `outcome` | what was observed of a run → one of four outcomes → exit code |
//! | 1 | `cli` | every flag and its help text |
//! | 2 | `home` | `~/.dossier`: where it is, and its `config.json` |
//! | 3 | `manifest` | what a checked manifest says; finding, reading and checking one |
//! | 3 | `exec` | a command line in, how it ended and its tail out; every process is started here |
//! | 4 | `git` | which tree the current directory is, and whether what is on disk is that tree |
//! | 5 | `envelope` | the one line of JSON that tells a run's outcome, and its file |
//! | 5 | `telemetry` | a row of `caps.jsonl`; finding the one that says that a tree has passed |
//! | 5 | `assumption` | whether what a command needs is there |
//! | 5 | `detect` | what the project at a directory shows of its operations, one file per ecosystem |
//! | 6 | `scaffold` | from what a project shows to the text of a first manifest |
//! | 7 | `commands` | one per subcommand; the only code that prints |
//!
//! `commands/run.rs` is the place to start reading: it tells the story of one run.

mod assumption;
mod cli;
mod commands;
mod detect;
mod envelope;
mod exec;
mod file;
mod git;
mod home;
mod manifest;
mod outcome;
mod scaffold;
mod telemetry;
mod text;

pub use commands::main;
