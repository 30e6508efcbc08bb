//! The categorical distribution: one of several values, by inversion.

/// The value in whose part of the line `target` lies, when the weights are laid end to end from zero.
///
/// For a draw, `target` is uniform between zero and the total of the weights. A value without weight is never drawn;
/// where rounding leaves `target` beyond the end, the last value with a weight is. `None` if there is no such value.
///
/// ```
/// use gflowcausal_determinism::categorical;
/// let weather = [("rain", 0.25), ("snow", 0.0), ("sun", 0.75)];
/// assert_eq!(categorical(weather, 0.2), Some("rain"));
/// assert_eq!(categorical(weather, 0.25), Some("sun"));
/// ```
pub fn categorical<T>(weighted: impl IntoIterator<Item = (T, f64)>, target: f64) -> Option<T> {
    let (mut rest, mut drawn) = (target, None);
    for (value, weight) in weighted {
        if weight > 0.0 {
            drawn = Some(value);
            rest -= weight;
            if rest < 0.0 {
                break;
            }
        }
    }
    drawn
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use crate::{Stream, stream};

    #[test]
    fn rounding_at_the_end_goes_to_the_last_value_that_has_a_weight() {
        let tenths = [0.1; 10].into_iter().chain([0.0]).enumerate();
        assert_eq!(categorical(tenths, 1.0), Some(9));
        let thirds = [1.0 / 3.0; 3].into_iter().enumerate();
        assert_eq!(categorical(thirds, 1.0 - f64::EPSILON / 2.0), Some(2));
        assert_eq!(categorical([(0, 0.0)], 0.0), None);
    }

    #[test]
    fn values_are_drawn_in_proportion_to_their_weights() {
        let weights = [1.0, 0.0, 2.0, 5.0];
        let mut rng = stream(3, Stream::Test { k: 0 });
        let mut counts = [0.0; 4];
        for _ in 0..80_000 {
            let drawn = categorical(weights.into_iter().enumerate(), 8.0 * rng.random::<f64>());
            counts[drawn.expect("some weight")] += 1.0;
        }
        for (count, weight) in counts.into_iter().zip(weights) {
            let expected: f64 = 10_000.0 * weight;
            assert!((count - expected).abs() <= 4.5 * expected.sqrt(), "{count} against {expected}");
        }
    }
}
