//! The targets of a Makefile, as far as they are sure to be there and to do something.

use std::collections::{BTreeMap, BTreeSet};

use super::super::survey::Survey;
use super::Steps;

/// In the order in which make looks for them.
const MAKEFILES: [&str; 3] = ["GNUmakefile", "makefile", "Makefile"];

/// What a Makefile says, without running it.
#[derive(Debug, Default, PartialEq, Eq)]
struct Makefile {
    targets: BTreeMap<String, Target>,
    phony: BTreeSet<String>,
}

/// What all rules for a target have together.
#[derive(Debug, Default, PartialEq, Eq)]
struct Target {
    /// What it depends on.
    prerequisites: Vec<String>,
    /// The lines of its recipe.
    recipe: String,
    /// None of its rules stands outside a condition.
    is_conditional: bool,
}

/// The targets that serve an operation by their name.
pub fn targets(survey: &mut Survey<'_>) {
    let Some(path) = survey.first_file(&MAKEFILES) else { return };
    let Some(text) = survey.text(path) else { return };
    let makefile = Makefile::parse(&text);
    super::add(survey, path, "target", None, |survey, name| {
        let target = makefile.targets.get(name)?;
        let may_be_a_file = survey.has(name) || makes(&target.recipe, name);
        let is_stale = may_be_a_file && !makefile.phony.contains(name);
        let why = if is_stale { Some(STALE) } else { makefile.unfit(target) };
        Some(why.map_or_else(|| Ok(format!("make {name}")), Err))
    });
}

/// Why a target that is also a file is left out: a pass of it would say nothing.
const STALE: &str =
    "a file of this name is there or made and it is not .PHONY, so make may call it up to date";

impl Target {
    fn steps(&self) -> Steps<'_> {
        Steps { script: &self.recipe, others: &self.prerequisites }
    }
}

impl Makefile {
    /// Why a target is no evidence: it may not be there, or neither it nor what it depends on does anything.
    fn unfit(&self, target: &Target) -> Option<&'static str> {
        if target.is_conditional {
            return Some("it is there under a condition only");
        }
        super::unfit(&target.steps(), |name| self.targets.get(name).map(Target::steps))
    }

    fn parse(text: &str) -> Self {
        let mut makefile = Self::default();
        let (mut conditions, mut in_define) = (0_usize, false);
        let mut current: Vec<String> = Vec::new();
        for line in logical_lines(text) {
            let word = line.split_whitespace().next().unwrap_or_default();
            if in_define {
                in_define = word != "endef";
            } else if let Some(recipe) = line.strip_prefix('\t') {
                makefile.add_recipe(&current, recipe);
            } else if matches!(word, "ifeq" | "ifneq" | "ifdef" | "ifndef") {
                conditions += 1;
            } else if word == "endif" {
                conditions = conditions.saturating_sub(1);
            } else if is_definition(&line) {
                in_define = true;
            } else if word != "else" && !word.is_empty() && !word.starts_with('#') {
                current = makefile.add_rule(&line, conditions > 0).unwrap_or_default();
            }
        }
        makefile
    }

    /// Adds the rule that a line begins, and tells its targets; none if the line is no rule.
    fn add_rule(&mut self, line: &str, is_conditional: bool) -> Option<Vec<String>> {
        let (rule, inline) = line.split_once(';').unwrap_or((line, ""));
        let rule = rule.split('#').next().unwrap_or_default();
        let (names, behind) = rule.split_once(':')?;
        let behind = behind.strip_prefix(':').unwrap_or(behind);
        // `a := b`, `a ::= b`, and `test: export A = b`, which only sets a variable.
        if names.contains('=') || behind.contains('=') {
            return None;
        }
        let prerequisites = behind.split('|').flat_map(str::split_whitespace);
        let names: Vec<String> = names.split_whitespace().map(str::to_owned).collect();
        if names == [".PHONY"] {
            self.phony.extend(prerequisites.map(str::to_owned));
            return Some(Vec::new());
        }
        let prerequisites: Vec<String> = prerequisites.map(str::to_owned).collect();
        for name in &names {
            let new = Target { is_conditional: true, ..Target::default() };
            let target = self.targets.entry(name.clone()).or_insert(new);
            target.prerequisites.extend(prerequisites.iter().cloned());
            target.is_conditional &= is_conditional;
        }
        self.add_recipe(&names, inline);
        Some(names)
    }

    fn add_recipe(&mut self, targets: &[String], line: &str) {
        for name in targets {
            if let Some(target) = self.targets.get_mut(name) {
                target.recipe.push_str(line);
                target.recipe.push('\n');
            }
        }
    }
}

/// Whether a line begins a variable of several lines, which may look like rules.
fn is_definition(line: &str) -> bool {
    let is_modifier = |word: &&str| matches!(*word, "override" | "export" | "private");
    line.split_whitespace().find(|word| !is_modifier(word)) == Some("define")
}

