//! From a YAML tree to a checked manifest: every fault and every warning, each with its place.

use std::collections::BTreeSet;

use super::fault::{Fault, Invalid, Place};
use super::places::{Places, Step};
use super::version::Requirement;
use super::yaml::{self, Node};
use super::{Assumption, Capability, Gates, Lifecycle, Manifest};
use crate::text::{self, nearest};

/// The command's budget if the entry has none, in milliseconds (contract section 15).
pub const DEFAULT_TIMEOUT_MS: u64 = 300_000;

/// The largest whole number that every JSON reader keeps exact.
pub const MAX_WHOLE: u64 = (1 << 53) - 1;

pub const TOP_KEYS: [&str; 3] = ["version", "capabilities", "gates"];
pub const ENTRY_KEYS: [&str; 7] = [
    "command",
    "lifecycle",
    "assumptions",
    "description",
    "timeout_ms",
    "min_duration_ms",
    "timeout_prone",
];
pub const PROBE_KINDS: [&str; 2] = ["file-exists", "tool-version"];
pub const GATES_OPT_OUT: &str = "none-declared-on-purpose";

/// A valid manifest and what is worth a warning in it.
#[derive(Debug)]
pub struct Checked {
    /// What the manifest says.
    pub manifest: Manifest,
    /// Unknown keys, in the file's order.
    pub warnings: Vec<Fault>,
    /// The text that their places refer to.
    pub text: String,
}

/// Checks the text of a manifest as a whole (contract section 2).
pub fn check(text: &str) -> Result<Checked, Invalid> {
    let root = yaml::parse(text)
        .map_err(|Fault { place, message }| Invalid::at(place, message, text.to_owned()))?;
    let mut checker = Checker::default();
    let manifest = checker.manifest(&root);
    let (faults, warnings) = (located(text, checker.faults), located(text, checker.warnings));
    let text = text.to_owned();
    if faults.is_empty() {
        Ok(Checked { manifest, warnings, text })
    } else {
        // A misspelt key that a fault already names is not named twice.
        let named: BTreeSet<Option<Place>> = faults.iter().map(|fault| fault.place).collect();
        let warnings = warnings.into_iter().filter(|it| !named.contains(&it.place)).collect();
        Err(Invalid { faults, warnings, text })
    }
}

/// Where the entry with this id stands, as far as that can be told.
pub fn place_of(text: &str, id: &str) -> Option<Place> {
    let root = yaml::parse(text).ok()?;
    let capabilities = root.as_mapping()?.iter().position(|(key, _)| key == "capabilities")?;
    let entries = root.get("capabilities")?.as_mapping()?;
    let entry = entries.iter().position(|(key, _)| key == id)?;
    Places::of(text).at(&[Step::Value(capabilities), Step::Key(entry)])
}

/// The findings with their places, in the file's order.
fn located(text: &str, findings: Vec<Finding>) -> Vec<Fault> {
    if findings.is_empty() {
        return Vec::new();
    }
    let places = Places::of(text);
    let locate = |Finding { path, message }| Fault { place: places.at(&path), message };
    let mut faults: Vec<Fault> = findings.into_iter().map(locate).collect();
    faults.sort_by_key(|fault| (fault.place.is_none(), fault.place));
    faults
}

/// A fault or warning before its place is known.
struct Finding {
    path: Vec<Step>,
    message: String,
}

#[derive(Default)]
struct Checker {
    faults: Vec<Finding>,
    warnings: Vec<Finding>,
}

/// A key's value with the way to it.
struct Field<'a> {
    node: &'a Node,
    path: Vec<Step>,
}

impl Checker {
    fn fault(&mut self, path: &[Step], message: String) {
        self.faults.push(Finding { path: path.to_vec(), message });
    }

    fn manifest(&mut self, root: &Node) -> Manifest {
        if *root == Node::Null {
            return Manifest::default();
        }
        let Node::Mapping(mapping) = root else {
            let found = root.described();
            self.fault(&[], format!("a manifest is a mapping with 'capabilities', not {found}"));
            return Manifest::default();
        };
        self.warn_of_unknown_keys(mapping, &[], &TOP_KEYS, "");
        if let Some(Field { node, path }) = field(mapping, &[], "version")
            && *node != Node::Number(1.0)
        {
            let (rule, found) = ("'version' is the number 1", node.described());
            self.fault(&path, format!("unsupported manifest version: {rule}, not {found}"));
        }
        let gates = self.gates(mapping);
        Manifest { capabilities: self.capabilities(mapping), gates }
    }

    fn gates(&mut self, mapping: &[(String, Node)]) -> Gates {
        let Some(Field { node, path }) = field(mapping, &[], "gates") else {
            return Gates::Expected;
        };
        if node.as_str() != Some(GATES_OPT_OUT) {
            self.fault(&path, format!("'gates' is '{GATES_OPT_OUT}', not {}", node.described()));
        }
        Gates::NoneOnPurpose
    }

