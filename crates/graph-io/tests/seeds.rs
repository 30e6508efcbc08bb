//! The fuzzer's seeds, among them every input that once broke a reader, through all readers.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on stops")]

use std::fs;
use std::path::{Path, PathBuf};

use gflowcausal_graph_io::{Format, ReadOptions, read_knowledge};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds")
}

/// The seeds of one target.
fn seeds(target: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let files = fs::read_dir(folder().join(target)).unwrap().map(|file| file.unwrap().path());
    files.map(|path| (path.clone(), fs::read(path).unwrap())).collect()
}

fn graph_targets() -> impl Iterator<Item = (Format, String)> {
    Format::ALL.iter().copied().map(|format| (format, format!("graph_{}", format.name().replace('-', "_"))))
}

#[test]
fn every_graph_target_has_seeds_that_its_reader_understands() {
    for (format, target) in graph_targets() {
        let understood = |(_, file): &(PathBuf, Vec<u8>)| format.read(file, &ReadOptions::default()).is_ok();
        assert!(seeds(&target).iter().any(understood), "{target}");
    }
}

#[test]
fn no_seed_breaks_a_reader_or_is_lost_in_writing() {
    for (path, file) in graph_targets().flat_map(|(_, target)| seeds(&target)) {
        for &format in Format::ALL {
            let Ok(named) = format.read(&file, &ReadOptions::default()) else { continue };
            let Ok(written) = format.write(&named) else { continue };
            let options = ReadOptions { names: Some(named.names().to_vec()), ..ReadOptions::default() };
            let again = format.read(&written, &options).unwrap().align(named.names()).unwrap();
            assert_eq!(again.graph(), named.graph(), "{} as {format}", path.display());
        }
    }
}

#[test]
fn no_seed_breaks_the_knowledge_reader() {
    let all = graph_targets().map(|(_, target)| target).chain(["knowledge_tetrad".to_owned()]);
    let read = all.flat_map(|target| seeds(&target)).filter(|(_, file)| read_knowledge(file).is_ok());
    assert!(read.count() >= seeds("knowledge_tetrad").len() / 2);
}

#[test]
fn seeds_cut_anywhere_or_with_a_wrong_byte_are_read_or_refused() {
    for (_, file) in graph_targets().flat_map(|(_, target)| seeds(&target)) {
        for at in 0..file.len().min(600) {
            let mut wrong = file.clone();
            wrong[at] ^= 0x15;
            for &format in Format::ALL {
                _ = format.read(&file[..at], &ReadOptions::default());
                _ = format.read(&wrong, &ReadOptions::default());
            }
        }
    }
}
