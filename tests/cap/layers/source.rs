//! Reads Rust source closely enough to tell which modules it names: comments and texts are skipped, paths are followed.

/// A word or a punctuation mark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Token {
    Word(String),
    Mark(char),
}

/// The tokens of a source text, each with its line, counted from 1.
pub fn tokens(source: &str) -> Vec<(usize, Token)> {
    let mut found = Vec::new();
    let mut line = 1;
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            block_comment(rest)
        } else if let Some(length) = text_literal(rest) {
            length
        } else if first.is_alphanumeric() || first == '_' {
            let length =
                rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            found.push((line, Token::Word(rest[..length].to_owned())));
            length
        } else {
            if !first.is_whitespace() {
                found.push((line, Token::Mark(first)));
            }
            first.len_utf8()
        };
        line += rest[..length].matches('\n').count();
        rest = &rest[length..];
    }
    found
}

/// The length of a block comment, which may hold others.
fn block_comment(text: &str) -> usize {
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(step) = text[at..].find(['/', '*']) {
        at += step;
        let part = &text[at..];
        if part.starts_with("/*") {
            depth += 1;
            at += 2;
        } else if part.starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    text.len()
}

/// The length of the string or character literal that the text begins with.
fn text_literal(text: &str) -> Option<usize> {
    let body = text.trim_start_matches(['b', 'c', 'r']);
    let prefix = &text[..text.len() - body.len()];
    if prefix.len() > 2 {
        return None;
    }
    let hashes = body.len() - body.trim_start_matches('#').len();
    if prefix.ends_with('r') && body[hashes..].starts_with('"') {
        let end = format!("\"{}", "#".repeat(hashes));
        let start = prefix.len() + hashes + 1;
        return Some(text[start..].find(&end).map_or(text.len(), |at| start + at + end.len()));
    }
    if body.starts_with('"') {
        return Some(prefix.len() + closing(body, '"'));
    }
    // A lifetime has no second quote after one character; an escape is always a literal.
    let mut inside = body.strip_prefix('\'')?.chars();
    let is_escape = inside.next()? == '\\';
    (is_escape || inside.next()? == '\'').then(|| prefix.len() + closing(body, '\''))
}

/// The length of a literal up to its closing quote.
fn closing(body: &str, quote: char) -> usize {
    let mut characters = body.char_indices().skip(1);
    while let Some((at, character)) = characters.next() {
        if character == '\\' {
            characters.next();
        } else if character == quote {
            return at + 1;
        }
    }
    body.len()
}

/// A top-level module that a source file names, and the line where it does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    pub line: usize,
    pub module: String,
}

/// The top-level modules that a file names by `crate::…`, or by `super::…` as far up as the crate. `depth` is how many
/// modules the file is below the crate: 1 for `src/exec.rs`, 2 for `src/exec/spawn.rs`.
pub fn references(source: &str, depth: usize) -> Vec<Reference> {
    let tokens = tokens(source);
    let mut found = Vec::new();
    // Inside an inline `mod x { … }` a `super` leads one module less far up: the brace depth at which each began.
    let mut inline = Vec::new();
    let mut braces = 0_usize;
    for (at, (_, token)) in tokens.iter().enumerate() {
        let word = |offset: usize| {
            at.checked_sub(offset).and_then(|at| tokens.get(at)).map(|(_, token)| token)
        };
        match token {
            Token::Mark('{') => {
                braces += 1;
                if word(2) == Some(&Token::Word("mod".to_owned())) {
                    inline.push(braces);
                }
            }
            Token::Mark('}') => {
                if inline.last() == Some(&braces) {
                    inline.pop();
                }
                braces = braces.saturating_sub(1);
            }
            Token::Word(name) if name == "crate" => found.extend(heads(&tokens[at + 1..])),
            // The first `super` of a chain; `heads` follows the others.
            Token::Word(name) if name == "super" && !follows_super(&tokens[..at]) => {
                let chain = chain_of_supers(&tokens[at..]);
                if chain >= depth + inline.len() {
                    found.extend(heads(&tokens[at + 3 * (chain - 1) + 1..]));
                }
            }
            Token::Word(_) | Token::Mark(_) => {}
        }
    }
    found
}

fn is_mark(token: Option<&(usize, Token)>, mark: char) -> bool {
    matches!(token, Some((_, Token::Mark(found))) if *found == mark)
}

fn is_separator(tokens: &[(usize, Token)]) -> bool {
    is_mark(tokens.first(), ':') && is_mark(tokens.get(1), ':')
}

fn follows_super(before: &[(usize, Token)]) -> bool {
    matches!(before, [.., (_, Token::Word(name)), colon, _] if name == "super" && is_mark(Some(colon), ':'))
}

/// How many `super` a path begins with.
fn chain_of_supers(tokens: &[(usize, Token)]) -> usize {
    let is_super =
        |at: usize| matches!(tokens.get(at), Some((_, Token::Word(name))) if name == "super");
    (0..tokens.len()).take_while(|&count| is_super(3 * count)).count()
}

/// What comes first behind `::`: one name, or each in a `{…}` group.
fn heads(tokens: &[(usize, Token)]) -> Vec<Reference> {
    if !is_separator(tokens) {
        return Vec::new();
    }
    let reference = |token: &(usize, Token)| match token {
        (line, Token::Word(name)) if name != "self" => {
            Some(Reference { line: *line, module: name.clone() })
        }
        (line, Token::Mark('*')) => Some(Reference { line: *line, module: "*".to_owned() }),
        _ => None,
    };
    let tokens = &tokens[2..];
    if !is_mark(tokens.first(), '{') {
        return tokens.first().and_then(reference).into_iter().collect();
    }
    let mut found = Vec::new();
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate() {
        match token.1 {
            Token::Mark('{') => depth += 1,
            Token::Mark('}') => depth -= 1,
            Token::Mark(_) | Token::Word(_) => {}
        }
        if depth == 0 {
            break;
        }
        if depth == 1 && (is_mark(Some(token), '{') || is_mark(Some(token), ',')) {
            found.extend(tokens.get(at + 1).and_then(reference));
        }
    }
    found
}

/// Whether a path `process::Command` is named, also as part of a group.
pub fn names_process_command(source: &str) -> bool {
    let tokens = tokens(source);
    (0..tokens.len()).any(|at| {
        matches!(&tokens[at].1, Token::Word(name) if name == "process")
            && heads(&tokens[at + 1..])
                .iter()
                .any(|head| ["Command", "*"].contains(&head.module.as_str()))
    })
}

/// The modules that a file declares with `mod x;`.
pub fn declared_modules(source: &str) -> Vec<String> {
    let tokens = tokens(source);
    let declared = tokens.windows(3).filter_map(|window| match window {
        [(_, Token::Word(keyword)), (_, Token::Word(name)), (_, Token::Mark(';'))]
            if keyword == "mod" =>
        {
            Some(name)
        }
        _ => None,
    });
    declared.cloned().collect()
}
