//! What is typed behind a subcommand that takes args for a command: the id, its own options, and the args.

use clap::CommandFactory as _;

use crate::cli::Cli;
use crate::text::nearest;

/// What such a subcommand takes.
pub struct Behind {
    /// Its options with a value, and those without.
    with_value: Vec<String>,
    without: Vec<String>,
    /// Whether args are only taken behind dashes.
    needs_dashes: bool,
}

impl Behind {
    /// None for a subcommand that takes no args for a command.
    pub fn of(subcommand: &str) -> Option<Self> {
        let cli = Cli::command();
        let all =
            || cli.find_subcommand(subcommand).into_iter().flat_map(clap::Command::get_arguments);
        let named = |takes_value| {
            let options = all().filter(move |it| it.get_action().takes_values() == takes_value);
            options.filter_map(|it| Some(format!("--{}", it.get_long()?))).collect()
        };
        let needs_dashes = all().find(|it| it.get_id() == "args")?.is_last_set();
        Some(Self { with_value: named(true), without: named(false), needs_dashes })
    }

    /// Whether this is probably one of its options, misspelt.
    pub fn is_near(&self, option: &str) -> bool {
        let all = self.with_value.iter().chain(&self.without).map(String::as_str);
        nearest(option, all.chain(["--help"])).is_some()
    }

    /// The words in the order in which they work: the id, its options, and the args, behind dashes if they need
    /// them. None without an id, or if an option of the command is before it: its value may be taken for the id.
    pub fn sorted(&self, words: &[String]) -> Option<Vec<String>> {
        let (mut own, mut args) = (Vec::new(), Vec::new());
        let mut words = words.iter().cloned();
        while let Some(word) = words.next() {
            let (name, value) = word.split_once('=').unzip();
            if word == "--" {
                args.extend(words.by_ref());
            } else if self.with_value.contains(&name.unwrap_or(&word).to_owned()) {
                let apart = if value.is_none() { words.next() } else { None };
                own.extend([Some(word), apart].into_iter().flatten());
            } else if self.without.contains(&word) {
                own.push(word);
            } else {
                args.push(word);
            }
        }
        let id = args.first().filter(|id| !id.starts_with('-')).cloned()?;
        args.remove(0);
        if !args.is_empty() && (self.needs_dashes || args.iter().any(|arg| arg.starts_with('-'))) {
            args.insert(0, "--".to_owned());
        }
        Some([vec![id], own, args].concat())
    }
}
