//! The version ranges that projects state, as what `tool-version` can say.
//!
//! A range that `tool-version` can't say exactly becomes a wider one: an assumption that is too strict would
//! call a healthy project broken.

use std::fmt::Write as _;

use crate::manifest::version::Requirement;

/// Who wrote a range. They differ in what `~` means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// npm: `~1.2` stays below 1.3.
    Npm,
    /// Python, Ruby, Elixir, PHP: `~1.2` (`~=`, `~>`) stays below 2.
    Pessimistic,
}

/// How much of a pinned version must be the same for a tool to count as that one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pin {
    /// The first number: 20.11 pins 20.
    Major,
    /// The first two: in Python and Ruby, 3.11 and 3.12 are different languages.
    Minor,
}

type Numbers = Vec<u64>;

/// From where to where; absent is unbounded.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Bounds {
    lower: Option<Bound>,
    upper: Option<Bound>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Bound {
    numbers: Numbers,
    is_inclusive: bool,
}

/// What a range of versions asks of a tool; none if that is nothing, or can't be told.
pub fn requirement(tool: &str, range: &str, dialect: Dialect) -> Option<Requirement> {
    let alternatives = range.split('|').filter(|part| !part.is_empty());
    let bounds = alternatives
        .map(|part| Bounds::of_all(part, dialect))
        .reduce(|one, other| Some(one?.or(other?)))??;
    bounds.requirement(tool)
}

/// What a pinned version asks of a tool: at least this one, and no other line of versions.
pub fn pinned(tool: &str, version: &str, pin: Pin) -> Option<Requirement> {
    let (numbers, _) = numbers(version.trim().trim_start_matches('v'))?;
    let same = match pin {
        Pin::Major => 1,
        Pin::Minor => 2,
    };
    let upper = next(&numbers[..same.min(numbers.len())]);
    Bounds { lower: Some(at(numbers)), upper: Some(below(upper)) }.requirement(tool)
}

/// Whether a range lets in a single version.
pub fn is_exact(range: &str) -> bool {
    let version = range.trim().trim_start_matches(['=', 'v', ' ']);
    numbers(version).is_some_and(|(numbers, is_prefix)| numbers.len() >= 3 && !is_prefix)
        && !version.contains(|c: char| c.is_whitespace() || ",|<>".contains(c))
}

/// What a version asks of a tool that must be at least this one.
pub fn at_least(tool: &str, version: &str) -> Option<Requirement> {
    let (numbers, _) = numbers(version.trim())?;
    Bounds { lower: Some(at(numbers)), upper: None }.requirement(tool)
}

impl Bounds {
    /// All comparisons in a text, none of which may be unknown.
    fn of_all(text: &str, dialect: Dialect) -> Option<Self> {
        let text = text.trim();
        if let Some((from, to)) = text.split_once(" - ") {
            let from = Self::of(">=", from.trim(), dialect)?;
            return Some(from.and(Self::of("<=", to.trim(), dialect)?));
        }
        let mut all = Self::default();
        let mut rest = text;
        while !rest.is_empty() {
            let operator_end = rest.find(|c| !"<>=!~^".contains(c)).unwrap_or(rest.len());
            let (operator, behind) = rest.split_at(operator_end);
            let behind = behind.trim_start();
            let end = behind.find(|c: char| c == ',' || c.is_whitespace()).unwrap_or(behind.len());
            let (version, behind) = behind.split_at(end);
            all = all.and(Self::of(operator, version, dialect)?);
            rest = behind.trim_start_matches(|c: char| c == ',' || c.is_whitespace());
        }
        Some(all)
    }

    fn of(operator: &str, version: &str, dialect: Dialect) -> Option<Self> {
        if matches!(version, "*" | "x" | "X" | "latest" | "any") {
            return Some(Self::default());
        }
        let (numbers, is_prefix) = numbers(version.trim_start_matches('v'))?;
        let (length, zero) = (numbers.len(), numbers.iter().take_while(|it| **it == 0).count());
        let within = |same: usize| Self {
            lower: Some(at(numbers.clone())),
            upper: Some(below(next(&numbers[..same.clamp(1, length)]))),
        };
        let is_whole = length >= 3 && !is_prefix;
        Some(match operator {
            ">=" => Self { lower: Some(at(numbers)), upper: None },
            ">" => Self { lower: Some(Bound { numbers, is_inclusive: false }), upper: None },
            "<" => Self { lower: None, upper: Some(below(numbers)) },
            "<=" if is_whole => Self { lower: None, upper: Some(at(numbers)) },
            // `<=18` is meant to let 18.5 in.
            "<=" => Self { lower: None, upper: Some(below(next(&numbers))) },
            "!=" => Self::default(),
            "" | "=" | "==" | "===" if is_whole => {
                Self { lower: Some(at(numbers.clone())), upper: Some(at(numbers)) }
            }
            "" | "=" | "==" | "===" => within(length),
            "^" => within(zero + 1),
            "~" if dialect == Dialect::Npm => within(2),
            "~" | "~=" | "~>" => within(length.saturating_sub(1)),
            _ => return None,
        })
    }

