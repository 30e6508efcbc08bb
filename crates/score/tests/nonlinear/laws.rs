//! Laws that hold for every table: reversing a covered edge, any number of threads.

use gflowcausal_score::{Bdeu, DegenerateGaussian, LocalScore, Penalty};

use crate::{assert_close, discrete, mixed, subsets};

/// `P → a, P ∪ a → b` and `P → b, P ∪ b → a` are Markov equivalent, and such reversals join all equivalent graphs.
fn assert_equivalent(score: &dyn LocalScore) {
    assert!(score.is_score_equivalent());
    for a in 0..score.nodes() {
        for b in 0..a {
            for parents in subsets(score.nodes(), &[a, b]) {
                let forth = score.local(a, &parents) + score.local(b, &parents.with(a));
                let back = score.local(b, &parents) + score.local(a, &parents.with(b));
                assert_close(forth, back, 1e-10);
            }
        }
    }
}

#[test]
fn equivalent_graphs_have_equal_bdeu_and_dg() {
    assert_equivalent(&Bdeu::new(&discrete::table(), 3.0).expect("valid"));
    assert_equivalent(&DegenerateGaussian::new(&mixed::table(), Penalty::Auto).expect("valid"));
}
