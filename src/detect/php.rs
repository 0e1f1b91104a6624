//! PHP: the scripts of `composer.json`, and the tools that composer installs.

use serde_json::{Map, Value};

use super::range::{Dialect, requirement};
use super::survey::Survey;
use super::{Operation, pins, script, tasks};
use crate::exec::shell::quote;
use crate::manifest::version::Requirement;

const PACKAGE: &str = "composer.json";
const LOCK: &str = "composer.lock";

/// A tool for an operation: its package, its program with its words, and what configures it.
struct Tool {
    operation: Operation,
    package: &'static str,
    program: &'static str,
    words: &'static str,
    files: &'static [&'static str],
    /// Without this in its file, the tool doesn't know what to look at.
    holding: &'static str,
}

const PHPUNIT: &[&str] = &["phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml"];

const fn tool(
    operation: Operation,
    package: &'static str,
    (program, words): (&'static str, &'static str),
    files: &'static [&'static str],
    holding: &'static str,
) -> Tool {
    Tool { operation, package, program, words, files, holding }
}

const TOOLS: [Tool; 6] = [
    tool(Operation::Test, "pestphp/pest", ("pest", ""), PHPUNIT, "<testsuite"),
    tool(Operation::Test, "phpunit/phpunit", ("phpunit", ""), PHPUNIT, "<testsuite"),
    tool(
        Operation::Lint,
        "squizlabs/php_codesniffer",
        ("phpcs", ""),
        &[".phpcs.xml", "phpcs.xml", ".phpcs.xml.dist", "phpcs.xml.dist"],
        "<file>",
    ),
    tool(
        Operation::Lint,
        "friendsofphp/php-cs-fixer",
        ("php-cs-fixer", " fix --dry-run --diff"),
        &[".php-cs-fixer.php", ".php-cs-fixer.dist.php"],
        "",
    ),
    tool(
        Operation::TypeCheck,
        "phpstan/phpstan",
        ("phpstan", " analyse"),
        &["phpstan.neon", "phpstan.neon.dist", "phpstan.dist.neon"],
        "paths:",
    ),
    tool(
        Operation::TypeCheck,
        "vimeo/psalm",
        ("psalm", ""),
        &["psalm.xml", "psalm.xml.dist"],
        "<projectFiles>",
    ),
];

/// The scripts that serve an operation by their name.
pub fn scripts(survey: &mut Survey<'_>) {
    let Some((package, php)) = package(survey) else { return };
    tasks::add(survey, PACKAGE, "script", php.as_ref(), |_, name| {
        let script = package.get("scripts")?.get(name)?;
        let command = || Ok(format!("composer run-script {name} --"));
        Some(script::unfit(&lines(script)).map_or_else(command, Err))
    });
}

/// composer's install, and the tools that are required and configured.
pub fn commands(survey: &mut Survey<'_>) {
    let Some((package, php)) = package(survey) else { return };
    let evidence = if survey.has_file(LOCK) { LOCK } else { PACKAGE };
    survey
        .found(Operation::Install, "composer install --no-interaction", evidence)
        .needs_file(PACKAGE)
        .needs(php.clone())
        .add();
    let text = |key: &str, name: &str| package.get(key)?.get(name)?.as_str();
    let vendor = text("config", "vendor-dir").unwrap_or("vendor").trim_end_matches('/');
    let bin = format!("{vendor}/bin");
    let bin = text("config", "bin-dir").unwrap_or(&bin).trim_end_matches('/');
    for tool in &TOOLS {
        let is_required =
            ["require", "require-dev"].iter().any(|key| text(key, tool.package).is_some());
        let Some(file) = survey.first_file(tool.files).filter(|_| is_required) else { continue };
        if !survey.text(file).is_some_and(|text| text.contains(tool.holding)) {
            let why = format!("{}: nothing says which files it looks at", tool.program);
            survey.note(file, &why);
            continue;
        }
        let program = format!("{bin}/{}", tool.program);
        survey
            .found(tool.operation, format!("{}{}", quote(&program), tool.words), file)
            .needs_file(PACKAGE)
            .needs(php.clone())
            .add();
    }
}

/// The package's description, and the PHP that it asks for.
fn package(survey: &mut Survey<'_>) -> Option<(Map<String, Value>, Option<Requirement>)> {
    let package = survey.json(PACKAGE)?;
    let stated = package.get("require").and_then(|required| required.get("php")?.as_str());
    let php = match stated {
        Some(range) => requirement("php", range, Dialect::Pessimistic),
        None => pins::pinned(survey, "php"),
    };
    Some((package, php))
}

fn lines(script: &Value) -> String {
    let single = std::slice::from_ref(script);
    let commands = script.as_array().map_or(single, Vec::as_slice);
    commands.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("\n")
}
