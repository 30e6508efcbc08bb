//! How long chains run, and with what settings, by the number of variables.

use gflowcausal_posterior::ChainsConfig;

use crate::Config;

/// After how many rounds convergence is first checked, and whether the tables leave out parents that matter.
pub(super) const FIRST_CHECK: u64 = 8;

/// The mean standard error over all pairs at which chains of 15 to 20 variables end: where few edges are uncertain, that takes a fraction
/// of what the same effective size for each of many takes.
const MEAN_ERROR: f64 = 0.0025;

/// Fewer heated copies and shorter rounds the more variables there are, so that a round takes a fraction of a second.
pub(super) fn chains_config(config: &Config, nodes: usize) -> ChainsConfig {
    let default = ChainsConfig::default();
    ChainsConfig {
        seed: config.seed,
        copies: match nodes {
            ..=40 => default.copies,
            41..=120 => 4,
            // So many variables lie so far apart at two temperatures that copies would never be exchanged.
            _ => 1,
        },
        sweeps: if nodes <= 120 { 600 / nodes as u64 } else { 1200 / nodes as u64 }.clamp(1, default.sweeps),
        // Chains that have twice as many keep every second: at least as many as asked for are left.
        max_draws: (2.0 * config.samples as f64 / (default.starts as f64 * (1.0 - default.burn_in))).ceil()
            as usize,
        proposals: if (15..=20).contains(&nodes) { default.proposals / 2 } else { default.proposals },
        min_ess: least_effective_size(nodes).unwrap_or(default.min_ess),
        max_mean_error: if (15..=20).contains(&nodes) { MEAN_ERROR } else { default.max_mean_error },
        ..default
    }
}

/// Settings of chains that have a fraction of a second: nothing that takes long to set up, short rounds, nothing heated.
pub(super) fn short_config(config: &Config, nodes: usize) -> ChainsConfig {
    let usual = chains_config(config, nodes);
    ChainsConfig { starts: 2, copies: 1, proposals: 0, sweeps: (120 / nodes as u64).max(1), ..usual }
}

/// Settings of chains that stay near where they start: they show which parents graphs ask for, not how likely modes are.
pub(super) fn probing_config(config: &Config, nodes: usize) -> ChainsConfig {
    ChainsConfig { sweeps: (240 / nodes as u64).max(1), ..short_config(config, nodes) }
}

/// The effective sample size that every uncertain edge must reach, where rounds are cheap: for an error of a few
/// thousandths up to 14 variables; so that no edge is far off up to 20, where the mean decides; so that two seeds differ by a tenth
/// at most up to 40.
const fn least_effective_size(nodes: usize) -> Option<f64> {
    match nodes {
        ..=14 => Some(8000.0),
        15..=20 => Some(1000.0),
        21..=40 => Some(500.0),
        _ => None,
    }
}

/// How many draws all starts keep of a round, the burn-in taken off.
pub(super) fn draws_per_round(settings: &ChainsConfig) -> f64 {
    settings.starts as f64 * settings.sweeps as f64 * (1.0 - settings.burn_in)
}

/// The most rounds of all starts: fewer the longer one takes.
pub(super) const fn most_rounds(nodes: usize) -> u64 {
    match nodes {
        ..=10 => 2000 / nodes as u64,
        11..=20 => 200,
        21..=40 => 80,
        41..=120 => 40,
        _ => 12,
    }
}

/// The number of rounds after which convergence is next checked: a fixed sequence, wherever a run was interrupted.
pub(super) fn next_check(rounds: u64) -> u64 {
    let mut check = FIRST_CHECK;
    while check <= rounds {
        check += (check / 8).max(1);
    }
    check
}
