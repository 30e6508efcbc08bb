//! The options of discovery, each declared once: [`Config`] is what TOML files, the command line and Python fill in.

mod spec;
mod values;

use gflowcausal_data::{FINDINGS, Missing};
use gflowcausal_flow::{FlowScale, NetworkName, ObjectiveName, Walk};
use gflowcausal_graph::choices;

pub use self::spec::{Kind, Named, OptionSpec, Range};
use self::spec::{
    OptionValue, auto_or_number, file, flag, kebab, list, number, one_of, one_of_named, options, text, whole,
};
pub use self::values::{PruneName, TestName};
use crate::Error;
use crate::fingerprint::digest;
use crate::method::{Discover, method, methods};
use crate::model::ScoreName;

/// More than this many of anything is a typing error.
const MANY: u64 = 1_000_000;

/// The heading of what is estimated, and how.
const ESTIMATION: &str = "Score and probabilities";

/// The heading of how orders become graphs.
const PRUNING: &str = "Pruning";

/// The heading of what single methods read.
const METHODS: &str = "Other methods";

/// The heading of how a policy is trained.
const TRAINING: &str = "Training a policy";

/// The heading of what is known beforehand.
const KNOWLEDGE: &str = "Knowledge";

/// The heading of what is done to the table first.
const READING: &str = "Reading";

