//! A pseudo-terminal with a person in front of it (Linux).

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use nix::fcntl::OFlag;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::pty::{grantpt, posix_openpt, ptsname_r, unlockpt};

use super::Test;
use super::process::Stream;

/// The person's side. Dropping it hangs up.
pub struct Terminal {
    keyboard: File,
    path: PathBuf,
    seen: String,
    deadline: Instant,
}

impl Terminal {
    pub fn open() -> Self {
        // Close-on-exec, unlike openpty's: a child of another test must not hold it.
        let flags = OFlag::O_RDWR | OFlag::O_NOCTTY | OFlag::O_CLOEXEC;
        let master = posix_openpt(flags).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let path = ptsname_r(&master).unwrap().into();
        let deadline = Instant::now() + Duration::from_secs(50);
        Self { keyboard: File::from(OwnedFd::from(master)), path, seen: String::new(), deadline }
    }

    /// A terminal of this many columns.
    pub fn of_width(columns: u16) -> Self {
        let terminal = Self::open();
        let size = [columns.to_string(), "24".to_owned()];
        let mut stty = std::process::Command::new("stty");
        stty.arg("-F").arg(&terminal.path).args(["cols", &size[0], "rows", &size[1]]);
        assert!(stty.status().unwrap().success(), "the terminal has no size");
        terminal
    }

    /// The program's side, for a stream of cap.
    pub fn stream(&self) -> Stream {
        let flags = nix::libc::O_NOCTTY;
        let mut options = File::options();
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags);
        Stream::Given(options.read(true).write(true).open(&self.path).unwrap())
    }

    /// Both streams of cap are this terminal, it controls cap's session, and cap is in the foreground.
    pub fn around(&self, test: Test) -> Test {
        self.with_shell(test, "\"$0\" \"$@\"")
    }

    /// The same for another program; `$RUN` is what starts cap.
    pub fn with_shell(&self, test: Test, program: &str) -> Test {
        let path = self.path.display();
        test.env("TERM", "xterm").stdout_to(self.stream()).stderr_to(self.stream()).before(
            &format!("RUN=\"$0 $*\"; export RUN; exec setsid --ctty --wait {program} <>{path}"),
        )
    }

    pub fn press(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).unwrap();
    }

    /// Waits until the screen has shown this, behind what was waited for before.
    pub fn wait_for(&mut self, text: &str) {
        loop {
            if let Some(at) = self.seen.find(text) {
                self.seen.drain(..at + text.len());
                return;
            }
            assert!(self.read(), "the screen never had {text:?}, only {:?}", self.seen);
        }
    }

    /// All that is shown until everybody has left the terminal.
    pub fn rest(mut self) -> String {
        while self.read() {}
        assert!(
            Instant::now() < self.deadline,
            "somebody still holds the terminal: {:?}",
            self.seen
        );
        self.seen
    }

    /// Whether there was more.
    fn read(&mut self) -> bool {
        let left = self.deadline.saturating_duration_since(Instant::now());
        let mut ends = [PollFd::new(self.keyboard.as_fd(), PollFlags::POLLIN)];
        let _ = poll(&mut ends, PollTimeout::try_from(left).unwrap());
        let mut buffer = [0; 4096];
        if !ends[0].any().unwrap_or_default() {
            return false;
        }
        // An error means that nobody has the other side open any more.
        let count = self.keyboard.read(&mut buffer).unwrap_or_default();
        self.seen.push_str(&String::from_utf8_lossy(&buffer[..count]));
        count > 0
    }
}
