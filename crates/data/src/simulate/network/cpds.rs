//! A graph with the conditional distribution of each variable given its parents, and draws from it.

use gflowcausal_determinism::{Stream, map, stream};
use gflowcausal_graph::{Dag, Edge};
use rand_distr::{Distribution, StandardNormal};

use super::super::discrete::{draw_level, joint_values};
use super::super::{Simulated, Weights};
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
    /// The network of these CPDs, unless they make a cycle.
    pub(super) fn new(names: Vec<String>, cpds: Cpds) -> Option<Self> {
        Some(Self { dag: cpds.graph()?, names, cpds })
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
    pub(super) fn draw(&self, rows: usize, seed: u64) -> Simulated {
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
