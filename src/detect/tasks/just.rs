//! The recipes of a justfile that run as they are: without a required parameter, and anywhere.

use super::super::pins;
use super::super::survey::Survey;
use super::Steps;

/// A recipe as its justfile shows it.
#[derive(Debug, Default)]
struct Recipe {
    name: String,
    /// The names in `[…]` above it.
    attributes: String,
    has_required_parameter: bool,
    /// The names of the recipes that run before or after it.
    dependencies: Vec<String>,
    body: String,
}

/// The recipes that serve an operation by their name.
pub fn recipes(survey: &mut Survey<'_>) {
    // just takes these in any case, but for the dot's.
    let is_justfile =
        |name: &String| matches!(name.to_ascii_lowercase().as_str(), "justfile" | ".justfile");
    let Some(path) = survey.names("").into_iter().find(is_justfile) else { return };
    let Some(text) = survey.text(&path) else { return };
    let recipes = parse(&text);
    let just = pins::pinned(survey, "just");
    super::add(survey, &path, "recipe", just.as_ref(), |_, name| {
        let recipe = recipes.iter().find(|recipe| recipe.name == name)?;
        Some(recipe.unfit(&recipes).map_or_else(|| Ok(format!("just {name}")), Err))
    });
}

impl Recipe {
    fn steps(&self) -> Steps<'_> {
        Steps { script: &self.body, others: &self.dependencies }
    }

    fn unfit(&self, others: &[Self]) -> Option<&'static str> {
        let has = |word| {
            self.attributes.split(|c: char| !c.is_alphanumeric() && c != '-').any(|it| it == word)
        };
        if self.has_required_parameter {
            Some("it has a required parameter")
        } else if has("confirm") {
            Some("it asks before it runs")
        } else if ["linux", "macos", "windows", "openbsd", "unix"].into_iter().any(has) {
            Some("it is there on some systems only")
        } else {
            let find = |name: &str| others.iter().find(|other| other.name == name);
            super::unfit(&self.steps(), |name| find(name).map(Self::steps))
        }
    }
}

fn parse(text: &str) -> Vec<Recipe> {
    let mut recipes: Vec<Recipe> = Vec::new();
    let (mut attributes, mut is_in_recipe) = (String::new(), false);
    let mut quotes = None;
    for line in text.lines() {
        // A text of several lines may look like recipes.
        let was_open = quotes.is_some();
        quotes = open_quotes(line, quotes);
        if was_open {
            continue;
        }
        if line.starts_with([' ', '\t']) {
            if let Some(recipe) = recipes.last_mut().filter(|_| is_in_recipe) {
                recipe.body.push_str(line);
                recipe.body.push('\n');
            }
        } else if line.starts_with('[') {
            attributes.push_str(line);
        } else if !line.is_empty() && !line.starts_with('#') {
            let recipe = header(line);
            is_in_recipe = recipe.is_some();
            let attributes = std::mem::take(&mut attributes);
            recipes.extend(recipe.map(|recipe| Recipe { attributes, ..recipe }));
        }
    }
    recipes
}

/// The kind of quotes over several lines that are open behind a line.
fn open_quotes(mut line: &str, mut open: Option<&'static str>) -> Option<&'static str> {
    const QUOTES: [&str; 3] = ["\"\"\"", "'''", "```"];
    while let Some((at, quotes)) = QUOTES
        .into_iter()
        .filter(|quotes| open.is_none_or(|open| open == *quotes))
        .filter_map(|quotes| Some((line.find(quotes)?, quotes)))
        .min()
    {
        open = if open.is_some() { None } else { Some(quotes) };
        line = &line[at + quotes.len()..];
    }
    open
}

/// The recipe that a line begins; none for a setting, an assignment, an alias, an import.
fn header(line: &str) -> Option<Recipe> {
    let line = line.strip_prefix('@').unwrap_or(line);
    let end = line.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '-')?;
    let (name, rest) = line.split_at(end);
    let (parameters, dependencies) = split_at_colon(rest)?;
    if name.is_empty() || dependencies.starts_with('=') {
        return None;
    }
    let dependencies = dependencies.split('#').next().unwrap_or_default();
    Some(Recipe {
        name: name.to_owned(),
        has_required_parameter: has_required(parameters),
        dependencies: names(dependencies),
        ..Recipe::default()
    })
}

