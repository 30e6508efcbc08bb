//! `auto` on a table of categories: how many rows the prior of `bdeu` counts as, by evidence.

use gflowcausal_data::Table;
use gflowcausal_graph::{Constraints, Dag, Order};
use gflowcausal_score::{Bdeu, Cached, GraphScore, GrowShrink, Selected, prune_order};
use gflowcausal_search::{ConstrainedOrderScore, hill_climb};

use super::ScoreName;
use super::family_choice::{FamilyChoice, FamilyEvidence, MOST_NODES};
use crate::Error;
use crate::options::Config;

/// The equivalent sample sizes that are compared.
const SIZES: [f64; 7] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0];

/// How often graph and sample size are chosen in turn.
const ROUNDS: usize = 4;

/// How many rows sample sizes are compared on: more are thinned to this many.
const MAX_ROWS: usize = 10_000;

/// Whether sample sizes can be compared: complete categories, not too many, and nothing given.
pub(super) fn is_open(table: &Table, config: &Config) -> bool {
    config.score.resolve(table) == ScoreName::Bdeu
        && config.sample_size.is_none()
        && (2..=MOST_NODES).contains(&table.columns().len())
        && table.rows() > 0
        && table.columns().iter().all(|column| column.values.missing() == 0)
}

/// `bdeu` with the likeliest equivalent sample size on the best graph (Silander, Kontkanen and Myllymäki 2007).
///
/// Graph and sample size raise `ln P(data | graph, size)` in turn: the graph by insertions, from the order before, the size
/// among seven. A fixed size is a bet on how even the tables of probabilities are: small ones expect nearly deterministic
/// tables, and leave out parents whose effects are moderate.
///
/// # Errors
/// Columns that no score can be made of.
pub(super) fn choose(table: &Table, constraints: &Constraints) -> Result<FamilyChoice, Error> {
    let rows = table.rows().min(MAX_ROWS);
    let evenly = |k: usize| (k as u128 * table.rows() as u128 / rows as u128) as usize;
    let table = &table.select_rows(&(0..rows).map(evenly).collect::<Vec<_>>());
    let (mut size, mut order) = (Bdeu::SAMPLE_SIZE, Order::identity(table.columns().len()));
    let mut nats = 0.0;
    for _ in 0..ROUNDS {
        let graph;
        (order, graph) = best_graph(&Bdeu::new(table, size)?, constraints, order);
        let log_likelihood = |&size: &f64| Ok(Bdeu::new(table, size)?.graph(&graph));
        let all = SIZES.iter().map(log_likelihood).collect::<Result<Vec<f64>, Error>>()?;
        let best = (0..SIZES.len()).max_by(|&a, &b| all[a].total_cmp(&all[b])).unwrap_or(0);
        nats = all[best] - all[0];
        if SIZES[best] == size {
            break;
        }
        size = SIZES[best];
    }
    let why = if size == Bdeu::SAMPLE_SIZE {
        "no prior of tables of probabilities is likelier than one that counts as a single row".to_owned()
    } else {
        format!(
            "a prior of tables of probabilities that counts as {size} rows is likelier than one that counts as a single row, \
             by {nats:.0} nats on the best graph"
        )
    };
    let evidence = FamilyEvidence {
        why,
        equal_variances: None,
        sample_size: Some(size),
        families: vec![],
        variables: vec![],
    };
    Ok(FamilyChoice { score: ScoreName::Bdeu, evidence })
}

/// The order and graph that insertions lead to from `start`.
fn best_graph(score: &Bdeu, constraints: &Constraints, start: Order) -> (Order, Dag) {
    let trees = GrowShrink::new(Cached::new(score), constraints.clone());
    let order = hill_climb(&ConstrainedOrderScore { score: &trees, constraints }, start);
    let graph = prune_order(&Selected(&trees), &order, constraints);
    (order, graph)
}
