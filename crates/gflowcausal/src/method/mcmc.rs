//! Partition MCMC: the posterior over DAGs by chains over layerings.

use super::option_groups::{DRAWS, OptionGroups, SCORE};
use super::{Discover, MethodInput, MethodOutput, RunContext, search_phase};
use crate::options::{PosteriorName, option};
use crate::{Error, method::dags};

/// Chains over layerings, started from what searches find (Kuipers and Moffa 2017; Viinikka et al. 2020).
pub(super) struct Mcmc;

impl Discover for Mcmc {
    fn name(&self) -> &'static str {
        "mcmc"
    }

    fn about(&self) -> &'static str {
        "partition MCMC over layerings with parallel tempering: each DAG in proportion to its posterior probability"
    }

    fn family_limit(&self) -> usize {
        usize::MAX
    }

    fn options(&self) -> OptionGroups {
        &[SCORE, &[option::interventions, option::edge_prior], DRAWS]
    }

    fn check(&self, input: &MethodInput<'_>) -> Result<(), Error> {
        dags::dag_score(input.model, self.name()).map(|_| ())
    }

    fn discover(&self, input: &MethodInput<'_>, context: &mut RunContext<'_>) -> Result<MethodOutput, Error> {
        let score = dags::dag_score(input.model, self.name())?;
        let found = search_phase::run(input, context)?;
        dags::discover(input, context, (score, PosteriorName::Chains), found)
    }
}