    /// Where both hold.
    fn and(self, other: Self) -> Self {
        let tighter = |one: Option<Bound>,
                       other: Option<Bound>,
                       is_tighter: fn(&Bound, &Bound) -> bool| match (
            one, other,
        ) {
            (Some(one), Some(other)) => Some(if is_tighter(&other, &one) { other } else { one }),
            (one, other) => one.or(other),
        };
        Self {
            lower: tighter(self.lower, other.lower, |a, b| a.numbers > b.numbers),
            upper: tighter(self.upper, other.upper, |a, b| a.numbers < b.numbers),
        }
    }

    /// Where one of both holds, and what lies between them.
    fn or(self, other: Self) -> Self {
        let wider =
            |one: Option<Bound>, other: Option<Bound>, is_wider: fn(&Bound, &Bound) -> bool| {
                let (one, other) = (one?, other?);
                Some(if is_wider(&other, &one) { other } else { one })
            };
        Self {
            lower: wider(self.lower, other.lower, |a, b| a.numbers < b.numbers),
            upper: wider(self.upper, other.upper, |a, b| a.numbers > b.numbers),
        }
    }

    fn requirement(&self, tool: &str) -> Option<Requirement> {
        let mut text = tool.to_owned();
        match (&self.lower, &self.upper) {
            (None, None) => return None,
            (Some(lower), Some(upper)) if lower.numbers > upper.numbers => return None,
            (Some(lower), Some(upper)) if lower == upper => {
                let _ = write!(text, "=={}", dotted(&lower.numbers));
            }
            (lower, upper) => {
                for (bound, symbol) in [(lower, '>'), (upper, '<')] {
                    let Some(Bound { numbers, is_inclusive }) = bound else { continue };
                    let space = if text == tool { "" } else { " " };
                    let equal = if *is_inclusive { "=" } else { "" };
                    let _ = write!(text, "{space}{symbol}{equal}{}", dotted(numbers));
                }
            }
        }
        text.parse().ok()
    }
}

fn at(numbers: Numbers) -> Bound {
    Bound { numbers, is_inclusive: true }
}

fn below(numbers: Numbers) -> Bound {
    Bound { numbers, is_inclusive: false }
}

/// The first version behind all that begin with these numbers.
fn next(numbers: &[u64]) -> Numbers {
    let mut next = numbers.to_vec();
    if let Some(last) = next.last_mut() {
        *last = last.saturating_add(1);
    }
    next
}

fn dotted(numbers: &[u64]) -> String {
    numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(".")
}

