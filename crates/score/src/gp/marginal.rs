//! The log marginal likelihood of Gaussian processes: one function of all parents, or a sum of functions of one each.

use faer::Mat;
use gflowcausal_data::Table;
use gflowcausal_graph::NodeSet;

use super::ROOM;
use super::cell::Cell;
use super::hyperparameter_grid::HyperparameterGrid;
use super::kd_tree::cells;
use super::median_heuristic::typical;
use crate::shared_terms::SharedTerms;
use crate::standard_columns::StandardColumns;
use crate::{Cached, LocalScore, Penalty, ScoreError, Spline};

/// The most rows of a neighbourhood.
const LARGEST_CELL: usize = 256;

/// The log marginal likelihood of `y = f(parents) + noise`, `f` a Gaussian process: the likelier of two kinds.
///
/// **Jointly**: a radial kernel over all parents. Columns are standardised, `y ~ N(0, s²(K + λI))` with
/// `K = exp(−d²/(2ℓ²))`; the signal variance `s²` has its maximum in closed form, and
/// `−(n/2) ln(yᵀ(K + λI)⁻¹y/n) − ½ ln|K + λI|` remains, without the constants that every term shares. The squared
/// bandwidth `ℓ²` is the median squared distance between rows, a quarter or a sixteenth of it, and the ratio `λ` of
/// noise to signal a power of 4; both are raised to the likeliest by steps, `λ` between steps by the parabola through
/// three of them. There is no penalty for a parent: the likelihood of a function of more variables spreads over more
/// functions. More than 256 rows are cut into neighbourhoods, the cells of a k-d tree over the parents' values, and the
/// function is independent from cell to cell: rows that tell something of one another are near.
///
/// **As a sum**: the [`Spline`] model at the ordinary penalty of one parameter a parent. In a sum of rough functions of
/// many parents no two rows are near, and the first kind sees little.
///
/// A variable without parents has term 0. More than two thousand rows are thinned to two thousand. One factorisation
/// serves every variable outside the parent set: about seven of `n·256²/3` a set.
#[derive(Debug)]
pub struct GpMarginal {
    sums: Cached<Spline>,
    joint: SharedTerms,
    largest_cell: usize,
}

impl GpMarginal {
    /// The most rows that are used unless something else is asked for: more are thinned to this many, evenly spaced.
    ///
    /// The score is then that of the rows kept, not scaled up.
    pub const MAX_ROWS: usize = 2000;

    /// The score of a table of complete real columns.
    ///
    /// # Errors
    /// No rows, or a column that is not real or misses a cell.
    pub fn new(table: &Table) -> Result<Self, ScoreError> {
        Self::of_rows(table, Self::MAX_ROWS)
    }

    /// The same of at most `max_rows` rows, evenly spaced.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn of_rows(table: &Table, max_rows: usize) -> Result<Self, ScoreError> {
        Self::with_cells(table, max_rows, LARGEST_CELL)
    }

    fn with_cells(table: &Table, max_rows: usize, largest_cell: usize) -> Result<Self, ScoreError> {
        let data = StandardColumns::thinned(table, max_rows)?;
        let joint = SharedTerms::with_room_for(ROOM, data.nodes());
        Ok(Self { sums: Cached::new(Spline::of_columns(data, Penalty::Factor(1.0))?), joint, largest_cell })
    }

    fn data(&self) -> &StandardColumns {
        self.sums.inner().data()
    }

    /// The likelihoods of functions of all parents, for every variable outside.
    fn joint_terms(&self, parents: &NodeSet) -> Vec<f64> {
        let data = self.data();
        let columns: Vec<&[f64]> = parents.iter().map(|parent| data.columns[parent].as_slice()).collect();
        let mut terms = vec![0.0; data.nodes()];
        let Some(bandwidth) = typical(&columns, data.rows) else { return terms };
        let varies = |&node: &usize| data.columns[node].iter().any(|&value| value != 0.0);
        let outside: Vec<usize> =
            (0..data.nodes()).filter(|&node| !parents.contains(node)).filter(varies).collect();
        let cell = |rows: &Vec<usize>| {
            let single = |column: &[f64]| rows.iter().map(|&row| column[row] as f32).collect();
            let values: Vec<Vec<f32>> = columns.iter().copied().map(single).collect();
            let response = |row: usize, k: usize| data.columns[outside[k]][rows[row]] as f32;
            Cell::new(&values, bandwidth as f32, Mat::from_fn(rows.len(), outside.len(), response))
        };
        let mut surface =
            HyperparameterGrid::new(cells(&columns, data.rows, self.largest_cell).iter().map(cell).collect());
        surface.search();
        outside.iter().enumerate().for_each(|(k, &node)| terms[node] = surface.max_log_likelihood(k));
        terms
    }
}

impl LocalScore for GpMarginal {
    fn name(&self) -> &'static str {
        "gp"
    }

    fn nodes(&self) -> usize {
        self.data().nodes()
    }

    fn local(&self, node: usize, parents: &NodeSet) -> f64 {
        if parents.is_empty() {
            return 0.0;
        }
        let alone = NodeSet::empty(self.nodes());
        let sum = self.sums.local(node, parents) - self.sums.local(node, &alone);
        sum.max(self.joint.term(node, parents, || self.joint_terms(parents)))
    }
}

#[cfg(test)]
mod tests {
    use gflowcausal_data::{Model, Simulation, simulate};

    use super::*;

    /// Every parent set of every variable, ranked by likelihood with one cell and with four.
    #[test]
    fn cells_keep_the_ranking_of_the_whole() {
        let config =
            Simulation { nodes: 5, edges: Some(7), rows: 400, model: Model::Gp, ..Default::default() };
        let data = simulate(&config).expect("a possible simulation");
        let [whole, cut] =
            [400, 100].map(|largest| GpMarginal::with_cells(&data.table, 2000, largest).expect("valid"));
        let (mut pairs, mut kept) = (0, 0);
        for node in 0..5 {
            let sets: Vec<NodeSet> = (0..32_usize)
                .map(|bits| NodeSet::of(5, (0..5).filter(|&p| p != node && bits >> p & 1 == 1)))
                .collect();
            let terms: Vec<[f64; 2]> =
                sets.iter().map(|set| [whole.local(node, set), cut.local(node, set)]).collect();
            for [a, b] in terms.iter().flat_map(|&a| terms.iter().map(move |&b| [a, b])) {
                if a[0] > b[0] + 3.0 {
                    pairs += 1;
                    kept += usize::from(a[1] > b[1]);
                }
            }
        }
        assert!(pairs > 500 && kept * 100 >= pairs * 97, "{kept} of {pairs}");
    }
}
