//! `auto` on a table of numbers: which family of densities the data ask for, by evidence.

use gflowcausal_data::{Column, Finding, Moments, Severity, Table};
use gflowcausal_determinism::{StopFlag, Stream, map, stream};
use gflowcausal_graph::{Advice, Constraints, Dag, NodeSet, Order};
use gflowcausal_score::{
    Bic, BicEqual, Cached, Families, Family, GraphScore, GrowShrink, GrowShrinkTrees, LocalScore, Selected,
    prune_order,
};
use gflowcausal_search::{ConstrainedOrderScore, boss, equal_variance_order, hill_climb};
use serde::{Deserialize, Serialize};

use super::ScoreName;
use super::scores::penalty;
use crate::options::Config;
use crate::{Error, PruneName};

/// Up to how many variables graphs of other families are searched for: with more it takes minutes.
const MOST_SEARCHED: usize = 50;

/// Up to how many variables families are compared at all, on the best linear Gaussian graph.
pub(super) const MOST_NODES: usize = 200;

/// How many rows families are compared on: more are thinned to this many.
const MAX_ROWS: usize = 2000;

/// With fewer rows than this for each variable nothing but a line can be distinguished.
const LEAST_ROWS: usize = 100;

/// How many nats a family must gain over a simpler one, on one variable or on all of them.
const MARGIN: f64 = 10.0;

/// How many nats decide for a single variable what is printed of it: of 59 variables with lines and normal noise none gains
/// 3, and of 60 with noise of Student's t with five degrees of freedom all gain 5.
const VARIABLE_MARGIN: f64 = 5.0;

/// Which family the data ask for, and why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FamilyEvidence {
    /// What decided, in one sentence.
    pub why: String,
    /// How much likelier one noise variance for all variables is than one for each, where it is: units then tell directions
    /// that nothing else does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub equal_variances: Option<f64>,
    /// How many rows the prior of categories counts as, where evidence chose it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sample_size: Option<f64>,
    /// The log-likelihood of each family on the graph that suits it best, less that of the linear Gaussian family on its own.
    pub families: Vec<FamilyTotal>,
    /// The families of each variable, given its parents in the graph that suits the chosen family best.
    pub variables: Vec<VariableEvidence>,
}

impl FamilyEvidence {
    /// What there is to say of equal variances: they are offered, never assumed.
    pub(crate) fn finding(&self) -> Option<Finding> {
        let nats = self.equal_variances?;
        let what = format!(
            "one noise variance for all variables is likelier than one for each by {nats:.0} nats: if the units of the \
             columns are comparable, they tell more directions"
        );
        let fix = Advice::new("then use ").set("score", "bic-equal");
        Some(Finding { code: "equal-variances", severity: Severity::Note, columns: vec![], what, fix })
    }
}

/// What a family gains on the whole table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FamilyTotal {
    /// The family's name.
    pub family: String,
    /// In nats, all parameters paid for.
    pub nats: f64,
}

/// What families gain on one variable.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VariableEvidence {
    /// The variable.
    pub variable: String,
    /// Its parents.
    pub parents: Vec<String>,
    /// The simplest family that no other beats by more than 5 nats.
    pub family: String,
    /// What that family gains over the linear Gaussian one.
    pub nats: f64,
}

/// The score that was chosen, with the evidence.
pub(crate) struct FamilyChoice {
    pub(crate) score: ScoreName,
    pub(crate) evidence: FamilyEvidence,
}

/// Why families cannot be compared on the numbers of `table` with these options, in words that follow "not compared"; none
/// if they can. `most` is up to how many variables the method takes scores of any family.
pub(crate) fn obstacle(table: &Table, config: &Config, most: usize) -> Option<String> {
    let missing: usize = table.columns().iter().map(|column| column.values.missing()).sum();
    let (nodes, most) = (table.columns().len(), most.min(MOST_NODES));
    if !matches!(config.prune, PruneName::Auto | PruneName::Selected | PruneName::Score) {
        Some(format!("pruning {} selects the parents", config.prune.name()))
    } else if missing > 0 {
        Some(format!("{missing} {} missing", if missing == 1 { "cell is" } else { "cells are" }))
    } else if table.rows() < LEAST_ROWS {
        Some(format!("fewer than {LEAST_ROWS} rows"))
    } else if nodes > most {
        Some(format!("more than {most} variables"))
    } else if nodes < 2 {
        Some("a single variable".to_owned())
    } else {
        column_obstacle(table)
    }
}

