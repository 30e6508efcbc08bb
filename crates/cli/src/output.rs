//! How results reach the user: text or JSON on standard output, everything else on standard error.

use std::fmt;
use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::Path;

use clap::builder::RangedU64ValueParser;
use clap::{ArgAction, Args, ValueEnum};
use gflowcausal::{Error, FileError, RunDir};
use serde::Serialize;

pub(crate) use gflowcausal_report::aligned;

use crate::failure::Failure;
use crate::input::refuse_directory;

/// Options that every verb has.
#[derive(Debug, Clone, Copy, Default, Args)]
pub(crate) struct Common {
    /// Threads to use; 0 means one per core. The result is the same for any number.
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Common options", value_parser = thread_count())]
    pub(crate) threads: usize,
    /// Print nothing but the result.
    #[arg(long, short, help_heading = "Common options")]
    pub(crate) quiet: bool,
    /// Say more on standard error: -v for steps, -vv for detail.
    #[arg(long, short, action = ArgAction::Count, help_heading = "Common options")]
    pub(crate) verbose: u8,
    /// Show no progress.
    #[arg(long, help_heading = "Common options")]
    pub(crate) no_progress: bool,
}

/// More threads than any machine has would only take time to start.
fn thread_count() -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(0..=1024)
}

/// The shape of a result on standard output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Shape {
    /// A table for people.
    Text,
    /// One object for programs.
    Json,
}

/// Prints `text` on standard output; colours disappear where they are not wanted.
pub(crate) fn print_text(text: &str) -> Result<(), Failure> {
    let mut out = anstream::stdout();
    finish(out.write_all(printable(text, &COLORS).as_bytes()).and_then(|()| out.flush()))
}

/// Prints a line on standard error. If nobody can read it (a closed pipe, a full disk), it is lost, and the run is not.
pub(crate) fn print_stderr(line: fmt::Arguments<'_>) {
    let _ = writeln!(anstream::stderr(), "{}", printable(&line.to_string(), &COLORS));
}

/// What this program itself sends to a terminal to change colours.
pub(crate) const COLORS: [&str; 10] = [
    "\x1b[0m",
    "\x1b[1m",
    "\x1b[2m",
    "\x1b[4m",
    "\x1b[31m",
    "\x1b[32m",
    "\x1b[33m",
    "\x1b[36m",
    "\x1b[1;31m",
    "\x1b[1;33m",
];

/// `text` with every character that would command the terminal written as its number, but for the sequences `allowed`.
pub(crate) fn printable(text: &str, allowed: &[&str]) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        let color = allowed.iter().find(|color| rest.starts_with(**color));
        let step = color.map_or(next.len_utf8(), |color| color.len());
        match color {
            None if next.is_control() && !matches!(next, '\n' | '\t') => shown.extend(next.escape_unicode()),
            _ => shown.push_str(&rest[..step]),
        }
        rest = &rest[step..];
    }
    shown
}

/// Prints `value` as one indented JSON object.
pub(crate) fn print_json(value: &impl Serialize) -> Result<(), Failure> {
    let mut text =
        serde_json::to_string_pretty(value).map_err(|error| Failure::running("json", error.to_string()))?;
    text.push('\n');
    print_bytes(text.as_bytes())
}

/// Prints `bytes` on standard output as they are.
pub(crate) fn print_bytes(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    finish(out.write_all(bytes).and_then(|()| out.flush()))
}

/// Writes `bytes` to the file at `path`: the whole of it appears at once, or nothing changes.
pub(crate) fn write_file(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    if path.metadata().is_ok_and(|found| !found.is_file() && !found.is_dir()) {
        return write_into(path, bytes);
    }
    refuse_directory(path)?;
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let dir = RunDir::open(parent).map_err(Error::from)?;
    let refused = |error: FileError| FileError { path: path.to_owned(), ..error };
    Ok(dir.write(&name, |out| out.write_all(bytes)).map_err(refused).map_err(Error::from)?)
}

/// Writes into a pipe or a device, which must not be replaced by a file.
fn write_into(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let written = File::options().write(true).open(path).and_then(|mut out| out.write_all(bytes));
    let refused = |source| FileError { action: "write", path: path.to_owned(), source };
    Ok(written.map_err(refused).map_err(Error::from)?)
}

/// A reader that closed its end early (`| head`) has what it wanted.
fn finish(outcome: std::io::Result<()>) -> Result<(), Failure> {
    match outcome {
        Err(error) if error.kind() == ErrorKind::StorageFull => {
            let failure = Failure::running("disk-full", format!("cannot write the result: {error}"));
            Err(failure.with_help("free some space, or send the result elsewhere"))
        }
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::running("standard-output", format!("cannot write the result: {error}")))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_to_the_terminal_are_shown_and_not_sent() {
        assert_eq!(printable("a\x1b]0;x\x07b\r\n", &COLORS), "a\\u{1b}]0;x\\u{7}b\\u{d}\n");
        assert_eq!(printable("\x1b[1mbold\x1b[0m", &COLORS), "\x1b[1mbold\x1b[0m");
        assert_eq!(printable("\x1b[1m", &[]), "\\u{1b}[1m");
    }
}
