//! SIGKILL at any moment: no torn envelope, no old verdict, and a log that the next run can go on with.

use std::fs;
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use serde_json::Value;

use super::OLD;
use crate::builder::Test;
use crate::builder::sandbox::Sandbox;
use crate::builder::verdict::{Running, text_of};

/// Fixed, so that a failure can be had again.
const SEED: u64 = 7;
const MOMENTS: usize = 200;

/// A file is whole and this run's, or there is none; where the run had not begun it may still be the old one.
pub fn check(sandbox: &Sandbox, has_begun: bool) {
    let path = sandbox.out().join("envelope.json");
    let file = text_of(&path);
    if path.exists() && (has_begun || file != OLD) {
        let line = file.strip_suffix('\n').unwrap_or_else(|| panic!("torn: {file:?}"));
        let envelope: Value = serde_json::from_str(line).unwrap();
        assert_eq!(envelope["capability"], "test.focused", "an old verdict was left");
        assert_eq!(envelope["outcome"], "task-failed");
    }
    for line in text_of(sandbox.log()).split_inclusive('\n') {
        let row = line.strip_suffix('\n').map(serde_json::from_str::<Value>);
        assert!(matches!(row, Some(Ok(_))), "a torn row: {line:?}");
    }
}

/// The next number of a simple generator (Knuth's MMIX), its better bits.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

#[test]
fn killed_at_random_moments_it_leaves_nothing_torn_and_no_old_verdict() {
    // How long a run takes here says which moments there are.
    let started = Instant::now();
    let mut sandbox = Test::command("touch begun-$MOMENT; exit 1").task_failed().sandbox;
    let longest = u64::try_from(started.elapsed().as_micros()).unwrap();
    let (mut state, mut killed) = (SEED, 0);
    for number in 0..MOMENTS {
        // Its own, since the command of one that was killed goes on.
        let begun = sandbox.project().join(format!("begun-{number}"));
        sandbox.write(sandbox.out().join("envelope.json"), OLD);
        let running =
            Test::in_sandbox(sandbox).run("test.focused").env("MOMENT", number.to_string()).start();
        let moment = Instant::now() + Duration::from_micros(next(&mut state) % longest);
        std::thread::sleep(moment.saturating_duration_since(Instant::now()));
        // It may have ended.
        let _ = nix::sys::signal::kill(running.pid(), Signal::SIGKILL);
        let Running { process, sandbox: same, .. } = running;
        killed += usize::from(process.end().unwrap().status.code().is_none());
        sandbox = same;
        check(&sandbox, begun.exists());
        // What was written before its rename; it is hidden, and nobody takes it for an envelope.
        for entry in fs::read_dir(sandbox.out()).unwrap().flatten() {
            if entry.file_name() != "envelope.json" {
                assert!(entry.file_name().to_string_lossy().starts_with(".cap-"));
                fs::remove_file(entry.path()).unwrap();
            }
        }
    }
    assert!(killed > 0, "no run was hit");
    // Whatever was left, the next run reads well.
    Test::in_sandbox(sandbox).run("test.focused").task_failed();
}
