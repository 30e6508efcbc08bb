//! Gradients of every operation against central differences, in double precision.

use gflowcausal_determinism::rand::RngExt;
use gflowcausal_determinism::{Stream, stream};

use super::*;

/// Builds a computation from parameters of the given shapes, takes a fixed linear function of its result as the loss, and
/// compares its slope by each parameter with a central difference.
fn check(shapes: &[(usize, usize)], build: impl Fn(&mut Tape<f64>, &[Var]) -> Var) {
    let mut rng = stream(1, Stream::Test { k: shapes.len() as u64 });
    let mut tape: Tape<f64> = Tape::new();
    let vars: Vec<Var> = shapes
        .iter()
        .map(|&(rows, columns)| {
            tape.parameter(columns, (0..rows * columns).map(|_| 2.0 * rng.random::<f64>() - 1.0).collect())
        })
        .collect();
    let coefficient = |k: usize| (1.3 * k as f64 + 0.4).sin();
    let loss = |tape: &mut Tape<f64>| {
        tape.clear();
        let result = build(tape, &vars);
        (result, tape.value(result).iter().enumerate().map(|(k, value)| coefficient(k) * value).sum::<f64>())
    };
    let (result, _) = loss(&mut tape);
    tape.grad_mut(result).iter_mut().enumerate().for_each(|(k, grad)| *grad = coefficient(k));
    tape.backward();
    let slopes: Vec<Vec<f64>> = vars.iter().map(|&var| tape.grad_mut(var).to_vec()).collect();
    for (&var, slopes) in vars.iter().zip(&slopes) {
        for (k, slope) in slopes.iter().enumerate() {
            let mut at = |shift: f64| {
                tape.nodes[var.0].value[k] += shift;
                let value = loss(&mut tape).1;
                tape.nodes[var.0].value[k] -= shift;
                value
            };
            let numeric = (at(1e-6) - at(-1e-6)) / 2e-6;
            assert!((slope - numeric).abs() < 1e-6 * (1.0 + numeric.abs()), "{var:?} {k}: {slope} {numeric}");
        }
    }
}

/// Parameters are leaves, to which products pass nothing on: this makes a value of one.
fn value_of(tape: &mut Tape<f64>, var: Var) -> Var {
    let (rows, columns) = tape.shape(var);
    let zeros = tape.constant(columns, &vec![0.0; rows * columns]);
    tape.add(var, zeros)
}

#[test]
fn products_and_sums() {
    check(&[(3, 4), (4, 5), (1, 5), (5, 2), (3, 2)], |tape, v| {
        let x = value_of(tape, v[0]);
        let hidden = tape.rectified(x, v[1], Some(v[2]));
        let plain = tape.linear(hidden, v[3], None);
        let sum = tape.add_product(v[4], hidden, v[3]);
        tape.add(plain, sum)
    });
}

#[test]
fn batch_normalisation() {
    check(&[(7, 3), (1, 3), (1, 3)], |tape, v| tape.batch_norm(v[0], v[1], v[2]));
}

#[test]
fn normalisation_of_rows() {
    check(&[(4, 5), (1, 5), (1, 5)], |tape, v| tape.layer_norm(v[0], v[1], v[2]));
}

/// Two images, with an odd and an even side, down to a single pixel.
#[test]
fn convolutions_and_pooling() {
    for side in [1, 2, 5] {
        check(&[(2 * side * side, 2), (18, 3), (1, 3), (27, 2), (1, 2)], |tape, v| {
            let x = value_of(tape, v[0]);
            let first = tape.convolved(x, v[1], v[2], side);
            let pooled = tape.max_pooled(first, side);
            let half = side.div_ceil(2);
            let second = tape.convolved(pooled, v[3], v[4], half);
            tape.reshaped(second, half * half * 2)
        });
    }
}

/// Each output by its definition, pixel after pixel.
#[test]
fn a_convolution_is_the_sum_over_its_kernel() {
    let (side, channels, outputs) = (3_i64, 2, 2);
    let number = |k: usize| (0.7 * k as f64).sin();
    let x: Vec<f64> = (0..18).map(number).collect();
    let w: Vec<f64> = (100..136).map(number).collect();
    let mut tape: Tape<f64> = Tape::new();
    let weights = tape.parameter(outputs, w.clone());
    let biases = tape.parameter(outputs, vec![0.5, -0.25]);
    let image = tape.constant(channels, &x);
    let result = tape.convolved(image, weights, biases, 3);
    for (row, column) in (0..side).flat_map(|row| (0..side).map(move |column| (row, column))) {
        for output in 0..outputs {
            let mut sum = [0.5, -0.25][output];
            for (place, (dy, dx)) in (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| (dy, dx))).enumerate() {
                let (y, x_at) = (row + dy, column + dx);
                if (0..side).contains(&y) && (0..side).contains(&x_at) {
                    let pixel = (y * side + x_at) as usize;
                    sum += (0..channels)
                        .map(|c| x[pixel * channels + c] * w[(place * channels + c) * outputs + output])
                        .sum::<f64>();
                }
            }
            let found = tape.value(result)[(row * side + column) as usize * outputs + output];
            assert!((found - sum.max(0.0)).abs() < 1e-12, "{row} {column} {output}: {found} {sum}");
        }
    }
}

#[test]
fn attention_with_heads_and_groups() {
    for (rows, tokens) in [(6, 3), (18, 9), (17, 17), (25, 25), (34, 34)] {
        check(&[(rows, 4); 3], |tape, v| tape.attention([v[0], v[1], v[2]], tokens, 2));
    }
}

#[test]
fn rows_and_means_of_groups() {
    check(&[(6, 2)], |tape, v| {
        let rows = tape.gather(v[0], vec![5, 0, 5, 2]);
        let means = tape.group_mean(v[0], 3, 2);
        let mean = tape.group_mean(v[0], 6, 4);
        let twice = tape.gather(means, vec![0, 1, 1, 1]);
        let sum = tape.add(rows, twice);
        tape.add(sum, mean)
    });
}

#[test]
fn two_steps_of_an_lstm() {
    check(&[(3, 8), (2, 8), (3, 8)], |tape, v| {
        let memory = tape.lstm_memory(v[0], None);
        let output = tape.lstm_output(v[0], memory);
        let gates = tape.add_product(v[2], output, v[1]);
        let memory = tape.lstm_memory(gates, Some(memory));
        tape.lstm_output(gates, memory)
    });
}

/// With references of their own, and with one group for all queries.
#[test]
fn a_pointer_with_a_glimpse() {
    let open = vec![true, false, true, true, true, true, false, true, true];
    for references in [9, 3] {
        check(&[(references, 20), (3, 20), (1, 20)], |tape, v| {
            let scores = tape.additive_scores(v[0], v[1], v[2], open.clone());
            let weights = tape.open_softmax(scores, &open);
            let query = tape.weighted_sum(v[1], weights, v[0]);
            tape.additive_scores(v[0], query, v[2], open.clone())
        });
    }
}

#[test]
fn scores_of_pairs() {
    check(&[(6, 3), (6, 3), (1, 3)], |tape, v| tape.pair_scores(v[0], v[1], v[2], 3));
}

#[test]
fn inner_products_of_pairs() {
    check(&[(6, 4), (6, 4)], |tape, v| tape.pair_products(v[0], v[1], 3));
}
