//! A layered drawing of a graph (Sugiyama): causes above effects, few crossings, no two things in one place.

mod coordinates;
mod crossing_count;
mod crossing_reduction;
mod label;
mod layered;
mod layers;

use gflowcausal::graph::{Dag, Edge};
use serde::Serialize;

pub(crate) use self::label::{label, printable, width_of};
use self::layered::Layered;

/// The height of a node's box.
pub(crate) const NODE_HEIGHT: f64 = 32.0;

/// The least distance between two boxes of a row.
const GAP: f64 = 18.0;

/// How far outside a row of boxes an edge that passes it turns.
const TURN: f64 = 8.0;

/// Free space around the drawing.
const MARGIN: f64 = 24.0;

/// The distance between rows whose edges are all upright.
const ROW_GAP: f64 = 58.0;

/// How far rows are moved apart at most for edges that lie flat.
const MOST_ROW_GAP: f64 = 170.0;

/// The width that variables without an edge are spread over at least.
const ISOLATED_WIDTH: f64 = 640.0;

/// Where everything of a graph is drawn.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Layout {
    /// The box of each node, by index.
    pub(crate) nodes: Vec<Place>,
    /// The route of each edge.
    pub(crate) routes: Vec<Route>,
    /// The size of the drawing.
    pub(crate) width: f64,
    /// The size of the drawing.
    pub(crate) height: f64,
}

/// The box of a node: its centre, its width and the row it stands in.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub(crate) struct Place {
    /// The centre.
    pub(crate) x: f64,
    /// The centre.
    pub(crate) y: f64,
    /// The width.
    pub(crate) width: f64,
    /// The row, from the top.
    pub(crate) row: usize,
}

impl Place {
    /// The upper side.
    pub(crate) fn top(&self) -> f64 {
        self.y - NODE_HEIGHT / 2.0
    }

    /// The lower side.
    pub(crate) fn bottom(&self) -> f64 {
        self.y + NODE_HEIGHT / 2.0
    }

    /// Where an edge that comes from, or goes to, `x` meets the upper or lower side: leaning towards it.
    fn port(&self, x: f64) -> f64 {
        let most = 0.35 * self.width;
        self.x + (0.12 * (x - self.x)).clamp(-most, most)
    }
}

/// The route of an edge: where it passes each row between its ends.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Route {
    /// The edge.
    pub(crate) edge: Edge,
    /// A point for each row that it passes.
    pub(crate) bends: Vec<(f64, f64)>,
}

impl Layout {
    /// Lays out `dag`, whose nodes are drawn as boxes of these `widths`.
    pub(crate) fn new(dag: &Dag, widths: &[f64]) -> Self {
        let mut layered = Layered::new(dag, widths, &layers::layers(dag));
        layered.reduce_crossings();
        let xs = coordinates::coordinates(&layered);
        let ys = row_positions(&layered, &xs);
        let mut nodes = vec![Place::default(); dag.nodes()];
        for (vertex, place) in nodes.iter_mut().enumerate() {
            let row = layered.row_of[vertex];
            // Without an edge there is no row at all.
            let y = ys.get(row).copied().unwrap_or(0.0);
            *place = Place { x: xs[vertex], y, width: widths[vertex], row };
        }
        let bend = |&vertex: &usize| (xs[vertex], ys[layered.row_of[vertex]]);
        let route = |(edge, chain): &(Edge, Vec<usize>)| Route {
            edge: *edge,
            bends: chain.iter().map(bend).collect(),
        };
        let routes = layered.chains.iter().map(route).collect();
        let rows = layered.rows.len();
        let mut layout = Self { nodes, routes, width: 0.0, height: 0.0 };
        layout.place_isolated(dag, rows);
        layout.fit();
        layout
    }

    /// The points of a route, from the lower side of its cause to the upper side of its effect.
    ///
    /// Between rows a route may go anywhere; beside boxes it is upright, so that it touches none.
    pub(crate) fn points(&self, route: &Route) -> Vec<(f64, f64)> {
        let (from, to) = (&self.nodes[route.edge.from], &self.nodes[route.edge.to]);
        let first = route.bends.first().map_or(to.x, |bend| bend.0);
        let last = route.bends.last().map_or(from.x, |bend| bend.0);
        let mut points = vec![(from.port(first), from.bottom())];
        for &(x, y) in &route.bends {
            let half = NODE_HEIGHT / 2.0;
            points.extend([-half - TURN, -half, half, half + TURN].map(|down| (x, y + down)));
        }
        points.push((to.port(last), to.top()));
        points
    }

    /// Variables without an edge stand in rows of their own, below all others.
    fn place_isolated(&mut self, dag: &Dag, first_row: usize) {
        let is_isolated = |node: &usize| dag.parents(*node).is_empty() && dag.children(*node).is_empty();
        let (isolated, joined): (Vec<usize>, Vec<usize>) = (0..dag.nodes()).partition(is_isolated);
        let places = || joined.iter().map(|&node| &self.nodes[node]);
        let left = places().map(|place| place.x - place.width / 2.0).fold(f64::INFINITY, f64::min);
        let right = places().map(|place| place.x + place.width / 2.0).fold(0.0, f64::max);
        let left = if left.is_finite() { left } else { 0.0 };
        let bottom = places().map(Place::bottom).fold(f64::NEG_INFINITY, f64::max);
        let mut y = if bottom.is_finite() { bottom + ROW_GAP + NODE_HEIGHT / 2.0 } else { 0.0 };
        let (mut row, mut x) = (first_row, left);
        for node in isolated {
            let width = self.nodes[node].width;
            if x > left && x + width > right.max(left + ISOLATED_WIDTH) {
                (row, x, y) = (row + 1, left, y + NODE_HEIGHT + GAP);
            }
            self.nodes[node] = Place { x: x + width / 2.0, y, width, row };
            x += width + GAP;
        }
    }

