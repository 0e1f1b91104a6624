//! The numbers that the docs state are those of the code.

use std::fs;

use super::repo;

/// A row of the table of limits, and the line of the code that it tells of.
const LIMITS: [(&str, &str, &str); 15] = [
    (
        "budget, unless the entry says otherwise | 300000 ms",
        "src/manifest/check.rs",
        "DEFAULT_TIMEOUT_MS: u64 = 300_000",
    ),
    (
        "from SIGTERM to SIGKILL | 2 s",
        "src/exec/phase.rs",
        "GRACE: Duration = Duration::from_secs(2)",
    ),
    (
        "reading on after a kill | 500 ms",
        "src/exec/phase.rs",
        "DRAIN_AFTER_KILL: Duration = Duration::from_millis(500)",
    ),
    (
        "500 ms of silence, 2 s in all",
        "src/exec/phase.rs",
        "LEFTOVER_IDLE: Duration = Duration::from_millis(500)",
    ),
    (
        "500 ms of silence, 2 s in all",
        "src/exec/phase.rs",
        "LEFTOVER_TOTAL: Duration = Duration::from_secs(2)",
    ),
    (
        "counts once within | 250 ms",
        "src/exec/phase.rs",
        "SAME_SIGNAL: Duration = Duration::from_millis(250)",
    ),
    (
        "`--version` | 10 s, 64 KiB",
        "src/assumption.rs",
        "TOOL_LIMIT: Duration = Duration::from_secs(10)",
    ),
    ("`--version` | 10 s, 64 KiB", "src/exec/capture.rs", "KEPT: usize = 64 << 10"),
    ("the git tree | 10 s", "src/git.rs", "LIMIT: Duration = Duration::from_secs(10)"),
    ("unless asked otherwise | 8192 bytes", "src/cli.rs", "default_value_t = 8192"),
    ("at most | 64 MiB", "src/cli.rs", "MAX_TAIL_BYTES: u32 = 64 << 20"),
    ("a manifest | 1 MiB", "src/manifest.rs", "SIZE_LIMIT: u64 = 1 << 20"),
    ("`config.json` | 1 MiB", "src/home.rs", "CONFIG_LIMIT: u64 = 1 << 20"),
    ("a file that `cap init` reads | 1 MiB", "src/detect/files.rs", "SIZE_LIMIT: u64 = 1 << 20"),
    (
        "directories below that `cap init` looks into | 11",
        "src/detect/survey/search.rs",
        "DEPTH: usize = 12",
    ),
];

#[test]
fn every_limit_in_the_docs_is_the_code_s() {
    let page = fs::read_to_string(repo().join("docs/guarantees.md")).unwrap();
    for (row, path, line) in LIMITS {
        assert!(page.contains(&format!("{row} |\n")), "docs/guarantees.md has no row {row:?}");
        let code = fs::read_to_string(repo().join(path)).unwrap();
        assert!(code.contains(line), "{path} has no {line:?}, which {row:?} tells of");
    }
    let (_, table) = page.split_once("## Limits").unwrap();
    let rows = table.lines().skip_while(|line| !line.starts_with('|')).skip(2);
    for row in rows.take_while(|line| line.starts_with('|')) {
        assert!(
            LIMITS.iter().any(|(known, ..)| row.contains(known)),
            "no code is known for {row:?}"
        );
    }
}
