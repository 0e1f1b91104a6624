//! Values on the command line that have a form of their own.

/// A tree's id in lower case, from digits in either case.
pub fn tree(text: &str) -> Result<String, &'static str> {
    let is_id = matches!(text.len(), 40 | 64) && text.bytes().all(|it| it.is_ascii_hexdigit());
    if is_id { Ok(text.to_ascii_lowercase()) } else { Err("not 40 or 64 hexadecimal digits") }
}

/// A directory counted from the top of the work tree, as git tells it: nothing at the top, else with a
/// slash at its end.
pub fn prefix(text: &str) -> Result<String, &'static str> {
    if text.starts_with('/') {
        return Err("it is counted from the top, so it can't begin with a slash");
    }
    let names = text.split('/').filter(|name| !matches!(*name, "" | "."));
    names
        .map(|name| if name == ".." { Err("it can't hold '..'") } else { Ok([name, "/"]) })
        .collect::<Result<Vec<_>, _>>()
        .map(|names| names.concat().concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_is_digits_in_either_case() {
        for length in [40, 64] {
            let digits = "Ab01".repeat(length / 4);
            assert_eq!(tree(&digits), Ok(digits.to_lowercase()));
        }
        for text in ["", "HEAD", "abc", &"g".repeat(40), &"a".repeat(41), &"é".repeat(20)] {
            assert!(tree(text).is_err(), "{text}");
        }
    }

    #[test]
    fn spellings_of_one_directory_are_one() {
        for text in ["cli", "cli/", "./cli", "cli/.", ".//cli//"] {
            assert_eq!(prefix(text).as_deref(), Ok("cli/"), "{text}");
        }
        for text in ["", ".", "./", "./."] {
            assert_eq!(prefix(text).as_deref(), Ok(""), "{text}");
        }
        assert_eq!(prefix("a/b c/…").as_deref(), Ok("a/b c/…/"));
        for text in ["/", "/cli", "..", "cli/..", "../cli"] {
            assert!(prefix(text).is_err(), "{text}");
        }
    }
}
