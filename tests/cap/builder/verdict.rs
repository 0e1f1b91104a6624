//! The end of a test: the verbs, everything they look at, and the one panic with all differences.

use std::fs;
use std::path::Path;
use std::time::Instant;

use nix::sys::signal::Signal;
use nix::unistd::Pid;
use serde_json::Value;

use super::Test;
use super::expected::{Expected, Text};
use super::invariants::{self, Before};
use super::plan::Plan;
use super::process::{Channel, Process};
use super::sandbox::Sandbox;

/// How a test says that it must end.
pub enum Verdict {
    Ok,
    TaskFailed,
    AutomationBroken(String),
    Unavailable(String),
    /// No run: this exit code, a message on stderr, nothing on stdout.
    UsageError(i32),
    /// No run: this exit code.
    Exit(i32),
}

impl Verdict {
    /// Of a run: the outcome's name, and what its reason contains.
    pub fn outcome(&self) -> Option<(&'static str, Option<&str>)> {
        match self {
            Self::Ok => Some(("ok", None)),
            Self::TaskFailed => Some(("task-failed", None)),
            Self::AutomationBroken(reason) => Some(("automation-broken", Some(reason))),
            Self::Unavailable(reason) => Some(("capability-unavailable", Some(reason))),
            Self::UsageError(_) | Self::Exit(_) => None,
        }
    }

    pub fn exit_code(&self) -> i32 {
        match *self {
            Self::Ok => 0,
            Self::TaskFailed => 1,
            Self::AutomationBroken(_) => 2,
            Self::Unavailable(_) => 3,
            Self::UsageError(code) | Self::Exit(code) => code,
        }
    }
}

/// A cap that runs.
pub struct Running {
    pub process: Process,
    pub before: Before,
    pub sandbox: Sandbox,
    pub plan: Plan,
    pub expected: Expected,
}

/// A cap that has run and was checked.
pub struct Ran {
    pub sandbox: Sandbox,
    /// All of stdout, lossily.
    pub stdout: String,
    /// All of stderr, lossily.
    pub stderr: String,
    /// Null if it was no run.
    pub envelope: Value,
    /// Null if none was written.
    pub row: Value,
}

impl Ran {
    /// Another test in the same sandbox, with all that is there now.
    pub fn again(self) -> Test {
        Test::in_sandbox(self.sandbox)
    }
}

/// What a test may do to a running cap.
impl Running {
    /// Waits until a whole line of stdout (or the beginning of the whole text) is exactly this.
    pub fn wait_for_line(&self, channel: Channel, line: &str) {
        let is_there = |bytes: &[u8]| {
            let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
            bytes[..whole].split(|&byte| byte == b'\n').any(|found| found == line.as_bytes())
        };
        if !self.process.wait_for(channel, is_there) {
            let text = String::from_utf8_lossy(&self.process.captured(channel)).into_owned();
            panic!("{channel:?} never had the line {line:?}, only {text:?}");
        }
    }

    /// Waits until something holds that nobody tells about, such as a file being there.
    pub fn wait_until(&self, what: &str, holds: impl Fn() -> bool) {
        wait_until(what, self.process.deadline(), holds);
    }

    pub fn signal(&self, signal: Signal) {
        self.process.signal(signal);
    }

    pub fn pid(&self) -> Pid {
        self.process.pid()
    }

    pub fn resume(&mut self, channel: Channel) {
        self.process.resume(channel);
    }

    /// Goes away as the reader of a stream; what it must hold is then no longer looked at.
    pub fn close(&mut self, channel: Channel) {
        self.process.close(channel);
        match channel {
            Channel::Stdout => self.expected.is_stdout_read = false,
            Channel::Stderr => self.expected.stderr = Text::Contains(Vec::new()),
        }
    }

    /// Waits until cap has ended, although its streams may still be stalled.
    pub fn wait_for_exit(&self) {
        assert!(self.process.wait_for_exit().is_some(), "cap is still running");
    }

    /// Waits for the end, checks everything, and panics once with all that differs.
    pub fn end(self, verdict: &Verdict) -> Ran {
        let Self { process, before, sandbox, plan, expected } = self;
        let ended = process.end();
        let mut ran = Ran {
            stdout: String::new(),
            stderr: String::new(),
            envelope: Value::Null,
            row: Value::Null,
            sandbox,
        };
        let differences = match ended {
            Err(stuck) => vec![stuck],
            Ok(ended) => {
                ran.stdout = String::from_utf8_lossy(&ended.stdout).into_owned();
                ran.stderr = String::from_utf8_lossy(&ended.stderr).into_owned();
                invariants::check(&before, &plan, &expected, verdict, &ended, &mut ran)
            }
        };
        if !differences.is_empty() {
            let words = plan.words();
            let directory = plan.directory.display();
            let listing = ran.sandbox.listing();
            ran.sandbox.kill_all();
            panic!("cap {words:?} in {directory}:\n\n{}\n\n{listing}\n", differences.join("\n\n"));
        }
        ran
    }
}

/// Waits until something holds that no event tells about.
pub fn wait_until(what: &str, deadline: Instant, holds: impl Fn() -> bool) {
    while !holds() {
        assert!(Instant::now() < deadline, "waited in vain: {what}");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

macro_rules! verbs {
    ($($(#[$doc:meta])* $name:ident($($parameter:ident: $type:ty)?) => $verdict:expr;)*) => {
        /// The terminal verbs: start cap if it isn't running, wait for its end, check everything.
        impl Test {
            $($(#[$doc])* pub fn $name(self $(, $parameter: $type)?) -> Ran { self.start().end(&$verdict) })*
        }
        /// The terminal verbs.
        impl Running {
            $($(#[$doc])* pub fn $name(self $(, $parameter: $type)?) -> Ran { self.end(&$verdict) })*
        }
    };
}

verbs! {
    /// The outcome is `ok`.
    ok() => Verdict::Ok;
    /// The outcome is `task-failed`.
    task_failed() => Verdict::TaskFailed;
    /// The outcome is `automation-broken`, and the reason contains this.
    automation_broken(reason: &str) => Verdict::AutomationBroken(reason.to_owned());
    /// The outcome is `capability-unavailable`, and the reason contains this.
    unavailable(reason: &str) => Verdict::Unavailable(reason.to_owned());
    /// A usage error: exit 1, no row, no envelope, nothing on stdout.
    usage_error() => Verdict::UsageError(1);
    /// A usage error with an exit code of its own.
    usage_error_with(code: i32) => Verdict::UsageError(code);
    /// A command that isn't a run exits 0.
    success() => Verdict::Exit(0);
    /// A command that isn't a run exits with this code.
    failure(code: i32) => Verdict::Exit(code);
}

/// Reads a file as text; empty if it can't be read.
pub fn text_of(path: impl AsRef<Path>) -> String {
    String::from_utf8_lossy(&fs::read(path).unwrap_or_default()).into_owned()
}