    fn capabilities(&mut self, mapping: &[(String, Node)]) -> Vec<Capability> {
        let Some(capabilities) = field(mapping, &[], "capabilities") else {
            let missing = "'capabilities' is missing, a mapping from id to entry";
            self.missing("capabilities", missing, mapping, &[], &[]);
            return Vec::new();
        };
        let Node::Mapping(entries) = capabilities.node else {
            let found = capabilities.node.described();
            let message = format!("'capabilities' is a mapping from id to entry, not {found}");
            self.fault(&capabilities.path, message);
            return Vec::new();
        };
        entries
            .iter()
            .enumerate()
            .filter_map(|(index, (id, entry))| {
                let path = |step| [&capabilities.path[..], &[step]].concat();
                let key = path(Step::Key(index));
                if !is_id(id) {
                    let rule = "lower-case words of a-z, 0-9 and '-', joined by dots";
                    self.fault(&key, format!("invalid id '{id}': an id is {rule}"));
                }
                self.capability(id, entry, &key, &path(Step::Value(index)))
            })
            .collect()
    }

    fn capability(
        &mut self,
        id: &str,
        entry: &Node,
        key: &[Step],
        path: &[Step],
    ) -> Option<Capability> {
        let Node::Mapping(fields) = entry else {
            let found = entry.described();
            let message =
                format!("'{id}' requires a non-empty 'command': it is {found}, not a mapping");
            self.fault(if *entry == Node::Null { key } else { path }, message);
            return None;
        };
        self.warn_of_unknown_keys(fields, path, &ENTRY_KEYS, &format!(" in '{id}'"));
        let entry = Entry { id, fields, path };
        Some(Capability {
            id: id.to_owned(),
            command: self.command(&entry, key),
            lifecycle: self.lifecycle(&entry),
            assumptions: self.assumptions(&entry),
            description: self.description(&entry),
            timeout_ms: self.whole(&entry, "timeout_ms", 1).unwrap_or(DEFAULT_TIMEOUT_MS),
            min_duration_ms: self.whole(&entry, "min_duration_ms", 0).unwrap_or(0),
            timeout_prone: self.timeout_prone(&entry),
        })
    }

    fn command(&mut self, entry: &Entry<'_>, key: &[Step]) -> String {
        let required = format!("'{}' requires a non-empty 'command'", entry.id);
        match entry.field("command") {
            None => self.missing("command", &required, entry.fields, entry.path, key),
            Some(Field { node: Node::String(command), path }) => {
                if command.trim().is_empty() {
                    self.fault(&path, format!("{required}: it is blank"));
                } else if command.contains('\0') {
                    self.fault(&path, format!("'{}': 'command' holds a NUL character", entry.id));
                }
                return command.clone();
            }
            Some(Field { node, path }) => {
                let found = node.described();
                self.fault(&path, format!("{required}: it is {found}, not a string"));
            }
        }
        String::new()
    }

    /// A required key that is not there: it may be misspelt, else it is missed at `place`.
    fn missing(
        &mut self,
        key: &str,
        message: &str,
        mapping: &[(String, Node)],
        path: &[Step],
        place: &[Step],
    ) {
        let is_meant = |name: &str| {
            let is_known = TOP_KEYS.contains(&name) || ENTRY_KEYS.contains(&name);
            !is_known && nearest(name, [key]).is_some()
        };
        match mapping.iter().position(|(name, _)| is_meant(name)) {
            Some(index) => {
                let hint = format!("did you mean '{key}' by '{}'?", mapping[index].0);
                let path = [path, &[Step::Key(index)]].concat();
                self.fault(&path, format!("{message}: {hint}"));
            }
            None => self.fault(place, message.to_owned()),
        }
    }

    fn lifecycle(&mut self, entry: &Entry<'_>) -> Lifecycle {
        let Some(Field { node, path }) = entry.field("lifecycle") else { return Lifecycle::Active };
        match node.as_str() {
            Some("active") => Lifecycle::Active,
            Some("shadow") => Lifecycle::Shadow,
            word => {
                let hint = did_you_mean(word.unwrap_or_default(), &["active", "shadow"]);
                let rule = "'lifecycle' is 'active' or 'shadow'";
                self.fault(
                    &path,
                    format!("'{}': {rule}, not {}{hint}", entry.id, node.described()),
                );
                Lifecycle::Active
            }
        }
    }

    fn description(&mut self, entry: &Entry<'_>) -> Option<String> {
        let Field { node, path } = entry.field("description")?;
        if let Node::String(text) = node {
            return Some(text.clone());
        }
        let found = node.described();
        self.fault(&path, format!("'{}': 'description' is a string, not {found}", entry.id));
        None
    }

