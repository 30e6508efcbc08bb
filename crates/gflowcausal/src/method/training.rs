//! Training as every method with a policy goes through it: resumed, observed, stopped in time, saved.

use gflowcausal_flow::{
    Event, NetworkConfig, NetworkName, Observer, Problem, Progress, Stopped, TrainError, Trainer,
    ValidTrainConfig, Walk,
};

use super::{Control, Phase, RunContext};
use crate::{Checkpoints, Config, Error};

/// A trainer and what each of its iterations brought.
pub(super) type Trained<'a> = (Trainer<'a>, Vec<Progress>);

/// A trainer where the last one stopped, if it was saved and is wanted.
pub(super) fn resumed<'a>(
    settings: &ValidTrainConfig,
    context: &RunContext<'_>,
    problem: Problem<'a>,
) -> Result<Option<Trained<'a>>, Error> {
    match &context.checkpoints {
        Some(checkpoints) => checkpoints.resume(settings.clone(), problem),
        None => Ok(None),
    }
}

/// A trainer where the last one stopped, or else a new one; none if the run ends first.
pub(super) fn trainer<'a>(
    settings: ValidTrainConfig,
    context: &RunContext<'_>,
    problem: Problem<'a>,
) -> Result<Option<Trained<'a>>, Error> {
    if let Some(resumed) = resumed(&settings, context, problem)? {
        return Ok(Some(resumed));
    }
    let built = context.finish(|| Trainer::new(settings, problem)).transpose()?;
    Ok(built.map(|trainer| (trainer, vec![])))
}

/// What is trained iteration by iteration.
pub(super) trait Iterative {
    /// One iteration; says if it was not needed because training is over.
    ///
    /// # Errors
    /// When training cannot go on.
    fn step(&mut self, observer: &mut dyn Observer) -> Result<Option<Stopped>, TrainError>;

    /// How many iterations are done, and the most there can be.
    fn iterations(&self) -> (usize, usize);

    /// Saves everything that the rest of the run depends on; where it does not, a run that is resumed starts again.
    fn save(&self, history: &[Progress], checkpoints: &Checkpoints<'_>) {
        let _ = (history, checkpoints);
    }

    /// The policy as the bytes of a file.
    fn policy_bytes(&self, fingerprint: &str) -> Vec<u8>;
}

impl Iterative for Trainer<'_> {
    fn step(&mut self, observer: &mut dyn Observer) -> Result<Option<Stopped>, TrainError> {
        self.step(observer)
    }

    fn iterations(&self) -> (usize, usize) {
        (self.iteration(), self.config().iterations)
    }

    fn save(&self, history: &[Progress], checkpoints: &Checkpoints<'_>) {
        // A run that was stopped before its first iteration may have cut the search short: it starts again.
        if self.iteration() > 0 {
            checkpoints.save(self, history);
        }
    }

    fn policy_bytes(&self, fingerprint: &str) -> Vec<u8> {
        self.policy_bytes(fingerprint)
    }
}

/// Iterates until training is over or the run is stopped, saving when asked to.
pub(super) fn train(
    trained: &mut dyn Iterative,
    history: &mut Vec<Progress>,
    context: &mut RunContext<'_>,
) -> Result<Stopped, Error> {
    let (done, iterations) = trained.iterations();
    context.report(Phase::Training { done, iterations });
    let stopped = loop {
        if context.is_stopped() {
            break Stopped::Interrupted;
        }
        let mut record = |event: &Event<'_>| {
            if let Event::Iteration(progress) = event {
                history.push(*progress);
            }
        };
        match context.until_stop(|| trained.step(&mut record)).transpose()? {
            None => break Stopped::Interrupted,
            Some(Some(reason)) => break reason,
            Some(None) => {}
        }
        let last = *history.last().expect("an iteration was recorded");
        if context.report(Phase::Iteration(last)) == Control::Save {
            save(trained, history, context);
        }
    };
    save(trained, history, context);
    if let Some(checkpoints) = &context.checkpoints {
        checkpoints.save_policy(|fingerprint| trained.policy_bytes(fingerprint));
    }
    Ok(stopped)
}

fn save(trained: &dyn Iterative, history: &[Progress], context: &RunContext<'_>) {
    if let Some(checkpoints) = &context.checkpoints {
        trained.save(history, checkpoints);
    }
}

/// Refuses a walk that `method` does not take. The default is always taken: it stands for the method's own.
pub(super) fn check_walk(config: &Config, method: &'static str, walks: &[Walk]) -> Result<(), Error> {
    if config.walk == Config::default().walk || walks.contains(&config.walk) {
        return Ok(());
    }
    let takes = walks.iter().map(|walk| walk.name()).collect();
    Err(Error::OtherWalk { method, walk: config.walk.name(), takes })
}

/// The network that is asked for; where its width is left open an `mlp` is as wide as `units`, and those of the paper and
/// of CORL thinner than published, so that a processor can train them.
pub(super) fn network(config: &Config, units: usize) -> NetworkConfig {
    let (layers, width) = match config.network {
        NetworkName::Mlp => (2, units),
        NetworkName::Cnn => (2, 256),
        NetworkName::Vgg16 => (2, 64),
        NetworkName::Transformer => (3, 64),
    };
    NetworkConfig { name: config.network, layers, width: config.hidden.unwrap_or(width) }
}
