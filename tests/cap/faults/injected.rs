//! Each system call of a run that can fail made to fail once, and a run killed before each, by strace(1) where it is
//! installed.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::{Left, OLD};
use crate::builder::Test;
use crate::builder::sandbox::Sandbox;
use crate::builder::verdict::{Running, text_of};

/// What fails on a system that has nothing left to give, or on a disk with a fault, and how.
const FAILURES: [(&str, &str); 20] = [
    ("openat", "EMFILE"),
    ("openat", "EACCES"),
    ("openat", "EIO"),
    ("read", "EIO"),
    ("write", "ENOSPC"),
    ("write", "EIO"),
    ("fchmod", "EPERM"),
    ("renameat", "EIO"),
    ("unlink", "EROFS"),
    ("mkdir", "ENOSPC"),
    ("statx", "EIO"),
    ("lseek", "EIO"),
    ("flock", "ENOLCK"),
    ("getcwd", "ENOENT"),
    ("pipe2", "EMFILE"),
    ("socketpair", "EMFILE"),
    ("signalfd4", "EMFILE"),
    ("clone", "EAGAIN"),
    ("clone3", "EAGAIN"),
    ("poll", "ENOMEM"),
];

/// What a signal may interrupt.
const INTERRUPTIBLE: [&str; 7] = ["openat", "read", "write", "fchmod", "recvfrom", "poll", "wait4"];

/// What changes something that others see, or waits for it.
const STEPS: [&str; 9] =
    ["openat", "write", "fchmod", "renameat", "unlink", "flock", "clone", "poll", "exit_group"];

/// strace, if it works here; else a note says what was skipped.
fn strace() -> Option<PathBuf> {
    let directories = ["/usr/bin", "/usr/local/bin", "/bin"].map(Path::new);
    let found = directories.map(|directory| directory.join("strace")).into_iter().find(|path| {
        let mut strace = Command::new(path);
        strace.args(["-qq", "-e", "inject=getcwd:error=EIO:when=9", "true"]);
        strace.stderr(Stdio::null()).status().is_ok_and(|status| status.success())
    });
    if found.is_none() {
        let _ = writeln!(std::io::stderr(), "skipped: there is no strace, or it may not trace");
    }
    found
}

/// cap watched by strace, which does this to it.
fn under(strace: &Path, options: &str, test: Test) -> Test {
    let trace = trace_of(&test.sandbox);
    let (strace, trace) = (strace.display(), trace.display());
    test.before(&format!("exec '{strace}' -qq -o '{trace}' {options} \"$0\" \"$@\""))
}

/// A task that fails, run by such a cap. No git, and no command that writes: what fails is cap's own.
fn traced(strace: &Path, options: &str) -> Test {
    let test = under(strace, options, Test::command("exit 1"));
    let tools = test.sandbox.tools();
    test.env("PATH", tools)
}

fn trace_of(sandbox: &Sandbox) -> PathBuf {
    sandbox.root().join("trace")
}

/// For each system call of a trace the first that comes from this line on, and the last, counted from 1.
fn calls(sandbox: &Sandbox, beginning: &str) -> BTreeMap<String, (usize, usize)> {
    let trace = text_of(trace_of(sandbox));
    let (mut found, mut has_begun) = (BTreeMap::new(), false);
    for line in trace.lines() {
        has_begun |= line.contains(beginning);
        let name = line.split('(').next().unwrap_or_default().to_owned();
        let (first, last) = found.entry(name).or_insert((1, 0));
        *last += 1;
        *first += usize::from(!has_begun);
    }
    assert!(has_begun, "{trace}");
    found
}

/// The calls of a run, from the first thing that it does.
fn calls_of_a_run(strace: &Path) -> BTreeMap<String, (usize, usize)> {
    let left = Left::by(traced(strace, ""));
    assert_eq!(left.check(&[1]), [""; 0]);
    calls(&left.sandbox, "openat(AT_FDCWD, \"/dev/null\"")
}

/// The numbers of a system call's calls, one more than were seen: a fault may lead to another call.
fn numbers(
    calls: &BTreeMap<String, (usize, usize)>,
    name: &str,
) -> std::ops::RangeInclusive<usize> {
    let (first, last) = calls.get(name).copied().unwrap_or((1, 0));
    first..=last + 1
}

#[test]
fn whatever_fails_a_failed_task_is_never_ok_and_the_channels_agree() {
    let Some(strace) = strace() else { return };
    let calls = calls_of_a_run(&strace);
    let mut wrong = Vec::new();
    for (name, error) in FAILURES {
        for number in numbers(&calls, name) {
            let inject = format!("-e inject={name}:error={error}:when={number}");
            let left = Left::by(traced(&strace, &inject));
            let found = left.check(&[1, 2]).join("\n");
            if !found.is_empty() {
                let trace = text_of(trace_of(&left.sandbox));
                let call = trace.lines().find(|line| line.contains("INJECTED")).unwrap_or_default();
                wrong.push(format!("{inject}: {call}\n{found}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn whatever_fails_a_setting_is_made_or_the_config_stays_as_it_was() {
    let Some(strace) = strace() else { return };
    let set = |options: &str| {
        let test = Test::new().home_file("config.json", "{\"a\": 1}").without_envelope_file();
        let test = under(&strace, options, test.cap(["config", "auditLog", "false"]));
        let Running { process, sandbox, .. } = test.start();
        (process.end().unwrap().status.code(), sandbox)
    };
    let (code, sandbox) = set("");
    assert_eq!(code, Some(0));
    let calls = calls(&sandbox, "/.dossier");
    for (name, error) in FAILURES {
        for number in numbers(&calls, name) {
            let inject = format!("-e inject={name}:error={error}:when={number}");
            let (code, sandbox) = set(&inject);
            let data = sandbox.home().join(".dossier");
            let config = text_of(data.join("config.json"));
            let is_set = config == "{\"auditLog\": false,\"a\": 1}";
            assert!(is_set || config == "{\"a\": 1}", "{inject}: {config}");
            assert!(code == Some(if is_set { 0 } else { 2 }), "{inject}: {code:?}, {config}");
            assert_eq!(std::fs::read_dir(data).unwrap().count(), 1, "{inject}: a file was left");
        }
    }
}

#[test]
fn an_interrupted_call_changes_nothing_at_all() {
    let Some(strace) = strace() else { return };
    let calls = calls_of_a_run(&strace);
    for name in INTERRUPTIBLE {
        for number in numbers(&calls, name) {
            let inject = format!("-e inject={name}:error=EINTR:when={number}");
            traced(&strace, &inject).task_failed();
        }
    }
    // The writers' threads, too; nobody else has anything to write.
    for number in 1..4 {
        traced(&strace, &format!("-f -e inject=write:error=EINTR:when={number}")).task_failed();
    }
}

#[test]
fn a_run_that_is_killed_before_any_of_its_steps_leaves_nothing_torn_and_no_old_verdict() {
    let Some(strace) = strace() else { return };
    let calls = calls_of_a_run(&strace);
    for name in STEPS {
        for number in numbers(&calls, name) {
            let test = traced(&strace, &format!("-e inject={name}:signal=KILL:when={number}"));
            test.sandbox.write(test.sandbox.out().join("envelope.json"), OLD);
            let Running { process, sandbox, .. } = test.start();
            process.end().unwrap();
            let trace = text_of(trace_of(&sandbox));
            let has_begun =
                trace.lines().any(|line| line.starts_with("unlink(") && line.ends_with("= 0"));
            super::killed::check(&sandbox, has_begun);
        }
    }
}
