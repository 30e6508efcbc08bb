//! DAGMA: `h(W) = −ln det(sI − W∘W) + d ln s`, on the domain where `sI − W∘W` is an M-matrix.

use super::m_matrix::invert_m_matrix;

/// `−ln det(sI − W∘W) + d ln s`; none outside its domain.
pub(in super::super) fn log_det_h(nodes: usize, weights: &[f64], s: f64) -> Option<f64> {
    let mut matrix = vec![0.0; weights.len()];
    write_transposed_m_matrix(nodes, weights, s, &mut matrix);
    let log_determinant = invert_m_matrix(nodes, &mut matrix, &mut vec![])?;
    Some(nodes as f64 * s.ln() - log_determinant)
}

/// Writes `(sI − W∘W)ᵀ`, in tiles that stay in cache.
pub(in super::super) fn write_transposed_m_matrix(nodes: usize, weights: &[f64], s: f64, matrix: &mut [f64]) {
    const TILE: usize = 8;
    for first in (0..nodes).step_by(TILE) {
        for to in 0..nodes {
            for from in first..nodes.min(first + TILE) {
                let weight = weights[from * nodes + to];
                matrix[to * nodes + from] = -weight * weight;
            }
        }
    }
    matrix.iter_mut().step_by(nodes + 1).for_each(|diagonal| *diagonal += s);
}
