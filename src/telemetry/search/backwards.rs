//! The rows of a log that hold a text, newest first, read in blocks from the end.

use std::fs::File;
use std::io;
use std::ops::{ControlFlow, Range};
use std::os::unix::fs::FileExt;

use memchr::memmem::{self, Finder};

use super::recorded::rows_of_line;

/// How far to each side of the text its line is read, in bytes. A run that passed has no output in its
/// row, so that no row worth finding is longer; and memory must not grow with those that are.
const REACH: u64 = 2 << 20;
/// How far it is read at first.
const FIRST_REACH: u64 = 16 << 10;

/// Calls `visit` with each row that holds `text`, the last first, until it breaks.
pub fn rows_with<B>(
    log: &File,
    text: &[u8],
    block: u64,
    visit: &mut impl FnMut(&[u8]) -> ControlFlow<B>,
) -> io::Result<Option<B>> {
    let finder = Finder::new(text);
    // Rows that are appended meanwhile are not waited for.
    let length = log.metadata()?.len();
    let mut buffer = Vec::new();
    let mut end = length;
    // Where the line begins that was read last: all that is behind it is done.
    let mut done = length;
    while end > 0 {
        let start = end.saturating_sub(block);
        // A text that begins in this block may end in the next.
        let overlap = (end + text.len() as u64 - 1).min(length);
        read(log, start..overlap, &mut buffer)?;
        let found: Vec<usize> = finder.find_iter(&buffer).collect();
        for at in found.into_iter().rev().map(|at| start + at as u64) {
            if at >= done {
                continue;
            }
            let line = line_around(log, at, length)?;
            done = line.start;
            let mut rows = rows_of_line(&line.bytes);
            rows.retain(|row| memmem::find(row, text).is_some());
            if let ControlFlow::Break(result) = rows.into_iter().rev().try_for_each(&mut *visit) {
                return Ok(Some(result));
            }
        }
        end = start;
    }
    Ok(None)
}

/// A line, or what of it is within reach.
struct Line {
    start: u64,
    bytes: Vec<u8>,
}

/// Reads the line that the byte at `at` is in.
fn line_around(log: &File, at: u64, length: u64) -> io::Result<Line> {
    let mut reach = FIRST_REACH;
    let mut bytes = Vec::new();
    loop {
        let range = at.saturating_sub(reach)..at.saturating_add(reach).min(length);
        read(log, range.clone(), &mut bytes)?;
        let middle = usize::try_from(at - range.start).unwrap_or(usize::MAX).min(bytes.len());
        let start = memchr::memrchr(b'\n', &bytes[..middle]).map(|newline| newline + 1);
        let end = memchr::memchr(b'\n', &bytes[middle..]).map(|newline| middle + newline);
        let has_start = start.is_some() || range.start == 0;
        let has_end = end.is_some() || range.end == length;
        if has_start && has_end || reach >= REACH {
            let start = start.unwrap_or(0);
            bytes.truncate(end.unwrap_or(bytes.len()));
            bytes.drain(..start);
            return Ok(Line { start: range.start + start as u64, bytes });
        }
        reach = (4 * reach).min(REACH);
    }
}

/// Reads these bytes of the log; fewer if it has been cut meanwhile.
fn read(log: &File, range: Range<u64>, buffer: &mut Vec<u8>) -> io::Result<()> {
    let length = usize::try_from(range.end - range.start).map_err(io::Error::other)?;
    buffer.resize(length, 0);
    let mut filled = 0;
    while filled < length {
        match log.read_at(&mut buffer[filled..], range.start + filled as u64) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    buffer.truncate(filled);
    Ok(())
}
