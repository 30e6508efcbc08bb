//! The PC algorithm.

use gflowcausal_search::{CategoryTest, FisherZ, IndependenceTest, Pc, PcClass};

use super::{Discover, Found, Run, Step, Task};
use crate::{Config, Error, ScoringModel, TestName};

/// The customary level.
const ALPHA: f64 = 0.05;

/// Tests of independence instead of scores.
pub(super) struct PeterClark;

impl Discover for PeterClark {
    fn name(&self) -> &'static str {
        "pc"
    }

    fn about(&self) -> &'static str {
        "PC-stable: edges go where a test finds independence, directions follow"
    }

    fn settings(&self) -> &'static [&'static str] {
        &["alpha", "test"]
    }

    fn check(&self, model: &ScoringModel, config: &Config) -> Result<(), Error> {
        let constraints = model.constraints();
        if constraints.max_parents() + 1 < constraints.nodes() {
            return Err(Error::CannotObey { method: "pc", option: "max-parents" });
        }
        match config.alpha {
            Some(alpha) if !(alpha > 0.0 && alpha < 1.0) => {
                Err(Error::Value { option: "alpha", value: alpha, range: "between 0 and 1" })
            }
            _ => Ok(()),
        }
    }

    fn check_data(&self, task: &Task<'_>) -> Result<(), Error> {
        test(task).map(|_| ())
    }

    fn discover(&self, task: &Task<'_>, run: &mut Run<'_>) -> Result<Found, Error> {
        let test = test(task)?;
        let alpha = task.config.alpha.unwrap_or(ALPHA);
        let search = Pc::new(&*test, alpha, task.model.constraints());
        let PcClass { class, member } = search.search(|| {
            run.tell(Step::Searching);
            run.is_stopped()
        });
        Ok(Found::class(task.model, class, member))
    }
}

/// The test that was asked for, or the one for the columns' types.
fn test(task: &Task<'_>) -> Result<Box<dyn IndependenceTest>, Error> {
    let default = if task.table.is_continuous() { TestName::FisherZ } else { TestName::GSquare };
    Ok(match task.config.test.unwrap_or(default) {
        TestName::FisherZ => {
            let moments = task.moments.ok_or(Error::MethodNeedsNumbers { method: "pc" })?;
            Box::new(FisherZ::new(moments)?)
        }
        TestName::GSquare => Box::new(CategoryTest::g_square(task.table)?),
        TestName::ChiSquare => Box::new(CategoryTest::chi_square(task.table)?),
    })
}
