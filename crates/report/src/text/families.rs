//! Which variables ask for which family of densities, where evidence chose the score.

use gflowcausal::FamilyEvidence;
use gflowcausal::score::Family;

/// A line for each family that a variable asks for, the simplest first, its variables with what the family gains over the linear
/// Gaussian one; of each at most so many are named. Nothing where all are of the simplest.
pub(crate) fn family_lines(evidence: &FamilyEvidence, most: usize) -> Vec<String> {
    if evidence.families.is_empty() {
        return Vec::new();
    }
    Family::ALL.iter().filter_map(|&family| family_line(evidence, family, most)).collect()
}

fn family_line(evidence: &FamilyEvidence, family: Family, most: usize) -> Option<String> {
    let of_family = evidence.variables.iter().filter(|variable| variable.family == family.name());
    let named: Vec<String> = of_family
        .map(|variable| match family {
            Family::LinearGaussian => variable.variable.clone(),
            _ => format!("{}\u{a0}{:+.0}", variable.variable, variable.nats),
        })
        .collect();
    if named.is_empty() {
        return None;
    }
    let more = named.len().saturating_sub(most);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let shown = &named[..named.len().min(most)];
    Some(format!("{}: {}{more}", family.name(), shown.join(", ")))
}
