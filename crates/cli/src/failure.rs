//! An error as the user meets it: a code, one sentence, a remedy, and an exit code.

use std::io::IsTerminal;

use gflowcausal_bench::BenchError;
use gflowcausal_report::wrapped;

use crate::interrupt;
use crate::output::{print_stderr, printable};

/// The most characters of a message.
const LONGEST: usize = 4000;

/// Why a verb did not finish.
#[derive(Debug)]
pub(crate) struct Failure {
    exit: u8,
    code: String,
    message: String,
    help: Option<String>,
}

impl From<gflowcausal::Error> for Failure {
    fn from(error: gflowcausal::Error) -> Self {
        let exit = if error.is_input() { 2 } else { 1 };
        let help = error.fix().map(|advice| advice.to_string());
        Self { exit, code: error.code().to_owned(), message: error.to_string(), help }
    }
}

impl From<BenchError> for Failure {
    fn from(error: BenchError) -> Self {
        let exit = if error.is_input() { 2 } else { 1 };
        match error {
            BenchError::Library(error) => error.into(),
            BenchError::Within { what, source } => Self::from(*source).about(&what),
            BenchError::Interrupted => Self { help: error.fix(), ..Self::interrupted() },
            _ => Self { exit, code: error.code().to_owned(), message: error.to_string(), help: error.fix() },
        }
    }
}

/// A message in lines that a terminal does not break; programs get it in one.
fn for_people(message: &str, indent: &str) -> String {
    if std::io::stderr().is_terminal() { wrapped(message, indent) } else { message.to_owned() }
}

impl Failure {
    /// Bad usage or bad input: nothing was written.
    pub(crate) fn input(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self { exit: 2, code: code.into(), message: message.into(), help: None }
    }

    /// Something failed while running.
    pub(crate) fn running(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self { exit: 1, code: code.into(), message: message.into(), help: None }
    }

    /// The user interrupted; everything found is saved and printed already.
    pub(crate) fn interrupted() -> Self {
        let message = "the result is the best found so far".to_owned();
        Self { exit: interrupt::EXIT_CODE, code: "interrupted".to_owned(), message, help: None }
    }

    /// Says what the failure is about.
    pub(crate) fn about(mut self, what: &str) -> Self {
        self.message = format!("{what}: {}", self.message);
        self
    }

    /// Adds a remedy.
    pub(crate) fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The sentence as it is printed: without commands to the terminal, and of bounded length.
    fn sentence(&self) -> String {
        let mut text = printable(&self.message, &[]);
        if let Some((end, _)) = text.char_indices().nth(LONGEST) {
            text.truncate(end);
            text.push('…');
        }
        text
    }

    /// Tells the user and gives the exit code.
    pub(crate) fn report(&self) -> u8 {
        let error = format!("\x1b[1;31merror\x1b[0m[{}]: {}", self.code, self.sentence());
        print_stderr(format_args!("{}", for_people(&error, "  ")));
        if let Some(help) = &self.help {
            let help = format!("  \x1b[1mhelp\x1b[0m: {}", printable(help, &[]));
            print_stderr(format_args!("{}", for_people(&help, "    ")));
        }
        self.exit
    }
}
