//! Faults of the system: whatever fails, the outcome stays what it is, the exit code tells it, and every channel that
//! still works tells the same.
//!
//! A clock that is set back during a run is no fault that a test can bring about without setting the machine's. In its
//! place `clippy.toml` forbids to ask for the time of day, but for the row's timestamp; the order of rows is that in the
//! file (`last_ok/log.rs`).

mod channels;
#[cfg(target_os = "linux")]
mod injected;
mod killed;
mod limits;

use std::fs;

use serde_json::Value;

use crate::builder::Test;
use crate::builder::sandbox::Sandbox;
use crate::builder::verdict::{Running, text_of};

/// What an earlier run has left, and which must never be taken for this one's.
const OLD: &str = "{\"cap_envelope\":1,\"capability\":\"old\",\"outcome\":\"ok\"}\n";

/// What is left of a run to which a fault has come.
struct Left {
    sandbox: Sandbox,
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Left {
    /// Runs to the end, where an old envelope was.
    fn by(test: Test) -> Self {
        test.sandbox.write(test.sandbox.out().join("envelope.json"), OLD);
        let Running { process, sandbox, .. } = test.start();
        let ended = process.end().unwrap();
        let [stdout, stderr] =
            [ended.stdout, ended.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        Self { sandbox, code: ended.status.code(), stdout, stderr }
    }

    /// All that is wrong. The exit code is one of these, the last line agrees with it, file and row agree with the
    /// line or are missing, and what is missing is told on stderr.
    fn check(&self, codes: &[i32]) -> Vec<String> {
        let mut wrong = Vec::new();
        if !self.code.is_some_and(|code| codes.contains(&code)) {
            wrong.push(format!("the exit code is {:?}", self.code));
        }
        let line = self.stdout.lines().last().unwrap_or_default();
        let envelope: Value = serde_json::from_str(line).unwrap_or_default();
        if !self.stdout.ends_with('\n') || Some(&envelope["outcome"]) != self.outcome().as_ref() {
            wrong.push("the last line is no envelope of this outcome".to_owned());
        }
        let path = self.sandbox.out().join("envelope.json");
        for entry in fs::read_dir(self.sandbox.out()).into_iter().flatten().flatten() {
            if entry.path() != path {
                wrong.push(format!("{} was left", entry.path().display()));
            }
        }
        if !path.is_file() && !self.stderr.contains("the envelope file") {
            wrong.push("there is no envelope file, and nobody says so".to_owned());
        } else if path.is_file() && text_of(&path).trim_end() != line {
            wrong.push(format!("the envelope file is {:?}", text_of(path)));
        }
        let log = text_of(self.sandbox.log());
        match log.strip_suffix('\n').map(serde_json::from_str::<Value>) {
            Some(Ok(row)) if row["outcome"] == envelope["outcome"] => {}
            None if log.is_empty() && self.stderr.contains("not recorded") => {}
            Some(_) | None => wrong.push(format!("the log is {log:?}")),
        }
        if !wrong.is_empty() {
            wrong.push(format!("stdout was {:?}\nstderr was {:?}", self.stdout, self.stderr));
        }
        wrong
    }

    /// The name of the outcome that the exit code tells.
    fn outcome(&self) -> Option<Value> {
        let names = ["ok", "task-failed", "automation-broken", "capability-unavailable"];
        names.get(usize::try_from(self.code?).ok()?).map(|name| Value::from(*name))
    }
}
