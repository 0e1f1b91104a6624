//! The last bytes of a command's output, in order of arrival, as text.

use super::Stream;

/// Keeps the last bytes of both streams (contract section 7, `output_tail`).
#[derive(Debug)]
pub struct Tail {
    limit: usize,
    bytes: Vec<u8>,
    /// Whether anything was dropped from the front.
    is_cut: bool,
    /// The start of a character whose rest has not arrived, for stdout and stderr: the other stream
    /// may write in between.
    unfinished: [Vec<u8>; 2],
}

impl Tail {
    /// A tail of at most `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self { limit, bytes: Vec::new(), is_cut: false, unfinished: [Vec::new(), Vec::new()] }
    }

    /// Takes what arrived on one stream.
    pub fn push(&mut self, stream: Stream, arrived: &[u8]) {
        let unfinished = &mut self.unfinished[stream as usize];
        // Most output ends at a character's end: then nothing is copied but what is kept.
        let mut joined = std::mem::take(unfinished);
        let arrived = if joined.is_empty() {
            arrived
        } else {
            joined.extend_from_slice(arrived);
            &joined
        };
        let (whole, rest) = arrived.split_at(arrived.len() - unfinished_length(arrived));
        unfinished.extend_from_slice(rest);
        self.keep(whole);
    }

    fn keep(&mut self, bytes: &[u8]) {
        let last = &bytes[bytes.len().saturating_sub(self.limit)..];
        self.is_cut |= last.len() < bytes.len();
        self.bytes.extend_from_slice(last);
        // Cutting at twice the limit, not at each byte, makes the moving cheap.
        if self.bytes.len() > 2 * self.limit {
            self.cut();
        }
    }

    fn cut(&mut self) {
        let surplus = self.bytes.len().saturating_sub(self.limit);
        self.is_cut |= surplus > 0;
        self.bytes.drain(..surplus);
    }

    /// The tail as text: it begins at a character, what is not UTF-8 is U+FFFD, and it is at most
    /// `limit` bytes long.
    pub fn into_text(mut self) -> String {
        for unfinished in std::mem::take(&mut self.unfinished) {
            self.keep(&unfinished);
        }
        self.cut();
        let continues = |byte: &&u8| **byte & 0xC0 == 0x80;
        // At most three bytes can be the rest of a character that was cut.
        let rest = self.bytes.iter().take(3).take_while(continues).count();
        let start = if self.is_cut { rest } else { 0 };
        self.bytes.drain(..start);
        let mut text = match String::from_utf8(self.bytes) {
            Ok(text) => text,
            Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
        };
        // U+FFFD is longer than the byte that it stands for.
        let surplus = text.len().saturating_sub(self.limit);
        text.drain(..text.ceil_char_boundary(surplus));
        text
    }
}

/// The length of an incomplete character at the end of `bytes`: one that further bytes could complete.
fn unfinished_length(bytes: &[u8]) -> usize {
    let start = bytes.len().saturating_sub(3);
    for (index, byte) in bytes.iter().enumerate().skip(start).rev() {
        if byte & 0xC0 == 0x80 {
            continue;
        }
        return match std::str::from_utf8(&bytes[index..]) {
            // No error length: the bytes are the valid start of something.
            Err(error) if error.error_len().is_none() => bytes.len() - index,
            Err(_) | Ok(_) => 0,
        };
    }
    0
}

#[cfg(test)]
mod tests {
    use super::Stream::{Stderr, Stdout};
    use super::*;
    use proptest::prelude::*;

    fn tail(limit: usize, writes: &[(Stream, &[u8])]) -> String {
        let mut tail = Tail::new(limit);
        for (stream, bytes) in writes {
            tail.push(*stream, bytes);
        }
        tail.into_text()
    }

    #[test]
    fn the_last_bytes_stay_in_order_of_arrival() {
        assert_eq!(tail(5, &[(Stdout, b"abc"), (Stderr, b"def"), (Stdout, b"g")]), "cdefg");
        assert_eq!(tail(0, &[(Stdout, b"abc")]), "");
        assert_eq!(tail(9, &[]), "");
    }

    #[test]
    fn it_never_begins_inside_a_character() {
        assert_eq!(tail(3, &[(Stdout, "é漢".as_bytes())]), "漢");
        assert_eq!(tail(4, &[(Stdout, "é漢".as_bytes())]), "漢");
        assert_eq!(tail(2, &[(Stdout, "é漢".as_bytes())]), "");
    }

