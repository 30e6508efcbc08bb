//! The outputs of the last layer that are requested of some rows, sorted by output.

use std::ops::Range;

use super::Tape;

/// The outputs requested of some rows, with the gradient of each.
#[derive(Debug, Clone, Default)]
pub(super) struct RequestedOutputs {
    /// Where each output's requests end.
    ends: Vec<usize>,
    requests: Vec<Request>,
}

/// One row of which an output is requested.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Request {
    /// Counted from the first of the rows.
    pub(super) row: usize,
    /// The derivative of the loss by the output.
    pub(super) grad: f32,
}

impl RequestedOutputs {
    /// Sorts the requests of `rows` by output, below `outputs`; those for the same output stay in the order of rows.
    pub(super) fn sort(&mut self, tape: &Tape, rows: Range<usize>, outputs: usize) {
        self.ends.clear();
        self.ends.resize(outputs, 0);
        for index in rows.clone() {
            tape.requested(index).iter().for_each(|&output| self.ends[output as usize] += 1);
        }
        let mut start = 0;
        for end in &mut self.ends {
            (*end, start) = (start, start + *end);
        }
        self.requests.resize(start, Request::default());
        for (row, index) in rows.enumerate() {
            for (&output, &grad) in tape.requested(index).iter().zip(tape.grad(index)) {
                let end = &mut self.ends[output as usize];
                self.requests[*end] = Request { row, grad };
                *end += 1;
            }
        }
    }

    /// The requests for each output that any row has.
    #[inline(always)]
    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, &[Request])> {
        let starts = std::iter::once(&0).chain(&self.ends);
        let outputs = starts.zip(&self.ends).enumerate().filter(|(_, (start, end))| start < end);
        outputs.map(|(output, (&start, &end))| (output, &self.requests[start..end]))
    }
}