options! {
    choices: ScoreName, PosteriorName, NetworkName, PruneName, TestName, Missing, Walk, ObjectiveName, FlowScale;

    /// The method of discovery.
    method: String = "gflowcausal".into(), one_of_named(method_names).common();
    /// What graphs are scored by.
    score: ScoreName = ScoreName::Auto, one_of::<ScoreName>().under(ESTIMATION);
    /// What a parent costs, in multiples of ln n; `auto` grows with the number of variables.
    penalty: Option<f64> = None, auto_or_number("PENALTY", Range::Any).open("auto").under(ESTIMATION);
    /// How many rows the prior of score `bdeu` counts as (the equivalent sample size).
    sample_size: Option<f64> = None, number("ROWS", Range::Moderate).open("by evidence with --score auto, else 1").under(ESTIMATION);
    /// Where edge probabilities come from.
    posterior: PosteriorName = PosteriorName::Auto, one_of::<PosteriorName>().under(ESTIMATION);
    /// Log-odds of an edge in the structure prior, in addition to the score's own penalty; 0 makes all DAGs equally likely.
    edge_prior: Option<f64> = None, auto_or_number("LOG-ODDS", Range::Any).open("auto").under(ESTIMATION);
    /// Algorithm 1 of the paper as published: what is not chosen is set as the paper has it, and nothing is added to it.
    paper: bool = false, flag().under(TRAINING);
    /// How graphs are grown.
    walk: Walk = Walk::Layers, one_of_named(walk_names).under(TRAINING);
    /// Which balance of flows is learned.
    objective: Option<ObjectiveName> = None, one_of_named(objective_names).open("tb; mdb for walk graph").under(TRAINING);
    /// Whether objective `fm` compares logarithms of flows or the flows themselves.
    flow_scale: Option<FlowScale> = None, one_of::<FlowScale>().open("log; linear with paper").under(TRAINING);
    /// The network that learns the flows.
    network: NetworkName = NetworkName::Mlp, one_of::<NetworkName>().under(TRAINING);
    /// How an order becomes a graph.
    prune: PruneName = PruneName::Auto, one_of::<PruneName>().under(PRUNING);
    /// The smallest slope that stays, with pruning `threshold`, and the smallest weight, with methods `notears`, `dagma` and `dag-gnn`.
    threshold: Option<f64> = None, number("W", Range::NotNegative).open("0.3").under(PRUNING);
    /// The largest p-value, with prunings `t-test` and `cam` and with method `pc`.
    alpha: Option<f64> = None, number("P", Range::Share).open("0.001; 0.05 for method pc").under(PRUNING);
    /// The most training iterations; with method `dag-gnn` the passes over the rows of one round.
    iterations: Option<usize> = None, whole("N", 1, 1000 * MANY).open("by the number of variables").under(TRAINING);
    /// Trajectories an iteration; rows with methods `dag-gnn` and `gran-dag`.
    batch_size: Option<usize> = None, whole("N", 1, MANY).open("by walk and number of variables; 100 for dag-gnn").under(TRAINING);
    /// The learning rate of Adam, or of RMSprop with method `gran-dag`.
    learning_rate: Option<f64> = None, number("RATE", Range::Positive).open("by walk and number of variables; 0.003 for dag-gnn").under(TRAINING);
    /// Units of each hidden layer; the width of the other networks, of which 512 is the published VGG-16 and 256 CORL's encoder.
    hidden: Option<usize> = None, whole("N", 1, 10_000).open("by the number of variables; 256 for cnn, 64 for vgg16 and transformer").under(TRAINING);
    /// What the entropy of the policy counts in method `sac`, in units of the reward's spread; `auto` tunes it until the policy has 0.98 of the entropy of drawing actions alike.
    entropy: Option<f64> = None, auto_or_number("WEIGHT", Range::Positive).open("auto").under(TRAINING);
    /// Train methods `rl-bic` and `corl` in their published sizes, which takes hours.
    published: bool = false, flag().under(TRAINING);
    /// Graphs are drawn ∝ exp(score / T).
    temperature: f64 = 1.0, number("T", Range::Moderate).under(ESTIMATION);
    /// How many graphs are drawn for the probabilities.
    samples: usize = 1000, whole("N", 1, 100 * MANY).under(ESTIMATION);
    /// The weight of the L1 penalty of methods `notears` and `dagma`.
    l1: Option<f64> = None, number("WEIGHT", Range::NotNegative).open("0.1; 0.03 for dagma").under(METHODS);
    /// From how many random orders method `boss` starts.
    restarts: Option<usize> = None, whole("N", 1, MANY).open("10 up to 200 variables, 3 beyond").under(METHODS);
    /// Let method `ges` turn edges too.
    turning: bool = false, flag().under(METHODS);
    /// The test of independence of method `pc`.
    test: Option<TestName> = None, one_of::<TestName>().open("by the columns' types").under(METHODS);
    /// Which variables come before which, such as `age, sex | dose | outcome`: no edge leads back. A lone `*` is all others.
    tiers: Vec<String> = Vec::new(), list("A,B | C | …").under(KNOWLEDGE).common();
    /// Variables that nothing causes, such as `age, sex`.
    exogenous: Vec<String> = Vec::new(), list("A,B").under(KNOWLEDGE).common();
    /// Variables that cause nothing.
    outcome: Vec<String> = Vec::new(), list("A,B").under(KNOWLEDGE).common();
    /// An edge that must be there; may be repeated.
    require: Vec<String> = Vec::new(), list("A->B").under(KNOWLEDGE).common();
    /// An edge that must not be there; `*->age` forbids all that lead there; may be repeated.
    forbid: Vec<String> = Vec::new(), list("A->B").under(KNOWLEDGE).common();
    /// The most parents of a variable.
    max_parents: Option<usize> = None, whole("K", 0, MANY).open("no limit").under(KNOWLEDGE).common();
    /// A knowledge file in Tetrad's format.
    knowledge: Option<String> = None, file("FILE").under(KNOWLEDGE).common();
    /// A column to leave out; may be repeated.
    exclude: Vec<String> = Vec::new(), list("NAME").under(READING).common();
    /// Continue despite this finding of `doctor`; may be repeated.
    ignore: Vec<String> = Vec::new(), list("CODE").under(READING).common();
    /// The column that names, row by row, which variables were set from outside (several with `;`): such rows do not count in their terms.
    interventions: Option<String> = None, text("COLUMN").open("none").under(READING);
    /// The column that says where a row comes from: it may cause every variable, and nothing causes it.
    environment: Option<String> = None, text("COLUMN").open("none").under(READING).common();
    /// What to do about missing values.
    missing: Missing = Missing::Error, one_of::<Missing>().under(READING).common();
    /// What to do to a column first: `log`, `rank` (normal scores) or `none`; may be repeated.
    transform: Vec<String> = Vec::new(), list("NAME=HOW").under(READING).common();
    /// Scale each column to mean 0 and standard deviation 1 first.
    standardize: bool = false, flag().under(READING).common();
    /// The most rows that scores `gp`, `spline` and `location-scale` and pruning `cam` use, evenly spaced.
    rows_used: Option<usize> = None, whole("N", 10, 1000 * MANY).open("2000 for gp, 10000 for the others").under(ESTIMATION);
    /// The same seed gives the same result.
    seed: u64 = 0, whole("N", 0, i64::MAX as u64).common();
}

fn method_names() -> Vec<Named> {
    methods().iter().map(|method| (method.name(), method.about())).collect()
}

fn walk_names() -> Vec<Named> {
    Walk::ALL.iter().map(|walk| (walk.name(), "")).collect()
}

