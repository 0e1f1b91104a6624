//! A test as *given*, *when*, *expected*, and one terminal verb that runs it and checks everything.

pub mod expected;
pub mod invariants;
pub mod json;
pub mod plan;
pub mod process;
#[cfg(target_os = "linux")]
pub mod pty;
pub mod sandbox;
pub mod verdict;

#[cfg(test)]
mod itself;

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};

use nix::unistd::User;
use serde_json::Value;

use expected::{Expected, Text};
use invariants::Before;
use plan::{EnvelopeFile, Plan, When};
use process::{Process, Stream};
use sandbox::Sandbox;
use verdict::Running;

/// A test that is being described.
#[must_use = "a test does nothing before a terminal verb such as ok()"]
pub struct Test {
    pub sandbox: Sandbox,
    plan: Plan,
    expected: Expected,
    streams: (Stream, Stream),
}

/// Texts that begin with a newline and a space are written indented in the test and mean what is left without the indentation.
pub fn dedent(text: &str) -> String {
    if text.starts_with("\n ") { unindent::unindent(text) } else { text.to_owned() }
}

/// A user without an account to whom root can give files. None, with a note, where that can't be done.
pub fn stranger() -> Option<u32> {
    let uid =
        (12345..13000).find(|&uid| User::from_uid(uid.into()).is_ok_and(|user| user.is_none()))?;
    let sandbox = Sandbox::new();
    let is_possible = nix::unistd::geteuid().is_root() && sandbox.give_to(uid);
    if !is_possible {
        let _ = writeln!(std::io::stderr(), "skipped: only root can give files to somebody else");
    }
    is_possible.then_some(uid)
}

/// Text as a JSON string, which is a YAML string as well: what YAML takes for a line break is escaped.
pub fn quoted(text: &str) -> String {
    let escape = |text: String, c: char| text.replace(c, &format!("\\u{:04x}", u32::from(c)));
    ['\u{85}', '\u{2028}', '\u{2029}'].into_iter().fold(Value::from(text).to_string(), escape)
}

impl Test {
    pub fn new() -> Self {
        Self::in_sandbox(Sandbox::new())
    }

    /// The manifest declares `test.focused` with this command, and that is what runs.
    pub fn command(command: &str) -> Self {
        Self::new()
            .manifest(&format!(
                "capabilities: {{test.focused: {{command: {}}}}}\n",
                quoted(command)
            ))
            .run("test.focused")
    }

    /// Another run where one has been.
    pub fn in_sandbox(sandbox: Sandbox) -> Self {
        let plan = Plan {
            when: When::Words(Vec::new()),
            envelope_file: EnvelopeFile::Written(sandbox.out().join("envelope.json")),
            program: env!("CARGO_BIN_EXE_cap").into(),
            directory: sandbox.project(),
            environment: sandbox
                .environment()
                .into_iter()
                .map(|(name, value)| (name.into(), Some(value)))
                .collect(),
            stdin: Vec::new(),
            before: None,
            uid: None,
            limit: process::LIMIT,
        };
        let expected = Expected::default();
        Self { sandbox, plan, expected, streams: (Stream::Captured, Stream::Captured) }
    }
}

/// Given.
impl Test {
    /// The project's manifest, dedented.
    pub fn manifest(self, text: &str) -> Self {
        self.manifest_bytes(dedent(text))
    }

    pub fn manifest_bytes(self, content: impl AsRef<[u8]>) -> Self {
        self.sandbox.write(self.sandbox.manifest(), content);
        self
    }

    /// A file, relative to the project.
    pub fn file(self, path: impl AsRef<Path>, content: impl AsRef<[u8]>) -> Self {
        self.sandbox.write(path, content);
        self
    }

    /// A file in `~/.dossier`.
    pub fn home_file(self, path: &str, content: impl AsRef<[u8]>) -> Self {
        let path = self.sandbox.home().join(".dossier").join(path);
        self.file(path, content)
    }

    /// An executable file, relative to the project, dedented.
    pub fn script(self, path: &str, text: &str) -> Self {
        self.sandbox.write_executable(path, &dedent(text));
        self
    }

    /// An executable file in `PATH`, the body of a shell script, dedented.
    pub fn tool(self, name: &str, body: &str) -> Self {
        let path = self.sandbox.tools().join(name);
        self.sandbox.write_executable(path, &format!("#!/bin/sh\n{}\n", dedent(body)));
        self
    }

    /// Whatever else has to be set up.
    pub fn given(self, set_up: impl FnOnce(&Sandbox)) -> Self {
        set_up(&self.sandbox);
        self
    }

    pub fn env(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.plan.environment.push((name.into(), Some(value.into())));
        self
    }

    pub fn env_remove(mut self, name: &str) -> Self {
        self.plan.environment.push((name.into(), None));
        self
    }

