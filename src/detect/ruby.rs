//! Ruby: what a Gemfile and the files beside it prove.

use super::range::{Dialect, requirement};
use super::survey::Survey;
use super::{Operation, pins};

const GEMFILE: &str = "Gemfile";
const LOCK: &str = "Gemfile.lock";
const RUBOCOP: &str = ".rubocop.yml";
const STANDARD: &str = ".standard.yml";
const SORBET: &str = "sorbet/config";

/// The commands of bundler, and of what it installs.
pub fn commands(survey: &mut Survey<'_>) {
    let Some(gemfile) = survey.text(GEMFILE) else { return };
    let gemspecs: Vec<String> =
        survey.names("").into_iter().filter(|name| name.ends_with(".gemspec")).collect();
    let mut gems = gemfile.clone();
    for path in &gemspecs {
        gems += &survey.text(path).unwrap_or_default();
    }
    let locked = survey.text(LOCK).unwrap_or_default();
    let stated = gemfile.lines().find_map(ruby_version);
    let ruby = stated
        .and_then(|range| requirement("ruby", &range, Dialect::Pessimistic))
        .or_else(|| pins::pinned(survey, "ruby"));
    // What a gem brings with it is locked, too.
    let has_gem = |name: &str| {
        gems.lines().any(|line| names_gem(line, name))
            || locked.lines().any(|line| line.trim_start().split(" (").next() == Some(name))
    };

    let evidence = if survey.has_file(LOCK) { LOCK } else { GEMFILE };
    let mut commands = vec![(Operation::Install, "bundle install".to_owned(), evidence.to_owned())];
    commands.extend(test(survey, has_gem));
    if survey.has_file(RUBOCOP) && has_gem("rubocop") {
        let evidence = RUBOCOP.to_owned();
        commands.push((Operation::Lint, "bundle exec rubocop".to_owned(), evidence));
    }
    if survey.has_file(STANDARD) && has_gem("standard") {
        let evidence = STANDARD.to_owned();
        commands.push((Operation::Lint, "bundle exec standardrb".to_owned(), evidence));
    }
    if survey.has_file(SORBET) && has_gem("sorbet") {
        commands.push((Operation::TypeCheck, "bundle exec srb tc".to_owned(), SORBET.to_owned()));
    }
    survey.found_all(commands, GEMFILE, &[&ruby]);
}

fn test(
    survey: &mut Survey<'_>,
    has_gem: impl Fn(&str) -> bool,
) -> Option<(Operation, String, String)> {
    let found =
        |command: &str, evidence: String| Some((Operation::Test, command.to_owned(), evidence));
    let spec = survey.search(|path| path.starts_with("spec/") && path.ends_with("_spec.rb"));
    if let Some(spec) = spec
        && (has_gem("rspec") || has_gem("rspec-rails"))
    {
        return found("bundle exec rspec", spec);
    }
    let unit = survey.search(|path| path.starts_with("test/") && path.ends_with("_test.rb"));
    if let Some(unit) = unit
        && survey.has_program("bin/rails")
    {
        return found("bin/rails test", unit);
    }
    let rakefile = survey.first_file(&["Rakefile", "rakefile", "Rakefile.rb", "rakefile.rb"])?;
    let text = survey.text(rakefile)?;
    if has_gem("rake") && text.lines().any(is_test_task) {
        return found("bundle exec rake test", format!("task \"test\" in {rakefile}"));
    }
    None
}

/// Whether a line of a Rakefile makes the task `test`. What is indented may be in a namespace.
fn is_test_task(line: &str) -> bool {
    let starts = ["Rake::TestTask.new", "Minitest::TestTask.create", "task"];
    let Some((start, rest)) = starts.iter().find_map(|it| Some((it, line.strip_prefix(it)?)))
    else {
        return false;
    };
    let name = rest.trim_start_matches([' ', '(', ':', '"', '\'']);
    let is_test = name.strip_prefix("test").is_some_and(|behind| {
        !behind.starts_with(|c: char| c.is_alphanumeric() || "_-:?!".contains(c))
            || behind.starts_with(": ")
    });
    // Without a name, it is `test`.
    let is_unnamed =
        *start != "task" && (rest.is_empty() || rest.starts_with(" do") || rest.starts_with(" {"));
    is_unnamed || is_test && rest.len() > name.len()
}

/// The range in `ruby "3.2.2"` or `ruby "~> 3.2", ">= 3.2.1"`; a file or an engine is none.
fn ruby_version(line: &str) -> Option<String> {
    let rest = line.trim().strip_prefix("ruby ").or_else(|| line.trim().strip_prefix("ruby("))?;
    let first = rest.trim_start().strip_prefix(['"', '\''])?;
    if first.contains("engine") {
        // That one tells its own version.
        return None;
    }
    Some(first.split(['"', '\'']).next()?.to_owned())
}

/// Whether a line of a Gemfile or gemspec names this gem.
fn names_gem(line: &str, name: &str) -> bool {
    let line = line.trim();
    let is_gem = line.starts_with("gem ")
        || line.starts_with("gem(")
        || line.contains("add_dependency")
        || line.contains("add_development_dependency");
    is_gem && line.split(['"', '\'']).nth(1) == Some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gem_is_named_by_its_line() {
        for line in
            ["gem 'rspec'", "  gem \"rspec\", '~> 3'", "s.add_development_dependency 'rspec'"]
        {
            assert!(names_gem(line, "rspec"), "{line}");
        }
        for line in ["# gem 'rspec'", "gem 'rspec-core'", "group 'rspec'", "gem 'a', 'rspec'"] {
            assert!(!names_gem(line, "rspec"), "{line}");
        }
    }

    #[test]
    fn a_line_that_makes_the_task_test_is_known() {
        for line in [
            "Rake::TestTask.new(:test) do |t|",
            "Rake::TestTask.new do |t|",
            "Rake::TestTask.new(\"test\") { |t| t.libs << 'test' }",
            "Minitest::TestTask.create",
            "Minitest::TestTask.create(:test)",
            "task :test do",
            "task test: :unit",
            "task(:test => [:unit])",
            "task 'test' => :unit",
        ] {
            assert!(is_test_task(line), "{line}");
        }
        for line in [
            "  task :test do",
            "Rake::TestTask.new(:test_unit)",
            "Rake::TestTask.new(:unit)",
            "task :test_all",
            "task testing: :unit",
            "task default: :test",
            "task :\"test:unit\"",
            "# task :test",
        ] {
            assert!(!is_test_task(line), "{line}");
        }
    }

    #[test]
    fn the_version_of_ruby_is_a_text_in_the_gemfile() {
        assert_eq!(ruby_version("ruby \"3.2.2\"").as_deref(), Some("3.2.2"));
        assert_eq!(ruby_version("ruby '~> 3.2'").as_deref(), Some("~> 3.2"));
        assert_eq!(ruby_version("ruby file: '.ruby-version'"), None);
        assert_eq!(ruby_version("# ruby '3'"), None);
    }
}
