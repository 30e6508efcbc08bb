//! What some rows want of the last layer, sorted by output.

use std::ops::Range;

use super::Tape;

/// The outputs that rows want, with the slope of each.
#[derive(Debug, Clone, Default)]
pub(super) struct Wants {
    /// Where each output's wants end.
    ends: Vec<usize>,
    wants: Vec<Want>,
}

/// One row's want of an output.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Want {
    /// Counted from the first of the rows.
    pub(super) row: usize,
    pub(super) slope: f32,
}

impl Wants {
    /// Gathers the wants of `rows` for outputs below `outputs`; those for the same output stay in the order of rows.
    pub(super) fn gather(&mut self, tape: &Tape, rows: Range<usize>, outputs: usize) {
        self.ends.clear();
        self.ends.resize(outputs, 0);
        for index in rows.clone() {
            tape.wanted(index).iter().for_each(|&output| self.ends[output as usize] += 1);
        }
        let mut start = 0;
        for end in &mut self.ends {
            (*end, start) = (start, start + *end);
        }
        self.wants.resize(start, Want::default());
        for (row, index) in rows.enumerate() {
            for (&output, &slope) in tape.wanted(index).iter().zip(tape.slopes(index)) {
                let end = &mut self.ends[output as usize];
                self.wants[*end] = Want { row, slope };
                *end += 1;
            }
        }
    }

    /// The wants of each output that any row wants.
    #[inline(always)]
    pub(super) fn by_output(&self) -> impl Iterator<Item = (usize, &[Want])> {
        let starts = std::iter::once(&0).chain(&self.ends);
        let outputs = starts.zip(&self.ends).enumerate().filter(|(_, (start, end))| start < end);
        outputs.map(|(output, (&start, &end))| (output, &self.wants[start..end]))
    }
}
