//! Numbers of things in sentences.

/// A number of things: `1 row`, `2 rows`.
///
/// ```
/// use gflowcausal_graph::pluralize;
/// assert_eq!([pluralize(0, "row"), pluralize(1, "row"), pluralize(12, "row")], ["0 rows", "1 row", "12 rows"]);
/// ```
#[must_use]
pub fn pluralize(count: usize, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}
