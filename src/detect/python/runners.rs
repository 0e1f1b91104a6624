//! tox and nox: the environments and sessions that they run an operation in.

use super::super::survey::Survey;
use super::Tool;
use super::stated::{Stated, section_of};

const TOX: &str = "tox.ini";
const NOX: &str = "noxfile.py";

/// How tox or nox runs the tests.
pub fn test(survey: &mut Survey<'_>, stated: &Stated) -> Option<Tool> {
    if let Some(text) = survey.text(TOX) {
        // For the interpreter that tox itself runs in: of all that are listed, some are mostly missing.
        if let Some(tool) = tox(&text, "testenv", " -e py") {
            return Some(tool);
        }
        if section_of(&text, "tox").is_some() {
            return Some(Tool::new("tox", "tox", format!("[tox] in {TOX}")));
        }
    }
    if let Some(evidence) = stated.configuration(survey, "tox", &["tox.toml"], &[]) {
        return Some(Tool::new("tox", "tox", evidence));
    }
    let nox = session(survey, &["tests", "test"]);
    if nox.is_none() && survey.has_file(NOX) {
        survey.note(NOX, "tests: none of its sessions is called \"tests\" or \"test\"");
    }
    nox
}

/// How tox or nox runs something else than the tests, by the first of these names that it has.
pub fn other(survey: &mut Survey<'_>, names: &[&str]) -> Option<Tool> {
    let text = survey.text(TOX).unwrap_or_default();
    let environment = |name: &&str| tox(&text, &format!("testenv:{name}"), &format!(" -e {name}"));
    names.iter().find_map(environment).or_else(|| session(survey, names))
}

/// What runs the environment of a section, if that has commands. Only where they take args are args for them;
/// elsewhere they would get lost.
fn tox(text: &str, section: &str, words: &str) -> Option<Tool> {
    let lines = section_of(text, section)?;
    let has_commands = lines.iter().any(|line| line.starts_with("commands"));
    let args = if lines.iter().any(|line| line.contains("{posargs")) { " --" } else { "" };
    let tool = || Tool::new("tox", format!("tox{words}{args}"), format!("[{section}] in {TOX}"));
    has_commands.then(tool)
}

fn session(survey: &mut Survey<'_>, names: &[&str]) -> Option<Tool> {
    let text = survey.text(NOX)?;
    let sessions = sessions(&text);
    let name = names.iter().find(|name| sessions.contains(name))?;
    let args = if text.contains("posargs") { " --" } else { "" };
    let evidence = format!("session \"{name}\" in {NOX}");
    Some(Tool::new("nox", format!("nox -s {name}{args}"), evidence))
}

/// The names of the functions that `@nox.session` decorates, but for those that get another name.
fn sessions(text: &str) -> Vec<&str> {
    let mut sessions = Vec::new();
    let (mut is_session, mut has_name) = (false, false);
    for line in text.lines() {
        if line.starts_with("@nox.session") || line.starts_with("@session") {
            (is_session, has_name) = (true, false);
        }
        has_name |= line.contains("name=");
        if let Some(function) = line.strip_prefix("def ") {
            let name = function.split('(').next().unwrap_or_default().trim();
            sessions.extend((is_session && !has_name).then_some(name));
            is_session = false;
        }
    }
    sessions
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_a_decorated_function() {
        let text = "import nox\n\n@nox.session(\n    python=['3.11'],\n)\n@nox.parametrize('a', [1])\n\
                    def tests(session):\n    pass\n\ndef helper(name='x'):\n    pass\n\n\
                    @nox.session(name='types')\ndef mypy(session):\n    pass\n\n@session\n\
                    def lint(session):\n    pass\n";
        assert_eq!(sessions(text), ["tests", "lint"]);
    }
}
