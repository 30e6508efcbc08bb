//! The PC algorithm.

use gflowcausal_search::{CategoryTest, FisherZ, IndependenceTest, Pc, PcClass};

use super::option_groups::OptionGroups;
use super::{Discover, MethodInput, MethodOutput, Phase, RunContext};
use crate::options::option;
use crate::{Error, TestName};

/// The customary level.
const ALPHA: f64 = 0.05;

/// Tests of independence instead of scores.
pub(super) struct PcMethod;

impl Discover for PcMethod {
    fn name(&self) -> &'static str {
        "pc"
    }

    fn about(&self) -> &'static str {
        "PC-stable: edges go where a test finds independence, directions follow"
    }

    fn options(&self) -> OptionGroups {
        &[&[option::alpha, option::test]]
    }

    fn check(&self, input: &MethodInput<'_>) -> Result<(), Error> {
        let constraints = input.model.constraints();
        if constraints.max_parents() + 1 < constraints.nodes() {
            return Err(Error::CannotSatisfy { method: "pc", option: option::max_parents });
        }
        if let Some(alpha @ (0.0 | 1.0)) = input.config.alpha {
            let range = "between 0 and 1".to_owned();
            return Err(Error::Value { option: option::alpha, value: alpha, range });
        }
        test(input).map(|_| ())
    }

    fn discover(&self, input: &MethodInput<'_>, context: &mut RunContext<'_>) -> Result<MethodOutput, Error> {
        let test = test(input)?;
        let alpha = input.config.alpha.unwrap_or(ALPHA);
        let search = Pc::new(&*test, alpha, input.model.constraints());
        context.report(Phase::Searching);
        let PcClass { class, member } = search.search(&context.deadlines.stop);
        if context.is_stopped() && member == input.model.required_graph() {
            return Ok(MethodOutput::nothing_yet(context, input.model));
        }
        Ok(MethodOutput::class(context, input.model, class, member))
    }
}

/// The test that was asked for, or the one for the columns' types.
fn test(input: &MethodInput<'_>) -> Result<Box<dyn IndependenceTest>, Error> {
    let default = if input.table.is_continuous() { TestName::FisherZ } else { TestName::GSquare };
    Ok(match input.config.test.unwrap_or(default) {
        TestName::FisherZ => {
            let moments = input.moments.ok_or(Error::MethodNeedsNumbers { method: "pc" })?;
            Box::new(FisherZ::new(moments)?)
        }
        TestName::GSquare => Box::new(CategoryTest::g_square(input.table)?),
        TestName::ChiSquare => Box::new(CategoryTest::chi_square(input.table)?),
    })
}
