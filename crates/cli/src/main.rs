//! The program `gflowcausal`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(gflowcausal_cli::run(std::env::args_os()))
}