    /// Moves everything into view and measures it.
    fn fit(&mut self) {
        let bends = || self.routes.iter().flat_map(|route| route.bends.iter().map(|bend| bend.0));
        let sides = |sign: f64| self.nodes.iter().map(move |place| place.x + sign * place.width / 2.0);
        let left = sides(-1.0).chain(bends()).fold(f64::INFINITY, f64::min);
        let right = sides(1.0).chain(bends()).fold(f64::NEG_INFINITY, f64::max);
        let top = self.nodes.iter().map(Place::top).fold(f64::INFINITY, f64::min);
        let bottom = self.nodes.iter().map(Place::bottom).fold(f64::NEG_INFINITY, f64::max);
        for place in &mut self.nodes {
            (place.x, place.y) = (place.x - left + MARGIN, place.y - top + MARGIN);
        }
        for bend in self.routes.iter_mut().flat_map(|route| &mut route.bends) {
            *bend = (bend.0 - left + MARGIN, bend.1 - top + MARGIN);
        }
        self.width = (right - left).max(0.0) + 2.0 * MARGIN;
        self.height = (bottom - top).max(0.0) + 2.0 * MARGIN;
    }
}

/// The middle of each row: the flatter the edges between two rows, the farther these are apart.
fn row_positions(layered: &Layered, xs: &[f64]) -> Vec<f64> {
    let mut y = 0.0;
    let mut ys = Vec::with_capacity(layered.rows.len());
    for row in &layered.rows {
        let reach = |&vertex: &usize| {
            layered.above[vertex].iter().map(|&parent| (xs[parent] - xs[vertex]).abs()).fold(0.0, f64::max)
        };
        let flattest = row.iter().map(reach).fold(0.0, f64::max);
        if !ys.is_empty() {
            y += NODE_HEIGHT + (0.14 * flattest).clamp(ROW_GAP, MOST_ROW_GAP);
        }
        ys.push(y);
    }
    ys
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A graph in which every edge goes from a lower to a higher number.
    fn dags() -> impl Strategy<Value = Dag> {
        (1usize..24).prop_flat_map(|nodes| {
            proptest::collection::vec((0..nodes, 0..nodes), 0..40).prop_map(move |pairs| {
                let up = pairs.into_iter().filter(|(from, to)| from < to);
                let mut dag = Dag::empty(nodes);
                for pair in up {
                    // A pair may come twice.
                    let _ = dag.insert(Edge::from(pair));
                }
                dag
            })
        })
    }

    fn overlap(a: &Place, b: &Place) -> bool {
        (a.x - b.x).abs() < (a.width + b.width) / 2.0 && (a.y - b.y).abs() < NODE_HEIGHT
    }

    /// Whether the segment from `p` to `q` meets the inside of the box, sampled in many places.
    fn meets(place: &Place, p: (f64, f64), q: (f64, f64)) -> bool {
        (0..=100).any(|step| {
            let t = f64::from(step) / 100.0;
            let (x, y) = (p.0 + t * (q.0 - p.0), p.1 + t * (q.1 - p.1));
            (x - place.x).abs() < place.width / 2.0 - 1e-6 && (y - place.y).abs() < NODE_HEIGHT / 2.0 - 1e-6
        })
    }

    proptest! {
        #[test]
        fn causes_are_above_effects_and_nothing_overlaps(dag in dags(), wide in 20.0_f64..160.0) {
            let widths: Vec<f64> = (0..dag.nodes()).map(|node| wide + (node % 3) as f64 * 30.0).collect();
            let layout = Layout::new(&dag, &widths);
            for edge in dag.edges() {
                prop_assert!(layout.nodes[edge.from].bottom() < layout.nodes[edge.to].top());
            }
            for (a, place) in layout.nodes.iter().enumerate() {
                prop_assert!(layout.nodes[..a].iter().all(|other| !overlap(place, other)));
                prop_assert!(place.x - place.width / 2.0 >= 0.0 && place.x + place.width / 2.0 <= layout.width);
                prop_assert!(place.top() >= 0.0 && place.bottom() <= layout.height);
            }
        }

        #[test]
        fn every_edge_has_a_way_that_touches_no_other_box(dag in dags()) {
            let layout = Layout::new(&dag, &vec![70.0; dag.nodes()]);
            let mut routed: Vec<Edge> = layout.routes.iter().map(|route| route.edge).collect();
            routed.sort_unstable();
            prop_assert_eq!(routed, dag.edges().collect::<Vec<_>>());
            for route in &layout.routes {
                for pair in layout.points(route).windows(2) {
                    for place in &layout.nodes {
                        prop_assert!(!meets(place, pair[0], pair[1]), "{:?} meets {place:?}", route.edge);
                    }
                }
            }
        }
    }

    #[test]
    fn no_variables_give_an_empty_drawing() {
        let layout = Layout::new(&Dag::empty(0), &[]);
        assert!(layout.nodes.is_empty() && layout.width.is_finite() && layout.height.is_finite());
    }
}
