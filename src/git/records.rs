//! NUL-terminated records, read as they come: the listing of a large repo is never kept.

use std::ops::ControlFlow;

use crate::exec::watch::Sink;

/// No record is longer, in bytes: a path is 4096 at most where a file can be made at it.
const LONGEST: usize = 64 << 10;

/// What reads records.
pub trait ReadRecord {
    /// Reads one, without its NUL; `Break` if no further one matters.
    fn read(&mut self, record: &[u8]) -> ControlFlow<()>;
}

/// Cuts a stream into the records of a reader.
#[derive(Debug)]
pub struct Records<R> {
    reader: R,
    /// The start of a record whose end is still to come.
    started: Vec<u8>,
    is_too_long: bool,
}

impl<R: ReadRecord> Records<R> {
    /// The records go to this reader.
    pub fn new(reader: R) -> Self {
        Self { reader, started: Vec::new(), is_too_long: false }
    }

    /// What the reader has read so far.
    pub fn so_far(&self) -> &R {
        &self.reader
    }

    /// What the reader has read; none if the stream ended inside a record.
    pub fn finish(self) -> Option<R> {
        (self.started.is_empty() && !self.is_too_long).then_some(self.reader)
    }
}

impl<R: ReadRecord> Sink for Records<R> {
    fn take(&mut self, mut bytes: &[u8]) -> ControlFlow<()> {
        while let Some(end) = memchr::memchr(0, bytes) {
            let (record, rest) = (&bytes[..end], &bytes[end + 1..]);
            bytes = rest;
            if self.started.is_empty() {
                self.reader.read(record)?;
            } else {
                self.started.extend_from_slice(record);
                self.reader.read(&std::mem::take(&mut self.started))?;
            }
        }
        self.started.extend_from_slice(bytes);
        if self.started.len() > LONGEST {
            self.is_too_long = true;
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[derive(Debug, Default)]
    struct All(Vec<Vec<u8>>);

    impl ReadRecord for All {
        fn read(&mut self, record: &[u8]) -> ControlFlow<()> {
            self.0.push(record.to_owned());
            ControlFlow::Continue(())
        }
    }

    #[test]
    fn a_record_without_its_end_is_no_record() {
        let mut records = Records::new(All::default());
        assert!(records.take(b"a\0b").is_continue());
        assert_eq!(records.so_far().0, [b"a"]);
        assert!(records.finish().is_none());
    }

    #[test]
    fn a_record_that_never_ends_is_given_up() {
        let mut records = Records::new(All::default());
        assert!(records.take(&vec![b'a'; LONGEST]).is_continue());
        assert!(records.take(b"a").is_break());
        assert!(records.finish().is_none());
    }

    proptest! {
        #[test]
        fn records_are_the_same_wherever_the_stream_is_cut(
            records in prop::collection::vec("[^\0]{0,9}", 0..9),
            cuts in prop::collection::vec(1_usize..9, 0..40),
        ) {
            let stream = records.iter().flat_map(|it| [it, "\0"]).collect::<String>();
            let mut rest = stream.as_bytes();
            let mut sink = Records::new(All::default());
            for cut in cuts {
                let (head, tail) = rest.split_at(cut.min(rest.len()));
                prop_assert!(sink.take(head).is_continue());
                rest = tail;
            }
            prop_assert!(sink.take(rest).is_continue());
            let read = sink.finish().unwrap().0;
            prop_assert_eq!(read, records.iter().map(|it| it.as_bytes().to_owned()).collect::<Vec<_>>());
        }
    }
}
