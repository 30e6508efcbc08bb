//! Families of densities of one column given its parents, on one footing: what each gains over the linear Gaussian one.

use gflowcausal_data::{Column, Moments, Table};
use gflowcausal_graph::NodeSet;

use crate::gp::GpMarginal;
use crate::noise_shape::shape_gain;
use crate::{Bic, LocalScore, LocationScale, NonGaussian, Penalty, ScoreError, Spline};

/// How a variable follows from its parents; each contains those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Family {
    /// Weighted sum and normal noise.
    LinearGaussian,
    /// Weighted sum and noise of any shape.
    LinearNonGaussian,
    /// Sum of smooth functions.
    Additive,
    /// Sum of smooth functions, and noise whose variance depends on the parents.
    LocationScale,
    /// One smooth function of all parents.
    Joint,
}

impl Family {
    /// Every family, the simplest first.
    pub const ALL: [Self; 5] =
        [Self::LinearGaussian, Self::LinearNonGaussian, Self::Additive, Self::LocationScale, Self::Joint];

    /// Its name in results.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::LinearGaussian => "linear-gaussian",
            Self::LinearNonGaussian => "linear-non-gaussian",
            Self::Additive => "additive",
            Self::LocationScale => "location-scale",
            Self::Joint => "joint",
        }
    }
}

/// Evaluates every [`Family`] on the same rows.
///
/// Noise has its own shape in all but the first: heavy tails make changing variances and bends pay that are not there,
/// so a family is compared with the next by what it gains once the shape is free.
#[derive(Debug)]
pub struct Families {
    linear: NonGaussian,
    smooth: LocationScale,
    joint: GpMarginal,
    /// The last two of normal scores.
    scores: LocationScale,
    joint_of_scores: GpMarginal,
}

impl Families {
    /// The families on at most `max_rows` rows, evenly spaced, of a table of complete real columns.
    ///
    /// # Errors
    /// No rows, a column that is not real or misses a cell, or a penalty below zero.
    pub fn new(table: &Table, penalty: Penalty, max_rows: usize) -> Result<Self, ScoreError> {
        let table = thinned(table, max_rows)?;
        let moments = Moments::of_table(&table).map_err(|_| ScoreError::NoRows)?;
        let scores = normal_scores(&table);
        Ok(Self {
            linear: NonGaussian::new(&table, &moments, penalty)?,
            smooth: LocationScale::of_rows(&table, penalty, max_rows)?,
            joint: GpMarginal::of_rows(&table, max_rows)?,
            joint_of_scores: GpMarginal::of_rows(&scores, max_rows)?,
            scores: LocationScale::of_rows(&scores, Penalty::Factor(1.0), max_rows)?,
        })
    }

    /// The score of linear Gaussian models, on the same rows.
    #[must_use]
    pub fn gaussian(&self) -> &Bic {
        self.linear.bic()
    }

    /// The score of linear models with noise of any shape, on the same rows.
    #[must_use]
    pub fn linear(&self) -> &NonGaussian {
        &self.linear
    }

    /// The score of additive models, on the same rows.
    #[must_use]
    pub fn additive(&self) -> &Spline {
        self.smooth.spline()
    }

    /// The log-likelihood of `node` given `parents` in each family but [`Family::Joint`], all parameters paid for.
    #[must_use]
    pub fn terms(&self, node: usize, parents: &NodeSet) -> [f64; 4] {
        let (gaussian, linear) = (self.gaussian().local(node, parents), self.linear.local(node, parents));
        let [additive, scaled] = smooth_terms(&self.smooth, node, parents).unwrap_or([linear; 2]);
        [gaussian, linear, additive, scaled]
    }

    /// The log-likelihood of `node` as one function of all `parents` and normal noise, comparable with [`terms`](Self::terms).
    #[must_use]
    pub fn joint_term(&self, node: usize, parents: &NodeSet) -> f64 {
        let alone = self.additive().local(node, &NodeSet::empty(self.joint.nodes()));
        self.joint.local(node, parents) + alone
    }

    /// What variances that follow the parents gain over constant ones, never below zero: on normal scores, so that what a
    /// monotone transform of the columns takes away does not count.
    #[must_use]
    pub fn scale_gain(&self, node: usize, parents: &NodeSet) -> f64 {
        smooth_terms(&self.scores, node, parents).map_or(0.0, |[additive, scaled]| scaled - additive)
    }

    /// What one function of all parents gains over a sum of functions, never below zero.
    ///
    /// Both on normal scores, the standard normal quantiles of ranks: a process follows a few extreme rows wherever
    /// they are.
    #[must_use]
    pub fn joint_gain(&self, node: usize, parents: &NodeSet) -> f64 {
        if parents.len() < 2 {
            return 0.0;
        }
        let (sums, nothing) = (self.scores.spline(), NodeSet::empty(self.joint.nodes()));
        let sum = sums.local(node, parents) - sums.local(node, &nothing);
        (self.joint_of_scores.local(node, parents) - sum).max(0.0)
    }
}

/// The terms of a sum of smooth functions with constant and with changing variance, both with the noise's own shape;
/// none without parents that vary.
fn smooth_terms(score: &LocationScale, node: usize, parents: &NodeSet) -> Option<[f64; 2]> {
    let spline = score.spline();
    let varying = spline.varying(parents);
    if varying.is_empty() {
        return None;
    }
    let fit = spline.fit(node, &varying)?;
    let constants = spline.constants(node, parents);
    let residuals = spline.residuals(node, &varying, &fit);
    let additive = constants + fit.log_evidence + shape_gain(&residuals);
    let scaled = score.fit(node, &varying, (&residuals, fit.log_evidence));
    let scaled = scaled.map(|fit| constants + fit.log_evidence + shape_gain(&fit.residuals));
    Some([additive, scaled.map_or(additive, |scaled| scaled.max(additive))])
}

/// At most `max_rows` rows, evenly spaced.
fn thinned(table: &Table, max_rows: usize) -> Result<Table, ScoreError> {
    let (all, rows) = (table.rows(), table.rows().min(max_rows));
    let thin = |column: &Column| {
        let values = column
            .as_continuous()
            .ok_or_else(|| ScoreError::NotContinuous { column: column.name.clone() })?;
        let kept = (0..rows).map(|k| values[(k as u128 * all as u128 / rows as u128) as usize]).collect();
        Ok(Column::continuous(column.name.clone(), kept))
    };
    let columns = table.columns().iter().map(thin).collect::<Result<Vec<_>, ScoreError>>()?;
    Table::new(columns).map_err(|_| ScoreError::NoRows)
}

/// Every column by its normal scores.
fn normal_scores(table: &Table) -> Table {
    let columns = table.columns().iter();
    let scores =
        columns.map(|column| Column { name: column.name.clone(), values: column.values.normal_scores() });
    Table::new(scores.collect()).expect("the columns of a table make one")
}
