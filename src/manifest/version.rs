//! The comparison grammar of `tool-version`, `TOOL OP VERSION` (contract section 3).

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

#[cfg(test)]
mod tests;

/// What a `tool-version` assumption asks of a tool, e.g. `node>=20 <22` (contract section 3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Requirement {
    /// The whole text, exactly as written.
    pub text: String,
    /// The tool's name, or its path if it holds a `/`.
    pub tool: String,
    /// At least one; all must hold.
    pub comparisons: Vec<Comparison>,
}

impl Requirement {
    /// Whether this version is right; if not, the first comparison that fails.
    pub fn check(&self, found: &Version) -> Result<(), &Comparison> {
        self.comparisons.iter().find(|comparison| !comparison.accepts(found)).map_or(Ok(()), Err)
    }
}

impl FromStr for Requirement {
    type Err = RequirementError;

    fn from_str(text: &str) -> Result<Self, RequirementError> {
        let (tool, rest) = split_where(text.trim_ascii(), |c| is_break(c) || is_operator(c));
        if tool.is_empty() {
            return Err(RequirementError::NoTool);
        }
        if !tool.chars().all(|c| c.is_ascii_alphanumeric() || "._/+-".contains(c)) {
            return Err(RequirementError::NotATool(tool.to_owned()));
        }
        let mut comparisons = Vec::new();
        for mut part in rest.split(',').map(str::trim_ascii) {
            if part.is_empty() {
                return Err(RequirementError::NoComparison);
            }
            while !part.is_empty() {
                let (comparison, behind) = Comparison::read(part)?;
                comparisons.push(comparison);
                part = behind.trim_ascii_start();
            }
        }
        Ok(Self { text: text.to_owned(), tool: tool.to_owned(), comparisons })
    }
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// One operator and the version that it compares with, e.g. `>=20` (contract section 3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Comparison {
    /// How the version found must relate to `version`.
    pub operator: Operator,
    /// The version as written, less a wildcard.
    pub version: Version,
}

/// How the version found must relate to the one written (contract section 3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    /// `=` or `==`.
    Equal,
    /// `=` or `==` with a wildcard: only the numbers before it are compared.
    StartsWith,
    /// `>=`; a wildcard is dropped.
    AtLeast,
    /// `>`.
    Above,
    /// `<=`.
    AtMost,
    /// `<`; a wildcard is dropped.
    Below,
}

impl Comparison {
    /// Reads the comparison at the start of a text, and returns what is behind it.
    fn read(text: &str) -> Result<(Self, &str), RequirementError> {
        let (symbol, behind) = split_where(text, |c| !is_operator(c));
        let (word, rest) =
            split_where(behind.trim_ascii_start(), |c| is_break(c) || is_operator(c));
        if symbol.is_empty() {
            return Err(RequirementError::NotAnOperator(word.to_owned()));
        }
        if word.is_empty() {
            return Err(RequirementError::NoVersion(symbol.to_owned()));
        }
        if rest.starts_with(is_operator) {
            return Err(RequirementError::NotSeparated(rest.to_owned()));
        }
        let (version, has_wildcard) = Version::read(word)?;
        let operator = match (symbol, has_wildcard) {
            ("=" | "==", false) => Operator::Equal,
            ("=" | "==", true) => Operator::StartsWith,
            (">=", _) => Operator::AtLeast,
            (">", false) => Operator::Above,
            ("<=", false) => Operator::AtMost,
            ("<", _) => Operator::Below,
            (">" | "<=", true) => {
                return Err(RequirementError::Wildcard(word.to_owned(), symbol.to_owned()));
            }
            _ => return Err(RequirementError::NotAnOperator(symbol.to_owned())),
        };
        Ok((Self { operator, version }, rest))
    }

    /// Whether this version satisfies the comparison.
    pub fn accepts(&self, found: &Version) -> bool {
        match self.operator {
            Operator::Equal => found == &self.version,
            Operator::StartsWith => found.starts_with(&self.version),
            Operator::AtLeast => found >= &self.version,
            Operator::Above => found > &self.version,
            Operator::AtMost => found <= &self.version,
            Operator::Below => found < &self.version,
        }
    }

