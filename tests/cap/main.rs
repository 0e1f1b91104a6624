//! Tests of what a user can see, through the real binary. One file per promise; `builder` has the words they are written in.
#![expect(clippy::unwrap_used, reason = "a helper that can't go on fails its test")]

mod args;
mod assumptions;
mod builder;
mod cli;
mod command;
mod completions;
mod config;
mod docs;
mod envelope;
mod faults;
mod find;
mod git_tree;
mod init;
mod last_ok;
mod layers;
mod list;
mod manifest;
mod name;
mod outcomes;
mod relay;
mod schema;
mod supervision;
mod telemetry;
#[cfg(target_os = "linux")]
mod watching;