    fn timeout_prone(&mut self, entry: &Entry<'_>) -> bool {
        let Some(Field { node, path }) = entry.field("timeout_prone") else { return false };
        if let Node::Bool(value) = node {
            return *value;
        }
        let found = node.described();
        self.fault(&path, format!("'{}': 'timeout_prone' is true or false, not {found}", entry.id));
        false
    }

    fn whole(&mut self, entry: &Entry<'_>, key: &str, least: u64) -> Option<u64> {
        let Field { node, path } = entry.field(key)?;
        let value = node.as_whole().filter(|value| (least..=MAX_WHOLE).contains(value));
        if value.is_none() {
            let (id, found) = (entry.id, node.described());
            let rule = format!("a whole number from {least} to {MAX_WHOLE}");
            self.fault(&path, format!("'{id}': '{key}' is {rule}, not {found}"));
        }
        value
    }

    fn assumptions(&mut self, entry: &Entry<'_>) -> Vec<Assumption> {
        let Some(Field { node, path }) = entry.field("assumptions") else { return Vec::new() };
        let Node::List(items) = node else {
            let found = node.described();
            self.fault(&path, format!("'{}': 'assumptions' is a list, not {found}", entry.id));
            return Vec::new();
        };
        items
            .iter()
            .enumerate()
            .filter_map(|(index, item)| {
                let path = [&path[..], &[Step::Item(index)]].concat();
                self.assumption(entry.id, item, &path)
            })
            .collect()
    }

    fn assumption(&mut self, id: &str, item: &Node, path: &[Step]) -> Option<Assumption> {
        let Node::Mapping(fields) = item else {
            let found = item.described();
            let message = format!(
                "'{id}': an assumption is a mapping such as 'file-exists: PATH', not {found}"
            );
            self.fault(path, message);
            return None;
        };
        let [(kind, value)] = &fields[..] else {
            let count = fields.len();
            self.fault(path, format!("'{id}': an assumption has exactly one key, not {count}"));
            return None;
        };
        if !PROBE_KINDS.contains(&kind.as_str()) {
            let hint = did_you_mean(kind, &PROBE_KINDS);
            let path = [path, &[Step::Key(0)]].concat();
            self.fault(&path, format!("'{id}': unknown probe kind '{kind}'{hint}"));
            return None;
        }
        let path = [path, &[Step::Value(0)]].concat();
        let Node::String(text) = value else {
            let found = value.described();
            self.fault(&path, format!("'{id}': '{kind}' takes a string, not {found}"));
            return None;
        };
        if kind == "tool-version" {
            return match text.parse::<Requirement>() {
                Ok(requirement) => Some(Assumption::ToolVersion(requirement)),
                Err(error) => {
                    self.fault(&path, format!("'{id}': invalid tool-version '{text}': {error}"));
                    None
                }
            };
        }
        if text.is_empty() || text.contains('\0') {
            self.fault(&path, format!("'{id}': 'file-exists' takes a path, not '{text}'"));
            return None;
        }
        Some(Assumption::FileExists(text.clone()))
    }

    fn warn_of_unknown_keys(
        &mut self,
        mapping: &[(String, Node)],
        path: &[Step],
        known: &[&str],
        place: &str,
    ) {
        for (index, (key, _)) in mapping.iter().enumerate() {
            if !known.contains(&key.as_str()) && !key.starts_with("x-") {
                let hint = did_you_mean(key, known);
                let path = [path, &[Step::Key(index)]].concat();
                self.warnings
                    .push(Finding { path, message: format!("unknown key '{key}'{place}{hint}") });
            }
        }
    }
}

/// One entry while it is checked.
struct Entry<'a> {
    id: &'a str,
    fields: &'a [(String, Node)],
    path: &'a [Step],
}

impl<'a> Entry<'a> {
    fn field(&self, key: &str) -> Option<Field<'a>> {
        field(self.fields, self.path, key)
    }
}

fn field<'a>(mapping: &'a [(String, Node)], path: &[Step], key: &str) -> Option<Field<'a>> {
    let index = mapping.iter().position(|(name, _)| name == key)?;
    Some(Field { node: &mapping[index].1, path: [path, &[Step::Value(index)]].concat() })
}

/// Whether `text` can be an id: `[a-z0-9][a-z0-9-]*`, joined by dots.
pub fn is_id(text: &str) -> bool {
    text.split('.').all(|word| {
        let mut bytes = word.bytes();
        let is_word_byte = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        bytes.next().is_some_and(is_word_byte)
            && bytes.all(|byte| is_word_byte(byte) || byte == b'-')
    })
}

/// What to write instead, behind a message.
fn did_you_mean(word: &str, known: &[&str]) -> String {
    text::did_you_mean(word, known.iter().copied())
        .map(|hint| format!(": {hint}"))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests;
