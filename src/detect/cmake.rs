//! `CMake`: the presets that a project offers.

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
        if !configure.is_empty() {
            survey.note(PRESETS, "it offers several presets, and none is called \"default\"");
        }
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
    let presets = file.get(kind).and_then(Value::as_array).into_iter().flatten();
    presets
        .filter(|preset| preset.get("hidden") != Some(&Value::Bool(true)))
        .filter(|preset| !text(preset, "name").is_empty())
        .collect()
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
