//! LiNGAM, NOTEARS and DAGMA against their authors' programs, against graphs they must find, and against themselves.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod continuous;
mod lingam;

use gflowcausal_graph::{Dag, Edge};

/// Columns that any language can make again, and the graph that made them.
///
/// ```python
/// def made(seed, d, n, noise):
///     s = 7919 * seed
///     def u():
///         nonlocal s
///         s = (1103515245 * s + 12345) % 2**31
///         return s / 2**31 - 0.5
///     W = np.zeros((d, d))
///     for i in range(d):
///         for j in range(i + 1, d):
///             present, size = u() > 0, u()
///             if present: W[i, j] = np.copysign(1 + abs(size), size)
///     X = np.zeros((n, d))
///     for row in range(n):
///         for j in range(d):
///             e = u() if noise == "uniform" else sum(u() for _ in range(12))
///             X[row, j] = sum(W[i, j] * X[row, i] for i in range(j)) + e
///     swap = list(range(d))
///     for k in range(d - 1, 0, -1):
///         l = int((u() + 0.5) * (k + 1))
///         swap[k], swap[l] = swap[l], swap[k]
///     return X[:, swap], W[np.ix_(swap, swap)]
/// ```
struct Made {
    columns: Vec<Vec<f64>>,
    dag: Dag,
}

#[derive(Clone, Copy, PartialEq)]
enum Noise {
    Uniform,
    /// The sum of twelve uniform numbers.
    NearlyGauss,
}

impl Made {
    fn new(seed: u64, nodes: usize, rows: usize, noise: Noise) -> Self {
        let mut state = 7919 * seed;
        let mut u = move || {
            state = (1_103_515_245 * state + 12_345) % (1 << 31);
            state as f64 / f64::from(1_u32 << 31) - 0.5
        };
        let mut weights = vec![vec![0.0; nodes]; nodes];
        for (i, row) in weights.iter_mut().enumerate() {
            for weight in row.iter_mut().skip(i + 1) {
                let (is_present, size) = (u() > 0.0, u());
                if is_present {
                    *weight = (1.0 + size.abs()).copysign(size);
                }
            }
        }
        let mut columns = vec![Vec::with_capacity(rows); nodes];
        for _ in 0..rows {
            let mut values: Vec<f64> = Vec::with_capacity(nodes);
            for j in 0..nodes {
                let effect: f64 = values.iter().zip(&weights).map(|(value, row)| row[j] * value).sum();
                let draws = if noise == Noise::Uniform { 1 } else { 12 };
                values.push(effect + (0..draws).map(|_| u()).sum::<f64>());
            }
            columns.iter_mut().zip(values).for_each(|(column, value)| column.push(value));
        }
        let mut swap: Vec<usize> = (0..nodes).collect();
        for k in (1..nodes).rev() {
            swap.swap(k, ((u() + 0.5) * (k + 1) as f64) as usize);
        }
        let pairs = (0..nodes).flat_map(|from| (0..nodes).map(move |to| Edge { from, to }));
        let edges = pairs.filter(|edge| weights[swap[edge.from]][swap[edge.to]] != 0.0);
        let dag = Dag::from_edges(nodes, edges).unwrap();
        Self { columns: swap.iter().map(|&k| columns[k].clone()).collect(), dag }
    }

    fn slices(&self) -> Vec<&[f64]> {
        self.columns.iter().map(Vec::as_slice).collect()
    }
}

/// The cells of the matrix, row causes column, as the binary digits of one number.
fn bits(dag: &Dag) -> u64 {
    let nodes = dag.nodes();
    (0..nodes * nodes).fold(0, |bits, k| {
        let edge = Edge { from: k / nodes, to: k % nodes };
        2 * bits + u64::from(edge.from != edge.to && dag.contains(edge))
    })
}
