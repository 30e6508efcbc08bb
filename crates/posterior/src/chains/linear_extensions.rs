//! How many linear extensions a DAG has, out of those that count as canonical.

/// The most pairs of an ancestral set and its last variable by which linear extensions are counted; DAGs with more are neither proposed nor
/// left.
const MOST_STEPS: usize = 1 << 11;

/// The most variables: the sets of the lattice, and a number for each, are kept.
pub(super) const MOST_NODES: usize = 20;

/// Counts the canonical linear extensions of DAGs, one after another in the same memory.
///
/// A linear extension is an order with every parent before its children. It is canonical if each variable that is followed by a smaller one
/// is a parent of that one: every descent asks for an edge, so that many DAGs have a single one.
#[derive(Debug, Clone, Default)]
pub(super) struct ExtensionCounter {
    /// One more than where each ancestral set of the next size stands, 0 for all other sets.
    positions: Vec<u32>,
    current: Level,
    next: Level,
}

/// The ancestral sets of one size, and how many canonical orders of each end with each variable, at `position·d + last`.
#[derive(Debug, Clone, Default)]
struct Level {
    sets: Vec<AncestralSet>,
    counts: Vec<f64>,
}

#[derive(Debug, Clone, Copy)]
struct AncestralSet {
    members: usize,
    /// Those outside whose parents are all inside.
    followers: usize,
}

impl ExtensionCounter {
    /// The logarithm of the number of canonical linear extensions of a DAG, given the parents of each variable as bits; none if there are
    /// too many steps to go through.
    pub(super) fn log_count(&mut self, parents: &[usize]) -> Option<f64> {
        self.positions.resize(1 << parents.len(), 0);
        self.current.clear();
        let roots =
            (0..parents.len()).filter(|&node| parents[node] == 0).fold(0, |set, node| set | 1 << node);
        self.current.push(AncestralSet { members: 0, followers: roots }, parents.len());
        let family = Family::new(parents);
        let mut steps = 0;
        for _ in parents {
            self.next.clear();
            steps += self.grow(&family, MOST_STEPS - steps)?;
            std::mem::swap(&mut self.current, &mut self.next);
        }
        Some(self.current.counts.iter().sum::<f64>().ln())
    }

    /// All ancestral sets with one variable more, and the number of pairs of such a set and its last variable; none if there are more than
    /// `most`.
    fn grow(&mut self, family: &Family<'_>, most: usize) -> Option<usize> {
        let nodes = family.parents.len();
        let mut steps = 0;
        for (set, counts) in self.current.sets.iter().zip(self.current.counts.chunks_exact(nodes)) {
            let smaller = sums_before(counts);
            for last in bits(set.followers) {
                let larger = bits(family.parents[last] & !((1 << last) - 1)).map(|previous| counts[previous]);
                let count = if set.members == 0 { 1.0 } else { smaller[last] + larger.sum::<f64>() };
                if count > 0.0 {
                    let position = &mut self.positions[set.members | 1 << last];
                    if *position == 0 {
                        *position = self.next.push(set.with(last, family), nodes);
                    }
                    self.next.counts[(*position - 1) as usize * nodes + last] = count;
                    steps += 1;
                }
            }
            if steps > most {
                break;
            }
        }
        self.next.sets.iter().for_each(|set| self.positions[set.members] = 0);
        (steps <= most).then_some(steps)
    }
}

impl AncestralSet {
    /// The set and one of its followers.
    fn with(self, node: usize, family: &Family<'_>) -> Self {
        let members = self.members | 1 << node;
        let freed = bits(family.children[node]).filter(|&child| family.parents[child] & !members == 0);
        Self { members, followers: freed.fold(self.followers & !(1 << node), |set, child| set | 1 << child) }
    }
}

/// A DAG by the parents and the children of each variable, as bits.
struct Family<'a> {
    parents: &'a [usize],
    children: [usize; MOST_NODES],
}

impl<'a> Family<'a> {
    fn new(parents: &'a [usize]) -> Self {
        let mut children = [0; MOST_NODES];
        for (node, &of_node) in parents.iter().enumerate() {
            bits(of_node).for_each(|parent| children[parent] |= 1 << node);
        }
        Self { parents, children }
    }
}

impl Level {
    fn clear(&mut self) {
        self.sets.clear();
        self.counts.clear();
    }

    /// Adds a set without orders; says how many sets there are.
    fn push(&mut self, set: AncestralSet, nodes: usize) -> u32 {
        self.sets.push(set);
        self.counts.resize(self.sets.len() * nodes, 0.0);
        self.sets.len() as u32
    }
}

/// The sum of the counts before each.
fn sums_before(counts: &[f64]) -> [f64; MOST_NODES] {
    let mut sums = [0.0; MOST_NODES];
    let mut total = 0.0;
    for (sum, count) in sums.iter_mut().zip(counts) {
        *sum = total;
        total += count;
    }
    sums
}

/// The positions of the bits of a set, from the lowest.
pub(super) fn bits(mut set: usize) -> impl Iterator<Item = usize> + Clone {
    std::iter::from_fn(move || {
        let lowest = (set != 0).then(|| set.trailing_zeros() as usize)?;
        set &= set - 1;
        Some(lowest)
    })
}

#[cfg(test)]
mod tests {
    use super::ExtensionCounter;

    #[test]
    fn a_descent_counts_only_along_an_edge() {
        let mut counter = ExtensionCounter::default();
        // 0 → 2 ← 1: of the linear extensions 0 1 2 and 1 0 2 the second descends from 1 to 0 without an edge.
        assert_eq!(counter.log_count(&[0, 0, 0b11]), Some(0.0));
        // 2 → 0, and 1 apart: 2 0 1 and 1 2 0 descend along the edge alone, 2 1 0 does not.
        assert_eq!(counter.log_count(&[0b100, 0, 0]), Some(2_f64.ln()));
    }

    #[test]
    fn a_dag_with_too_many_steps_leaves_no_trace() {
        let mut counter = ExtensionCounter::default();
        // A variable that all others point from, and the last the parent of none: 2^15 ancestral sets.
        let wide: Vec<usize> = (0..16).map(|node| if node == 15 { 0 } else { 1 << 15 }).collect();
        let fork = [0, 0, 0b11];
        let first = counter.log_count(&fork);
        assert_eq!(
            (counter.log_count(&[&wide[..], &[0, 0]].concat()), counter.log_count(&fork)),
            (None, first)
        );
    }
}