    #[test]
    fn a_stray_continuation_byte_at_the_very_start_of_the_output_is_shown() {
        assert_eq!(tail(9, &[(Stdout, b"\x80a")]), "\u{fffd}a");
    }

    #[test]
    fn a_stray_continuation_byte_behind_a_character_that_was_cut_is_shown() {
        assert_eq!(tail(8, &[(Stdout, b"\xf0\x9f\x98\x80\x80abcd")]), "\u{fffd}abcd");
    }

    #[test]
    fn a_character_split_between_two_writes_survives_the_other_stream() {
        let (head, rest) = "漢".as_bytes().split_at(1);
        assert_eq!(tail(9, &[(Stdout, head), (Stderr, b"x"), (Stdout, rest)]), "x漢");
        assert_eq!(tail(9, &[(Stdout, head), (Stderr, b"x")]), "x\u{fffd}");
    }

    #[test]
    fn invalid_bytes_never_make_it_longer_than_the_limit() {
        assert_eq!(tail(7, &[(Stdout, &[0xFF; 100])]), "\u{fffd}\u{fffd}");
    }

    /// The same byte by byte, with everything kept to the end.
    fn naive(limit: usize, writes: &[(Stream, Vec<u8>)]) -> String {
        let (mut all, mut unfinished) = (Vec::new(), [Vec::new(), Vec::new()]);
        for (stream, bytes) in writes {
            let pending: &mut Vec<u8> = &mut unfinished[*stream as usize];
            for byte in bytes {
                pending.push(*byte);
                while let Err(error) = std::str::from_utf8(pending)
                    && let Some(wrong) = error.error_len()
                {
                    all.extend(pending.drain(..wrong));
                }
                if std::str::from_utf8(pending).is_ok() {
                    all.append(pending);
                }
            }
        }
        all.extend(unfinished.concat());
        let mut last = &all[all.len().saturating_sub(limit)..];
        // The rest of a character is no longer; a fourth such byte is a stray one.
        for _ in 0..3 {
            if last.len() < all.len() && last.first().is_some_and(|byte| byte & 0xC0 == 0x80) {
                last = &last[1..];
            }
        }
        let mut text = String::from_utf8_lossy(last).into_owned();
        while text.len() > limit {
            text.remove(0);
        }
        text
    }

    proptest! {
        #[test]
        fn two_streams_give_what_a_naive_reader_would(
            writes in prop::collection::vec(
                (prop_oneof![Just(Stdout), Just(Stderr)], "[a\u{80}é漢😀]{0,4}", any::<Vec<u8>>(), 0_usize..6),
                0..12,
            ),
            limit in 0_usize..40,
        ) {
            // Characters that are cut anywhere, and now and then a byte that is none.
            let writes: Vec<(Stream, Vec<u8>)> = writes
                .into_iter()
                .map(|(stream, text, noise, cut)| {
                    let mut bytes = text.into_bytes();
                    bytes.truncate(bytes.len().saturating_sub(cut % 4));
                    bytes.extend(noise.into_iter().take(cut / 4));
                    (stream, bytes)
                })
                .collect();
            let borrowed: Vec<(Stream, &[u8])> =
                writes.iter().map(|(stream, bytes)| (*stream, bytes.as_slice())).collect();
            prop_assert_eq!(tail(limit, &borrowed), naive(limit, &writes));
        }

        #[test]
        fn one_stream_gives_what_a_naive_reader_of_the_whole_output_would(
            writes in prop::collection::vec("[aé漢😀\n]{0,9}", 0..12), limit in 0_usize..40,
            splits in prop::collection::vec(0_usize..20, 0..12),
        ) {
            let all = writes.concat();
            let mut tail = Tail::new(limit);
            let mut rest = all.as_bytes();
            for split in splits {
                let (now, later) = rest.split_at(split.min(rest.len()));
                tail.push(Stdout, now);
                rest = later;
            }
            tail.push(Stdout, rest);
            let naive = &all[all.ceil_char_boundary(all.len().saturating_sub(limit))..];
            prop_assert_eq!(tail.into_text(), naive);
        }

        #[test]
        fn any_bytes_in_any_order_stay_within_the_limit(
            writes in prop::collection::vec((any::<bool>(), any::<Vec<u8>>()), 0..20),
            limit in 0_usize..64,
        ) {
            let mut tail = Tail::new(limit);
            for (is_stderr, bytes) in &writes {
                tail.push(if *is_stderr { Stderr } else { Stdout }, bytes);
                prop_assert!(tail.bytes.len() <= 2 * limit);
            }
            prop_assert!(tail.into_text().len() <= limit);
        }
    }
}
