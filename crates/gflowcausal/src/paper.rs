//! Paper mode: what the paper's settings are, and what a run says of them.

use gflowcausal_data::{Finding, Severity};
use gflowcausal_flow::{FlowScale, NetworkName, ObjectiveName, Walk};
use gflowcausal_graph::Advice;

use crate::model::Mechanism;
use crate::options::{Config, PruneName, option};
use crate::{ScoreName, ScoringModel};

/// The options that paper mode sets where they are left open.
const PRESET: [&str; 9] = [
    option::score,
    option::prune,
    option::walk,
    option::objective,
    option::flow_scale,
    option::iterations,
    option::batch_size,
    option::learning_rate,
    option::hidden,
];

/// The units of each of the paper's two hidden layers.
const HIDDEN: usize = 256;

/// How long the paper trains.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Schedule {
    iterations: usize,
    batch_size: usize,
    learning_rate: f64,
}

impl Schedule {
    /// The columns of the paper's table of hyper-parameters (30 and 100 variables), and what its text says of 12.
    fn of(nodes: usize) -> Self {
        match nodes {
            ..=12 => Self { iterations: 5000, batch_size: 64, learning_rate: 1e-4 },
            13..=30 => Self { iterations: 20_000, batch_size: 64, learning_rate: 1e-4 },
            _ => Self { iterations: 50_000, batch_size: 128, learning_rate: 5e-4 },
        }
    }
}

/// The network of the paper's table; the largest takes months at this length, so paper mode does not choose it by itself.
fn published_network(nodes: usize) -> NetworkName {
    if nodes <= 30 { NetworkName::Mlp } else { NetworkName::Vgg16 }
}

impl Config {
    /// The same with the paper's settings for what is left open, in paper mode. The default walk counts as left open.
    pub(crate) fn as_published(&self, nodes: usize) -> Self {
        let mut config = self.clone();
        if !self.paper {
            return config;
        }
        let schedule = Schedule::of(nodes);
        if self.score == ScoreName::Auto {
            config.score = ScoreName::Varsort;
        }
        if self.prune == PruneName::Auto {
            config.prune = pruning(config.score);
        }
        if self.walk == Self::default().walk {
            config.walk = Walk::Edges;
        }
        let objective = *config.objective.get_or_insert(ObjectiveName::Fm);
        if objective == ObjectiveName::Fm {
            config.flow_scale.get_or_insert(FlowScale::Linear);
        }
        config.iterations.get_or_insert(schedule.iterations);
        config.batch_size.get_or_insert(schedule.batch_size);
        config.learning_rate.get_or_insert(schedule.learning_rate);
        if config.network == NetworkName::Mlp {
            config.hidden.get_or_insert(HIDDEN);
        }
        config
    }

    /// What a run in paper mode was set to: this configuration is the published one.
    pub(crate) fn published_finding(&self, model: &ScoringModel) -> Option<Finding> {
        if !self.paper {
            return None;
        }
        let published = Self { paper: true, method: self.method.clone(), ..Self::default() };
        let published = published.as_published(model.constraints().nodes()).to_table();
        let set = self.to_table();
        let is_own = |name: &&str| {
            let key = name.replace('_', "-");
            published.get(&key) != set.get(&key)
        };
        let network =
            (self.network != published_network(model.constraints().nodes())).then_some(option::network);
        let own: Vec<&str> = PRESET.into_iter().filter(is_own).chain(network).collect();
        let departures = if own.is_empty() {
            "nothing departs from the paper".to_owned()
        } else {
            format!("departures: {}", own.join(", "))
        };
        let what = format!(
            "Algorithm 1 as published: {}, reward {}, pruning {}, {}, {} iterations of {}, learning rate {}; \
             no search, replay, annealing, exploration or importance weights; {departures}",
            self.flows(),
            model.score_name().name(),
            model.prune_name().name(),
            self.network_in_words(),
            self.iterations.unwrap_or_default(),
            self.batch_size.unwrap_or_default(),
            self.learning_rate.unwrap_or_default(),
        );
        let fix = Advice::new("leave out ").option(option::paper).then(" for the program's own method");
        Some(Finding { code: "paper-mode", severity: Severity::Warning, columns: vec![], what, fix })
    }

    fn network_in_words(&self) -> String {
        match (self.network, self.hidden) {
            (NetworkName::Mlp, width) => format!("two layers of {} units", width.unwrap_or(HIDDEN)),
            (network, Some(width)) => format!("network {network} of width {width}"),
            (network, None) => format!("network {network}, thinner than published"),
        }
    }

    /// The walk and the objective in words.
    fn flows(&self) -> String {
        let case = match self.walk {
            Walk::Complete => " (Case 1)",
            Walk::Edges => " (Case 2)",
            Walk::Chain => " (Case 3)",
            _ => "",
        };
        let objective = self.objective.unwrap_or(ObjectiveName::Fm);
        let scale = match self.flow_scale {
            Some(FlowScale::Linear) => " on raw flows",
            Some(FlowScale::Log) => " on logarithms of flows",
            None => "",
        };
        format!("walk {}{case}, objective {objective}{scale}", self.walk)
    }
}

/// How the paper prunes: by the slopes of linear models, and by additive models where functions are not linear.
fn pruning(score: ScoreName) -> PruneName {
    match score.mechanism() {
        Mechanism::Linear => PruneName::Threshold,
        Mechanism::Nonlinear(_) => PruneName::Cam,
        Mechanism::Categories | Mechanism::Mixed => PruneName::Auto,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_settings_are_those_of_the_papers_tables() {
        let paper = Config { paper: true, ..Config::default() };
        for (nodes, iterations, batch_size, learning_rate) in
            [(12, 5000, 64, 1e-4), (30, 20_000, 64, 1e-4), (100, 50_000, 128, 5e-4)]
        {
            let set = paper.as_published(nodes);
            let schedule = (set.iterations, set.batch_size, set.learning_rate);
            assert_eq!(schedule, (Some(iterations), Some(batch_size), Some(learning_rate)));
            assert_eq!((set.walk, set.objective), (Walk::Edges, Some(ObjectiveName::Fm)));
            assert_eq!((set.score, set.prune), (ScoreName::Varsort, PruneName::Threshold));
            assert_eq!((set.flow_scale, set.hidden), (Some(FlowScale::Linear), Some(256)));
        }
        assert_eq!(Config::default().as_published(12), Config::default());
    }

    #[test]
    fn what_is_given_beats_the_preset() {
        let own = Config {
            paper: true,
            walk: Walk::Chain,
            objective: Some(ObjectiveName::Tb),
            score: ScoreName::Gp,
            batch_size: Some(5),
            ..Config::default()
        };
        let set = own.as_published(12);
        assert_eq!((set.walk, set.objective, set.flow_scale), (Walk::Chain, Some(ObjectiveName::Tb), None));
        assert_eq!((set.score, set.prune, set.batch_size), (ScoreName::Gp, PruneName::Cam, Some(5)));
    }
}