    /// The directory to start in, relative to the project; it is made if there is none.
    pub fn directory(mut self, path: impl AsRef<Path>) -> Self {
        self.plan.directory = self.sandbox.project().join(path);
        std::fs::create_dir_all(&self.plan.directory).unwrap();
        self
    }

    /// The project becomes a git repo, and what is in it so far its only commit.
    pub fn git_repo(self) -> Self {
        self.sandbox.git(["init", "-q", "-b", "main"]);
        self.sandbox.git(["add", "-A"]);
        self.sandbox.git(["commit", "-q", "--allow-empty", "-m", "start"]);
        self
    }

    pub fn stdin(mut self, text: &str) -> Self {
        self.plan.stdin = text.into();
        self
    }

    /// Shell code that runs in cap's process before cap takes it over: `exec >&-`, `trap '' INT`, `ulimit …`.
    pub fn before(mut self, code: &str) -> Self {
        self.plan.before = Some(code.to_owned());
        self
    }

    /// cap runs as somebody whom file modes can stop: root gives the sandbox to another user, so this comes after
    /// all files were made. None, with a note, if root can't do that here.
    pub fn powerless(self) -> Option<Self> {
        if !nix::unistd::geteuid().is_root() {
            return Some(self);
        }
        stranger().map(|uid| self.with_user(uid))
    }

    /// cap runs as this user, who also owns the sandbox (only root can do that; see `stranger`).
    pub fn with_user(mut self, uid: u32) -> Self {
        // The tree of the build may be closed to that user, the sandbox isn't.
        let copy = self.sandbox.root().join("cap");
        let copied = self.sandbox.output("cp", [&self.plan.program, &copy]);
        assert!(copied.status.success(), "cannot copy cap");
        assert!(self.sandbox.give_to(uid), "cannot give the sandbox to {uid}");
        self.plan.program = copy;
        self.plan.uid = Some(uid);
        self
    }

    /// Another program in the place of cap.
    pub fn program(mut self, path: PathBuf) -> Self {
        self.plan.program = path;
        self
    }

    /// Another time limit.
    pub fn limit(mut self, limit: std::time::Duration) -> Self {
        self.plan.limit = limit;
        self
    }

    pub fn stdout_to(mut self, stream: Stream) -> Self {
        self.expected.is_stdout_read = matches!(stream, Stream::Captured | Stream::Stalled);
        self.streams.0 = stream;
        self
    }

    pub fn stderr_to(mut self, stream: Stream) -> Self {
        if !matches!(stream, Stream::Captured) {
            self.expected.stderr = Text::Contains(Vec::new());
        }
        self.streams.1 = stream;
        self
    }
}

/// When.
impl Test {
    pub fn run(mut self, id: &str) -> Self {
        self.plan.when = When::Run { id: id.to_owned(), options: Vec::new(), args: Vec::new() };
        self
    }

    /// Args for the capability, after `--`.
    pub fn args<S: Into<String>>(mut self, words: impl IntoIterator<Item = S>) -> Self {
        let When::Run { args, .. } = &mut self.plan.when else {
            panic!("args() comes after run()")
        };
        args.extend(words.into_iter().map(Into::into));
        self
    }

    /// Options of `cap run`.
    pub fn options<S: Into<OsString>>(mut self, words: impl IntoIterator<Item = S>) -> Self {
        let When::Run { options, .. } = &mut self.plan.when else {
            panic!("options() comes after run()")
        };
        options.extend(words.into_iter().map(Into::into));
        self
    }

    pub fn list(self) -> Self {
        self.cap(["list"])
    }

    /// The words of a command line, whatever they are.
    pub fn cap<S: Into<OsString>>(mut self, words: impl IntoIterator<Item = S>) -> Self {
        self.plan.when = When::Words(words.into_iter().map(Into::into).collect());
        self
    }

    /// The envelope file, relative to the project.
    pub fn envelope_file(mut self, path: impl AsRef<Path>) -> Self {
        self.plan.envelope_file = EnvelopeFile::Written(self.sandbox.project().join(path));
        self
    }

    /// An envelope file that can't be written.
    pub fn unwritable_envelope_file(mut self, path: impl AsRef<Path>) -> Self {
        self.plan.envelope_file = EnvelopeFile::Unwritable(self.sandbox.project().join(path));
        self
    }

    pub fn without_envelope_file(mut self) -> Self {
        self.plan.envelope_file = EnvelopeFile::None;
        self
    }
}

impl Test {
    /// Starts cap. The verbs of `Running` end the test.
    #[must_use = "a started test is checked by a terminal verb such as ok()"]
    pub fn start(self) -> Running {
        let before = Before::look(&self.sandbox, &self.plan);
        let (stdout, stderr) = self.streams;
        let process = Process::start(
            self.plan.command(),
            self.plan.stdin.clone(),
            stdout,
            stderr,
            self.plan.limit,
        );
        Running { process, before, sandbox: self.sandbox, plan: self.plan, expected: self.expected }
    }
}
