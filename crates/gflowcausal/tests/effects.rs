//! Effects of whole runs: intervals that cover the true effects, zeros included, and a run directory that is enough for them.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;

use gflowcausal::data::{NoiseScale, Simulated, Simulation, simulate};
use gflowcausal::graph::Edge;
use gflowcausal::{
    Config, DirectoryMode, EffectModel, EffectRequest, Error, Observer, Phase, RunData, RunDir, RunFile,
    RunRequest, RunResult, StopFlag, interruptible,
};

const NODES: usize = 10;

struct Silent;

impl Observer for Silent {
    fn observe(&mut self, _: Phase) {}

    fn write(&mut self, _: &RunDir, _: &RunResult) -> Result<(), Error> {
        Ok(())
    }
}

fn simulated(seed: u64) -> Simulated {
    let noise_scale = Some(NoiseScale::Between(0.5, 2.0));
    let simulation =
        Simulation { nodes: NODES, degree: Some(1), rows: 500, seed, noise_scale, ..Simulation::default() };
    simulate(&simulation).unwrap()
}

fn run(simulated: &Simulated, out: &std::path::Path) -> RunDir {
    let request = RunRequest {
        file: RunFile { config: Config::default(), ..RunFile::default() },
        data: RunData::Rows(&simulated.table),
        name: "simulated".to_owned(),
        truth: None,
        time_budget: None,
        out: Some(out.to_owned()),
        begin: DirectoryMode::New,
    };
    request.run(&mut Silent, &StopFlag::new()).unwrap().dir.unwrap()
}

/// `(I − W)⁻¹` less the identity, by sums over directed paths.
fn true_effects(simulated: &Simulated) -> Vec<f64> {
    let weights = simulated.weights.as_ref().unwrap();
    let mut effects = vec![0.0; NODES * NODES];
    for cause in 0..NODES {
        for node in simulated.dag.topological_order().iter().filter(|&node| node != cause) {
            effects[cause * NODES + node] = (0..NODES)
                .map(|parent| {
                    let upstream = if parent == cause { 1.0 } else { effects[cause * NODES + parent] };
                    upstream * weights.get(Edge::new(parent, node))
                })
                .sum();
        }
    }
    effects
}

#[test]
fn nine_tenths_of_the_intervals_cover_the_true_effect() {
    let home = tempfile::tempdir().unwrap();
    for seed in 0..5 {
        let simulated = simulated(seed);
        let dir = run(&simulated, &home.path().join(seed.to_string()));
        let result =
            EffectModel::of_run(&dir, None, None).unwrap().evaluate(&EffectRequest::default()).unwrap();
        assert_eq!(result.effects.len(), NODES * (NODES - 1));
        let truth = true_effects(&simulated);
        let pairs = (0..NODES * NODES).filter(|pair| pair / NODES != pair % NODES);
        let covered =
            result.effects.iter().zip(pairs).filter(|(effect, pair)| {
                effect.low <= truth[*pair] + 1e-9 && truth[*pair] - 1e-9 <= effect.high
            });
        let covered = covered.count();
        assert!(covered * 100 >= 85 * 90, "seed {seed}: {covered} of 90");
    }
}

#[test]
fn a_run_directory_is_enough_and_a_changed_file_is_refused() {
    let home = tempfile::tempdir().unwrap();
    let dir = run(&simulated(7), &home.path().join("run"));
    let request = EffectRequest {
        causes: vec!["X1".into()],
        effects: vec!["X2".into()],
        level: 0.5,
        ..EffectRequest::default()
    };
    let model = EffectModel::of_run(&dir, None, None).unwrap();
    let pair = model.evaluate(&request).unwrap();
    assert_eq!((pair.effects.len(), pair.level), (1, 0.5));
    assert_eq!(RunResult::read(&dir).unwrap().effects.unwrap().effects.len(), 90);
    let stop = StopFlag::new();
    stop.set();
    assert!(interruptible(&stop, || model.evaluate(&EffectRequest::default())).is_none(), "Ctrl-C is met");
    let refused = |request: EffectRequest| model.evaluate(&request).unwrap_err().to_string();
    assert_eq!(
        refused(EffectRequest { causes: vec!["dose".into()], ..request.clone() }),
        "--cause dose: there is no such variable"
    );
    assert_eq!(
        refused(EffectRequest { level: 1.0, ..request.clone() }),
        "--level is 1, but must be above 0 and below 1"
    );
    let twice = vec![("X1".into(), "1".into()), ("X1".into(), "2".into())];
    assert_eq!(
        refused(EffectRequest { interventions: twice, ..request.clone() }),
        "intervention 'X1=2': the variable is set twice"
    );
    let path = dir.file("moments.json");
    let text = fs::read_to_string(&path).unwrap().replacen("\"rows\":500", "\"rows\":900", 1);
    fs::write(&path, text).unwrap();
    let error = EffectModel::of_run(&dir, None, None).err().unwrap();
    assert_eq!(error.code(), "damaged-run");
}
