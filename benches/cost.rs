//! What `cap` costs, next to what would be run without it: `cargo bench --bench cost`.
//!
//! Subject and baseline run in turn in one loop, so that a machine that gets slower does so for both.
//! The figures are medians of whole processes, from their start to their end. Nothing is asserted:
//! speed is shown here, and never in a test.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a bench prints, and may fail loudly"
)]

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};

const CAP: &str = env!("CARGO_BIN_EXE_cap");

const MANIFEST: &str = r#"
capabilities:
  true.run: {command: "true"}
  relay.run: {command: "head -c 1000000000 /dev/zero"}
"#;

/// One comparison: what is measured, what it is measured against, and what it is to reach.
struct Comparison {
    name: &'static str,
    subject: String,
    baseline: &'static str,
    rounds: usize,
    aim: &'static str,
}

fn main() {
    let home = tempfile::tempdir().unwrap();
    let project = tempfile::tempdir().unwrap();
    let automation = project.path().join(".dossier/automation");
    fs::create_dir_all(&automation).unwrap();
    fs::write(automation.join("manifest.yaml"), MANIFEST).unwrap();

    let comparisons = [
        Comparison {
            name: "run `true`",
            subject: format!("exec {CAP} run true.run"),
            baseline: "exec sh -c true",
            rounds: 300,
            aim: "less than 6 ms more",
        },
        Comparison {
            name: "list",
            subject: format!("exec {CAP} list"),
            baseline: "exec sh -c true",
            rounds: 300,
            aim: "less than 2.5 times and 2 ms more",
        },
        Comparison {
            name: "--version",
            subject: format!("exec {CAP} --version"),
            baseline: "exec sh -c true",
            rounds: 300,
            aim: "",
        },
        Comparison {
            name: "relay 1 GB",
            subject: format!("{CAP} run relay.run | cat >/dev/null"),
            baseline: "head -c 1000000000 /dev/zero | cat | cat >/dev/null",
            rounds: 7,
            aim: "less than twice",
        },
    ];
    println!("{:<12} {:>10} {:>10} {:>9} {:>6}  aim", "", "cap", "baseline", "more", "times");
    for comparison in &comparisons {
        compare(comparison, project.path(), home.path());
    }
    // The largest of all processes so far, which is `cap` while it relays.
    let peak = getrusage(UsageWho::RUSAGE_CHILDREN).unwrap().max_rss();
    println!(
        "peak memory: {:.1} MB (aim: less than 9 MB, 12 MB while it relays)",
        mega(peak, 1000.0)
    );
    let size = i64::try_from(fs::metadata(CAP).unwrap().len()).unwrap();
    println!("binary: {:.2} MB (aim: less than 3.2 MB)", mega(size, 1e6));
}

#[expect(clippy::cast_precision_loss, reason = "a figure to read")]
fn mega(count: i64, unit: f64) -> f64 {
    count as f64 / unit
}

fn compare(comparison: &Comparison, project: &Path, home: &Path) {
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..comparison.rounds {
        ours.push(time(&comparison.subject, project, home));
        theirs.push(time(comparison.baseline, project, home));
    }
    let (ours, theirs) = (median(ours), median(theirs));
    let ms = |time: Duration| time.as_secs_f64() * 1000.0;
    println!(
        "{:<12} {:>7.2} ms {:>7.2} ms {:>6.2} ms {:>6.2}  {}",
        comparison.name,
        ms(ours),
        ms(theirs),
        ms(ours) - ms(theirs),
        ms(ours) / ms(theirs),
        comparison.aim
    );
}

fn time(line: &str, project: &Path, home: &Path) -> Duration {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", line]).current_dir(project).env("HOME", home);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let started = Instant::now();
    assert!(command.status().unwrap().success(), "{line}");
    started.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}
