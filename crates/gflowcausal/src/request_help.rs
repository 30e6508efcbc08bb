//! Help texts of the options that read data and stop a run.

/// Of `no_header`.
pub const NO_HEADER: &str = "The first row of a text file is data, not names: columns are called X1, X2, …";

/// Of `delimiter`.
pub const DELIMITER: &str =
    "What separates the cells of a text file: a character, `tab` or `space`; detected by default";

/// Of `types`.
pub const TYPES: &str = "Columns whose type differs from the detected one";

/// Of `time_budget`.
pub const TIME_BUDGET: &str = "Stop after this time with the best result so far";
