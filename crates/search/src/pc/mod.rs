//! PC-stable: a test removes edges between conditionally independent variables; v-structures and Meek's rules orient the rest.

mod independence;
mod orient;
mod skeleton;

use gflowcausal_determinism::StopFlag;
use gflowcausal_graph::{Constraints, Dag, Pdag};

pub use self::independence::{CategoryTest, FisherZ, IndependenceTest, TestError};
use self::orient::{Orientation, stand_in};
use self::skeleton::Skeleton;

/// More edges than this for each variable are no finding, and take long to orient.
const DENSE: usize = 8;

/// The PC algorithm (Spirtes, Glymour and Scheines 2000), order-independent in its edges (Colombo and Maathuis 2014).
///
/// Conflicts, which only finite samples have, are settled like this: a middle variable that is in *no* set that
/// separated its neighbours at the level where they came apart is a collider; knowledge goes before colliders and an
/// earlier collider (by the order of the columns) before a later one; nothing closes a cycle or turns an arrow.
///
/// Knowledge: a required edge is never tested, a pair forbidden in both directions is tested only to orient others, and no arrow
/// points where it is forbidden. The most parents of a variable cannot be bounded.
pub struct Pc<'a> {
    test: &'a dyn IndependenceTest,
    alpha: f64,
    constraints: &'a Constraints,
}

/// What PC found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PcClass {
    /// Arrows and undirected edges. On contradictory samples it may be no class of DAGs.
    pub class: Pdag,
    /// A DAG that stands for it and satisfies the constraints.
    pub member: Dag,
}

impl<'a> Pc<'a> {
    /// A search by `test`, which finds a pair independent when its p-value is above `alpha`.
    ///
    /// # Panics
    /// If test and constraints have different numbers of variables.
    #[must_use]
    pub fn new(test: &'a dyn IndependenceTest, alpha: f64, constraints: &'a Constraints) -> Self {
        assert_eq!(test.nodes(), constraints.nodes(), "a test and constraints of different variables");
        Self { test, alpha, constraints }
    }

    /// Tests level by level until there is nothing left to test, or `stop` is set; then orients.
    ///
    /// A search that is stopped while most pairs are still joined has found nothing: only required edges are left then.
    #[must_use]
    pub fn search(&self, stop: &StopFlag) -> PcClass {
        let mut skeleton = Skeleton::full(self.constraints);
        let mut size = 0;
        while skeleton.has_level(size) && !stop.is_set() {
            skeleton.test_level(self.test, self.alpha, self.constraints, (size, stop));
            size += 1;
        }
        if stop.is_set() && skeleton.edges() > DENSE * self.constraints.nodes() {
            skeleton = Skeleton::required(self.constraints);
        }
        let class = Orientation::known(&skeleton, self.constraints).colliders().follow();
        let (member, class) = stand_in(class, self.constraints);
        PcClass { class, member }
    }
}
