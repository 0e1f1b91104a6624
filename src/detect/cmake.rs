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
        all.filter(|it| text(it, "configurePreset") == name).collect()
    };
    let builds = of_preset("buildPresets");
    let Some(build) = only(&builds) else {
        survey.note(PRESETS, &format!("nothing says which build preset goes with \"{name}\""));
        return;
    };
    let cmake = pins::pinned(survey, "cmake");
    let line = format!(
        "cmake --preset {} && cmake --build --preset {}",
        quote(name),
        quote(text(build, "name"))
    );
    let mut commands = vec![(Operation::TypeCheck, line.clone()), (Operation::Build, line.clone())];
    if let Some(test) = only(&of_preset("testPresets")) {
        let test = format!("{line} && ctest --preset {}", quote(text(test, "name")));
        commands.push((Operation::Test, test));
    }
    let evidence = format!("preset \"{name}\" in {PRESETS}");
    let commands = commands.into_iter().map(|(operation, line)| (operation, line, &*evidence));
    survey.found_all(commands, PRESETS, &[&cmake]);
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
        let inherited = preset.get("inherits");
        let several = inherited.and_then(Value::as_array).into_iter().flatten();
        for parent in several.chain(inherited).filter_map(Value::as_str) {
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
