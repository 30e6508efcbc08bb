//! Gradients of whole networks against central differences in double precision, and the numbers of their parameters.

use gflowcausal_determinism::rand::RngExt;

use super::*;

/// Random states of `nodes` variables.
fn states<R: Real>(count: usize, nodes: usize) -> Vec<R> {
    let mut rng = stream(7, Stream::Test { k: nodes as u64 });
    (0..count * nodes * nodes).map(|_| if rng.random_bool(0.3) { R::ONE } else { R::ZERO }).collect()
}

/// A fixed linear function of all log-flows, whose slopes by a few of each tensor's parameters are compared with central
/// differences.
fn check_gradient<A: Architecture>(size: Size) {
    let states = states::<f64>(3, size.nodes);
    let mut tape = autodiff::Tape::<f64>::new();
    let network = A::new(&mut tape, size, &mut stream(1, Stream::Parameters { layer: 0 }));
    // Off the points where a rectified unit has no slope: with biases of zero a blank patch is at one.
    for (number, var) in tape.parameters().enumerate() {
        let values = tape.value_and_grad(var).0;
        values.iter_mut().enumerate().for_each(|(k, value)| *value += 0.05 * ((k + 3 * number) as f64).sin());
    }
    let coefficient = |k: usize| (1.3 * k as f64 + 0.4).sin();
    let loss = |tape: &mut autodiff::Tape<f64>| {
        tape.clear();
        let LogFlows { edges, stop } = network.log_flows(tape, &states);
        let vars = [Some(edges), stop].into_iter().flatten();
        let of = |tape: &autodiff::Tape<f64>, var| -> f64 {
            tape.value(var).iter().enumerate().map(|(k, value)| coefficient(k) * value).sum()
        };
        vars.map(|var| (var, of(tape, var))).collect::<Vec<_>>()
    };
    for (var, _) in loss(&mut tape) {
        tape.grad_mut(var).iter_mut().enumerate().for_each(|(k, grad)| *grad = coefficient(k));
    }
    tape.backward();
    let vars: Vec<Var> = tape.parameters().collect();
    let slopes: Vec<Vec<f64>> = vars.iter().map(|&var| tape.value_and_grad(var).1.to_vec()).collect();
    for (&var, slopes) in vars.iter().zip(&slopes) {
        for k in (0..slopes.len()).step_by(slopes.len() / 3 + 1) {
            let mut at = |shift: f64| {
                tape.value_and_grad(var).0[k] += shift;
                let value: f64 = loss(&mut tape).iter().map(|(_, part)| part).sum();
                tape.value_and_grad(var).0[k] -= shift;
                value
            };
            let numeric = (at(1e-6) - at(-1e-6)) / 2e-6;
            let error = (slopes[k] - numeric).abs();
            assert!(error < 1e-5 * (1.0 + numeric.abs()), "{} {var:?} {k}: {} {numeric}", A::NAME, slopes[k]);
        }
    }
}

fn check_size<A: Architecture>(size: Size) {
    let network = Taped::<A>::new(size, 3);
    assert_eq!(A::parameters(size), Some(network.parameters.len()), "{} {size:?}", A::NAME);
    let huge = Size { width: usize::MAX, ..size };
    assert_eq!(A::parameters(huge), None, "{}", A::NAME);
}

fn check<A: Architecture>() {
    for (nodes, stops, layers, width) in [(4, false, 2, 16), (9, true, 3, 12)] {
        let size = Size { nodes, stops, layers, width };
        check_gradient::<A>(size);
        check_size::<A>(size);
    }
}

#[test]
fn convolutions() {
    check::<Cnn>();
}

#[test]
fn sixteen_layers() {
    check::<Vgg16>();
}

#[test]
fn encoder() {
    check::<Transformer>();
}

/// Simonyan & Zisserman's configuration D has 14 714 688 parameters in the convolutions of colour images, of which the first
/// layer sees three channels instead of one.
#[test]
fn the_widest_convolutions_are_the_published_ones() {
    let size = Size { nodes: 100, stops: false, layers: 2, width: 512 };
    let dense = [layer(7 * 7 * 512, 4096), layer(4096, 4096), layer(4096, 100 * 100)];
    let convolutions = Vgg16::parameters(size).unwrap() - total(dense).unwrap();
    assert_eq!(convolutions, 14_714_688 - 2 * 9 * 64);
}
