//! Gradle: the tasks that its plugins for Java and its kin bring.

use super::survey::{Survey, join};
use super::{Operation, pins};

const SETTINGS: [&str; 2] = ["settings.gradle.kts", "settings.gradle"];
const BUILDS: [&str; 2] = ["build.gradle.kts", "build.gradle"];
const WRAPPER: &str = "gradlew";

/// The words by which a line that applies plugins tells that `test`, `testClasses` and `assemble` are there.
const PLUGINS: [&str; 5] = ["java", "kotlin", "groovy", "scala", "application"];

/// The words of plugins whose tasks are called otherwise.
const OTHERS: [&str; 2] = ["platform", "js"];

/// The word of the plugin whose tests are run by a task for each target.
const MULTIPLATFORM: &str = "multiplatform";

/// The word of Android's plugins, which bring no `testClasses`, and build a variant at a time.
const ANDROID: &str = "android";

/// What a line that applies a plugin tells of the tasks that are there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Plugin {
    // The more of them, the lower.
    /// `test`, `testClasses` and `assemble`.
    Java,
    /// `test`, `lint` and `assembleDebug`.
    Android,
    /// `assemble`.
    Multiplatform,
}

/// Gradle's tasks, through the project's own wrapper if there is one.
pub fn commands(survey: &mut Survey<'_>) {
    let build = survey.first_file(&BUILDS);
    let Some(top) = build.or_else(|| survey.first_file(&SETTINGS)) else { return };
    let Some((plugin, evidence)) = plugin(survey) else {
        survey.note(top, "no plugin for Java or its kin shows, so its tasks are not known");
        return;
    };
    let gradle = survey.wrapper(WRAPPER).unwrap_or_else(|| "gradle".to_owned());
    let java = pins::pinned(survey, "java");
    let pinned = if gradle == "gradle" { pins::pinned(survey, "gradle") } else { None };
    let tasks: &[(Operation, &str)] = match plugin {
        Plugin::Java => &[
            (Operation::Test, "test"),
            (Operation::TypeCheck, "testClasses"),
            (Operation::Build, "assemble"),
        ],
        Plugin::Android => &[
            (Operation::Test, "test"),
            (Operation::Lint, "lint"),
            (Operation::TypeCheck, "assembleDebug"),
            (Operation::Build, "assembleDebug"),
        ],
        Plugin::Multiplatform => {
            survey.note(&evidence, "tests: each target of Kotlin has a task of its own");
            &[(Operation::TypeCheck, "assemble"), (Operation::Build, "assemble")]
        }
    };
    let commands =
        tasks.iter().map(|(operation, task)| (*operation, format!("{gradle} {task}"), &*evidence));
    survey.found_all(commands, top, &[&java, &pinned]);
}

/// The plugin that tells which tasks are there, and the build file that applies it: the project's own, or that of
/// a project which the settings include. Where several differ, the one that brings the fewest tasks counts.
fn plugin(survey: &mut Survey<'_>) -> Option<(Plugin, String)> {
    let mut directories = vec![String::new()];
    if let Some(path) = survey.first_file(&SETTINGS) {
        directories.extend(included(&survey.text(path).unwrap_or_default()));
    }
    let mut applied = Vec::new();
    for path in directories.iter().flat_map(|directory| BUILDS.map(|name| join(directory, name))) {
        let text = survey.text(&path).unwrap_or_default();
        applied
            .extend(text.lines().filter_map(applied_plugin).map(|plugin| (plugin, path.clone())));
    }
    // The first of the greatest.
    applied.into_iter().rev().max_by_key(|(plugin, _)| *plugin)
}

/// The plugin that a line applies, if it is an `id("…")`, a `kotlin("…")`, an `alias(…)`, an `apply plugin:`, or a
/// core plugin in backquotes or by itself.
fn applied_plugin(line: &str) -> Option<Plugin> {
    let line = line.trim();
    let line = line.strip_prefix("plugins {").unwrap_or(line).trim_start();
    let is_plugin_line = ["id ", "id(", "kotlin(", "alias(", "apply ", "apply(", "`"]
        .iter()
        .any(|start| line.starts_with(start))
        || PLUGINS.contains(&line);
    let words: Vec<&str> = line.split(|c: char| !c.is_alphanumeric()).collect();
    if !is_plugin_line
        || line.contains("apply false")
        || OTHERS.iter().any(|other| words.contains(other))
    {
        None
    } else if words.contains(&MULTIPLATFORM) {
        Some(Plugin::Multiplatform)
    } else if words.contains(&ANDROID) {
        Some(Plugin::Android)
    } else {
        words.iter().any(|word| PLUGINS.contains(word) || *word == "jvm").then_some(Plugin::Java)
    }
}

/// The directories of the projects in `include("a", ":b:c")`, which may take several lines.
fn included(settings: &str) -> Vec<String> {
    let mut directories = Vec::new();
    let mut is_in_list = false;
    for line in settings.lines().map(|line| line.split("//").next().unwrap_or_default().trim()) {
        let start =
            line.strip_prefix("include").filter(|rest| rest.starts_with(['(', ' ', '"', '\'']));
        is_in_list = start.is_some() || is_in_list && line.starts_with(['"', '\'', ':', ')', ',']);
        let list = start.unwrap_or(if is_in_list { line } else { "" });
        let paths = list.split(['"', '\'']).skip(1).step_by(2);
        directories.extend(paths.map(|path| path.trim_start_matches(':').replace(':', "/")));
    }
    directories.retain(|path| !path.split('/').any(|name| matches!(name, "" | "..")));
    directories
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_applies_a_plugin_tells_which_tasks_are_there() {
        for line in [
            "    java",
            "`java-library`",
            "id 'java'",
            "plugins { id 'java' }",
            "id(\"application\")",
            "kotlin(\"jvm\") version \"2.0.0\"",
            "alias(libs.plugins.kotlin.jvm)",
            "apply plugin: 'groovy'",
            "id 'myproject.java-conventions'",
            "id(\"org.jetbrains.kotlin.jvm\")",
        ] {
            assert_eq!(applied_plugin(line), Some(Plugin::Java), "{line}");
        }
        for line in [
            "id(\"com.android.application\")",
            "id 'com.android.library' version '8.5.0'",
            "alias(libs.plugins.kotlin.android)",
            "apply plugin: 'com.android.application'",
        ] {
            assert_eq!(applied_plugin(line), Some(Plugin::Android), "{line}");
        }
        for line in ["kotlin(\"multiplatform\")", "alias(libs.plugins.kotlin.multiplatform)"] {
            assert_eq!(applied_plugin(line), Some(Plugin::Multiplatform), "{line}");
        }
        for line in [
            "id 'base'",
            "// java",
            "`java-platform`",
            "kotlin(\"jvm\") version \"2.0.0\" apply false",
            "implementation 'a:java:1'",
            "javaVersion = 17",
            "alias(libs.plugins.android.application) apply false",
        ] {
            assert_eq!(applied_plugin(line), None, "{line}");
        }
    }

    #[test]
    fn an_included_project_is_a_directory() {
        let settings = "rootProject.name = 'x'\ninclude('app', ':lib:core')\ninclude \"web\"\ninclude '..:a'\n";
        assert_eq!(included(settings), ["app", "lib/core", "web"]);
        let several = "include(\n    \"app\", // the program\n    \":core\",\n)\ninclude 'a',\n    'b'\n\nname = 'c'\n";
        assert_eq!(included(several), ["app", "core", "a", "b"]);
        assert_eq!(included("includeBuild(\"build-logic\")\n// include 'x'\n"), [""; 0]);
    }
}