fn objective_names() -> Vec<Named> {
    ObjectiveName::ALL.iter().map(|objective| (objective.name(), "")).collect()
}

impl OptionSpec {
    /// The option called `name`, with dashes or underscores.
    #[must_use]
    pub fn of_name(name: &str) -> Option<&'static Self> {
        OPTIONS.iter().find(|spec| spec.name == name || spec.key == name)
    }

    /// The default in words, where there is one.
    #[must_use]
    pub fn default_text(&self) -> Option<String> {
        let default = Config::default().to_table().get(self.key).cloned();
        match (default, self.open) {
            (_, Some(open)) => Some(open.to_owned()),
            (Some(toml::Value::Boolean(_)) | None, None) => None,
            (Some(toml::Value::String(text)), None) => Some(text),
            (Some(value), None) => Some(value.to_string()),
        }
    }

    /// The methods that read it; none is listed where all do.
    #[must_use]
    pub fn readers(&self) -> Vec<&'static str> {
        let reads = |method: &&&dyn Discover| method.reads(self.name);
        methods().iter().filter(reads).map(|method| method.name()).collect()
    }
}

impl Config {
    /// Reads a configuration in TOML.
    ///
    /// # Errors
    /// What is wrong with it, and where; unknown keys with the list of known ones.
    pub fn from_toml(text: &str) -> Result<Self, String> {
        toml::from_str(text).map_err(|error| parse_message(&error)).and_then(Self::from_table)
    }

    /// Reads a configuration from a table of keys and values; `auto` leaves a number open.
    ///
    /// # Errors
    /// What is wrong with it; unknown keys with the list of known ones.
    pub fn from_table(mut table: toml::Table) -> Result<Self, String> {
        table.retain(|key, value| {
            let spec = OptionSpec::of_name(key);
            !(spec.is_some_and(|spec| matches!(spec.kind, Kind::AutoOrNumber(_))) && is_auto(value))
        });
        table.try_into().map_err(|error| parse_message(&error))
    }

    /// The same with the values of `table`: lists grow, other values are replaced.
    ///
    /// # Errors
    /// As for [`from_table`](Self::from_table).
    pub fn with(&self, table: toml::Table) -> Result<Self, String> {
        let mut merged = self.to_table();
        for (key, value) in table {
            match (merged.get_mut(&key), value) {
                (Some(toml::Value::Array(items)), toml::Value::Array(more)) => items.extend(more),
                (_, value) => drop(merged.insert(key, value)),
            }
        }
        Self::from_table(merged)
    }

    /// Every value that is not left open, by its key.
    #[must_use]
    pub fn to_table(&self) -> toml::Table {
        toml::Table::try_from(self).expect("every value has a TOML form")
    }

    /// The configuration in TOML; every value that is not left open.
    #[must_use]
    pub fn to_toml(&self) -> String {
        toml::to_string(self).expect("every value has a TOML form")
    }

    /// Whether `column` of the data becomes a variable of the graph: it is not excluded, and does not name interventions.
    #[must_use]
    pub fn is_variable(&self, column: &str) -> bool {
        self.interventions.as_deref() != Some(column) && !self.exclude.iter().any(|other| other == column)
    }

    /// Refuses values out of range and options that the chosen method would not read.
    pub(crate) fn check(&self) -> Result<(), Error> {
        for (spec, value) in self.values() {
            spec.check(value)?;
        }
        let method = method(&self.method)?;
        let is_read = |spec: &&OptionSpec| spec.is_common || method.reads(spec.name);
        if let Some(spec) = self.changed().into_iter().find(|spec| !is_read(spec)) {
            return Err(Error::NoEffect { option: spec.name, with: format!("method {}", self.method) });
        }
        let codes = FINDINGS.map(|(code, _)| code);
        match self.ignore.iter().find(|code| !codes.contains(&code.as_str())) {
            Some(code) => Err(Error::unknown(option::ignore, code, "finding of the doctor", &codes)),
            None => Ok(()),
        }
    }

    /// The options whose values differ from the default.
    pub(crate) fn changed_options(&self) -> impl Iterator<Item = &'static str> {
        self.changed().into_iter().map(|spec| spec.name)
    }

    /// What the score and the pruning are built from: nothing of the pruning where the method does not prune, and the
    /// method's own pruning where none is chosen. `score` is the one in use.
    pub(crate) fn for_model(&self, method: &dyn Discover, score: ScoreName) -> Self {
        if !method.reads(option::prune) {
            return Self { alpha: None, threshold: None, ..self.clone() };
        }
        let prune = if self.prune == PruneName::Auto { method.pruning(score) } else { self.prune };
        Self { prune, ..self.clone() }
    }

    /// Everything that changes the reward of a graph, in one line.
    pub(crate) fn reward_fingerprint(&self) -> String {
        let Self { prune, threshold, alpha, samples, ignore, .. } = Self::default();
        let reward = Self { prune, threshold, alpha, samples, ignore, ..self.clone() };
        digest(reward.to_toml().as_bytes())
    }
}

