//! Whole projects, one a file in `tests/projects`: what is in them, and the manifest that they get.

use std::fs;
use std::path::{Path, PathBuf};

use crate::builder::Test;
use crate::builder::sandbox::{MANIFEST, Sandbox};

/// A project as its file describes it: words about it, then a head and a content for each of its files, and
/// at the end the manifest.
struct Project {
    path: PathBuf,
    text: String,
}

/// The last head, before the manifest.
const EXPECTED: &str = "the manifest";

impl Project {
    /// The files with their contents, and the manifest.
    fn parts(&self) -> Vec<(&str, String)> {
        let mut parts: Vec<(&str, String)> = Vec::new();
        for line in self.text.split_inclusive('\n') {
            let head = line.strip_prefix("=== ").and_then(|line| line.strip_suffix(" ===\n"));
            match (head, parts.last_mut()) {
                (Some(head), _) => parts.push((head, String::new())),
                (None, Some((_, content))) => content.push_str(line),
                // Words about the project.
                (None, None) => {}
            }
        }
        parts
    }

    fn manifest(&self) -> String {
        let last = self.parts().pop().filter(|(head, _)| *head == EXPECTED);
        last.map(|(_, text)| text).unwrap_or_default()
    }

    fn set_up(&self, sandbox: &Sandbox) {
        for (head, content) in self.parts() {
            if let Some(path) = head.strip_suffix(" (program)") {
                sandbox.write_executable(path, &content);
            } else if head != EXPECTED {
                sandbox.write(head, content);
            }
        }
    }

    /// Puts another manifest at the end of the file.
    fn update(&self, manifest: &str) {
        let end = self.text.find(&format!("\n=== {EXPECTED} ===\n"));
        let before = end.map_or(&self.text[..], |at| &self.text[..=at]);
        let text = format!("{before}=== {EXPECTED} ===\n{manifest}");
        fs::write(&self.path, text).unwrap();
    }
}

fn projects() -> Vec<Project> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/projects");
    let paths = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let mut projects: Vec<Project> =
        paths.map(|path| Project { text: fs::read_to_string(&path).unwrap(), path }).collect();
    projects.sort_by(|a, b| a.path.cmp(&b.path));
    projects
}

/// `CAP_UPDATE=1 cargo test --test cap projects` writes the manifests anew; look at what changed.
#[test]
fn every_project_gets_the_manifest_that_it_shows() {
    let mut wrong = Vec::new();
    for project in projects() {
        let test = Test::new().given(|sandbox| project.set_up(sandbox));
        let made = test.cap(["init", "--print"]).stdout_contains("version: 1").success();
        if std::env::var_os("CAP_UPDATE").is_some() {
            project.update(&made.stdout);
        } else if made.stdout != project.manifest() {
            wrong.push(format!(
                "{}:\n--- expected\n{}--- found\n{}",
                project.path.display(),
                project.manifest(),
                made.stdout
            ));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn every_manifest_is_written_as_it_is_printed_and_loads_without_a_warning() {
    for project in projects() {
        let test = Test::new().given(|sandbox| project.set_up(sandbox));
        let written = test.cap(["init"]).stdout_contains(MANIFEST).success();
        let manifest = fs::read_to_string(written.sandbox.manifest()).unwrap();
        assert_eq!(manifest, project.manifest(), "{}", project.path.display());
        written.again().list().stdout_contains("").success();
    }
}