/// The names of dependencies: `build (run "x") && clean`.
fn names(dependencies: &str) -> Vec<String> {
    let words = dependencies.split_whitespace().map(|word| word.trim_matches(['(', ')']));
    words.filter(|word| !word.is_empty() && *word != "&&").map(str::to_owned).collect()
}

/// Splits at the first colon that is in no quotes.
fn split_at_colon(text: &str) -> Option<(&str, &str)> {
    let mut quote = None;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (None, ':') => return Some((&text[..at], &text[at + 1..])),
            (None, '\'' | '"' | '`') => quote = Some(c),
            (Some(open), _) if open == c => quote = None,
            _ => {}
        }
    }
    None
}

/// Whether a parameter has no default and is not `*args`, which may be empty.
fn has_required(parameters: &str) -> bool {
    let mut rest = parameters.trim_start();
    while !rest.is_empty() {
        let end = rest.find(|c: char| c.is_whitespace() || c == '=').unwrap_or(rest.len());
        let (name, behind) = rest.split_at(end);
        rest = behind.trim_start();
        if let Some(value) = rest.strip_prefix('=') {
            rest = behind_value(value.trim_start());
        } else if !name.trim_start_matches('$').starts_with('*') {
            return true;
        }
    }
    false
}

/// What comes behind a default: a word, or a text in quotes or parentheses.
fn behind_value(text: &str) -> &str {
    let close = match text.chars().next() {
        Some(quote @ ('\'' | '"' | '`')) => text[1..].find(quote).map(|at| at + 2),
        Some('(') => text.rfind(')').map(|at| at + 1),
        Some(_) | None => text.find(char::is_whitespace),
    };
    text[close.unwrap_or(text.len())..].trim_start()
}

#[cfg(test)]
mod tests {
    use super::super::super::survey::seen;
    use super::*;

    fn look(text: &str) -> (Vec<String>, Vec<String>) {
        seen(recipes, &[("justfile", text)])
    }

    #[test]
    fn a_recipe_that_runs_as_it_is_is_found() {
        for text in [
            "test:\n  cargo test",
            "@test:\n  cargo test",
            "test *args:\n  cargo test {{args}}",
            "test target='all' flags=\"a:b\":\n  cargo test",
            "test $A=('x' + y) *rest='':\n  cargo test",
            "test: build\n",
            "set shell := [\"sh\", \"-c\"]\nx := 'test:'\n\n# why\n[group('ci')]\ntest:\n\n  cargo test",
        ] {
            assert_eq!(look(text), (vec!["just test".to_owned()], vec![]), "{text:?}");
        }
    }

    #[test]
    fn a_recipe_that_needs_something_is_left_out_with_a_note() {
        for text in [
            "test target:\n  cargo test",
            "test +targets:\n  cargo test",
            "test a='1' b:\n  cargo test",
            "[confirm]\ntest:\n  cargo test",
            "[linux]\ntest:\n  cargo test",
            "test:\n",
            "test:\n  @echo none",
            "test: unit\nunit:\n  @echo none",
            "test:\n  cargo test || true",
        ] {
            let (found, notes) = look(text);
            assert_eq!((found.len(), notes.len()), (0, 1), "{text:?}");
        }
    }

    #[test]
    fn what_is_no_recipe_is_none() {
        for text in [
            "test := 'a'",
            "alias test := t",
            "import 'test'",
            "#test:",
            "export test := 'x'",
            "x := '''\ntest:\n  cargo test\n'''",
        ] {
            assert_eq!(look(text), (vec![], vec![]), "{text:?}");
        }
    }
}
