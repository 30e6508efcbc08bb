//! Row count, means and covariance in one pass: mergeable, and exact for columns far from zero.

/// How many rows are centred and summed at a time: their scatter matrix stays in cache.
const BLOCK: usize = 256;

/// The sufficient statistics of a Gaussian: how many rows, their mean and their scatter about it.
///
/// Blocks are centred on their own mean before they are squared, and merged by the formula of Chan, Golub and
/// LeVeque (1983), so nothing cancels when a mean is large against the spread.
#[derive(Debug, Clone, PartialEq)]
pub struct Moments {
    rows: u64,
    mean: Vec<f64>,
    scatter: Vec<f64>,
}

impl Moments {
    /// No rows yet, of `columns` variables.
    #[must_use]
    pub fn empty(columns: usize) -> Self {
        Self { rows: 0, mean: vec![0.0; columns], scatter: vec![0.0; columns * columns] }
    }

    /// The moments of complete columns of equal length.
    #[must_use]
    pub fn of_columns(columns: &[&[f64]]) -> Self {
        let rows = columns.first().map_or(0, |column| column.len());
        let starts: Vec<usize> = (0..rows).step_by(BLOCK).collect();
        let mut total = Self::empty(columns.len());
        for start in starts {
            let end = (start + BLOCK).min(rows);
            let block: Vec<&[f64]> = columns.iter().map(|column| &column[start..end]).collect();
            total.merge(&Self::of_block(&block));
        }
        total
    }

    /// Mean first, then the products of what is left.
    fn of_block(columns: &[&[f64]]) -> Self {
        let rows = columns.first().map_or(0, |column| column.len());
        let d = columns.len();
        let mean: Vec<f64> = columns.iter().map(|column| column.iter().sum::<f64>() / rows as f64).collect();
        let centred: Vec<Vec<f64>> =
            columns.iter().zip(&mean).map(|(column, m)| column.iter().map(|x| x - m).collect()).collect();
        let mut scatter = vec![0.0; d * d];
        for i in 0..d {
            for j in 0..=i {
                let product: f64 = centred[i].iter().zip(&centred[j]).map(|(x, y)| x * y).sum();
                scatter[i * d + j] = product;
                scatter[j * d + i] = product;
            }
        }
        Self { rows: rows as u64, mean, scatter }
    }

    /// Takes in the rows that `other` has seen.
    ///
    /// # Panics
    /// If the two have different numbers of columns.
    pub fn merge(&mut self, other: &Self) {
        assert_eq!(self.columns(), other.columns(), "moments of different columns");
        if other.rows == 0 {
            return;
        }
        let (n, m) = (self.rows as f64, other.rows as f64);
        let total = n + m;
        let shift: Vec<f64> = other.mean.iter().zip(&self.mean).map(|(theirs, mine)| theirs - mine).collect();
        let d = self.columns();
        for i in 0..d {
            for j in 0..d {
                self.scatter[i * d + j] += other.scatter[i * d + j] + shift[i] * shift[j] * (n * m / total);
            }
        }
        for (mean, shift) in self.mean.iter_mut().zip(&shift) {
            *mean += shift * (m / total);
        }
        self.rows += other.rows;
    }

    /// How many rows were seen.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// How many columns there are.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.mean.len()
    }

    /// The mean of each column.
    #[must_use]
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// Sums of products about the mean, `d × d`, row by row.
    #[must_use]
    pub fn scatter(&self) -> &[f64] {
        &self.scatter
    }

    /// Maximum-likelihood covariance (scatter over the number of rows), `d × d`, row by row.
    #[must_use]
    pub fn covariance(&self) -> Vec<f64> {
        let rows = (self.rows as f64).max(1.0);
        self.scatter.iter().map(|sum| sum / rows).collect()
    }

    /// The moments after each column is divided by its standard deviation and centred (a constant one stays).
    #[must_use]
    pub fn standardized(&self) -> Self {
        let d = self.columns();
        let covariance = self.covariance();
        let scale: Vec<f64> = (0..d)
            .map(|i| covariance[i * d + i].sqrt())
            .map(|deviation| if deviation > 0.0 { deviation } else { 1.0 })
            .collect();
        let scatter = (0..d * d).map(|k| self.scatter[k] / scale[k / d] / scale[k % d]).collect();
        Self { rows: self.rows, mean: vec![0.0; d], scatter }
    }
}