/// Why columns have no density that families could be compared by: values that repeat have infinitely high ones, and a
/// single value far from all others decides any comparison.
fn column_obstacle(table: &Table) -> Option<String> {
    let named = |test: fn(&Column) -> bool| {
        let such = table.columns().iter().filter(|column| test(column));
        let names: Vec<String> = such.map(|column| format!("'{}'", column.name)).collect();
        let more = if names.len() > 1 { format!(" and {} more", names.len() - 1) } else { String::new() };
        names.first().map(|first| format!("{first}{more}"))
    };
    let codes = named(Column::has_few_values);
    let codes = codes.map(|who| format!("few different values in {who}, likely the codes of categories"));
    codes.or_else(|| {
        let who = named(|column| !column.isolated_rows().is_empty())?;
        Some(format!("values far from all others in {who} would decide alone"))
    })
}

/// Compares the families on `table` and chooses a score.
///
/// First the best linear Gaussian graph is searched for. Where no variable, given its parents there or any other variable
/// alone, has a likelier family, that is the answer. Else graphs are searched for with lines and free noise and with
/// smooth functions too, and the families compared on all of them. With more variables than such searches take, the score
/// is `bic`, and the evidence says what the first graph shows.
///
/// # Errors
/// Columns that no score can be made of.
pub(crate) fn choose(
    (table, moments): (&Table, &Moments),
    constraints: &Constraints,
    config: &Config,
) -> Result<FamilyChoice, Error> {
    let families = Families::new(table, penalty(config), MAX_ROWS)?;
    let comparison = Comparison { families, constraints, names: table.names().map(str::to_owned).collect() };
    let (order, linear) = comparison.linear_graph(config.seed);
    let evaluated = comparison.evaluate(linear);
    let has_bent_pair = || comparison.names.len() <= MOST_SEARCHED && comparison.has_bent_pair();
    if evaluated.is_plain() && !has_bent_pair() {
        let equal = if config.standardize {
            None
        } else {
            comparison.equal_variances(moments, &evaluated, config)?
        };
        return Ok(comparison.plain(&evaluated, equal));
    }
    if comparison.names.len() > MOST_SEARCHED {
        return Ok(comparison.unsearched(&evaluated));
    }
    let climbed = |score: &dyn LocalScore| comparison.evaluate(comparison.climbed(score, order.clone()));
    let free = climbed(comparison.families.linear());
    let smooth = climbed(comparison.families.additive());
    Ok(comparison.decide(&[evaluated, free, smooth], config.penalty.is_none()))
}

/// The families on some data.
struct Comparison<'a> {
    families: Families,
    constraints: &'a Constraints,
    names: Vec<String>,
}

/// A graph with the terms of each variable, by family.
struct Evaluated {
    graph: Dag,
    terms: Vec<[f64; 4]>,
}

impl Evaluated {
    fn total(&self, family: Family) -> f64 {
        self.terms.iter().map(|terms| terms[family as usize]).sum()
    }

    /// Whether nothing is likelier than a line and normal noise for any variable.
    fn is_plain(&self) -> bool {
        self.terms.iter().all(|terms| terms[1..].iter().all(|term| term - terms[0] <= MARGIN))
    }

