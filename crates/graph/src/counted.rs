//! Numbers of things in sentences.

/// A number of things: `1 row`, `2 rows`.
///
/// ```
/// use gflowcausal_graph::counted;
/// assert_eq!([counted(0, "row"), counted(1, "row"), counted(12, "row")], ["0 rows", "1 row", "12 rows"]);
/// ```
#[must_use]
pub fn counted(count: usize, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}
