//! A graph with the conditional distribution of each variable given its parents, and draws from it.

use gflowcausal_determinism::{Stream, map, stream};
use gflowcausal_graph::{Dag, Edge};
use rand_distr::{Distribution, StandardNormal};

use super::super::discrete::{draw_level, joint_values};
use super::super::{Simulated, SimulationError, Weights, check_missing_rate, check_size, observe};
use crate::{Column, Table, Values};

/// A Bayesian network: names, a graph, and a conditional probability distribution (CPD) for each variable.
#[derive(Debug, Clone, PartialEq)]
pub struct BayesNetwork {
    names: Vec<String>,
    dag: Dag,
    cpds: Cpds,
}

/// The conditional probability distributions of all variables.
#[derive(Debug, Clone, PartialEq)]
pub enum Cpds {
    /// All are categories.
    Discrete(Vec<TabularCpd>),
    /// All are numbers.
    Gaussian(Vec<LinearGaussianCpd>),
}

/// A category given its parents.
#[derive(Debug, Clone, PartialEq)]
pub struct TabularCpd {
    /// What the categories are called.
    pub levels: Vec<String>,
    /// The parents, by index.
    pub parents: Vec<usize>,
    /// The probabilities of the levels for each joint value of the parents, the last parent changing fastest.
    pub rows: Vec<Vec<f64>>,
}

/// A number given its parents: `intercept + Σ slope · parent + N(0, variance)`.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "the equation names the fields")]
pub struct LinearGaussianCpd {
    pub intercept: f64,
    pub slopes: Vec<(usize, f64)>,
    pub variance: f64,
}

impl Cpds {
    fn len(&self) -> usize {
        match self {
            Self::Discrete(cpds) => cpds.len(),
            Self::Gaussian(cpds) => cpds.len(),
        }
    }

    /// Whether each table has a row of as many probabilities as levels for each joint value of known parents.
    fn are_whole(&self) -> bool {
        let Self::Discrete(cpds) = self else { return true };
        cpds.iter().all(|cpd| {
            let mut levels = cpd.parents.iter().map(|&parent| Some(cpds.get(parent)?.levels.len()));
            let rows = levels.try_fold(1_usize, |product, levels| product.checked_mul(levels?));
            rows == Some(cpd.rows.len()) && cpd.rows.iter().all(|row| row.len() == cpd.levels.len())
        })
    }

    /// An edge from each parent, if that makes no cycle.
    fn graph(&self) -> Option<Dag> {
        let parents: Vec<Vec<usize>> = match self {
            Self::Discrete(cpds) => cpds.iter().map(|cpd| cpd.parents.clone()).collect(),
            Self::Gaussian(cpds) => {
                cpds.iter().map(|cpd| cpd.slopes.iter().map(|&(parent, _)| parent).collect()).collect()
            }
        };
        let into = |(to, parents): (usize, &Vec<usize>)| {
            parents.iter().map(|&from| Edge::new(from, to)).collect::<Vec<_>>()
        };
        Dag::from_edges(parents.len(), parents.iter().enumerate().flat_map(into)).ok()
    }
}

impl BayesNetwork {
    /// The network of these CPDs, unless they make a cycle or do not fit each other.
    #[must_use]
    pub fn new(names: Vec<String>, cpds: Cpds) -> Option<Self> {
        let fits = cpds.len() == names.len() && cpds.are_whole();
        Some(Self { dag: cpds.graph().filter(|_| fits)?, names, cpds })
    }

    /// Draws data: the same seed gives the same bytes.
    ///
    /// # Errors
    /// No rows, more than fit in memory, or an option that is out of range or without effect.
    pub fn simulate(
        &self,
        rows: usize,
        seed: u64,
        standardize: bool,
        missing_rate: f64,
    ) -> Result<Simulated, SimulationError> {
        check_missing_rate(missing_rate)?;
        if standardize && matches!(self.cpds, Cpds::Discrete(_)) {
            return Err(SimulationError::Categories);
        }
        check_size(rows, self.dag.nodes())?;
        Ok(observe::observed(self.draw(rows, seed), standardize, missing_rate, seed))
    }

    /// The variables' names.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The graph over the variables.
    #[must_use]
    pub fn dag(&self) -> &Dag {
        &self.dag
    }

    /// How each variable follows from its parents.
    #[must_use]
    pub fn cpds(&self) -> &Cpds {
        &self.cpds
    }

    /// `rows` independent observations; each variable has a stream of its own.
    fn draw(&self, rows: usize, seed: u64) -> Simulated {
        let (columns, weights) = match &self.cpds {
            Cpds::Discrete(cpds) => (self.categories(cpds, rows, seed), None),
            Cpds::Gaussian(cpds) => (self.numbers(cpds, rows, seed), Some(self.weights(cpds))),
        };
        let named = self.names.iter().zip(columns);
        let columns = named.map(|(name, values)| Column { name: name.clone(), values }).collect();
        let table = Table::new(columns).expect("different names, columns of equal length");
        Simulated { table, dag: self.dag.clone(), weights }
    }

    fn categories(&self, cpds: &[TabularCpd], rows: usize, seed: u64) -> Vec<Values> {
        let levels: Vec<usize> = cpds.iter().map(|cpd| cpd.levels.len()).collect();
        let mut codes: Vec<Vec<u32>> = vec![Vec::new(); cpds.len()];
        for node in self.dag.topological_order().iter() {
            let cpd = &cpds[node];
            let mut rng = stream(seed, Stream::Noise { node: node as u64 });
            let joint = joint_values(cpd.parents.iter().copied(), &levels, &codes, rows);
            codes[node] =
                joint.iter().map(|&value| draw_level(&cpd.rows[value as usize], &mut rng)).collect();
        }
        let column =
            |(codes, cpd): (Vec<u32>, &TabularCpd)| Values::Categorical { codes, levels: cpd.levels.clone() };
        codes.into_iter().zip(cpds).map(column).collect()
    }

    fn numbers(&self, cpds: &[LinearGaussianCpd], rows: usize, seed: u64) -> Vec<Values> {
        let mut columns: Vec<Vec<f64>> = map(cpds.len(), |node| {
            let rng = stream(seed, Stream::Noise { node: node as u64 });
            StandardNormal.sample_iter(rng).take(rows).collect()
        });
        for node in self.dag.topological_order().iter() {
            let LinearGaussianCpd { intercept, slopes, variance } = &cpds[node];
            let mut column = std::mem::take(&mut columns[node]);
            for (row, value) in column.iter_mut().enumerate() {
                let causes: f64 = slopes.iter().map(|&(parent, slope)| slope * columns[parent][row]).sum();
                *value = intercept + causes + variance.sqrt() * *value;
            }
            columns[node] = column;
        }
        columns.into_iter().map(Values::Continuous).collect()
    }

    fn weights(&self, cpds: &[LinearGaussianCpd]) -> Weights {
        let nodes = cpds.len();
        let mut matrix = vec![0.0; nodes * nodes];
        for (node, cpd) in cpds.iter().enumerate() {
            cpd.slopes.iter().for_each(|&(parent, slope)| matrix[parent * nodes + node] = slope);
        }
        Weights::from_matrix(nodes, matrix).expect("finite slopes on a graph without cycles")
    }
}