    /// The variables with parents.
    fn with_parents(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.graph.nodes()).filter(|&node| !self.graph.parents(node).is_empty())
    }

    /// What `gain` says of each variable and its parents.
    fn gains(&self, gain: impl Fn(usize, &NodeSet) -> f64 + Sync + Send) -> Vec<f64> {
        map(self.graph.nodes(), |node| gain(node, self.graph.parents(node)))
    }

    /// Whether most of the variables with parents gain clearly.
    fn is_most(&self, gains: &[f64]) -> bool {
        2 * self.with_parents().filter(|&node| gains[node] > MARGIN).count() > self.with_parents().count()
    }

    /// Whether `family` beats `simpler` clearly for most of the variables with parents.
    fn is_general(&self, family: Family, simpler: Family) -> bool {
        let gain = |terms: &[f64; 4]| terms[family as usize] - terms[simpler as usize];
        self.is_most(&self.terms.iter().map(gain).collect::<Vec<_>>())
    }
}

/// The families on three graphs: those of lines and normal noise, of lines and free noise, and of smooth functions.
struct Rivals<'a>(&'a [Evaluated; 3]);

impl<'a> Rivals<'a> {
    fn smooth(&self) -> &'a Evaluated {
        &self.0[2]
    }

    /// The graph that suits `family` best.
    fn best(&self, family: Family) -> &'a Evaluated {
        let by_total = |a: &&Evaluated, b: &&Evaluated| a.total(family).total_cmp(&b.total(family));
        self.0.iter().max_by(by_total).unwrap_or(&self.0[0])
    }

    /// What `family` gains over another, each on its best graph.
    fn gain(&self, family: Family, over: Family) -> f64 {
        self.best(family).total(family) - self.best(over).total(over)
    }

    fn is_normal(&self) -> bool {
        self.gain(Family::LinearNonGaussian, Family::LinearGaussian) <= MARGIN
    }

    /// Whether sums of functions are likelier than lines and, unless noise is normal, for most of the variables.
    fn is_bent(&self) -> bool {
        let (smooth, lines) = (Family::LocationScale, Family::LinearNonGaussian);
        self.gain(smooth, lines) > MARGIN && (self.is_normal() || self.best(smooth).is_general(smooth, lines))
    }

    fn totals(&self) -> Vec<FamilyTotal> {
        let families = Family::ALL[..4].iter().map(|&family| FamilyTotal {
            family: family.name().to_owned(),
            nats: self.gain(family, Family::LinearGaussian),
        });
        families.collect()
    }
}

