//! `CMake`: the presets that a project offers.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::survey::Survey;
use super::{Operation, pins};
use crate::exec::shell::quote;

const PRESETS: &str = "CMakePresets.json";

/// Configuring and building with the project's preset, and its tests.
pub fn commands(survey: &mut Survey<'_>) {
    let Some(file) = survey.json(PRESETS) else { return };
    let file = Value::Object(file);
    let configure = offered(&file, "configurePresets");
    let Some(preset) = only(&configure) else {
        survey.note(PRESETS, "no preset is the only one for every system, and none is \"default\"");
        return;
    };
    let name = text(preset, "name");
    let of_preset = |kind| -> Vec<&Value> {
        let all = offered(&file, kind).into_iter();
        all.filter(|it| inherited(&file, kind, it, "configurePreset") == Some(name)).collect()
    };
    let builds = of_preset("buildPresets");
    let directory = inherited(&file, "configurePresets", preset, "binaryDir");
    let directory = directory.and_then(|directory| below_source(directory, name));
    let build = match (only(&builds), &directory) {
        (Some(build), _) => format!("--preset {}", quote(text(build, "name"))),
        (None, Some(directory)) if builds.is_empty() => quote(directory).into_owned(),
        (None, _) => {
            let why = format!("nothing says which build preset goes with \"{name}\"");
            survey.note(PRESETS, &why);
            return;
        }
    };
    let test = match (only(&of_preset("testPresets")), directory) {
        (Some(test), _) => Some(format!("--preset {}", quote(text(test, "name")))),
        (None, Some(directory)) if enables_tests(survey) => {
            Some(format!("--test-dir {}", quote(&directory)))
        }
        (None, _) => None,
    };
    let cmake = pins::pinned(survey, "cmake");
    let line = format!("cmake --preset {} && cmake --build {build}", quote(name));
    let test = test.map(|test| (Operation::Test, format!("{line} && ctest {test}")));
    let commands = [(Operation::TypeCheck, line.clone()), (Operation::Build, line)];
    let evidence = format!("preset \"{name}\" in {PRESETS}");
    let commands =
        commands.into_iter().chain(test).map(|(operation, line)| (operation, line, &*evidence));
    survey.found_all(commands, PRESETS, &[&cmake]);
}

/// Whether the project has tests for ctest.
fn enables_tests(survey: &mut Survey<'_>) -> bool {
    let text = survey.text("CMakeLists.txt").unwrap_or_default();
    let calls = ["enable_testing(", "include(CTest)"];
    text.lines().any(|line| calls.iter().any(|call| line.trim_start().starts_with(call)))
}

/// A directory below that of the project, without what `CMake` fills in.
fn below_source(directory: &str, preset: &str) -> Option<String> {
    let directory = directory.strip_prefix("${sourceDir}/").unwrap_or(directory);
    let directory = directory.replace("${presetName}", preset);
    let is_known = !directory.is_empty() && !directory.contains('$');
    is_known.then_some(directory)
}

/// What a preset says under a key, else one that it inherits from, the nearest first.
fn inherited<'a>(file: &'a Value, kind: &str, preset: &'a Value, key: &str) -> Option<&'a str> {
    let all = file.get(kind).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let (mut left, mut seen) = (vec![preset], HashSet::new());
    while let Some(preset) = left.pop() {
        if let Some(value) = preset.get(key) {
            return value.as_str();
        }
        if seen.insert(text(preset, "name")) {
            let parents = parents(preset).into_iter().rev();
            left.extend(parents.filter_map(|name| all.iter().find(|it| text(it, "name") == name)));
        }
    }
    None
}

/// The names of the presets that one inherits from, the first of which counts most.
fn parents(preset: &Value) -> Vec<&str> {
    let inherits = preset.get("inherits");
    let several = inherits.and_then(Value::as_array).into_iter().flatten();
    several.chain(inherits).filter_map(Value::as_str).collect()
}

/// The presets of a kind that may be used by name.
fn offered<'a>(file: &'a Value, kind: &str) -> Vec<&'a Value> {
    let presets = file.get(kind).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    // Those are there on some systems only.
    let conditional = with_condition(presets);
    presets
        .iter()
        .filter(|preset| preset.get("hidden") != Some(&Value::Bool(true)))
        .filter(|preset| !conditional.contains(text(preset, "name")))
        .filter(|preset| !text(preset, "name").is_empty())
        .collect()
}

/// The names of the presets that have a condition, or inherit one.
fn with_condition(presets: &[Value]) -> HashSet<&str> {
    let mut heirs: HashMap<&str, Vec<&str>> = HashMap::new();
    for preset in presets {
        for parent in parents(preset) {
            heirs.entry(parent).or_default().push(text(preset, "name"));
        }
    }
    let own = presets.iter().filter(|preset| preset.get("condition").is_some());
    let mut left: Vec<&str> = own.map(|preset| text(preset, "name")).collect();
    let mut found = HashSet::new();
    while let Some(name) = left.pop() {
        if found.insert(name) {
            left.extend(heirs.get(name).into_iter().flatten());
        }
    }
    found
}

/// The only one, or the one called `default`.
fn only<'a>(presets: &[&'a Value]) -> Option<&'a Value> {
    match presets {
        [preset] => Some(preset),
        many => many.iter().copied().find(|preset| text(preset, "name") == "default"),
    }
}

fn text<'a>(preset: &'a Value, key: &str) -> &'a str {
    preset.get(key).and_then(Value::as_str).unwrap_or_default()
}
