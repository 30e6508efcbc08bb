//! The table of options in the documentation follows from their declaration.
//!
//! `GFLOWCAUSAL_GENERATE=1 cargo test -p gflowcausal --test options` writes `docs/options.md` anew.

use std::path::PathBuf;

use gflowcausal::{Kind, OPTIONS, OptionSpec, methods};

fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

fn values(spec: &OptionSpec) -> String {
    let names: Vec<String> = spec.values().iter().map(|(name, _)| format!("`{name}`")).collect();
    match spec.kind {
        Kind::Flag => "on or off".into(),
        Kind::OneOf(_) => names.join(" "),
        Kind::Whole { least, most } => format!("a whole number from {least} to {most}"),
        Kind::Number(range) => format!("a number, {}", range.text()),
        Kind::AutoOrNumber(range) => format!("`auto`, or {}", range.text()),
        Kind::File => "a file".into(),
        Kind::Text => format!("`{}`", spec.value_name),
        Kind::List => format!("`{}`, repeated", spec.value_name),
    }
}

fn readers(spec: &OptionSpec) -> String {
    if spec.is_common {
        return "every method".into();
    }
    spec.readers().iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" ")
}

fn row(spec: &OptionSpec) -> String {
    let default = spec.default_text().unwrap_or_else(|| "–".into());
    let cells = [format!("`{}`", spec.key), spec.about().to_owned(), values(spec), default, readers(spec)];
    format!("| {} |\n", cells.map(|text| cell(&text)).join(" | "))
}

fn page() -> String {
    let rows: String = OPTIONS.iter().map(row).collect();
    let methods: String =
        methods().iter().map(|method| format!("| `{}` | {} |\n", method.name(), method.about())).collect();
    format!(
        "# Options of discovery

The same options on the command line (`--batch-size 32`), in a configuration file (`batch-size = 32`) and in Python
(`batch_size=32`). An option that the chosen method does not read is refused. This page is generated from their
declaration in `crates/gflowcausal/src/options/mod.rs`.

| option | what it does | values | default | read by |
|---|---|---|---|---|
{rows}
## Methods

| method | what it does |
|---|---|
{methods}"
    )
}

#[test]
fn the_table_of_options_is_that_of_the_declaration() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/options.md");
    if std::env::var_os("GFLOWCAUSAL_GENERATE").is_some() {
        std::fs::write(&path, page()).expect("the page can be written");
    }
    let stored = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(stored == page(), "docs/options.md is stale: run this test with GFLOWCAUSAL_GENERATE=1");
}
