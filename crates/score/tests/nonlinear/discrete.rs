//! `bdeu` against a dense textbook sum.

use gflowcausal_data::Table;
use gflowcausal_graph::NodeSet;
use gflowcausal_score::{Bdeu, LocalScore, ScoreError};

use crate::{assert_close, categories, column_of, real_table, set, uniforms};

pub(crate) fn table() -> Table {
    let u = uniforms(240, 1);
    let a: Vec<u32> = column_of(&u, 4, 0).iter().map(|u| (u * 2.0) as u32).collect();
    let b: Vec<u32> = column_of(&u, 4, 1).iter().map(|u| (u * 3.0) as u32).collect();
    let flips = column_of(&u, 4, 2).into_iter().map(|u| u32::from(u < 0.3));
    let c: Vec<u32> = a.iter().zip(&b).zip(flips).map(|((a, b), flip)| (a + b + flip) % 4).collect();
    let flips = column_of(&u, 4, 3).into_iter().map(|u| u < 0.2);
    let d: Vec<u32> = c.iter().zip(flips).map(|(&c, flip)| u32::from((c > 1) ^ flip)).collect();
    let columns = [("a", a, 2), ("b", b, 3), ("c", c, 4), ("d", d, 2)]
        .map(|(name, codes, r)| categories(name, codes, r));
    Table::new(columns.into()).expect("equal lengths")
}

/// ```python
/// def lcg(n, s=1):
///     out = []
///     for _ in range(n): s = (1103515245*s + 12345) % 2**31; out.append(s / 2**31)
///     return np.array(out)
/// n = 60; u = lcg(4*n).reshape(n, 4)
/// a = (u[:,0]*2).astype(int); b = (u[:,1]*3).astype(int)
/// c = (a + b + (u[:,2] < 0.3)) % 4; d = ((c > 1) ^ (u[:,3] < 0.2)).astype(int)
/// X = np.stack([a, b, c, d], 1); R = [2, 3, 4, 2]
/// def bdeu(j, pa, ess):
///     q = int(np.prod([R[p] for p in pa])); r = R[j]; N = np.zeros((q, r))
///     for row in X:
///         k = 0
///         for p in pa: k = k*R[p] + row[p]
///         N[k, row[j]] += 1
///     return (gammaln(ess/q) - gammaln(ess/q + N.sum(1))).sum() + (gammaln(ess/q/r + N) - gammaln(ess/q/r)).sum()
/// ```
#[test]
fn terms_equal_the_sum_over_all_cells() {
    let table = table();
    let one = Bdeu::new(&table, 1.0).expect("valid");
    let ten = Bdeu::new(&table, 10.0).expect("valid");
    let cases = [
        (0, set(4, []), -43.832624520914635, -42.554185883073444),
        (2, set(4, [0]), -85.40432494349439, -78.46019503531348),
        (2, set(4, [0, 1]), -57.649995164760526, -54.69265344023806),
        (3, set(4, [0, 1, 2]), -54.95051296956038, -40.10012452203515),
        (1, set(4, [3]), -64.26797404888356, -60.29130415790081),
    ];
    for (node, parents, with_one, with_ten) in cases {
        assert_close(one.local(node, &parents), with_one, 1e-11);
        assert_close(ten.local(node, &parents), with_ten, 1e-11);
    }
}

/// Once every row has its own configuration, a further parent with `r` levels only divides the prior by `r`.
#[test]
fn any_number_of_configurations_is_counted_by_the_rows_that_occur() {
    let rows = 50_u32;
    let column = |j: u32| (0..rows).map(|i| (i * (2 * j + 1) + i / (j + 1)) % 40).collect();
    let mut columns: Vec<_> = (0..300).map(|j| categories(&format!("v{j}"), column(j), 40)).collect();
    columns.push(categories("y", (0..rows).map(|i| i % 2).collect(), 2));
    let score = Bdeu::new(&Table::new(columns).expect("valid"), Bdeu::SAMPLE_SIZE).expect("valid");
    // 40³⁰⁰ configurations: no floating-point number holds them. Each row alone in its own is a fair coin.
    let all = score.local(300, &NodeSet::of(301, 0..300));
    assert_close(all, -f64::from(rows) * 2.0_f64.ln(), 1e-9);
}

#[test]
fn what_bdeu_cannot_use_is_named() {
    let real = real_table(vec![vec![1.0, 2.0]]);
    assert_eq!(Bdeu::new(&real, 1.0), Err(ScoreError::NotCategorical { column: "x0".into() }));
    for wrong in [0.0, -1.0, f64::INFINITY] {
        assert_eq!(Bdeu::new(&table(), wrong), Err(ScoreError::SampleSize(wrong)));
    }
    let gap = Table::new(vec![categories("a", vec![0, u32::MAX], 1)]).expect("valid");
    assert_eq!(Bdeu::new(&gap, 1.0), Err(ScoreError::MissingCells { column: "a".into(), cells: 1 }));
    assert_eq!(Bdeu::new(&Table::default(), 1.0), Err(ScoreError::NoRows));
}