fn is_auto(value: &toml::Value) -> bool {
    value.as_str() == Some("auto")
}

/// What the reader of TOML says.
fn parse_message(error: &toml::de::Error) -> String {
    error.to_string().trim_end().to_owned()
}

choices! {
    /// Where edge probabilities come from.
    pub enum PosteriorName: "posterior" {
        /// The best that the number of variables and the time allow.
        Auto = "auto",
        /// Sums over all DAGs, up to 20 variables.
        Exact = "exact",
        /// The trained policy's importance-weighted draws.
        Policy = "policy",
        /// Partition MCMC.
        Chains = "chains",
        /// The best graph alone.
        None = "none",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A configuration that leaves nothing open.
    fn full() -> Config {
        Config {
            penalty: Some(1.0),
            sample_size: Some(4.0),
            edge_prior: Some(0.5),
            objective: Some(ObjectiveName::Tb),
            flow_scale: Some(FlowScale::Log),
            threshold: Some(0.3),
            alpha: Some(0.01),
            iterations: Some(1),
            batch_size: Some(1),
            learning_rate: Some(0.1),
            hidden: Some(1),
            entropy: Some(0.1),
            l1: Some(0.1),
            restarts: Some(1),
            test: Some(TestName::FisherZ),
            tiers: vec!["a | b".into()],
            exogenous: vec!["a".into()],
            outcome: vec!["b".into()],
            require: vec!["a->b".into()],
            forbid: vec!["b->a".into()],
            max_parents: Some(1),
            knowledge: Some("/knowledge".into()),
            exclude: vec!["c".into()],
            ignore: vec!["outliers".into()],
            interventions: Some("set".into()),
            environment: Some("site".into()),
            transform: vec!["d=log".into()],
            rows_used: Some(10),
            ..Config::default()
        }
    }

    #[test]
    fn keys_of_toml_are_those_of_the_declaration_in_its_order() {
        let keys: Vec<&str> = OPTIONS.iter().map(|spec| spec.key).collect();
        let text = full().to_toml();
        let written: Vec<&str> = text.lines().filter_map(|line| line.split(" = ").next()).collect();
        assert_eq!(written, keys);
        assert_eq!(Config::from_toml(&text), Ok(full()));
    }

    #[test]
    fn every_option_has_help_and_a_reader() {
        for spec in OPTIONS {
            assert!(spec.about().ends_with('.'), "{}: {}", spec.name, spec.help);
            assert_ne!(spec.is_common, !spec.readers().is_empty(), "{}", spec.name);
            assert_eq!(spec.values().is_empty(), !matches!(spec.kind, Kind::OneOf(_)), "{}", spec.name);
        }
    }

    #[test]
    fn an_unknown_key_is_refused_with_the_known_ones() {
        let error = Config::from_toml("scores = \"bic\"").unwrap_err();
        assert!(error.contains("unknown field `scores`, expected one of `method`, `score`"), "{error}");
    }

    #[test]
    fn what_is_given_later_wins_and_lists_grow() {
        let more = "penalty = 'auto'\nforbid = ['x->y']\nseed = 3".parse().unwrap();
        let expected =
            Config { penalty: None, forbid: vec!["b->a".into(), "x->y".into()], seed: 3, ..full() };
        assert_eq!(full().with(more), Ok(expected));
    }

    #[test]
    fn options_without_effect_and_values_out_of_range_are_refused() {
        let refused = |config: Config| config.check().unwrap_err().to_string();
        let config = Config { method: "exact".into(), hidden: Some(8), ..Config::default() };
        assert_eq!(refused(config), "--hidden has no effect with method exact");
        let config = Config { hidden: Some(0), ..Config::default() };
        assert_eq!(refused(config), "--hidden is 0, but must be at least 1");
        let config = Config { learning_rate: Some(f64::INFINITY), ..Config::default() };
        assert_eq!(refused(config), "--learning-rate is inf, but must be finite and above zero");
        let config = Config { ignore: vec!["typo".into()], ..Config::default() };
        assert_eq!(refused(config), "--ignore typo: there is no such finding of the doctor");
    }
}
