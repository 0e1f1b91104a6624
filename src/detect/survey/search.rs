//! Looking for files below the project.

use std::ops::ControlFlow;

use super::super::files::Kind;
use super::{Survey, join};

/// How deep a search goes: tests of Java lie seven directories down, and more below a module.
const DEPTH: usize = 12;

/// How many names a search looks at.
const NAMES: usize = 20_000;

/// Directories that hold what others wrote, or what was made.
const NOT_SOURCES: [&str; 12] = [
    "node_modules",
    "bower_components",
    "target",
    "vendor",
    "build",
    "dist",
    "out",
    "obj",
    "deps",
    "_build",
    "__pycache__",
    "site-packages",
];

/// Lies at the top of an environment of Python, whatever that is called: what is in it depends on the machine.
const PYTHON_ENVIRONMENT: &str = "pyvenv.cfg";

impl Survey<'_> {
    /// The first file below the project, nearest first, whose path fits. Hidden directories and those of
    /// dependencies and build results are left out.
    pub fn search(&self, fits: impl Fn(&str) -> bool) -> Option<String> {
        let mut found = None;
        self.walk(|path| {
            if !fits(path) {
                return ControlFlow::Continue(());
            }
            found = Some(path.to_owned());
            ControlFlow::Break(())
        });
        found
    }

    /// The first file below the project whose path fits, and whose text does.
    pub fn search_text(
        &self,
        fits: impl Fn(&str) -> bool,
        holds: impl Fn(&str) -> bool,
    ) -> Option<String> {
        // What can't be read shows nothing.
        let read = |path: &str| self.files.read(path).unwrap_or_default();
        self.search(|path| fits(path) && holds(&String::from_utf8_lossy(&read(path))))
    }

    /// All files below the project whose path fits, nearest first.
    pub fn search_all(&self, fits: impl Fn(&str) -> bool) -> Vec<String> {
        let mut found = Vec::new();
        self.walk(|path| {
            found.extend(fits(path).then(|| path.to_owned()));
            ControlFlow::Continue(())
        });
        found
    }

    /// Shows each file below the project, nearest first, until told to stop.
    fn walk(&self, mut show: impl FnMut(&str) -> ControlFlow<()>) {
        let (mut level, mut left) = (vec![String::new()], NAMES);
        for _ in 0..DEPTH {
            let mut below = Vec::new();
            for directory in &level {
                for name in self.names(directory) {
                    let Some(less) = left.checked_sub(1) else { return };
                    left = less;
                    let path = join(directory, &name);
                    match self.files.kind(&path) {
                        Some(Kind::File | Kind::Program) if show(&path).is_break() => return,
                        Some(Kind::Directory) if self.holds_sources(&path, &name) => {
                            below.push(path);
                        }
                        Some(_) | None => {}
                    }
                }
            }
            level = below;
        }
    }

    fn holds_sources(&self, directory: &str, name: &str) -> bool {
        !name.starts_with('.')
            && !NOT_SOURCES.contains(&name)
            && !self.has_file(&join(directory, PYTHON_ENVIRONMENT))
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::files::Fake;
    use super::super::has_ending;
    use super::*;

    fn found(paths: &[&str]) -> Vec<String> {
        let files: Vec<_> = paths.iter().map(|path| (*path, "")).collect();
        Survey::of(&Fake::of(&files)).search_all(|path| has_ending(path, &[".py"]))
    }

    #[test]
    fn the_nearest_file_comes_first_and_depth_ends_a_search() {
        assert_eq!(found(&["a/b/c.py", "z.py", "a/d.py"]), ["z.py", "a/d.py", "a/b/c.py"]);
        let deep = |levels: usize| format!("{}a.py", "d/".repeat(levels));
        assert_eq!(found(&[&deep(DEPTH - 1)]), [deep(DEPTH - 1)]);
        assert_eq!(found(&[&deep(DEPTH)]), [""; 0]);
    }

    #[test]
    fn what_others_wrote_is_not_searched() {
        let paths = ["env/pyvenv.cfg", "env/lib/a.py", ".tox/a.py", "node_modules/a/a.py"];
        assert_eq!(found(&paths), [""; 0]);
    }

    #[test]
    fn a_search_ends_after_so_many_names() {
        let names: Vec<String> = (0..NAMES).map(|n| format!("a/{n:05}.txt")).collect();
        let mut paths: Vec<&str> = names.iter().map(String::as_str).collect();
        paths.push("b/a.py");
        assert_eq!(found(&paths), [""; 0]);
    }
}
