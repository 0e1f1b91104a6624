//! What a script in a project's own tasks says about itself, read without running it, a line at a time.

/// Why a script that never ends is no evidence.
pub const ENDLESS: &str = "it watches for changes, so it never ends";

/// Why a script is no evidence that its operation can be run: a pass of it would say nothing.
pub fn unfit(script: &str) -> Option<&'static str> {
    let mut lines = script.lines().map(str::trim).filter(|line| does_something(line)).peekable();
    if lines.peek().is_none() {
        Some("it does nothing")
    } else if lines.clone().any(never_ends) {
        Some(ENDLESS)
    } else if !script.contains("set -e") && lines.all(never_fails) {
        Some("it never fails, whatever its command does")
    } else {
        None
    }
}

/// Whether a script only fails, as the one does that `npm init` puts in.
pub fn only_fails(script: &str) -> bool {
    let is_failure = |part: &str| {
        let code = part.strip_prefix("exit").map(str::trim);
        part == "false" || code.is_some_and(|code| !matches!(code, "" | "0"))
    };
    let does_something = script.lines().any(does_something);
    !does_something && script.lines().flat_map(parts).any(|(_, part)| is_failure(part))
}

/// Whether a line does more than talk, like the script that `npm init` puts in.
fn does_something(line: &str) -> bool {
    parts(line).into_iter().any(|(_, part)| !is_talk(without_marks(part)))
}

/// The commands of a line, each behind the operator that joins it to the one before.
pub fn parts(line: &str) -> Vec<(&str, &str)> {
    let (mut parts, mut operator, mut start) = (Vec::new(), "", 0);
    let (mut quote, mut at) = (None, 0);
    while let Some(c) = line[at..].chars().next() {
        let next = at + c.len_utf8();
        match (quote, c) {
            (None, '\'' | '"') => quote = Some(c),
            (Some(open), _) if open == c => quote = None,
            // `>&2`, `&>log`
            (None, '&') if line[..at].ends_with(['>', '<']) || line[next..].starts_with('>') => {}
            (None, '&' | ';' | '|') => {
                let length = if line[next..].starts_with(c) { 2 } else { 1 };
                parts.push((operator, line[start..at].trim()));
                (operator, start) = (&line[at..at + length], at + length);
                at = start;
                continue;
            }
            _ => {}
        }
        at = next;
    }
    parts.push((operator, line[start..].trim()));
    parts
}

/// A part that only talks, and never fails but for `exit` and `false`.
fn is_talk(part: &str) -> bool {
    let word = part.split_whitespace().next().unwrap_or_default();
    matches!(word, "" | "echo" | "printf" | "exit" | "true" | "false" | ":")
        || word.starts_with('#')
}

/// Without what make and just put in front of a line: `@` for silence, `-` for failures that don't count.
fn without_marks(line: &str) -> &str {
    line.trim().trim_start_matches(['@', '-', '+'])
}

/// Whether a line ends well whatever happens in it: `jest || true`, `jest; echo done`, `jest | tee log`, or
/// `-jest` in a recipe.
fn never_fails(line: &str) -> bool {
    let marks = line.trim_start().find(|c| !"@-+".contains(c)).unwrap_or_default();
    if line.trim_start()[..marks].contains('-') {
        return true;
    }
    let parts = parts(line);
    let Some((operator, last)) = parts.last() else { return false };
    let is_kind = is_talk(last) && !matches!(*last, "" | "false") && {
        let code = last.strip_prefix("exit").map(str::trim);
        code.is_none_or(|code| code == "0")
    };
    match *operator {
        "||" | ";" => is_kind,
        "|" => (*last == "cat" || last.starts_with("tee ")) && !line.contains("pipefail"),
        _ => false,
    }
}

fn never_ends(line: &str) -> bool {
    parts(line).into_iter().any(|(_, part)| watches(part))
}

/// Whether a command waits for changes, or for somebody to close its window.
fn watches(command: &str) -> bool {
    const WATCHES: [&str; 8] = [
        "--watch",
        "--watchAll",
        "--watch-all",
        "--watch=true",
        "watch",
        "nodemon",
        "tsc-watch",
        "--ui",
    ];
    /// Programs that know `-w` as `--watch`; elsewhere it is `--write`, or a width.
    const SHORT: [&str; 8] =
        ["tsc", "vue-tsc", "jest", "vitest", "mocha", "webpack", "rollup", "esbuild"];
    let words: Vec<&str> = command.split_whitespace().collect();
    let has = |word: &str| words.contains(&word);
    let has_pair = |first: &str, second: &str| words.windows(2).any(|it| it == [first, second]);
    if has_pair("--watch", "false") || has("--watch=false") || has("--no-watch") {
        return false;
    }
    // Both wait for changes unless they are told not to.
    let ends_once = ["--single-run", "--singleRun", "--single-run=true"].into_iter().any(has);
    words.iter().any(|word| WATCHES.contains(word))
        || has("-w") && words.iter().any(|word| SHORT.contains(word))
        || has_pair("ng", "test")
        || has_pair("karma", "start") && !ends_once
        || has_pair("cypress", "open")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_that_only_talks_does_nothing() {
        for script in [
            "",
            "  ",
            "echo \"Error: no test specified\" && exit 1",
            "echo none; exit 0",
            "true",
            "# later",
            "@echo none",
            "-@echo none\n# more",
            "exit 0",
            "echo \"no tests; write some | run them\" && exit 1",
            "echo 'none & \"nothing\"'",
            "echo none >&2; exit 1",
        ] {
            assert_eq!(unfit(script), Some("it does nothing"), "{script}");
        }
    }

    #[test]
    fn a_placeholder_that_fails_only_fails() {
        assert!(only_fails("echo \"Error: no test specified\" && exit 1"));
        for script in ["echo none", "exit 0", "jest || exit 1", "", "exit"] {
            assert!(!only_fails(script), "{script}");
        }
    }

    #[test]
    fn a_script_that_watches_never_ends() {
        for script in [
            "jest --watch",
            "vitest watch",
            "tsc --watch",
            "tsc -p . -w",
            "ng test",
            "karma start",
            "lint && cypress open",
            "nodemon a.js",
        ] {
            assert_eq!(unfit(script), Some(ENDLESS), "{script}");
        }
    }

    #[test]
    fn a_script_whose_failures_are_swallowed_never_fails() {
        for script in [
            "eslint . || true",
            "jest || echo failed",
            "jest ; exit 0",
            "jest; echo done",
            "pytest || :",
            "jest | tee log",
            "-pytest",
            "@-pytest\n\techo done",
        ] {
            assert_eq!(
                unfit(script),
                Some("it never fails, whatever its command does"),
                "{script}"
            );
        }
    }

    #[test]
    fn any_other_script_is_fit() {
        for script in [
            "jest",
            "echo start && jest",
            "node --test",
            "set -e; jest; echo done",
            "CI=1 jest",
            "jest --watch=false",
            "ng test --watch=false",
            "ng test --no-watch --browsers=ChromeHeadless",
            "ng test --watch false",
            "karma start --single-run",
            "prettier -w .",
            "jest || echo failed && exit 1",
            "jest -t 'a; echo b'",
            "vitest",
            "jest || exit 1",
            "jest || (echo failed; exit 1)",
            "jest || { echo failed; exit 1; }",
            "jest || exit",
            "jest; echo done\npytest",
            "-rm log\n\tpytest",
            "set -o pipefail; jest | tee log",
            "cat list | jest",
        ] {
            assert_eq!(unfit(script), None, "{script}");
        }
    }
}
