//! Gradle: the tasks that its plugins for Java and its kin bring.

use super::survey::{Survey, join};
use super::{Operation, pins};

const SETTINGS: [&str; 2] = ["settings.gradle.kts", "settings.gradle"];
const BUILDS: [&str; 2] = ["build.gradle.kts", "build.gradle"];
const WRAPPER: &str = "gradlew";

/// The words by which a line that applies plugins tells that `test`, `testClasses` and `assemble` are there.
const PLUGINS: [&str; 5] = ["java", "kotlin", "groovy", "scala", "application"];

/// The words of plugins whose tasks are called otherwise.
const OTHERS: [&str; 4] = ["android", "multiplatform", "platform", "js"];

/// Gradle's tasks, through the project's own wrapper if there is one.
pub fn commands(survey: &mut Survey<'_>) {
    let build = survey.first_file(&BUILDS);
    let Some(top) = build.or_else(|| survey.first_file(&SETTINGS)) else { return };
    let Some(evidence) = with_plugin(survey) else {
        survey.note(top, "no plugin for Java or its kin shows, so its tasks are not known");
        return;
    };
    let gradle = survey.wrapper(WRAPPER).unwrap_or_else(|| "gradle".to_owned());
    let java = pins::pinned(survey, "java");
    let pinned = if gradle == "gradle" { pins::pinned(survey, "gradle") } else { None };
    let tasks = [
        (Operation::Test, "test"),
        (Operation::TypeCheck, "testClasses"),
        (Operation::Build, "assemble"),
    ];
    let commands =
        tasks.map(|(operation, task)| (operation, format!("{gradle} {task}"), &*evidence));
    survey.found_all(commands, top, &[&java, &pinned]);
}

/// The build file that applies such a plugin: the project's own, or that of a project which the settings
/// include.
fn with_plugin(survey: &mut Survey<'_>) -> Option<String> {
    let mut directories = vec![String::new()];
    if let Some(path) = survey.first_file(&SETTINGS) {
        directories.extend(included(&survey.text(path).unwrap_or_default()));
    }
    directories.iter().flat_map(|directory| BUILDS.map(|name| join(directory, name))).find(|path| {
        survey.has_file(path)
            && survey.text(path).is_some_and(|text| text.lines().any(applies_plugin))
    })
}

/// Whether a line is an `id("…")`, a `kotlin("…")`, an `alias(…)`, an `apply plugin:`, or a core plugin in
/// backquotes or by itself, and about one of the plugins.
fn applies_plugin(line: &str) -> bool {
    let line = line.trim();
    let is_plugin_line = ["id ", "id(", "kotlin(", "alias(", "apply ", "apply(", "`"]
        .iter()
        .any(|start| line.starts_with(start))
        || PLUGINS.contains(&line);
    let words = || line.split(|c: char| !c.is_alphanumeric());
    is_plugin_line
        && !line.contains("apply false")
        && !words().any(|word| OTHERS.contains(&word))
        && words().any(|word| PLUGINS.contains(&word) || word == "jvm")
}

/// The directories of the projects in `include("a", ":b:c")`.
fn included(settings: &str) -> Vec<String> {
    let lines = settings.lines().map(str::trim).filter(|line| line.starts_with("include"));
    let in_quotes = lines.flat_map(|line| line.split(['"', '\'']).skip(1).step_by(2));
    let paths = in_quotes.map(|path| path.trim_start_matches(':').replace(':', "/"));
    paths.filter(|path| !path.split('/').any(|name| matches!(name, "" | ".."))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_applies_a_plugin_for_java_or_its_kin_is_known() {
        for line in [
            "    java",
            "`java-library`",
            "id 'java'",
            "id(\"application\")",
            "kotlin(\"jvm\") version \"2.0.0\"",
            "alias(libs.plugins.kotlin.jvm)",
            "apply plugin: 'groovy'",
            "id 'myproject.java-conventions'",
            "id(\"org.jetbrains.kotlin.jvm\")",
        ] {
            assert!(applies_plugin(line), "{line}");
        }
        for line in [
            "id 'base'",
            "id(\"com.android.application\")",
            "// java",
            "kotlin(\"multiplatform\") version \"2.0.0\"",
            "`java-platform`",
            "kotlin(\"jvm\") version \"2.0.0\" apply false",
            "implementation 'a:java:1'",
            "javaVersion = 17",
            "alias(libs.plugins.android.application) apply false",
        ] {
            assert!(!applies_plugin(line), "{line}");
        }
    }

    #[test]
    fn an_included_project_is_a_directory() {
        let settings = "rootProject.name = 'x'\ninclude('app', ':lib:core')\ninclude \"web\"\ninclude '..:a'\n";
        assert_eq!(included(settings), ["app", "lib/core", "web"]);
    }
}
