//! The published networks: sizes as the literature counts them, and data that follow their own parameters.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use gflowcausal_data::{
    Cpds, KnownNetwork, LinearGaussianCpd, Moments, NetworkSimulation, ReadOptions, Source, Table,
    TabularCpd, Values, read_table, simulate_network, write_csv,
};

fn sample(name: KnownNetwork, rows: usize) -> Table {
    simulate_network(&NetworkSimulation { rows, seed: 3, ..NetworkSimulation::of(name) }).unwrap().table
}

#[test]
fn every_network_has_the_size_that_the_literature_counts() {
    let sizes = [
        (KnownNetwork::Alarm, 37, 46),
        (KnownNetwork::Insurance, 27, 52),
        (KnownNetwork::Hailfinder, 56, 66),
        (KnownNetwork::Ecoli70, 46, 70),
        (KnownNetwork::MagicIrri, 64, 102),
        (KnownNetwork::Arth150, 107, 150),
    ];
    assert_eq!(sizes.map(|(name, ..)| name), KnownNetwork::ALL);
    for (name, nodes, edges) in sizes {
        let network = name.load();
        assert_eq!((network.dag().nodes(), network.dag().edge_count()), (nodes, edges), "{name}");
        // A DAG cannot hold a cycle; that an order exists is seen again.
        assert_eq!(network.dag().topological_order().iter().count(), nodes);
    }
}

#[test]
fn parameters_are_those_of_the_repository() {
    // The number of free parameters as the repository gives them.
    let free =
        [(KnownNetwork::Alarm, 509), (KnownNetwork::Insurance, 1008), (KnownNetwork::Hailfinder, 2656)];
    for (name, parameters) in free {
        let network = name.load();
        let Cpds::Discrete(cpds) = network.cpds() else { panic!("{name} is discrete") };
        let of = |cpd: &TabularCpd| (cpd.levels.len() - 1) * cpd.rows.len();
        assert_eq!(cpds.iter().map(of).sum::<usize>(), parameters, "{name}");
        for (cpd, own) in cpds.iter().zip(network.names()) {
            let joint: usize = cpd.parents.iter().map(|&parent| cpds[parent].levels.len()).product();
            assert_eq!(cpd.rows.len(), joint, "{own}");
            assert!(cpd.rows.iter().all(|row| row.len() == cpd.levels.len()), "{own}");
            assert!(cpd.rows.iter().all(|row| (row.iter().sum::<f64>() - 1.0).abs() < 2e-7), "{own}");
        }
    }
    // pgmpy: model.get_cpds("LVEDVOLUME") of alarm, state LOW given HYPOVOLEMIA = FALSE, LVFAILURE = TRUE is 0.98.
    let alarm = KnownNetwork::Alarm.load();
    let at = alarm.names().iter().position(|name| name == "LVEDVOLUME").unwrap();
    let Cpds::Discrete(cpds) = alarm.cpds() else { panic!("alarm is discrete") };
    let levels = |node: usize| cpds[node].levels.join(" ");
    assert_eq!(
        cpds[at].parents.iter().map(|&p| alarm.names()[p].as_str()).collect::<Vec<_>>(),
        ["HYPOVOLEMIA", "LVFAILURE"]
    );
    assert_eq!(
        (levels(at).as_str(), levels(cpds[at].parents[0]).as_str()),
        ("LOW NORMAL HIGH", "TRUE FALSE")
    );
    assert_eq!(cpds[at].rows[2], [0.98, 0.01, 0.01]);
}

/// Category numbers of a column.
fn codes(table: &Table, node: usize) -> &[u32] {
    match &table.columns()[node].values {
        Values::Categorical { codes, .. } => codes,
        Values::Continuous(_) => panic!("column {node} is not discrete"),
    }
}

#[test]
fn conditional_frequencies_match_the_tables() {
    for name in [KnownNetwork::Alarm, KnownNetwork::Insurance, KnownNetwork::Hailfinder] {
        let network = name.load();
        let Cpds::Discrete(cpds) = network.cpds() else { panic!("{name} is discrete") };
        let table = sample(name, 20_000);
        for (node, cpd) in cpds.iter().enumerate() {
            let mut counts = vec![vec![0.0; cpd.levels.len()]; cpd.rows.len()];
            for (row, &code) in codes(&table, node).iter().enumerate() {
                let joint = cpd.parents.iter().fold(0, |joint, &parent| {
                    joint * cpds[parent].levels.len() + codes(&table, parent)[row] as usize
                });
                counts[joint][code as usize] += 1.0;
            }
            for (count, probabilities) in counts.iter().zip(&cpd.rows) {
                let total: f64 = count.iter().sum();
                for (seen, p) in count.iter().zip(probabilities) {
                    // Five standard deviations of a binomial count, and one for its being a whole number.
                    let bound = 5.0 * (total * p * (1.0 - p)).sqrt() + 1.0;
                    assert!(
                        (seen - total * p).abs() <= bound,
                        "{name} {}: {seen} of {total}, {p}",
                        network.names()[node]
                    );
                }
            }
        }
    }
}

