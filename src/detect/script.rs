//! What a line of shell in a project's own script says about itself, read without running it.

/// Why a script is no evidence that its operation can be run.
pub fn unfit(script: &str) -> Option<&'static str> {
    if does_nothing(script) {
        Some("it does nothing")
    } else if never_ends(script) {
        Some("it watches for changes, so it never ends")
    } else {
        None
    }
}

/// Whether it only talks, like the script that `npm init` puts in: a pass that says nothing.
fn does_nothing(script: &str) -> bool {
    script.split(['&', ';', '|', '\n']).all(|part| {
        let part = part.trim().trim_start_matches(['@', '-', '+']);
        let word = part.split_whitespace().next().unwrap_or_default();
        matches!(word, "" | "echo" | "printf" | "exit" | "true" | "false" | ":" | "@echo")
            || word.starts_with('#')
    })
}

fn never_ends(script: &str) -> bool {
    let words: Vec<&str> = script.split_whitespace().collect();
    let is_watch = |word: &&str| {
        matches!(
            *word,
            "--watch" | "--watchAll" | "--watch-all" | "--watch=true" | "watch" | "nodemon"
        )
    };
    let waits_for_browser =
        words.windows(2).any(|pair| pair == ["ng", "test"]) && !words.contains(&"--watch=false");
    words.iter().any(is_watch) || waits_for_browser
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
            "exit 0",
        ] {
            assert_eq!(unfit(script), Some("it does nothing"), "{script}");
        }
        for script in ["jest", "echo start && jest", "node --test", "set -e; make", "CI=1 jest"] {
            assert_eq!(unfit(script), None, "{script}");
        }
    }

    #[test]
    fn a_script_that_watches_never_ends() {
        for script in ["jest --watch", "vitest watch", "tsc --watch", "ng test", "nodemon a.js"] {
            assert!(unfit(script).is_some(), "{script}");
        }
        for script in ["jest --watch=false", "ng test --watch=false", "vitest", "ng lint"] {
            assert_eq!(unfit(script), None, "{script}");
        }
    }
}
