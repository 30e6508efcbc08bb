//! One configuration for TOML files, the command line and Python; only a checked one runs.

use gflowcausal_data::Missing;
use gflowcausal_flow::{ObjectiveName, Walk};
use gflowcausal_graph::choices;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::fingerprint::digest;
use crate::method::{Discover, method};
use crate::model::ScoreName;

/// How a causal graph is looked for. Keys are the command line's options without their dashes in front.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Config {
    /// The way to find a graph, by its name in the registry.
    pub method: String,
    /// What graphs are scored by.
    pub score: ScoreName,
    /// What a parent costs, in multiples of `ln n`; none: by the extended BIC's rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub penalty: Option<f64>,
    /// How graphs are grown.
    pub walk: Walk,
    /// Which balance of flows is learned; none: `tb`, and `mdb` for walk `graph`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub objective: Option<ObjectiveName>,
    /// What learns the flows.
    pub network: NetworkName,
    /// How an order becomes a graph.
    pub prune: PruneName,
    /// How large a slope must be for `prune = "threshold"`, and a weight of methods `notears` and `dagma`; 0.3 unless
    /// said otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threshold: Option<f64>,
    /// The largest p-value for `prune = "t-test"` and `"cam"`, 0.001 unless said otherwise; for method `pc` the largest
    /// at which a dependence is believed, 0.05 unless said otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alpha: Option<f64>,
    /// The most training iterations; none: by the number of variables.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iterations: Option<usize>,
    /// Trajectories an iteration; none: by the number of variables.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch_size: Option<usize>,
    /// Adam's step; none: 0.001.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub learning_rate: Option<f64>,
    /// Units of each of the network's two hidden layers; none: by the number of variables.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hidden: Option<usize>,
    /// The temperature of the returned policy: graphs are drawn ∝ exp(score / temperature).
    pub temperature: f64,
    /// How many graphs are drawn for the probabilities.
    pub samples: usize,
    /// The weight of the L1 penalty of methods `notears` and `dagma`; 0.1 and 0.03 unless said otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub l1: Option<f64>,
    /// From how many random orders method `boss` starts; none: 10 up to 200 variables, 3 beyond.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restarts: Option<usize>,
    /// Whether method `ges` also turns edges, after adding and removing them.
    pub turning: bool,
    /// The test of independence of method `pc`; none: by the columns' types.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test: Option<TestName>,
    /// Edges that must be there, as `A->B`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub require: Vec<String>,
    /// Edges that must not be there, as `A->B`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub forbid: Vec<String>,
    /// The most parents a variable may have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_parents: Option<usize>,
    /// The text of a knowledge file in Tetrad's format.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub knowledge: Option<String>,
    /// Columns to leave out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub exclude: Vec<String>,
    /// The doctor's findings to go on in spite of, by their codes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ignore: Vec<String>,
    /// What to do about missing values.
    pub missing: Missing,
    /// Whether columns are z-scored first.
    pub standardize: bool,
    /// The same seed gives the same result.
    pub seed: u64,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            method: "gflowcausal".into(),
            score: ScoreName::Auto,
            penalty: None,
            walk: Walk::Order,
            objective: None,
            network: NetworkName::Mlp,
            prune: PruneName::Auto,
            threshold: None,
            alpha: None,
            iterations: None,
            batch_size: None,
            learning_rate: None,
            hidden: None,
            temperature: 1.0,
            samples: 1000,
            l1: None,
            restarts: None,
            turning: false,
            test: None,
            require: Vec::new(),
            forbid: Vec::new(),
            max_parents: None,
            knowledge: None,
            exclude: Vec::new(),
            ignore: Vec::new(),
            missing: Missing::Error,
            standardize: false,
            seed: 0,
        }
    }
}

/// Keys that only some methods read.
const METHOD_KEYS: &[&str] = &[
    "score",
    "penalty",
    "prune",
    "threshold",
    "alpha",
    "walk",
    "objective",
    "network",
    "iterations",
    "batch-size",
    "learning-rate",
    "hidden",
    "temperature",
    "samples",
    "l1",
    "restarts",
    "turning",
    "test",
];

/// Keys that every method reads.
const COMMON: &[&str] = &[
    "method",
    "require",
    "forbid",
    "max-parents",
    "knowledge",
    "exclude",
    "ignore",
    "missing",
    "standardize",
    "seed",
];

impl Config {
    /// Reads a configuration in TOML.
    ///
    /// # Errors
    /// What is wrong with it, and where; unknown keys with the list of known ones.
    pub fn from_toml(text: &str) -> Result<Self, String> {
        toml::from_str(text).map_err(|error| error.to_string().trim_end().to_owned())
    }

    /// The configuration in TOML; every value that is not left open.
    #[must_use]
    pub fn to_toml(&self) -> String {
        toml::to_string(self).expect("every value has a TOML form")
    }

