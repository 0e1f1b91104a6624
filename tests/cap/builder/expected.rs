//! What a test expects, beside the invariants that hold for every run.

use serde_json::Value;

use super::{Test, dedent};

/// What a stream must hold: exactly this, or at least these texts.
#[derive(Clone)]
pub enum Text {
    Exactly(Vec<u8>),
    Contains(Vec<String>),
}

/// What must be true afterwards, beside the invariants.
pub struct Expected {
    pub stdout: Text,
    pub stderr: Text,
    pub stderr_lacks: Vec<String>,
    pub envelope: Value,
    pub row: Value,
    pub is_row_written: bool,
    pub is_stdout_read: bool,
    pub may_change_files: bool,
}

impl Default for Expected {
    fn default() -> Self {
        Self {
            stdout: Text::Exactly(Vec::new()),
            stderr: Text::Exactly(Vec::new()),
            stderr_lacks: Vec::new(),
            envelope: Value::Object(serde_json::Map::new()),
            row: Value::Object(serde_json::Map::new()),
            is_row_written: true,
            is_stdout_read: true,
            may_change_files: false,
        }
    }
}

/// Expected.
impl Test {
    /// Exactly this on stdout; of a run, before the envelope.
    pub fn stdout(mut self, text: &str) -> Self {
        self.expected.stdout = Text::Exactly(dedent(text).into());
        self
    }

    /// At least this on stdout.
    pub fn stdout_contains(mut self, text: &str) -> Self {
        self.expected.stdout = self.expected.stdout.with(text);
        self
    }

    /// Exactly this on stderr.
    pub fn stderr(mut self, text: &str) -> Self {
        self.expected.stderr = Text::Exactly(dedent(text).into());
        self
    }

    /// At least this on stderr.
    pub fn stderr_contains(mut self, text: &str) -> Self {
        self.expected.stderr = self.expected.stderr.with(text);
        self
    }

    pub fn stderr_lacks(mut self, text: &str) -> Self {
        self.expected.stderr_lacks.push(text.to_owned());
        self
    }

    /// The envelope has at least these members.
    pub fn envelope(mut self, members: Value) -> Self {
        self.expected.envelope = members;
        self
    }

    /// The telemetry row has at least these members.
    pub fn row(mut self, members: Value) -> Self {
        self.expected.row = members;
        self
    }

    /// No telemetry row is written.
    pub fn no_row(mut self) -> Self {
        self.expected.is_row_written = false;
        self
    }

    /// Nobody sees stdout, so the envelope is looked for in its file alone.
    pub fn stdout_lost(mut self) -> Self {
        self.expected.is_stdout_read = false;
        self
    }

    /// The command changes files in the repo.
    pub fn may_change_files(mut self) -> Self {
        self.expected.may_change_files = true;
        self
    }
}

impl Text {
    fn with(&self, text: &str) -> Self {
        let mut texts = match self {
            Self::Exactly(_) => Vec::new(),
            Self::Contains(texts) => texts.clone(),
        };
        texts.push(text.to_owned());
        Self::Contains(texts)
    }
}