    /// What to write instead, if only a wildcard was missing: where `==20` refused 20.20.2,
    /// `==20.x accepts any 20`.
    pub fn hint(&self, found: &Version) -> Option<String> {
        let wider = Self { operator: Operator::StartsWith, ..*self };
        let is_too_narrow =
            self.operator == Operator::Equal && !self.accepts(found) && wider.accepts(found);
        is_too_narrow.then(|| format!("{wider} accepts any {}", self.version))
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (symbol, wildcard) = match self.operator {
            Operator::Equal => ("==", ""),
            Operator::StartsWith => ("==", ".x"),
            Operator::AtLeast => (">=", ""),
            Operator::Above => (">", ""),
            Operator::AtMost => ("<=", ""),
            Operator::Below => ("<", ""),
        };
        write!(f, "{symbol}{}{wildcard}", self.version)
    }
}

/// One to four numbers; a missing one is 0, so `1.2` equals `1.2.0` (contract section 3).
#[derive(Debug, Clone, Copy)]
pub struct Version {
    /// All from `length` on are 0.
    numbers: [u64; 4],
    length: usize,
}

impl Version {
    /// Reads a word, and says whether a wildcard stands in its last place.
    fn read(word: &str) -> Result<(Self, bool), RequirementError> {
        let mut numbers = [0; 4];
        let mut parts: Vec<&str> = word.strip_prefix('v').unwrap_or(word).split('.').collect();
        // A `+5` would pass `parse`.
        let is_number =
            |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        let fits = parts.len() <= numbers.len();
        let has_wildcard =
            parts.len() > 1 && parts.pop_if(|last| matches!(*last, "x" | "*")).is_some();
        if !fits || !parts.iter().all(is_number) {
            return Err(RequirementError::NotAVersion(word.to_owned()));
        }
        for (number, part) in numbers.iter_mut().zip(&parts) {
            *number = part.parse().map_err(|_| RequirementError::TooLarge((*part).to_owned()))?;
        }
        Ok((Self { numbers, length: parts.len() }, has_wildcard))
    }

    fn starts_with(&self, prefix: &Self) -> bool {
        self.numbers[..prefix.length] == prefix.numbers[..prefix.length]
    }
}

impl FromStr for Version {
    type Err = RequirementError;

    fn from_str(word: &str) -> Result<Self, RequirementError> {
        let (version, has_wildcard) = Self::read(word)?;
        if has_wildcard { Err(RequirementError::NotAVersion(word.to_owned())) } else { Ok(version) }
    }
}

impl PartialEq for Version {
    fn eq(&self, other: &Self) -> bool {
        self.numbers == other.numbers
    }
}

impl Eq for Version {}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Version {
    fn cmp(&self, other: &Self) -> Ordering {
        self.numbers.cmp(&other.numbers)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers = self.numbers[..self.length].iter().map(u64::to_string);
        f.write_str(&numbers.collect::<Vec<_>>().join("."))
    }
}

/// Why a text is no requirement, and what would be one (contract section 3).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RequirementError {
    /// Nothing stands before the comparison.
    #[error("no tool: write its name before the comparison, like 'node>=20'")]
    NoTool,
    /// A character that no tool's name has.
    #[error("'{}' is not a tool: only letters, digits and any of '._/+-' may be in its name", .0.escape_debug())]
    NotATool(String),
    /// Nothing stands after the tool, or on one side of a comma.
    #[error("no comparison: write one after the tool and after each comma, like 'node>=20, <22'")]
    NoComparison,
    /// Something else where an operator belongs.
    #[error("'{}' is not an operator: write one of >= > <= < = ==", .0.escape_debug())]
    NotAnOperator(String),
    /// Nothing stands after the operator.
    #[error("no version after '{}': write 1 to 4 numbers joined by dots", .0.escape_debug())]
    NoVersion(String),
    /// Something else where a version belongs.
    #[error("'{}' is not a version: write 1 to 4 numbers joined by dots, or like '20.x'", .0.escape_debug())]
    NotAVersion(String),
    /// A number that doesn't fit.
    #[error("'{}' is too large: a number is at most {max}", .0.escape_debug(), max = u64::MAX)]
    TooLarge(String),
    /// With a wildcard, `>20.x` could mean above 20.0 or above all of 20.
    #[error("'{0}' can't follow '{1}': 'x' and '*' go with '=', '>=' and '<' only")]
    Wildcard(String, String),
    /// Two comparisons in one word.
    #[error("no space or comma before '{}': write one between two comparisons", .0.escape_debug())]
    NotSeparated(String),
}

/// Splits before the first character that ends the piece, or behind the last.
fn split_where(text: &str, ends: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.find(ends).unwrap_or(text.len()))
}

fn is_break(c: char) -> bool {
    c.is_ascii_whitespace() || c == ','
}

/// More than there are, so that `^20`, `~=3` and `!=1` are refused by the name of their operator.
fn is_operator(c: char) -> bool {
    "<>=!~^".contains(c)
}
