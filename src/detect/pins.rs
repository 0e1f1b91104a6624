//! The tool versions that a project pins for a version manager.

use toml::Table;

use super::range::{self, Pin};
use super::survey::Survey;
use crate::manifest::version::Requirement;

/// Where mise's settings may be, in the order in which they count.
const MISE: [&str; 6] = [
    "mise.toml",
    ".mise.toml",
    "mise/config.toml",
    ".mise/config.toml",
    ".config/mise.toml",
    ".config/mise/config.toml",
];

/// A tool with the names and files that version managers know it by.
struct Tool {
    /// The program that runs.
    program: &'static str,
    /// Its names in `.tool-versions` and `mise.toml`.
    names: &'static [&'static str],
    /// Files that hold nothing but its version.
    files: &'static [&'static str],
    /// How much of the version must be the same.
    pin: Pin,
}

const TOOLS: [Tool; 19] = [
    tool("node", &["nodejs", "node"], &[".nvmrc", ".node-version"], Pin::Major),
    tool("python3", &["python"], &[".python-version"], Pin::Minor),
    tool("ruby", &["ruby"], &[".ruby-version"], Pin::Minor),
    tool("go", &["golang", "go"], &[".go-version"], Pin::Major),
    tool("java", &["java"], &[".java-version"], Pin::Major),
    tool("cargo", &["rust"], &[], Pin::Major),
    tool("elixir", &["elixir"], &[], Pin::Major),
    tool("php", &["php"], &[".php-version"], Pin::Major),
    tool("deno", &["deno"], &[".dvmrc"], Pin::Major),
    tool("bun", &["bun"], &[".bun-version"], Pin::Major),
    tool("pnpm", &["pnpm"], &[], Pin::Major),
    tool("yarn", &["yarn"], &[], Pin::Major),
    tool("uv", &["uv"], &[], Pin::Major),
    tool("poetry", &["poetry"], &[], Pin::Major),
    tool("mvn", &["maven"], &[], Pin::Major),
    tool("gradle", &["gradle"], &[], Pin::Major),
    tool("cmake", &["cmake"], &[], Pin::Major),
    tool("just", &["just"], &[], Pin::Major),
    tool("task", &["task"], &[], Pin::Major),
];

const fn tool(
    program: &'static str,
    names: &'static [&'static str],
    files: &'static [&'static str],
    pin: Pin,
) -> Tool {
    Tool { program, names, files, pin }
}

/// The version of a program that the project pins, as what the program must have.
pub fn pinned(survey: &mut Survey<'_>, program: &str) -> Option<Requirement> {
    let tool = TOOLS.iter().find(|tool| tool.program == program)?;
    let version = in_own_file(survey, tool)
        .or_else(|| in_tool_versions(survey, tool))
        .or_else(|| in_mise(survey, tool))?;
    if program == "java" {
        return java(&version).and_then(|major| range::pinned(program, major, tool.pin));
    }
    // As rbenv's files may have it.
    range::pinned(program, version.trim_start_matches("ruby-"), tool.pin)
}

/// The number of the Java that a vendor's version is: `temurin-17.0.9+9`, `zulu-17.48.15`, `graalvm-22.3.1+java17`.
fn java(version: &str) -> Option<&str> {
    let digits = |text: &'_ str| text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let major = if let Some((_, behind)) = version.split_once("+java") {
        behind
    } else if ["graalvm-2", "mandrel-"].iter().any(|start| version.starts_with(start)) {
        // A number of their own.
        return None;
    } else {
        version.split('-').find(|part| part.starts_with(|c: char| c.is_ascii_digit()))?
    };
    let major = &major[..digits(major)];
    // Java 8 calls itself 1.8.
    (major.len() > 1).then_some(major)
}

fn in_own_file(survey: &mut Survey<'_>, tool: &Tool) -> Option<String> {
    let path = survey.first_file(tool.files)?;
    first_word(&survey.text(path)?)
}

fn in_tool_versions(survey: &mut Survey<'_>, tool: &Tool) -> Option<String> {
    survey.text(".tool-versions")?.lines().find_map(|line| {
        let (name, version) = line.trim().split_once(char::is_whitespace)?;
        tool.names.contains(&name).then(|| first_word(version)).flatten()
    })
}

fn in_mise(survey: &mut Survey<'_>, tool: &Tool) -> Option<String> {
    let (_, settings) = mise_settings(survey)?;
    let kept = tool.names.iter().find_map(|name| settings.get("tools")?.get(name))?;
    let first = kept.as_array().map_or(Some(kept), |versions| versions.first())?;
    first.get("version").unwrap_or(first).as_str().map(str::to_owned)
}

/// mise's settings, and where they are.
pub fn mise_settings(survey: &mut Survey<'_>) -> Option<(&'static str, Table)> {
    let path = survey.first_file(&MISE)?;
    Some((path, survey.toml(path)?))
}

/// The first word of the first line that has one.
fn first_word(text: &str) -> Option<String> {
    let line =
        text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'))?;
    line.split_whitespace().next().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::super::files::Fake;
    use super::*;

    fn pin(program: &str, files: &[(&str, &str)]) -> Option<String> {
        let files = Fake::of(files);
        pinned(&mut Survey::of(&files), program).map(|requirement| requirement.text)
    }

    #[test]
    fn a_pin_is_found_in_each_place() {
        assert_eq!(pin("node", &[(".nvmrc", "v20.11.1\n")]).as_deref(), Some("node>=20.11.1 <21"));
        assert_eq!(
            pin("go", &[(".tool-versions", "# tools\nnodejs 20\ngolang 1.22.1 # why\n")])
                .as_deref(),
            Some("go>=1.22.1 <2")
        );
        let mise = [("mise.toml", "[tools]\npython = ['3.12', '3.11']\nnode = {version = '22'}")];
        assert_eq!(pin("python3", &mise).as_deref(), Some("python3>=3.12 <3.13"));
        assert_eq!(pin("node", &mise).as_deref(), Some("node>=22 <23"));
    }

    #[test]
    fn a_version_of_ruby_may_have_its_name_before_it() {
        let files = [(".ruby-version", "ruby-3.2.2\n")];
        assert_eq!(pin("ruby", &files).as_deref(), Some("ruby>=3.2.2 <3.3"));
    }

    #[test]
    fn of_java_only_the_first_number_counts() {
        let unknown =
            ["zulu-8.74.0", "8", "1.8", "mandrel-23.0.1.2-Final", "graalvm-22.3.1", "system"];
        for version in unknown {
            let files = [(".tool-versions", &*format!("java {version}\n"))];
            assert_eq!(pin("java", &files), None, "{version}");
        }
        for version in [
            "temurin-17.0.9+9",
            "zulu-17.48.15",
            "17",
            "openjdk-17.0.2",
            "semeru-openj9-17.0.9+9_openj9-0.41.0",
            "graalvm-22.3.1+java17",
            "graalvm-community-17.0.9",
        ] {
            let files = [(".tool-versions", &*format!("java {version}\n"))];
            assert_eq!(pin("java", &files).as_deref(), Some("java>=17 <18"), "{version}");
        }
    }

    #[test]
    fn a_name_for_whatever_is_there_pins_nothing() {
        for version in ["lts/*", "system", "latest", "ref:main", ""] {
            assert_eq!(pin("node", &[(".nvmrc", version)]), None, "{version}");
            let line = format!("nodejs {version}\n");
            assert_eq!(pin("node", &[(".tool-versions", &line)]), None, "{version}");
        }
    }
}
