//! The same under every shell that systems have as `/bin/sh` (Linux, where a test may have mounts of its own).

use nix::sys::signal::Signal;

use super::{LOOP, TIMED_OUT, within};
use crate::builder::Test;
use crate::builder::process::Channel;

/// The shells that are there and can stand in for `/bin/sh`.
fn shells() -> Vec<&'static str> {
    let sandbox = crate::builder::sandbox::Sandbox::new();
    let stands_in = |shell: &&str| {
        let script = format!("mount --bind {shell} /bin/sh && exec /bin/sh -c :");
        std::path::Path::new(shell).exists()
            && sandbox.output("unshare", ["-rm", "sh", "-c", &script]).status.success()
    };
    ["/bin/dash", "/bin/bash", "/bin/busybox", "/bin/ksh", "/bin/zsh"]
        .into_iter()
        .filter(|shell| std::path::Path::new("/usr/bin/unshare").exists() && stands_in(shell))
        .collect()
}

/// cap sees this shell as `/bin/sh`.
fn under(shell: &str, test: Test) -> Test {
    let mount = format!("mount --bind {shell} /bin/sh && exec \"$0\" \"$@\"");
    test.before(&format!("exec unshare -rm sh -c '{mount}' \"$0\" \"$@\""))
}

#[test]
fn outcomes_are_the_same() {
    for shell in shells() {
        let run = |command: &str| under(shell, Test::command(command)).stderr_contains("");
        run("echo hi").stdout("hi\n").ok();
        run("exit 3").task_failed();
        run("no-such-command").automation_broken("command not found (exit 127)");
        let unparsable = run("echo 'unterminated");
        // Only exit 2 is doubted, and zsh exits 1: nothing tells that from a task that failed.
        if shell == "/bin/zsh" {
            unparsable.task_failed();
        } else {
            unparsable.automation_broken("syntax error");
        }
        run("sh -c 'kill -SEGV $$'").automation_broken("abnormal termination: ");
        run("kill -TERM $$").automation_broken("abnormal termination: killed by SIGTERM");
    }
}

#[test]
fn args_arrive_as_single_words() {
    let words = ["{a,b}", "~", "$(id)", "a b", "", "*", "!x", "'", "a\nb"];
    let expected = words.map(|word| format!("<{word}>\n")).concat();
    for shell in shells() {
        under(shell, Test::command("printf '<%s>\\n'").args(words)).stdout(&expected).ok();
    }
}

#[test]
fn timeouts_and_interrupts_leave_nothing() {
    for shell in shells() {
        under(shell, within(200, "sleep 1000 & setsid sleep 1000 & sleep 1000"))
            .automation_broken(TIMED_OUT);
        let job = format!("(trap 'echo job done; exit' TERM; echo ready; {LOOP}) & wait");
        let test = Test::command(&job).stdout("ready\njob done\n");
        // What runs in the place of cap at first becomes it by exec.
        let running = under(shell, test).start();
        running.wait_for_line(Channel::Stdout, "ready");
        running.signal(Signal::SIGINT);
        running.automation_broken("interrupted by SIGINT");
    }
}