    /// Every key.
    pub fn keys() -> impl Iterator<Item = &'static str> {
        COMMON.iter().chain(METHOD_KEYS).copied()
    }

    /// Refuses options that the chosen method would not read, and numbers that make no sense.
    pub(crate) fn check(&self) -> Result<(), Error> {
        self.check_sizes()?;
        let method = method(&self.method)?;
        let known = |key: &str| COMMON.contains(&key) || method.settings().contains(&key);
        if let Some(key) = self.changed().into_iter().find(|key| !known(key)) {
            return Err(Error::NoEffect { option: key, with: format!("method {}", self.method) });
        }
        Ok(())
    }

    /// Refuses numbers that no run comes to the end of, and seeds that a file of settings cannot hold.
    fn check_sizes(&self) -> Result<(), Error> {
        if self.samples == 0 {
            return Err(Error::Value { option: "samples", value: 0.0, range: "at least 1" });
        }
        let size = |value: Option<usize>| value.unwrap_or(0) as u64;
        for (option, value, most, range) in [
            ("seed", self.seed, i64::MAX as u64, "at most 9223372036854775807"),
            ("iterations", size(self.iterations), 1_000_000_000, "at most 1000000000"),
            ("batch-size", size(self.batch_size), 1_000_000, "at most 1000000"),
            ("hidden", size(self.hidden), 10_000, "at most 10000"),
            ("restarts", size(self.restarts), 1_000_000, "at most 1000000"),
            ("max-parents", size(self.max_parents), 1_000_000, "at most 1000000"),
            ("samples", self.samples as u64, 100_000_000, "at most 100000000"),
        ] {
            if value > most {
                return Err(Error::Value { option, value: value as f64, range });
            }
        }
        Ok(())
    }

    /// The keys whose values differ from the default.
    fn changed(&self) -> Vec<&'static str> {
        let table = |config: &Self| toml::Table::try_from(config).expect("every value has a TOML form");
        let (own, default) = (table(self), table(&Self::default()));
        Self::keys().filter(|&key| own.get(key) != default.get(key)).collect()
    }

    /// What the score and the pruning are built from: nothing of the pruning where the method does not prune, and the
    /// method's own pruning where none is chosen. `score` is the one in use.
    pub(crate) fn for_model(&self, method: &dyn Discover, score: ScoreName) -> Self {
        if !method.settings().contains(&"prune") {
            return Self { alpha: None, threshold: None, ..self.clone() };
        }
        let prune = if self.prune == PruneName::Auto { method.pruning(score) } else { self.prune };
        Self { prune, ..self.clone() }
    }

    /// Everything that changes what a graph is worth, in one line.
    pub(crate) fn reward_fingerprint(&self) -> String {
        let Self { prune, threshold, alpha, samples, ignore, .. } = Self::default();
        let reward = Self { prune, threshold, alpha, samples, ignore, ..self.clone() };
        digest(reward.to_toml().as_bytes())
    }
}

choices! {
    /// What learns the flows.
    pub enum NetworkName: "network" {
        /// Two hidden layers that see one bit change at a time.
        Mlp = "mlp",
    }
}

choices! {
    /// A test of conditional independence.
    pub enum TestName: "test" {
        /// Partial correlations, for numbers.
        FisherZ = "fisher-z",
        /// Likelihood ratios, for categories.
        GSquare = "g-square",
        /// Pearson's, for categories.
        ChiSquare = "chi-square",
    }
}

choices! {
    /// How an order becomes a graph.
    pub enum PruneName: "pruning" {
        /// What goes with the score.
        Auto = "auto",
        /// The parents that the score chose.
        Selected = "selected",
        /// Least squares, p-value below `alpha`.
        TTest = "t-test",
        /// A parent goes when the score is better without it.
        Score = "score",
        /// Least squares, slope above `threshold`.
        Threshold = "threshold",
        /// Adaptive LASSO.
        Lasso = "lasso",
        /// Additive model, p-value below `alpha`.
        Cam = "cam",
        /// Every earlier variable stays a parent.
        None = "none",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_known_to_some_method() {
        let full = Config {
            penalty: Some(1.0),
            objective: Some(ObjectiveName::Tb),
            threshold: Some(0.3),
            alpha: Some(0.01),
            iterations: Some(1),
            batch_size: Some(1),
            learning_rate: Some(0.1),
            hidden: Some(1),
            l1: Some(0.1),
            restarts: Some(1),
            test: Some(TestName::FisherZ),
            require: vec!["a->b".into()],
            forbid: vec!["b->a".into()],
            max_parents: Some(1),
            knowledge: Some("/knowledge".into()),
            exclude: vec!["c".into()],
            ignore: vec!["d".into()],
            ..Config::default()
        };
        let table: toml::Table = toml::from_str(&full.to_toml()).unwrap();
        let known: Vec<&str> = Config::keys().collect();
        assert_eq!(table.keys().filter(|key| !known.contains(&key.as_str())).count(), 0);
        assert_eq!(table.len(), known.len());
        assert_eq!(Config::from_toml(&full.to_toml()), Ok(full));
    }

    #[test]
    fn an_unknown_key_is_refused_with_the_known_ones() {
        let error = Config::from_toml("scores = \"bic\"").unwrap_err();
        assert!(error.contains("unknown field `scores`, expected one of `method`, `score`"), "{error}");
    }

    #[test]
    fn methods_read_no_key_that_does_not_exist() {
        let unknown = |key: &&&str| !METHOD_KEYS.contains(key);
        let keys = crate::methods().iter().flat_map(|method| method.settings());
        assert_eq!(keys.filter(unknown).count(), 0);
    }

    #[test]
    fn an_option_that_the_method_does_not_read_is_refused() {
        let config = Config { method: "exact".into(), hidden: Some(8), ..Config::default() };
        let error = config.check().unwrap_err();
        assert_eq!(error.to_string(), "--hidden has no effect with method exact");
    }
}
