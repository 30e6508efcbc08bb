//! `completions`: a completion script for the user's shell.

use clap::{Args, CommandFactory};

use crate::failure::Failure;

/// Print a shell completion script.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  gflowcausal completions bash > ~/.gflowcausal.bash  # source it in ~/.bashrc
  gflowcausal completions zsh > ~/.zfunc/_gflowcausal
  gflowcausal completions fish > ~/.config/fish/completions/gflowcausal.fish")]
pub(crate) struct Arguments {
    /// The shell to complete for.
    shell: clap_complete::Shell,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut crate::Arguments::command(), "gflowcausal", &mut script);
    crate::output::print_bytes(&script)
}