/// The numbers at the start of a version, and whether a wildcard follows them. What comes behind, such as
/// `-rc.1`, only tells stages of this very version apart.
fn numbers(version: &str) -> Option<(Numbers, bool)> {
    let mut numbers = Vec::new();
    for part in version.split('.') {
        let digits = part.bytes().take_while(u8::is_ascii_digit).count();
        if digits == 0 {
            let is_wildcard = matches!(part, "x" | "X" | "*");
            return (!numbers.is_empty()).then_some((numbers, is_wildcard));
        }
        numbers.push(part[..digits].parse().ok()?);
        if digits < part.len() || numbers.len() == 4 {
            break;
        }
    }
    Some((numbers, false))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn npm(range: &str) -> String {
        text(requirement("node", range, Dialect::Npm))
    }

    fn text(requirement: Option<Requirement>) -> String {
        requirement.map_or("none".to_owned(), |requirement| requirement.text)
    }

    #[test]
    fn a_range_of_npm_is_said_in_comparisons() {
        for (range, expected) in [
            (">=18", "node>=18"),
            (">= 18.12.0", "node>=18.12.0"),
            ("^18.17.0", "node>=18.17.0 <19"),
            ("~18.12", "node>=18.12 <18.13"),
            ("~18.12.1", "node>=18.12.1 <18.13"),
            ("~18", "node>=18 <19"),
            ("18", "node>=18 <19"),
            ("18.x", "node>=18 <19"),
            ("18.2.*", "node>=18.2 <18.3"),
            ("18.2.0", "node==18.2.0"),
            ("=18.2.0", "node==18.2.0"),
            (">=18 <21", "node>=18 <21"),
            (">=18.0.0,<21", "node>=18.0.0 <21"),
            ("18 - 20", "node>=18 <21"),
            ("18.1.0 - 20.2.0", "node>=18.1.0 <=20.2.0"),
            ("<=20", "node<21"),
            (">18", "node>18"),
            ("^18 || ^20 || >=22", "node>=18"),
            ("^18.17.0 || ^20.3.0", "node>=18.17.0 <21"),
            ("^0.12", "node>=0.12 <0.13"),
            (">=18.0.0-rc.1", "node>=18.0.0"),
            ("v18", "node>=18 <19"),
        ] {
            assert_eq!(npm(range), expected, "{range}");
        }
    }

    #[test]
    fn a_range_that_asks_nothing_or_cannot_be_told_is_none() {
        for range in
            ["*", "", "x", "latest", "lts/*", ">=20 <18", "^18 || *", "!=3", "?", ">=", "^a"]
        {
            assert_eq!(npm(range), "none", "{range}");
        }
    }

    #[test]
    fn a_pessimistic_tilde_drops_the_last_number() {
        let range = |range| text(requirement("php", range, Dialect::Pessimistic));
        assert_eq!(range("~> 1.14"), "php>=1.14 <2");
        assert_eq!(range("~> 1.14.2"), "php>=1.14.2 <1.15");
        assert_eq!(range("~=3.9"), "php>=3.9 <4");
        assert_eq!(range("~8.1"), "php>=8.1 <9");
        assert_eq!(range(">=3.9,<3.13,!=3.9.1"), "php>=3.9 <3.13");
        assert_eq!(range("==3.11.*"), "php>=3.11 <3.12");
        assert_eq!(range("^7.4|^8.0"), "php>=7.4 <9");
    }

    #[test]
    fn a_pin_is_at_least_that_version_of_the_same_line() {
        assert_eq!(text(pinned("node", "v20.11.0", Pin::Major)), "node>=20.11.0 <21");
        assert_eq!(text(pinned("node", "20", Pin::Major)), "node>=20 <21");
        assert_eq!(text(pinned("python3", "3.11.4", Pin::Minor)), "python3>=3.11.4 <3.12");
        assert_eq!(text(pinned("python3", "3", Pin::Minor)), "python3>=3 <4");
        for alias in ["lts/iron", "node", "system", "latest", ""] {
            assert_eq!(text(pinned("node", alias, Pin::Major)), "none", "{alias}");
        }
    }

    #[test]
    fn a_single_version_is_exact() {
        for range in ["18.17.1", "=18.17.1", " v18.17.1", "18.17.1-rc.1"] {
            assert!(is_exact(range), "{range}");
        }
        for range in
            ["18", "18.17", "18.17.x", ">=18.17.1", "^18.17.1", "18.17.1 || 20", "18.1.0 - 20"]
        {
            assert!(!is_exact(range), "{range}");
        }
    }

    proptest! {
        #[test]
        fn any_range_gives_a_requirement_or_none(range in "[0-9x.*^~<>=!|, v-]{0,24}") {
            let _ = requirement("node", &range, Dialect::Npm);
            let _ = requirement("node", &range, Dialect::Pessimistic);
            let _ = pinned("node", &range, Pin::Minor);
        }

        #[test]
        fn what_a_caret_allows_is_allowed(major in 1_u64..50, minor in 0_u64..50, more in 0_u64..50) {
            let wanted = requirement("node", &format!("^{major}.{minor}"), Dialect::Npm).unwrap();
            let version = |text: String| text.parse().unwrap();
            let later = version(format!("{major}.{}", minor + more));
            prop_assert!(wanted.check(&later).is_ok());
            let next = version(format!("{}.0", major + 1));
            prop_assert!(wanted.check(&next).is_err());
        }
    }
}
