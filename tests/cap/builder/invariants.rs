//! What holds for every run, whatever the test is about; every verb checks it.

mod envelope;
pub mod leftovers;
pub mod row;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};

use super::expected::{Expected, Text};
use super::json::{self, mismatches};
use super::plan::{EnvelopeFile, Plan};
use super::process::Ended;
use super::sandbox::Sandbox;
use super::verdict::{Ran, Verdict, text_of};

/// What was there before cap started.
pub struct Before {
    log: Vec<u8>,
    beside_envelope: BTreeSet<OsString>,
    beside_log: BTreeSet<OsString>,
    repo: Option<BTreeMap<PathBuf, String>>,
    directory: PathBuf,
}

impl Before {
    pub fn look(sandbox: &Sandbox, plan: &Plan) -> Self {
        Self {
            log: log(sandbox),
            beside_envelope: plan.envelope_file.path().map(names_beside).unwrap_or_default(),
            beside_log: names_beside(&sandbox.log()),
            repo: sandbox.project().join(".git").exists().then(|| sandbox.snapshot()),
            directory: plan.directory.canonicalize().unwrap_or_default(),
        }
    }
}

/// All that differs from what must be.
pub fn check(
    before: &Before,
    plan: &Plan,
    expected: &Expected,
    verdict: &Verdict,
    ended: &Ended,
    ran: &mut Ran,
) -> Vec<String> {
    let mut found = Vec::new();
    found.extend(check_text("stderr", &expected.stderr, &ended.stderr));
    for text in &expected.stderr_lacks {
        if ran.stderr.contains(text) {
            found.push(format!("stderr must not contain {text:?}, but is {:?}", ran.stderr));
        }
    }
    let code = verdict.exit_code();
    if ended.status.code() != Some(code) {
        let signal = ended.status.signal();
        found.push(format!(
            "exit code {:?} (signal {signal:?}), expected {code}",
            ended.status.code()
        ));
    }
    if let Some(repo) = &before.repo
        && !expected.may_change_files
    {
        let after = ran.sandbox.snapshot();
        let touched: Vec<&PathBuf> = repo
            .keys()
            .chain(after.keys())
            .filter(|path| repo.get(*path) != after.get(*path))
            .collect();
        if !touched.is_empty() {
            found.push(format!("the repo was touched: {touched:?}"));
        }
    }
    match verdict.outcome() {
        Some(outcome) => found.extend(check_run(before, plan, expected, outcome, ended, ran)),
        None => found.extend(check_other(before, plan, expected, verdict, ended, ran)),
    }
    if !found.is_empty() {
        found.push(format!("stdout was {:?}\nstderr was {:?}", ran.stdout, ran.stderr));
    }
    found
}

/// What must hold after anything that is no run.
fn check_other(
    before: &Before,
    plan: &Plan,
    expected: &Expected,
    verdict: &Verdict,
    ended: &Ended,
    ran: &Ran,
) -> Vec<String> {
    let mut found = check_text("stdout", &expected.stdout, &ended.stdout);
    if log(&ran.sandbox) != before.log {
        found.push("the telemetry log has changed".to_owned());
    }
    if matches!(verdict, Verdict::UsageError(_)) {
        if !ran.stderr.starts_with("error: ") {
            found.push("a usage error says `error: …` on stderr".to_owned());
        }
        if let EnvelopeFile::Written(path) = &plan.envelope_file
            && path.symlink_metadata().is_ok()
        {
            found.push(format!("a usage error left an envelope file: {:?}", text_of(path)));
        }
    }
    found
}

/// What must hold after a run.
fn check_run(
    before: &Before,
    plan: &Plan,
    expected: &Expected,
    (outcome, reason): (&str, Option<&str>),
    ended: &Ended,
    ran: &mut Ran,
) -> Vec<String> {
    let mut found = Vec::new();
    let in_file = match &plan.envelope_file {
        EnvelopeFile::Written(path) => {
            let text = text_of(path);
            if !text.ends_with('\n') || text.lines().count() != 1 {
                found.push(format!("the envelope file isn't one whole line: {text:?}"));
            }
            Some(text)
        }
        EnvelopeFile::Unwritable(_) | EnvelopeFile::None => None,
    };
    let mut line = in_file.clone().unwrap_or_default();
    if expected.is_stdout_read {
        let start = ended.stdout.strip_suffix(b"\n").unwrap_or(&ended.stdout);
        let start = start.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        let (output, last) = ended.stdout.split_at(start);
        line = String::from_utf8_lossy(last).into_owned();
        found.extend(check_text("stdout before the envelope", &expected.stdout, output));
        if !line.ends_with('\n') {
            found.push("the last line of stdout isn't whole".to_owned());
        }
        if in_file.is_some_and(|text| text != line) {
            found.push("the envelope file differs from the last line of stdout".to_owned());
        }
    }
    match json::parse(line.trim_end_matches('\n')) {
        Err(error) => found.push(format!("the envelope {error}")),
        Ok(object) => {
            found.extend(envelope::check(&object, &line, plan));
            ran.envelope = object.value;
        }
    }
    let envelope = &ran.envelope;
    if envelope["outcome"] != outcome {
        found.push(format!(
            "the envelope's outcome is {}, expected {outcome:?}",
            envelope["outcome"]
        ));
    }
    let actual_reason = envelope["reason"].as_str();
    if reason.is_some_and(|text| !actual_reason.is_some_and(|actual| actual.contains(text)))
        || reason.is_none() != actual_reason.is_none()
    {
        found.push(format!("the reason is {actual_reason:?}, expected one with {reason:?}"));
    }
    found.extend(mismatches("envelope", &expected.envelope, envelope));
    let (row, differences) = row::check(before, plan, expected, &ran.sandbox, envelope);
    found.extend(differences);
    found.extend(leftovers::check(before, plan, envelope, &ran.sandbox));
    ran.row = row;
    found
}

fn check_text(name: &str, expected: &Text, actual: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(actual);
    match expected {
        Text::Exactly(bytes) if bytes == actual => Vec::new(),
        Text::Exactly(bytes) => {
            let wanted = String::from_utf8_lossy(bytes);
            vec![format!("{name} differs\n  expected {wanted:?}\n  actual   {text:?}")]
        }
        Text::Contains(texts) => texts
            .iter()
            .filter(|wanted| !text.contains(wanted.as_str()))
            .map(|wanted| format!("{name} lacks {wanted:?}, it is {text:?}"))
            .collect(),
    }
}

/// The telemetry log; empty if it is none.
fn log(sandbox: &Sandbox) -> Vec<u8> {
    let path = sandbox.log();
    if path.is_file() { fs::read(path).unwrap_or_default() } else { Vec::new() }
}

fn names_beside(path: &Path) -> BTreeSet<OsString> {
    let entries = path.parent().and_then(|parent| fs::read_dir(parent).ok());
    entries.into_iter().flatten().flatten().map(|entry| entry.file_name()).collect()
}