/// Whether a recipe makes a file of the target's name: it says `$@`, or names it as a path.
fn makes(recipe: &str, name: &str) -> bool {
    const MAKERS: [&str; 4] = ["mkdir", "touch", "cp", "ln"];
    let is_it = |word: &str| {
        word == name || word.strip_prefix(name).is_some_and(|rest| rest.starts_with('/'))
    };
    recipe.lines().any(|line| {
        let mut words = line.trim().trim_start_matches(['@', '-', '+']).split_whitespace();
        let program = words.next().unwrap_or_default();
        let is_made = MAKERS.contains(&program) && words.any(is_it);
        is_made || line.contains("$@") && !matches!(program, "echo" | "printf")
    })
}

/// The lines, each with those that a backslash at its end joins to it.
fn logical_lines(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut is_continued = false;
    for line in text.lines() {
        let (content, continues) = match line.strip_suffix('\\') {
            Some(content) => (content, true),
            None => (line, false),
        };
        match lines.last_mut().filter(|_| is_continued) {
            Some(last) => {
                last.push(' ');
                last.push_str(content.trim_start());
            }
            None => lines.push(content.to_owned()),
        }
        is_continued = continues;
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::super::super::survey::seen;
    use super::*;

    fn look(files: &[(&str, &str)]) -> (Vec<String>, Vec<String>) {
        seen(targets, files)
    }

    fn is_test_found(text: &str) -> bool {
        look(&[("Makefile", text)]).0.contains(&"make test".to_owned())
    }

    #[test]
    fn a_rule_that_does_something_is_a_target() {
        for text in [
            "test:\n\tgo test\n",
            "test: unit integration\n",
            "test : unit\n",
            "test::\n\tgo test",
            "test: ; go test",
            "lint test:\n\techo $@\n\tgo test\n",
            ".PHONY: all \\\n  test\ntest: \\\n  unit\n",
            "test: export A = 1\ntest:\n\tgo test",
            "ifdef A\nB = 1\nendif\ntest: # runs all\n\tgo test",
            "test:\n# why\n\n\tgo test",
            // make drops the CR of a line's end.
            ".PHONY: test \\\r\n  a\r\ntest:\r\n\tgo test\r\n",
        ] {
            assert!(is_test_found(text), "{text:?}");
        }
    }

    #[test]
    fn what_is_no_rule_or_does_nothing_is_none() {
        for text in [
            "test := a",
            "test ::= a",
            "test = a:b",
            "test: A = 1",
            "test: A := 1",
            ".PHONY: test",
            "test:\n",
            "test:\n\t@echo none\n",
            "%test:\n\tgo test",
            "$(NAME): a\n\tgo test",
            "tests:\n\tgo test",
            "#test:\n\tgo test",
            "test: unit\nunit:\n\t@echo none\n",
            "test: test\n",
            "test:\n\t-go test ./...\n",
            "define A\ntest:\n\tgo test\nendef\n",
            "override export define A =\ntest:\n\tgo test\nendef\n",
            "ifdef CI\ntest:\n\tgo test\nendif\n",
            "a:\n\ttest: b",
            "",
        ] {
            assert!(!is_test_found(text), "{text:?}");
        }
    }

    #[test]
    fn a_target_that_makes_a_file_of_its_name_must_be_phony() {
        for text in ["build:\n\tmkdir -p build\n\tcc a.c", "build: a.c\n\tcc -o $@ a.c"] {
            assert_eq!(look(&[("Makefile", text)]).0, [""; 0], "{text:?}");
            let text = format!(".PHONY: build\n{text}");
            assert_eq!(look(&[("Makefile", &text)]).0, ["make build"], "{text:?}");
        }
    }

    #[test]
    fn many_ways_to_one_prerequisite_take_no_time() {
        let rule = |layer: usize, n: usize| {
            let names: Vec<String> = (0..20).map(|n| format!("t{}_{n}", layer + 1)).collect();
            format!("t{layer}_{n}: {}\n", names.join(" "))
        };
        let rules: String =
            (0..20).flat_map(|layer| (0..20).map(move |n| rule(layer, n))).collect();
        let empty = |n: usize| format!("t20_{n}:\n");
        let last: String = (0..20).map(empty).collect();
        assert!(!is_test_found(&format!("test: t0_0\n{rules}{last}")));
    }

    #[test]
    fn a_target_that_is_also_a_file_must_be_phony() {
        let (found, notes) = look(&[("Makefile", "test:\n\tgo test"), ("test/a", "")]);
        assert_eq!(found, [""; 0]);
        assert!(notes[0].contains("not .PHONY"), "{notes:?}");
        let text = ".PHONY: test\ntest:\n\tgo test";
        assert_eq!(look(&[("Makefile", text), ("test/a", "")]).0.len(), 1);
    }

    #[test]
    fn make_s_own_order_of_names_holds() {
        let files = [("Makefile", "test:\n\ta"), ("GNUmakefile", "lint:\n\ta")];
        assert_eq!(look(&files).0, ["make lint"]);
    }
}
