//! Other ways through the same scores: insertion of one variable at a time, greedy or at a temperature.

mod insertion;

pub use insertion::{climb, tempered_insertion, tempered_sweep};
