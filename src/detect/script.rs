//! What a script in a project's own tasks says about itself, read without running it, a line at a time.

/// Why a script is no evidence that its operation can be run: a pass of it would say nothing.
pub fn unfit(script: &str) -> Option<&'static str> {
    let mut lines = script.lines().map(str::trim).filter(|line| does_something(line)).peekable();
    if lines.peek().is_none() {
        Some("it does nothing")
    } else if lines.clone().any(never_ends) {
        Some("it watches for changes, so it never ends")
    } else if !script.contains("set -e") && lines.all(never_fails) {
        Some("it never fails, whatever its command does")
    } else {
        None
    }
}

/// Whether a line does more than talk, like the script that `npm init` puts in.
fn does_something(line: &str) -> bool {
    line.split(['&', ';', '|']).any(|part| !is_talk(without_marks(part)))
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
    let last = |operator: &str| line.rsplit_once(operator).map(|(_, last)| last.trim());
    let is_kind = |part: &str| {
        is_talk(part) && !matches!(part, "" | "false") && {
            let code = part.strip_prefix("exit").map(str::trim);
            code.is_none_or(|code| code == "0")
        }
    };
    let is_swallowed = ["||", ";"].iter().any(|operator| last(operator).is_some_and(is_kind));
    let is_piped = last("|").is_some_and(|part| part == "cat" || part.starts_with("tee "));
    is_swallowed || is_piped && !line.contains("pipefail")
}

fn never_ends(line: &str) -> bool {
    const WATCHES: [&str; 6] =
        ["--watch", "--watchAll", "--watch-all", "--watch=true", "watch", "nodemon"];
    let words: Vec<&str> = line.split_whitespace().collect();
    let waits_for_browser =
        words.windows(2).any(|pair| pair == ["ng", "test"]) && !words.contains(&"--watch=false");
    words.iter().any(|word| WATCHES.contains(word)) || waits_for_browser
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
        ] {
            assert_eq!(unfit(script), Some("it does nothing"), "{script}");
        }
    }

    #[test]
    fn a_script_that_watches_never_ends() {
        for script in ["jest --watch", "vitest watch", "tsc --watch", "ng test", "nodemon a.js"] {
            assert_eq!(unfit(script), Some("it watches for changes, so it never ends"), "{script}");
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