impl Comparison<'_> {
    /// The best order and graph that one start of BOSS finds with `bic`.
    fn linear_graph(&self, seed: u64) -> (Order, Dag) {
        let trees = GrowShrinkTrees::new(self.families.gaussian().clone(), self.constraints.clone());
        let trees = trees.without_pairs();
        let score = ConstrainedOrderScore { score: &trees, constraints: self.constraints };
        let mut rng = stream(seed, Stream::Restart { k: 0 });
        let order = boss(&score, &score, &mut rng, &StopFlag::new());
        let graph = prune_order(&Selected(&trees), &order, self.constraints);
        (order, graph)
    }

    /// The graph that insertions lead to from `start`, with another score.
    fn climbed(&self, score: &dyn LocalScore, start: Order) -> Dag {
        let trees = GrowShrink::new(Cached::new(score), self.constraints.clone());
        let order =
            hill_climb(&ConstrainedOrderScore { score: &trees, constraints: self.constraints }, start);
        prune_order(&Selected(&trees), &order, self.constraints)
    }

    fn evaluate(&self, graph: Dag) -> Evaluated {
        let terms = map(graph.nodes(), |node| self.families.terms(node, graph.parents(node)));
        Evaluated { graph, terms }
    }

    /// Whether a variable given one other is likelier with a bend or a changing variance.
    fn has_bent_pair(&self) -> bool {
        let nodes = self.names.len();
        let is_bent = |node: usize| {
            self.constraints.allowed_parents(node).iter().filter(|&other| other != node).any(|other| {
                let [_, linear, additive, scaled] = self.families.terms(node, &NodeSet::of(nodes, [other]));
                additive.max(scaled) - linear > MARGIN
            })
        };
        map(nodes, is_bent).into_iter().any(|is_bent| is_bent)
    }

    /// How much likelier one noise variance for all is than one for each, each on its best graph; none if it is not.
    ///
    /// The other variances cost `½ ln n` each.
    fn equal_variances(
        &self,
        moments: &Moments,
        linear: &Evaluated,
        config: &Config,
    ) -> Result<Option<f64>, Error> {
        let (bic, equal) = (Bic::new(moments, penalty(config))?, BicEqual::new(moments, penalty(config))?);
        let paid = 0.5 * (self.names.len() - 1) as f64 * (moments.rows() as f64).ln();
        let separate = bic.graph(&linear.graph);
        let trees = GrowShrinkTrees::new(bic, self.constraints.clone()).without_pairs();
        let order = equal_variance_order(moments, self.constraints);
        let graph = prune_order(&Selected(&trees), &order, self.constraints);
        let nats = equal.graph(&graph) + paid - separate;
        Ok((nats > MARGIN).then_some(nats))
    }

    fn plain(&self, evaluated: &Evaluated, equal_variances: Option<f64>) -> FamilyChoice {
        let why = "no variable has noise of another shape, a bend or a changing variance";
        let variables = (0..self.names.len()).map(|node| self.variable(evaluated, node, 0.0, 0.0)).collect();
        let evidence = FamilyEvidence {
            why: why.to_owned(),
            equal_variances,
            sample_size: None,
            families: vec![],
            variables,
        };
        FamilyChoice { score: ScoreName::Bic, evidence }
    }

    /// `bic`, with what variables ask for given their parents in its best graph.
    fn unsearched(&self, evaluated: &Evaluated) -> FamilyChoice {
        let scale = |node: usize| evaluated.terms[node][3] - evaluated.terms[node][2];
        let variable = |node: usize| self.variable(evaluated, node, scale(node), 0.0);
        let variables: Vec<VariableEvidence> = (0..self.names.len()).map(variable).collect();
        let others = || variables.iter().filter(|variable| variable.family != Family::LinearGaussian.name());
        let nats: f64 = others().map(|variable| variable.nats).sum();
        let asks = |family: &Family| others().filter(|variable| variable.family == family.name()).count();
        let family = Family::ALL.into_iter().max_by_key(asks).unwrap_or(Family::LinearNonGaussian);
        let why = format!(
            "graphs of other families are searched for up to {MOST_SEARCHED} variables; given the parents in its best graph, \
             {} of {} variables ask for another family by {nats:.0} nats, most of them for {}",
            others().count(),
            variables.len(),
            family.name(),
        );
        let evidence =
            FamilyEvidence { why, equal_variances: None, sample_size: None, families: vec![], variables };
        FamilyChoice { score: ScoreName::Bic, evidence }
    }

    /// Lines or bends first, with the noise's own shape in both; then functions of several parents, and what the noise is like.
    ///
    /// Bends win by sums of functions for most variables, or by functions of all parents with normal noise on the whole table:
    /// where parents act together, sums show little of it. Joint functions need the evidence of the whole table, more of it
    /// than a changing variance has: a search for sums finds few of the parents that act together, so few variables can show
    /// it. `gp` contains sums, so nothing is lost where one suffices. A changing variance needs most of the variables: in a
    /// graph with a wrong edge it is what the wrong edge leaves.
    fn decide(&self, graphs: &[Evaluated; 3], allows_joint: bool) -> FamilyChoice {
        use Family::{Additive, Joint, LinearGaussian, LinearNonGaussian, LocationScale};
        let rivals = Rivals(graphs);
        let joint_over_lines = if allows_joint { self.joint_over_lines(&rivals) } else { f64::NEG_INFINITY };
        let is_bent = rivals.is_bent() || joint_over_lines > MARGIN;
        let smooth = rivals.smooth();
        let [scale, joint] = if is_bent { self.noise_and_joint_gains(smooth) } else { self.no_gains() };
        let [scale_nats, joint_nats] = [&scale, &joint].map(|gains| gains.iter().sum::<f64>());
        let is_joint = allows_joint && joint_nats > scale_nats.max(MARGIN);
        let (family, score) = match (is_bent, rivals.is_normal()) {
            (true, _) if is_joint => (Joint, ScoreName::Gp),
            (true, _) if smooth.is_most(&scale) => (LocationScale, ScoreName::LocationScale),
            (true, _) => (Additive, ScoreName::Spline),
            (false, true) => (LinearGaussian, ScoreName::Bic),
            (false, false) => (LinearNonGaussian, ScoreName::NonGaussian),
        };
        let shown = if is_bent { smooth } else { rivals.best(family) };
        let bent_nats = rivals.gain(LocationScale, LinearNonGaussian).max(joint_over_lines);
        let shape_nats = rivals.gain(LinearNonGaussian, LinearGaussian);
        let variable = |node: usize| self.variable(shown, node, scale[node], joint[node]);
        let evidence = FamilyEvidence {
            why: why(family, shape_nats, bent_nats, [scale_nats, joint_nats]),
            equal_variances: None,
            sample_size: None,
            families: rivals.totals(),
            variables: (0..self.names.len()).map(variable).collect(),
        };
        FamilyChoice { score, evidence }
    }

    /// How much likelier functions of all parents are, with normal noise, than lines with noise of any shape.
    fn joint_over_lines(&self, rivals: &Rivals<'_>) -> f64 {
        let lines = rivals.best(Family::LinearNonGaussian).total(Family::LinearNonGaussian);
        let terms = rivals.smooth().gains(|node, parents| self.families.joint_term(node, parents));
        terms.iter().sum::<f64>() - lines
    }

    /// What each variable gains by noise that follows its parents, and by one function of them.
    fn noise_and_joint_gains(&self, smooth: &Evaluated) -> [Vec<f64>; 2] {
        // What a monotone transform takes away, or brings, is no changing variance.
        let scale_gain = |node: usize, parents: &NodeSet| {
            let [_, _, additive, scaled] = smooth.terms[node];
            if scaled > additive { self.families.scale_gain(node, parents) } else { 0.0 }
        };
        let joint_gain = |node: usize, parents: &NodeSet| self.families.joint_gain(node, parents);
        [smooth.gains(scale_gain), smooth.gains(joint_gain)]
    }

    fn no_gains(&self) -> [Vec<f64>; 2] {
        [(); 2].map(|()| vec![0.0; self.names.len()])
    }

    /// The simplest family of a variable that no other beats clearly.
    fn variable(&self, evaluated: &Evaluated, node: usize, scale: f64, joint: f64) -> VariableEvidence {
        let [gaussian, linear, additive, _] = evaluated.terms[node];
        let mut won = (Family::LinearGaussian, 0.0);
        for (family, nats) in [
            (Family::LinearNonGaussian, linear - gaussian),
            (Family::Additive, additive - gaussian),
            (Family::LocationScale, additive - gaussian + scale),
            (Family::Joint, additive - gaussian + joint),
        ] {
            if nats - won.1 > VARIABLE_MARGIN {
                won = (family, nats);
            }
        }
        let parents = evaluated.graph.parents(node).iter().map(|parent| self.names[parent].clone());
        VariableEvidence {
            variable: self.names[node].clone(),
            parents: parents.collect(),
            family: won.0.name().to_owned(),
            nats: won.1,
        }
    }
}

/// What decided, in words: `shape` is what noise of its own shape gains, `bent` what smooth functions gain over lines.
fn why(family: Family, shape: f64, bent: f64, [scale, joint]: [f64; 2]) -> String {
    match family {
        Family::LinearGaussian => "no family is likelier than lines and normal noise by 10 nats".to_owned(),
        Family::LinearNonGaussian => {
            format!("noise of its own shape is likelier than normal noise by {shape:.0} nats")
        }
        Family::Additive => format!("smooth functions are likelier than lines by {bent:.0} nats"),
        Family::LocationScale => format!(
            "smooth functions are likelier than lines by {bent:.0} nats, and for most variables noise that follows the parents \
             than even noise, by {scale:.0} nats"
        ),
        Family::Joint => format!(
            "smooth functions are likelier than lines by {bent:.0} nats, and one function of several parents than a sum of functions, \
             by {joint:.0} nats"
        ),
    }
}
