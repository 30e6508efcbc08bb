//! Orders and graphs of DirectLiNGAM and ICA-LiNGAM.

use gflowcausal_determinism::StopFlag;

use gflowcausal_data::Moments;
use gflowcausal_determinism::with_threads;
use gflowcausal_graph::{Constraints, Edge, Knowledge, Order};
use gflowcausal_score::{Lasso, LinearModel, prune_order};
use gflowcausal_search::{LingamError, direct_lingam, ica_lingam};

use crate::{Made, Noise, bits};

/// What lingam 1.13.0 finds on `made(seed, 6, 300, "uniform")` for seeds 1 to 20: DirectLiNGAM's order and graph, then
/// ICA-LiNGAM's graph.
///
/// ```python
/// bits = lambda A: hex(int("".join("1" if x else "0" for x in (A.T != 0).ravel()), 2))
/// for seed in range(1, 21):
///     X, W = made(seed, 6, 300, "uniform")
///     m = lingam.DirectLiNGAM().fit(X); i = lingam.ICALiNGAM(random_state=seed).fit(X)
///     print(m.causal_order_, bits(m.adjacency_matrix_), bits(i.adjacency_matrix_))
/// ```
const THEIRS: [([usize; 6], u64, u64); 20] = [
    ([0, 1, 2, 5, 4, 3], 0x5_c01c_0106, 0x5_c01c_0106),
    ([3, 1, 5, 2, 0, 4], 0x0_a188_8008, 0x0_a198_000c),
    ([0, 5, 3, 1, 4, 2], 0x2_8a01_a20c, 0x2_8a01_a20c),
    ([1, 0, 3, 2, 5, 4], 0x2_a104_b002, 0x2_a104_b002),
    ([3, 4, 0, 5, 1, 2], 0x2_0003_0648, 0x2_0003_0648),
    ([4, 3, 5, 2, 1, 0], 0x0_20c3_9358, 0x0_20c3_9358),
    ([0, 2, 5, 1, 3, 4], 0x1_0208_2006, 0x1_0200_2006),
    ([0, 5, 4, 3, 1, 2], 0x4_0800_060c, 0x4_0800_060c),
    ([1, 2, 4, 0, 3, 5], 0x1_2210_1840, 0x1_2210_1840),
    ([0, 3, 4, 5, 2, 1], 0x5_4041_b048, 0x5_4241_b040),
    ([3, 1, 2, 5, 4, 0], 0x0_290a_a000, 0x0_290a_a000),
    ([5, 0, 3, 4, 1, 2], 0x1_8800_0600, 0x1_8800_0600),
    ([5, 3, 0, 4, 2, 1], 0x2_0001_2204, 0x2_0001_2204),
    ([3, 0, 1, 4, 2, 5], 0x6_c301_8000, 0x6_c301_8000),
    ([0, 2, 4, 3, 1, 5], 0x4_810d_0000, 0x4_810d_0000),
    ([1, 0, 5, 3, 4, 2], 0x2_4400_020a, 0x2_4400_020a),
    ([0, 5, 2, 1, 4, 3], 0x3_c010_010a, 0x3_c010_010a),
    ([3, 1, 2, 5, 0, 4], 0x0_8a83_8020, 0x2_aa03_8028),
    ([4, 1, 2, 3, 0, 5], 0x0_4980_0740, 0x0_4980_0740),
    ([2, 4, 0, 1, 5, 3], 0x4_0050_0844, 0x4_0050_0844),
];

fn data(seed: usize) -> Made {
    Made::new(seed as u64 + 1, 6, 300, Noise::Uniform)
}

/// The graph of `order` after the adaptive LASSO.
fn pruned(made: &Made, order: &Order) -> u64 {
    let model = LinearModel::new(&Moments::of_columns(&made.slices())).unwrap();
    bits(&prune_order(&Lasso { model: &model }, order, &Constraints::none(order.nodes())))
}

fn direct(made: &Made, constraints: &Constraints) -> Order {
    direct_lingam(&made.slices(), constraints, &StopFlag::new())
}

fn components(made: &Made, constraints: &Constraints, seed: u64) -> Order {
    ica_lingam(&made.slices(), constraints, seed, &StopFlag::new()).unwrap()
}

#[test]
fn direct_lingam_has_the_packages_orders_and_graphs() {
    for (seed, (order, graph, _)) in THEIRS.iter().enumerate() {
        let made = data(seed);
        let ours = direct(&made, &Constraints::none(6));
        assert_eq!(ours.as_slice(), order, "data set {seed}");
        assert_eq!(pruned(&made, &ours), *graph, "data set {seed}");
    }
}

#[test]
fn ica_lingam_mostly_has_the_packages_graphs() {
    let same = THEIRS.iter().enumerate().filter(|&(seed, &(_, _, graph))| {
        let made = data(seed);
        pruned(&made, &components(&made, &Constraints::none(6), seed as u64)) == graph
    });
    let same = same.count();
    assert!(same >= 16, "{same} of 20");
}

/// With so many rows the theory promises the order.
#[test]
fn planted_orders_are_found() {
    for seed in 31..35 {
        let made = Made::new(seed, 7, 4000, Noise::Uniform);
        let none = Constraints::none(7);
        assert!(direct(&made, &none).is_compatible_with(&made.dag), "direct, {seed}");
        assert!(components(&made, &none, 0).is_compatible_with(&made.dag), "components, {seed}");
    }
}

#[test]
fn what_is_required_comes_first_even_against_the_data() {
    let made = data(0);
    let edge = made.dag.edges().next().unwrap();
    let names = ["a", "b", "c", "d", "e", "f"];
    let mut knowledge = Knowledge::default();
    knowledge.require(format!("{}->{}", names[edge.to], names[edge.from]).as_str());
    let constraints = knowledge.compile(&names).unwrap();
    for order in [direct(&made, &constraints), components(&made, &constraints, 0)] {
        assert!(constraints.permits_order(&order), "{edge:?} is required the other way round: {order:?}");
    }
}

/// True tiers are satisfied by the order itself, not only by the graph.
#[test]
fn tiers_order_the_variables() {
    let made = data(5);
    let names = ["a", "b", "c", "d", "e", "f"];
    let mut knowledge = Knowledge::default();
    knowledge.tier(1, ["a", "b", "c"]).tier(2, ["d", "e", "f"]);
    let constraints = knowledge.compile(&names).unwrap();
    let positions = direct(&made, &constraints).positions();
    assert!(positions[..3].iter().all(|&early| positions[3..].iter().all(|&late| early < late)));
    assert!(!constraints.allows(Edge::new(3, 0)));
}

#[test]
fn threads_change_nothing_and_seeds_are_kept() {
    let made = data(9);
    let none = Constraints::none(6);
    let found = |threads| with_threads(threads, || (direct(&made, &none), components(&made, &none, 3)));
    assert_eq!(found(1), found(4));
}

#[test]
fn a_column_that_others_determine_is_refused() {
    let mut made = data(2);
    made.columns[5] = made.columns[0].iter().zip(&made.columns[1]).map(|(a, b)| a + b).collect();
    let refused = ica_lingam(&made.slices(), &Constraints::none(6), 0, &StopFlag::new());
    assert_eq!(refused.unwrap_err(), LingamError::Dependent);
}
