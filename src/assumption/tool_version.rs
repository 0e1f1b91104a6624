//! Which version a tool has, by what it prints about itself (contract section 3).

use crate::manifest::version::Version;
use anstream::adapter::strip_str;

#[cfg(test)]
mod tests;

/// The arguments that make a tool print its version if it has no `--version` (contract section 3).
pub fn other_arguments(tool: &str) -> Option<&'static [&'static str]> {
    Some(match own_name(tool) {
        "ip" | "ssh" | "tmux" => &["-V"],
        "awk" | "mawk" => &["-W", "version"],
        "apache2" | "apache2ctl" | "apachectl" | "dig" | "haproxy" | "httpd" | "lighttpd"
        | "lua" | "lua5.1" | "lua5.2" | "lua5.3" | "lua5.4" | "luac" | "luajit" | "named"
        | "nasm" | "nginx" | "unzip" => &["-v"],
        "ant" | "ffmpeg" | "ffplay" | "ffprobe" | "java" | "javac" | "javap" | "kotlin"
        | "kotlinc" | "scala" | "scalac" | "xcodebuild" => &["-version"],
        "dlv" | "eksctl" | "etcdctl" | "fossil" | "go" | "gsutil" | "helm" | "hugo" | "k9s"
        | "kubeadm" | "kustomize" | "minikube" | "openssl" | "pulumi" | "skaffold" | "tinygo"
        | "zig" => &["version"],
        "argocd" | "kubectl" | "oc" => &["version", "--client"],
        "istioctl" => &["version", "--remote=false"],
        _ => return None,
    })
}

/// The version that a tool printed: in stdout, else in stderr (contract section 3).
pub fn find_version(tool: &str, stdout: &[u8], stderr: &[u8]) -> Option<Version> {
    let name = own_name(tool);
    [stdout, stderr].into_iter().find_map(|output| {
        // In this order, or half a character would swallow the start of an escape behind it.
        let text = strip_str(&String::from_utf8_lossy(output)).to_string();
        text.match_indices(|c: char| c.is_ascii_digit())
            .filter_map(|(start, _)| Candidate::at(start, &text, name))
            .min_by_key(|candidate| (!candidate.has_dot, !candidate.follows_name))
            .map(|candidate| candidate.version)
    })
}

/// What may be a tool's version, and the two things that make it more likely.
struct Candidate {
    version: Version,
    /// perl prints `perl 5, version 36` before `v5.36.0`.
    has_dot: bool,
    /// elixir prints Erlang's version before its own.
    follows_name: bool,
}

impl Candidate {
    /// The candidate whose first digit is there, if it is one.
    fn at(start: usize, text: &str, name: &str) -> Option<Self> {
        let (before, digits) = text.split_at(start);
        let before = [Some(before), before.strip_suffix('v')]
            .into_iter()
            .flatten()
            .find(|before| ends_word(before) || ends_with_name(before, name))?;
        let end = digits.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(digits.len());
        let numbers = digits[..end].split('.').take_while(|number| !number.is_empty()).take(4);
        let word = numbers.collect::<Vec<_>>().join(".");
        Some(Self {
            version: word.parse().ok()?,
            has_dot: word.contains('.'),
            follows_name: follows_name(before, name),
        })
    }
}

/// What a tool calls itself: `/usr/bin/node` is `node`.
fn own_name(tool: &str) -> &str {
    tool.rsplit('/').next().unwrap_or(tool)
}

/// Whether a number that comes next would stand by itself, unlike those in `sha256sum` or `x86`.
fn ends_word(before: &str) -> bool {
    !before.ends_with(|c: char| c.is_alphanumeric() || c == '.')
}

/// Whether the last word is this name, in either case.
fn ends_with_name(before: &str, name: &str) -> bool {
    let split = before.len().checked_sub(name.len()).and_then(|at| before.split_at_checked(at));
    !name.is_empty()
        && split.is_some_and(|(head, tail)| {
            tail.eq_ignore_ascii_case(name) && !head.ends_with(char::is_alphanumeric)
        })
}

/// Whether nothing but punctuation and the word `version` stands between the name and what comes
/// next: Apple's clang prints `clang version 15.0.0 (clang-1500.3.9.4)`.
fn follows_name(mut before: &str, name: &str) -> bool {
    const VERSION: &str = "version";
    loop {
        if ends_with_name(before, name) {
            return true;
        }
        let skipped = match before.chars().next_back() {
            Some(c) if !c.is_alphanumeric() && c != '\n' => c.len_utf8(),
            _ if ends_with_name(before, VERSION) => VERSION.len(),
            _ => return false,
        };
        before = &before[..before.len() - skipped];
    }
}
