//! The man pages in `docs/man`: one for each subcommand, made from the definition of the command line.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use clap::{Command, CommandFactory};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};

use super::Cli;

/// How to make the pages again.
const UPDATE: &str = "UPDATE=1 cargo test --lib man_pages";

fn pages() -> BTreeMap<String, String> {
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    let subcommands: Vec<&Command> = command.get_subcommands().collect();
    let names = subcommands.iter().map(|it| it.get_display_name().unwrap().to_owned());
    let see_also: Vec<String> = std::iter::once("cap".to_owned()).chain(names).collect();
    let all = subcommands.iter().copied().chain([&command]);
    all.map(|command| {
        let man = Man::new(command.clone());
        (man.get_filename(), page(man, command, &see_also))
    })
    .collect()
}

fn page(man: Man, command: &Command, see_also: &[String]) -> String {
    let name = command.get_display_name().unwrap_or_else(|| command.get_name());
    let man = man
        .title(name.to_uppercase())
        .source(concat!("cap ", env!("CARGO_PKG_VERSION")))
        .manual("Cap Manual")
        // No date, so that the page is the same every day; an empty one would not be kept apart.
        .date(" ");
    let mut page = Vec::new();
    man.render_title(&mut page).unwrap();
    man.render_name_section(&mut page).unwrap();
    let usage = command.clone().render_usage().to_string();
    let usage = usage.strip_prefix("Usage: ").unwrap();
    section("SYNOPSIS", [usage]).to_writer(&mut page).unwrap();
    man.render_options_section(&mut page).unwrap();
    if command.has_subcommands() {
        man.render_subcommands_section(&mut page).unwrap();
    }
    if let Some(notes) = command.get_after_help() {
        let notes = notes.to_string();
        section("NOTES", notes.lines()).to_writer(&mut page).unwrap();
    }
    let others = see_also.iter().filter(|other| *other != name);
    let others: Vec<String> = others.map(|other| format!("{other}(1)")).collect();
    // One line, which is to be filled.
    let others = Roff::new().control("SH", ["SEE ALSO"]).text([roman(others.join(", "))]).render();
    String::from_utf8(page).unwrap() + &others
}

/// A section whose lines and columns are as they are to be.
fn section<'a>(heading: &str, lines: impl IntoIterator<Item = &'a str>) -> Roff {
    let mut section = Roff::new();
    section.control("SH", [heading]).control("nf", []);
    for line in lines {
        section.text([roman(line)]);
    }
    section.control("fi", []);
    section
}

#[test]
fn man_pages_are_current() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/man");
    let pages = pages();
    if std::env::var_os("UPDATE").is_some() {
        let _ = fs::remove_dir_all(&directory);
        fs::create_dir_all(&directory).unwrap();
        for (name, page) in &pages {
            fs::write(directory.join(name), page).unwrap();
        }
    }
    let found = fs::read_dir(&directory).into_iter().flatten().map(Result::unwrap);
    let found: BTreeMap<String, String> = found
        .map(|entry| {
            let page = fs::read_to_string(entry.path()).unwrap();
            (entry.file_name().into_string().unwrap(), page)
        })
        .collect();
    let names = |pages: &BTreeMap<String, String>| pages.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&found), names(&pages), "run {UPDATE}");
    for (name, page) in &pages {
        assert!(found[name] == *page, "docs/man/{name} is not current: run {UPDATE}");
    }
}
