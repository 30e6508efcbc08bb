//! A Markov equivalence class as one graph: arrows where all its DAGs agree, undirected edges where they differ.

use crate::{Dag, Edge, NodeSet, Pdag};

/// The completed partially directed acyclic graph (CPDAG) of a class of DAGs. Two classes are equal iff their
/// CPDAGs are.
///
/// ```
/// use gflowcausal_graph::{Cpdag, Dag, Edge};
/// let dag = Dag::from_edges(4, [Edge::new(0, 2), Edge::new(1, 2), Edge::new(2, 3)])?;
/// assert!(Cpdag::of(&dag).is_compelled(Edge::new(2, 3)));
/// let chain = Dag::from_edges(3, [Edge::new(0, 1), Edge::new(1, 2)])?;
/// assert!(Cpdag::of(&chain).is_reversible(Edge::new(0, 1)));
/// assert_eq!(Cpdag::of(&chain).members().count(), 3);
/// # Ok::<(), gflowcausal_graph::EdgeError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Cpdag {
    graph: Pdag,
}

impl Cpdag {
    /// The class of `dag`: the DAGs that state the same conditional independences (Verma and Pearl 1990). Costs `O(d²/64)`
    /// word operations.
    ///
    /// ```
    /// use gflowcausal_graph::{Cpdag, Dag, Edge};
    /// let chain = Dag::from_edges(3, [Edge::new(0, 1), Edge::new(1, 2)])?;
    /// let fork = Dag::from_edges(3, [Edge::new(1, 0), Edge::new(1, 2)])?;
    /// let collider = Dag::from_edges(3, [Edge::new(0, 1), Edge::new(2, 1)])?;
    /// assert_eq!(Cpdag::of(&chain), Cpdag::of(&fork));
    /// assert_ne!(Cpdag::of(&chain), Cpdag::of(&collider));
    /// # Ok::<(), gflowcausal_graph::EdgeError>(())
    /// ```
    ///
    /// Chickering's (1995) labelling of edges, effect by effect in causal order. His walk over the edges into one
    /// effect always ends at the first of them, the one from the latest cause, so it is written as one step here.
    #[must_use]
    pub fn of(dag: &Dag) -> Self {
        let order = dag.topological_order();
        let positions = order.positions();
        let mut compelled = vec![NodeSet::empty(dag.nodes()); dag.nodes()];
        for effect in order.iter() {
            let latest = dag.parents(effect).iter().max_by_key(|&cause| positions[cause]);
            if let Some(latest) = latest {
                compelled[effect] = compelled_causes(dag, effect, latest, &compelled[latest]);
            }
        }
        Self { graph: mark(dag, &compelled) }
    }

    /// The class of the DAGs that share skeleton, v-structures and arrows with `graph`, if there is any.
    #[must_use]
    pub fn of_pdag(graph: &Pdag) -> Option<Self> {
        graph.consistent_extension().map(|dag| Self::of(&dag))
    }

    /// How many variables there are.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.graph.nodes()
    }

    /// The class as arrows and undirected edges.
    #[must_use]
    pub fn as_pdag(&self) -> &Pdag {
        &self.graph
    }

    /// The class as arrows and undirected edges.
    #[must_use]
    pub fn into_pdag(self) -> Pdag {
        self.graph
    }

    /// Whether every DAG of the class has `edge`.
    #[must_use]
    pub fn is_compelled(&self, edge: Edge) -> bool {
        self.graph.has_directed(edge)
    }

    /// Whether some DAGs of the class have `edge` and others its reverse.
    #[must_use]
    pub fn is_reversible(&self, edge: Edge) -> bool {
        self.graph.has_undirected(edge)
    }

    /// Whether `dag` is in the class.
    #[must_use]
    pub fn contains(&self, dag: &Dag) -> bool {
        *self == Self::of(dag)
    }

    /// One DAG of the class, the same one every time.
    #[must_use]
    pub fn representative(&self) -> Dag {
        self.graph.consistent_extension().expect("a class has a member")
    }

    /// Every DAG of the class, each once; there may be as many as `d!`.
    pub fn members(&self) -> impl Iterator<Item = Dag> + use<> {
        self.graph.extensions()
    }
}

impl From<&Dag> for Cpdag {
    fn from(dag: &Dag) -> Self {
        Self::of(dag)
    }
}

/// The causes of `effect` whose edge is compelled, given those of its `latest` cause.
fn compelled_causes(dag: &Dag, effect: usize, latest: usize, above: &NodeSet) -> NodeSet {
    let causes = dag.parents(effect);
    let chain_from_outside = !above.is_subset(causes);
    let meets_a_stranger = !causes.without(latest).is_subset(dag.parents(latest));
    if chain_from_outside || meets_a_stranger { causes.clone() } else { above.clone() }
}

fn mark(dag: &Dag, compelled: &[NodeSet]) -> Pdag {
    let mut graph = Pdag::empty(dag.nodes());
    for edge in dag.edges() {
        if compelled[edge.to].contains(edge.from) {
            graph.point(edge);
        } else {
            graph.tie(edge);
        }
    }
    graph
}
