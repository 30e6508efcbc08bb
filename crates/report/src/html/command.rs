//! The command that repeats a run.

use std::path::Path;

use gflowcausal::{Config, RunFile};

/// The words of the command line that repeats the run, from the configuration in its directory.
pub(crate) fn command(run: &RunFile) -> Vec<String> {
    let mut words = vec!["gflowcausal".to_owned(), "discover".to_owned()];
    // A knowledge file is kept as text: only the configuration has it.
    if run.config.knowledge.is_some() {
        words.extend(["--config", "config.toml"].map(str::to_owned));
        return words;
    }
    if let Some(data) = &run.about.data {
        words.push(quoted(&file_name(&data.path)));
        words.extend(data.no_header.then(|| "--no-header".to_owned()));
        option(&mut words, "delimiter", data.delimiter.as_deref());
        option(&mut words, "types", data.types.as_deref());
    }
    settings(&mut words, &run.config);
    option(&mut words, "time-budget", run.about.time_budget.as_deref());
    let truth = run.about.truth.as_ref().map(|path| file_name(&path.to_string_lossy()));
    option(&mut words, "truth", truth.as_deref());
    words
}

/// The last part of a path: where somebody keeps files is nobody else's business, and nobody else has that place.
fn file_name(path: &str) -> String {
    let name = Path::new(path).file_name();
    name.map_or_else(|| path.to_owned(), |name| name.to_string_lossy().into_owned())
}

fn option(words: &mut Vec<String>, name: &str, value: Option<&str>) {
    if let Some(value) = value {
        words.extend([format!("--{name}"), quoted(value)]);
    }
}

/// Every setting that is not the default, as the option of the same name.
fn settings(words: &mut Vec<String>, config: &Config) {
    let table = |config: &Config| toml::Table::try_from(config).expect("every value has a TOML form");
    let default = table(&Config::default());
    for (key, value) in table(config) {
        if default.get(&key) == Some(&value) {
            continue;
        }
        match value {
            toml::Value::Boolean(_) => words.push(format!("--{key}")),
            toml::Value::Array(values) => {
                for value in values {
                    option(words, &key, Some(&text(&value)));
                }
            }
            value => option(words, &key, Some(&text(&value))),
        }
    }
}

fn text(value: &toml::Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// `word` as a shell takes it: in quotes unless it is plain.
fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./=:,+@%".contains(letter);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use gflowcausal::{DataFile, RunSettings, ScoreName};

    use super::*;

    #[test]
    fn what_was_said_is_said_again() {
        let config = Config {
            score: ScoreName::Bge,
            require: vec!["a b->c".into(), "it's->x".into()],
            standardize: true,
            temperature: 2.0,
            seed: 7,
            ..Config::default()
        };
        let data = DataFile { path: "/home/ada/my data.csv".into(), no_header: true, ..DataFile::default() };
        let about =
            RunSettings { data: Some(data), time_budget: Some("60s".into()), ..RunSettings::default() };
        assert_eq!(
            command(&RunFile { config, about }).join(" "),
            "gflowcausal discover 'my data.csv' --no-header --score bge --temperature 2.0 --require 'a b->c' \
             --require 'it'\\''s->x' --standardize --seed 7 --time-budget 60s"
        );
    }

    #[test]
    fn knowledge_that_came_from_a_file_is_in_the_configuration() {
        let config = Config { knowledge: Some("/knowledge".into()), ..Config::default() };
        let run = RunFile { config, ..RunFile::default() };
        assert_eq!(command(&run).join(" "), "gflowcausal discover --config config.toml");
    }
}
