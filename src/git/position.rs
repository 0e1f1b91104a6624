//! Where the current directory is: which commit, which tree, how far below the top.

use super::oid::Oid;

/// The arguments of the question that [`parse`] reads the answer to.
pub const QUESTION: [&str; 6] = [
    "rev-parse",
    "--is-inside-work-tree",
    "HEAD",
    "HEAD^{tree}",
    "--glob=refs/replace/",
    "--show-prefix",
];

/// A directory in a work tree with a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Position {
    /// The commit.
    pub head: Oid,
    /// Its tree.
    pub tree: Oid,
    /// The directory below the top with a slash at its end; empty at the top.
    pub prefix: String,
}

/// What git said of a directory.
#[derive(Debug, PartialEq, Eq)]
pub enum Answer {
    /// It is in no work tree: inside `.git`, or in a bare repo.
    Outside,
    /// It is here; with `refs/replace/`, commands of git's may see another tree than this one.
    At(Position, Replacements),
}

/// Whether objects are replaced by others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replacements {
    /// `refs/replace/` is empty.
    None,
    /// It is not.
    Some,
}

/// Reads git's answer to [`QUESTION`]; none if it is not what it must be. On an unborn branch a file
/// named `HEAD` is echoed, so only ids are taken for ids.
pub fn parse(stdout: &[u8]) -> Option<Answer> {
    let (inside, rest) = split_line(stdout)?;
    match inside {
        b"true" => {}
        b"false" => return Some(Answer::Outside),
        _ => return None,
    }
    let (head, rest) = split_line(rest)?;
    let (tree, mut rest) = split_line(rest)?;
    let (head, tree) = (Oid::parse(head)?, Oid::parse(tree)?);
    let mut replacements = Replacements::None;
    while let Some((line, behind)) = split_line(rest)
        && Oid::parse(line).is_some()
    {
        (replacements, rest) = (Replacements::Some, behind);
    }
    let prefix = parse_prefix(rest)?;
    Some(Answer::At(Position { head, tree, prefix }, replacements))
}

/// Reads what `rev-parse --show-prefix` printed: it may hold newlines, and must be UTF-8.
pub fn parse_prefix(stdout: &[u8]) -> Option<String> {
    let prefix = std::str::from_utf8(stdout.strip_suffix(b"\n")?).ok()?;
    (prefix.is_empty() || prefix.ends_with('/')).then(|| prefix.to_owned())
}

fn split_line(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = memchr::memchr(b'\n', text)?;
    Some((&text[..end], &text[end + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const HEAD: &str = "d5021ae11e7d12d062e925097d9d93e9483de05e";
    const TREE: &str = "8b72aae3fa2e20008146a59dbe34da24c43e726a";

    fn at(prefix: &str, replacements: Replacements) -> Answer {
        let [head, tree] = [HEAD, TREE].map(|id| Oid::parse(id.as_bytes()).unwrap());
        Answer::At(Position { head, tree, prefix: prefix.to_owned() }, replacements)
    }

    #[test]
    fn the_prefix_is_all_that_follows_the_ids() {
        for prefix in ["", "a/b/", "a\nb/", "\n/", "true/", "ü 'x\"/"] {
            let stdout = format!("true\n{HEAD}\n{TREE}\n{prefix}\n");
            assert_eq!(parse(stdout.as_bytes()), Some(at(prefix, Replacements::None)), "{prefix}");
            let stdout = format!("true\n{HEAD}\n{TREE}\n{HEAD}\n{TREE}\n{prefix}\n");
            assert_eq!(parse(stdout.as_bytes()), Some(at(prefix, Replacements::Some)), "{prefix}");
        }
    }

    #[test]
    fn a_directory_that_looks_like_a_replacement_counts_as_one() {
        let stdout = format!("true\n{HEAD}\n{TREE}\n{HEAD}\nx/\n");
        assert_eq!(parse(stdout.as_bytes()), Some(at("x/", Replacements::Some)));
    }

    #[test]
    fn nothing_but_ids_and_a_prefix_is_taken_for_an_answer() {
        assert_eq!(parse(b"false\n"), Some(Answer::Outside));
        let wrong = [
            String::new(),
            "true\n".to_owned(),
            "true".to_owned(),
            format!("true\nHEAD\n{TREE}\n\n"),
            format!("true\n{HEAD}\nHEAD^{{tree}}\n\n"),
            format!("true\n{HEAD}\n{TREE}\n"),
            format!("true\n{HEAD}\n{TREE}\nx\n"),
            format!("true\n{HEAD}\n{TREE}\nx/"),
            format!("{HEAD}\n{TREE}\n\n"),
        ];
        for stdout in wrong {
            assert_eq!(parse(stdout.as_bytes()), None, "{stdout:?}");
        }
        assert_eq!(parse(format!("true\n{HEAD}\n{TREE}\n").as_bytes().trim_ascii()), None);
        let not_utf8 = [format!("true\n{HEAD}\n{TREE}\n").as_bytes(), b"\xff/\n"].concat();
        assert_eq!(parse(&not_utf8), None);
    }

    proptest! {
        #[test]
        fn no_answer_makes_it_panic(stdout: Vec<u8>) {
            let _ = parse(&stdout);
            let _ = parse(&[b"true\n".as_slice(), &stdout].concat());
        }
    }
}
