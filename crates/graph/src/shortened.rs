//! Long texts of a user's, cut so that a message stays readable.

use std::borrow::Cow;

/// The most characters that are repeated.
const MOST: usize = 60;

/// `text`, or where it is long its beginning and an ellipsis.
///
/// ```
/// use gflowcausal_graph::shortened;
/// assert_eq!(shortened("dose"), "dose");
/// assert_eq!(shortened(&"x".repeat(1000)).chars().count(), 61);
/// ```
#[must_use]
pub fn shortened(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]).into(),
        None => text.into(),
    }
}
