//! The constructor of Python's estimator follows from the declaration of the options.
//!
//! `GFLOWCAUSAL_GENERATE=1 cargo test -p gflowcausal-python --test options` writes `_options.py` anew.

use std::fmt::Write as _;
use std::path::PathBuf;

use gflowcausal::{Config, FrontEnd, Kind, OPTIONS, OptionSpec, request_help};
use toml::Value;

/// What only a call from Python has: a name, its type and default, and what it does.
const CALL: [(&str, &str, &str, &str); 10] = [
    ("types", "Mapping[str, str] | None", "None", request_help::TYPES),
    ("no_header", "bool", "False", request_help::NO_HEADER),
    ("delimiter", "str | None", "None", request_help::DELIMITER),
    ("time_budget", "float | None", "None", request_help::TIME_BUDGET),
    ("threads", "int | None", "None", "How many threads; all cores if not given."),
    ("out", "str | os.PathLike[str] | None", "None", "A directory for all files of the run."),
    ("resume", "bool", "False", "Whether the run that began in ``out`` goes on, to the same bits."),
    ("overwrite", "bool", "False", "Whether a run that is in ``out`` is replaced; else it is refused."),
    (
        "callback",
        "Callback | None",
        "None",
        "Is called with a `Progress` at each step. It may raise `StopIteration` to end training with the best so far; any other exception ends it and is passed on.",
    ),
    ("progress", "bool", "False", "Whether to show a progress bar."),
];

/// The name of the type of an option that takes one of a few names.
fn alias(spec: &OptionSpec) -> String {
    let (first, rest) = spec.name.split_at(1);
    format!("{}{rest}", first.to_uppercase())
}

fn aliases() -> String {
    let mut text = String::new();
    for spec in OPTIONS.iter().filter(|spec| matches!(spec.kind, Kind::OneOf(_))) {
        let _ = writeln!(text, "{} = Literal[", alias(spec));
        for (name, _) in spec.values() {
            let _ = writeln!(text, "    \"{name}\",");
        }
        text.push_str("]\n");
    }
    text
}

fn kind(spec: &OptionSpec) -> String {
    match spec.kind {
        Kind::Flag => "bool".into(),
        Kind::OneOf(_) => alias(spec),
        Kind::Whole { .. } => "int".into(),
        Kind::Number(_) => "float".into(),
        Kind::AutoOrNumber(_) => "float | Literal[\"auto\"]".into(),
        Kind::File => "Knowledge | str | os.PathLike[str]".into(),
        Kind::List if spec.value_name == "A->B" => "Sequence[str | tuple[str, str]]".into(),
        Kind::List if spec.name == "tiers" => "str | Sequence[str | Sequence[str]]".into(),
        Kind::List if spec.value_name == "A,B" => "str | Sequence[str]".into(),
        Kind::Text => "str".into(),
        Kind::List => "Sequence[str]".into(),
    }
}

fn default(spec: &OptionSpec) -> Option<String> {
    Config::default().to_table().get(spec.key).map(|value| match value {
        Value::Boolean(true) => "True".to_owned(),
        Value::Boolean(false) => "False".to_owned(),
        other => other.to_string(),
    })
}

/// Name, type, default and help of every keyword.
fn keywords() -> Vec<(String, String, String, String)> {
    let declared = OPTIONS.iter().map(|spec| {
        let default = default(spec);
        let open = if default.is_none() { " | None" } else { "" };
        let name = FrontEnd::Python.option(spec.name);
        (name, format!("{}{open}", kind(spec)), default.unwrap_or_else(|| "None".into()), help(spec))
    });
    let call = CALL.iter().map(|(name, kind, default, help)| {
        let help = match *name {
            "types" => format!("{help}, such as ``{{\"ward\": \"categorical\"}}``."),
            "time_budget" => format!("{help}, in seconds."),
            "delimiter" => format!("{}.", help.replace('`', "``")),
            "no_header" => format!("{help}."),
            _ => (*help).to_owned(),
        };
        ((*name).to_owned(), (*kind).to_owned(), (*default).to_owned(), help)
    });
    declared.chain(call).collect()
}

fn help(spec: &OptionSpec) -> String {
    let about = spec.about().replace('`', "``").replace("; may be repeated", "");
    let about = if matches!(spec.kind, Kind::List) { format!("A list: {}", lower(&about)) } else { about };
    let names: Vec<&str> = spec.values().iter().map(|(name, _)| *name).collect();
    let values = if names.is_empty() { String::new() } else { format!(" One of {}.", names.join(", ")) };
    let open = spec.open.map_or_else(String::new, |open| format!(" If not given: {open}."));
    let readers = spec.readers();
    let methods =
        if readers.is_empty() { String::new() } else { format!(" Read by {}.", readers.join(", ")) };
    format!("{about}{values}{open}{methods}")
}

fn lower(text: &str) -> String {
    let (first, rest) = text.split_at(1);
    format!("{}{rest}", first.to_lowercase())
}

/// `text` in lines of at most 110 letters, each after `indent`.
fn wrapped(text: &str, indent: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let last = lines.last_mut().expect("there is a line");
        if indent.len() + last.len() + word.len() < 110 {
            last.push_str(if last.is_empty() { "" } else { " " });
            last.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines.iter().map(|line| format!("{indent}{line}\n")).collect()
}

fn module() -> String {
    let keywords = keywords();
    let names: String =
        OPTIONS.iter().map(|spec| format!("    \"{}\",\n", FrontEnd::Python.option(spec.name))).collect();
    let signature: String = keywords
        .iter()
        .map(|(name, kind, default, _)| format!("        {name}: {kind} = {default},\n"))
        .collect();
    let help: String = keywords
        .iter()
        .map(|(name, _, _, help)| format!("        {name}\n{}", wrapped(help, "            ")))
        .collect();
    let typed: String = keywords.iter().map(|(name, kind, ..)| format!("    {name}: {kind}\n")).collect();
    let fields: String =
        keywords.iter().map(|(name, ..)| format!("        self.{name} = {name}\n")).collect();
    format!(
        "\"\"\"Options, generated from their declaration: `crates/python/tests/options.rs` writes and checks this file.\"\"\"

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Literal, TypedDict

from ._knowledge import Knowledge
from ._progress import Callback

{}
#: The options of discovery, which the command line has too.
DISCOVERY = (
{names})


class DiscoveryOptions(TypedDict, total=False):
    \"\"\"The options of `discover`, by name.\"\"\"

{typed}

class Options:
    \"\"\"The options of `GFlowCausal`.\"\"\"

    def __init__(
        self,
        *,
{signature}    ) -> None:
        \"\"\"Takes options.

        Parameters
        ----------
{help}        \"\"\"
{fields}",
        aliases()
    )
}

#[test]
fn the_options_of_python_are_those_of_the_declaration() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("python/gflowcausal/_options.py");
    if std::env::var_os("GFLOWCAUSAL_GENERATE").is_some() {
        std::fs::write(&path, module()).expect("the file can be written");
    }
    let stored = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(stored == module(), "{} is stale: run this test with GFLOWCAUSAL_GENERATE=1", path.display());
}
