//! A fingerprint of a table's names and values.

use gflowcausal_data::{Table, Values};
use sha2::{Digest, Sha256};

/// SHA-256 of the columns' names and values, in hexadecimal. Missing numbers count as one value.
///
/// ```
/// use gflowcausal::data::{Column, Table};
/// let table = |x| Table::new(vec![Column::continuous("x", vec![x])]).unwrap();
/// assert_eq!(gflowcausal::fingerprint(&table(1.0)).len(), 64);
/// assert_ne!(gflowcausal::fingerprint(&table(1.0)), gflowcausal::fingerprint(&table(2.0)));
/// ```
#[must_use]
pub fn fingerprint(table: &Table) -> String {
    let mut hash = Sha256::new();
    for column in table.columns() {
        text(&mut hash, &column.name);
        match &column.values {
            Values::Continuous(values) => {
                hash.update([0]);
                for &value in values {
                    let value = if value.is_nan() { f64::NAN } else { value };
                    hash.update(value.to_bits().to_le_bytes());
                }
            }
            Values::Categorical { codes, levels } => {
                hash.update([1]);
                levels.iter().for_each(|level| text(&mut hash, level));
                codes.iter().for_each(|code| hash.update(code.to_le_bytes()));
            }
        }
    }
    hexadecimal(hash)
}

/// SHA-256 of `bytes`, in hexadecimal.
pub(crate) fn digest(bytes: &[u8]) -> String {
    hexadecimal(Sha256::new_with_prefix(bytes))
}

fn hexadecimal(hash: Sha256) -> String {
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Length first, so that no two lists of texts give the same bytes.
fn text(hash: &mut Sha256, text: &str) {
    hash.update((text.len() as u64).to_le_bytes());
    hash.update(text.as_bytes());
}
