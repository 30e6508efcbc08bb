//! Bit gather: from a set of variables to its index in the table of a candidate set.

use gflowcausal_graph::NodeSet;

/// Some variables, ascending, as bits of an index: consecutive ones are moved together.
#[derive(Debug, Clone)]
pub(super) struct Gather {
    runs: Vec<Run>,
}

/// Neighbours within one word.
#[derive(Debug, Clone, Copy)]
struct Run {
    word: usize,
    shift: usize,
    mask: u64,
    /// The bit of the index that the first of them has.
    first: usize,
}

impl Gather {
    /// Variable `variables[i]` becomes bit `i`.
    pub(super) fn new(variables: &[usize]) -> Self {
        let mut runs: Vec<Run> = Vec::new();
        for (bit, &variable) in variables.iter().enumerate() {
            let (word, shift) = (variable / 64, variable % 64);
            match runs.last_mut() {
                Some(run) if run.word == word && run.shift + run.mask.count_ones() as usize == shift => {
                    run.mask = run.mask << 1 | 1;
                }
                _ => runs.push(Run { word, shift, mask: 1, first: bit }),
            }
        }
        Self { runs }
    }

    /// The index of `variable` alone; 0 if it has no bit.
    #[inline]
    pub(super) fn bit(&self, variable: usize) -> usize {
        let (word, bit) = (variable / 64, variable % 64);
        let has = |run: &&Run| run.word == word && bit >= run.shift && run.mask >> (bit - run.shift) & 1 == 1;
        self.runs.iter().find(has).map_or(0, |run| 1 << (run.first + bit - run.shift))
    }

    /// The index of what `set` has of the variables.
    #[inline]
    pub(super) fn index(&self, set: &NodeSet) -> usize {
        let words = set.words();
        let part = |run: &Run| ((words[run.word] >> run.shift & run.mask) as usize) << run.first;
        self.runs.iter().fold(0, |index, run| index | part(run))
    }
}