#[test]
fn the_true_equations_leave_noise_that_no_parent_explains() {
    for name in [KnownNetwork::Ecoli70, KnownNetwork::MagicIrri, KnownNetwork::Arth150] {
        let network = name.load();
        let Cpds::Gaussian(cpds) = network.cpds() else { panic!("{name} is Gaussian") };
        let table = sample(name, 20_000);
        for (node, cpd) in cpds.iter().enumerate() {
            // Residuals of mean 0, uncorrelated with every parent: least squares would give the same coefficients.
            let residuals = residuals(&table, node, cpd);
            let (mean, variance) = spread(&residuals);
            let label = &network.names()[node];
            let bound = 5.0 / 20_000_f64.sqrt();
            assert!(mean.abs() < bound * cpd.variance.sqrt(), "{name} {label}: mean {mean}");
            assert!(
                (variance / cpd.variance - 1.0).abs() < bound * 2_f64.sqrt(),
                "{name} {label}: {variance}"
            );
            for &(parent, _) in &cpd.slopes {
                let cause = table.columns()[parent].as_continuous().unwrap();
                let correlation =
                    Moments::of_columns(&[residuals.as_slice(), cause]).standardized().covariance()[1];
                assert!(correlation.abs() < bound, "{name} {label}: {correlation}");
            }
        }
    }
}

fn residuals(table: &Table, node: usize, cpd: &LinearGaussianCpd) -> Vec<f64> {
    let column = |node: usize| table.columns()[node].as_continuous().unwrap();
    let mut residuals = column(node).to_vec();
    for (row, value) in residuals.iter_mut().enumerate() {
        *value -= cpd.intercept
            + cpd.slopes.iter().map(|&(parent, slope)| slope * column(parent)[row]).sum::<f64>();
    }
    residuals
}

fn spread(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    (mean, values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count)
}

#[test]
fn the_same_seed_gives_the_same_data_and_another_seed_others() {
    let draw = |seed| {
        let config = NetworkSimulation { rows: 20, seed, ..NetworkSimulation::of(KnownNetwork::Arth150) };
        simulate_network(&config).unwrap()
    };
    assert_eq!(draw(1), draw(1));
    assert_ne!(draw(1).table, draw(2).table);
}

#[test]
fn a_written_table_reads_back_with_its_names_and_no_gaps() {
    for &name in KnownNetwork::ALL {
        let table = sample(name, 300);
        let mut bytes = Vec::new();
        write_csv(&table, &mut bytes).unwrap();
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("data.csv");
        std::fs::write(&path, bytes).unwrap();
        let back = read_table(&Source::Path(path), &ReadOptions::default()).unwrap();
        assert_eq!(back.rows(), 300, "{name}");
        assert!(back.names().eq(table.names()), "{name}");
        assert!(back.columns().iter().all(|column| column.values.missing() == 0), "{name}");
        let kinds =
            |table: &Table| table.columns().iter().map(|c| c.as_continuous().is_some()).collect::<Vec<_>>();
        assert_eq!(kinds(&back), kinds(&table), "{name}");
    }
}

#[test]
fn an_option_without_effect_or_out_of_range_is_refused() {
    let refused = |config: NetworkSimulation| simulate_network(&config).unwrap_err().to_string();
    let alarm = NetworkSimulation::of(KnownNetwork::Alarm);
    assert_eq!(
        refused(NetworkSimulation { standardize: true, ..alarm.clone() }),
        "option 'standardize' has no effect on a network whose variables are categories"
    );
    assert_eq!(
        refused(NetworkSimulation { missing_rate: 1.0, ..alarm.clone() }),
        "missing rate 1 is not in [0, 1)"
    );
    assert_eq!(refused(NetworkSimulation { rows: 0, ..alarm }), "a table needs at least 1 row");
}
