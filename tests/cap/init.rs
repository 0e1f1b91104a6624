//! `cap init`: a first manifest from what a project shows (contract section 11).

mod command;
mod files;
mod projects;
mod real;
