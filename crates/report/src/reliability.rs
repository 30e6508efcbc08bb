//! How far the probabilities of a run can be trusted, in the same words for text and page.

use gflowcausal::graph::pluralize;
use gflowcausal::posterior::{Coverage, Refusal};
use gflowcausal::{MissedParent, Objects, ParentSets, PosteriorResult, RunResult, Source, methods};

/// The potential scale reduction factor above which chains do not agree.
const LARGEST_R_HAT: f64 = 1.1;

/// The effective sample size below which probabilities are noise.
const LEAST_EFFECTIVE: f64 = 50.0;

/// More expected edges than this from outside the candidate parents are mentioned.
const MOST_FROM_OUTSIDE: f64 = 0.5;

/// How many edges that are left out are named.
const MOST_NAMED: usize = 3;

/// An edge that the tables leave out is warned of from this probability on, from which lists call an edge unsure.
const LEAST_UNSURE: f64 = 0.1;

/// How far probabilities can be trusted.
pub(crate) struct Reliability {
    /// Why they are not to be relied on, if so.
    pub(crate) doubt: Option<Doubt>,
    /// What they come from and what the checks say, as a clause.
    pub(crate) text: String,
}

/// Why probabilities are not to be relied on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Doubt {
    /// There are none, though they were wanted.
    Missing,
    /// Chains that started apart do not agree, or gave too few independent draws.
    NotConverged,
    /// Nothing independent confirms what the policy drew.
    Unconfirmed,
    /// Some parent sets were not evaluated before time ran out.
    Unfinished,
    /// Edges that may well be there are left out.
    MissedParents,
}

/// Why the probabilities of `result` are not to be relied on, if so.
#[must_use]
pub fn low_confidence(result: &RunResult) -> Option<String> {
    let reliability = reliability(result);
    reliability.doubt.map(|_| format!("probabilities: {}", reliability.text))
}

/// How far the probabilities of `result` can be trusted.
pub(crate) fn reliability(result: &RunResult) -> Reliability {
    let posterior = &result.posterior;
    let mut reliability = match posterior.by {
        Source::None => {
            let reason = posterior.reason.as_deref();
            let text = format!("none, {}", reason.unwrap_or_else(|| none(result)));
            return Reliability { doubt: reason.map(|_| Doubt::Missing), text };
        }
        Source::Exact => {
            let text =
                format!("exact, over all {}{}{}", objects(posterior), limit(posterior), rejected(posterior));
            Reliability { doubt: None, text }
        }
        Source::Chains => chains(posterior),
        Source::Policy if is_paper_mode(result) => as_drawn(posterior),
        Source::Policy => policy(posterior),
    };
    if let Some(reason) = &posterior.reason {
        reliability.text += &format!("; chosen because {reason}");
    }
    if let Some(ParentSets { evaluated, wanted }) = posterior.parent_sets {
        reliability.doubt = Some(Doubt::Unfinished);
        reliability.text += &format!(
            "; time ran out when {evaluated} of {wanted} parent sets were evaluated: graphs with others count as impossible"
        );
    }
    if !posterior.missed_parents.is_empty() {
        let is_likely = |missed: &MissedParent| missed.probability >= LEAST_UNSURE;
        let is_doubtful = posterior.missed_parents.iter().any(is_likely);
        reliability.doubt = reliability.doubt.or(is_doubtful.then_some(Doubt::MissedParents));
        reliability.text += &missed_parents(&posterior.missed_parents);
    }
    reliability
}

/// What the tables leave out although it matters, the likeliest first.
fn missed_parents(missed: &[MissedParent]) -> String {
    let mut likeliest: Vec<&MissedParent> = missed.iter().collect();
    likeliest.sort_by(|a, b| b.probability.total_cmp(&a.probability));
    let named: Vec<String> = likeliest
        .iter()
        .take(MOST_NAMED)
        .map(|edge| format!("{} -> {} (about {:.2})", edge.from, edge.to, edge.probability))
        .collect();
    let more = match missed.len().saturating_sub(MOST_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!(
        "; left out, because the cause is none of the effect's candidate parents: {}{more}",
        named.join(", ")
    )
}

/// Why there are no probabilities.
fn none(result: &RunResult) -> &'static str {
    let draws = methods().iter().any(|method| method.name() == result.method && method.reads("samples"));
    if draws { "for only the best graph was asked for" } else { "the method gives one graph" }
}

fn objects(posterior: &PosteriorResult) -> &'static str {
    match posterior.target {
        Objects::Dags => "DAGs, each counted once",
        Objects::Orders => "orders, not graphs: the score or the pruning has no value for graphs",
    }
}

fn chains(posterior: &PosteriorResult) -> Reliability {
    let ess = posterior.effective_sample_size;
    let r_hat = posterior.convergence.map_or(f64::NAN, |convergence| convergence.r_hat);
    let error = posterior.convergence.map_or(f64::NAN, |convergence| convergence.largest_error);
    let has_converged = r_hat <= LARGEST_R_HAT && ess >= LEAST_EFFECTIVE;
    let verdict = if has_converged { "the chains agree" } else { "the chains have not converged" };
    let text = format!(
        "partition MCMC over {}; {verdict}: R-hat {r_hat:.2}, the least certain edge rests on {ess:.0} independent draws \
         (standard error {error:.3}){}{}",
        objects(posterior),
        caveats(posterior),
        rejected(posterior)
    );
    Reliability { doubt: (!has_converged).then_some(Doubt::NotConverged), text }
}

/// What R-hat does not show: chains that were left out, and probability that the tables may miss.
fn caveats(posterior: &PosteriorResult) -> String {
    let Some(convergence) = posterior.convergence else { return String::new() };
    let mut text = String::new();
    if convergence.left_out > 0 {
        let were = if convergence.left_out == 1 { "was" } else { "were" };
        text += &format!(
            "; {} never came near the others and {were} left out",
            pluralize(convergence.left_out, "chain")
        );
    }
    text + &from_outside(convergence.edges_from_outside)
}

fn from_outside(edges: f64) -> String {
    if edges <= MOST_FROM_OUTSIDE {
        return String::new();
    }
    format!(
        "; {edges:.1} expected edges come from outside the candidate parents, so some probability may be missing"
    )
}

/// What exact sums leave out.
fn limit(posterior: &PosteriorResult) -> String {
    posterior.candidate_limit.map_or_else(String::new, |limit| {
        let outside = from_outside(limit.edges_from_outside);
        format!(", parents among {} for each variable{outside}", pluralize(limit.most, "candidate"))
    })
}

/// What is said of a policy that was trained and not used.
fn rejected(posterior: &PosteriorResult) -> String {
    posterior.coverage.map_or_else(String::new, |coverage| {
        format!("; the trained policy was not used, because {}", refusals(&coverage))
    })
}

/// The criteria that a policy does not meet, as clauses.
fn refusals(coverage: &Coverage) -> String {
    let clause = |refusal: Refusal| match (refusal, coverage.log_z_reference, coverage.median_log_ratio) {
        (Refusal::LogZ, Some(log_z), _) => {
            format!("its log Z differs by {:.2}", (coverage.log_z_policy - log_z).abs())
        }
        (Refusal::LogZ, None, _) => "there is no log Z to compare its own with".to_owned(),
        (Refusal::LogRatio, _, Some(ratio)) => {
            format!("the median log-ratio of target to policy is {ratio:.2}")
        }
        (Refusal::LogRatio, _, None) => "how likely it makes other draws is not known".to_owned(),
        (Refusal::Edges, ..) => {
            format!("its edges differ by {:.3} on average", coverage.edges_mean_difference)
        }
        (Refusal::EffectiveDraws, ..) => match coverage.effective_draws {
            Some(draws) => format!("its weighted draws have an effective size of only {draws:.0}"),
            None => "how many of its draws count is not known".to_owned(),
        },
    };
    coverage.refusals().into_iter().map(clause).collect::<Vec<_>>().join(" and ")
}

/// Whether the run was the paper's algorithm, whose draws are not weighed.
pub(crate) fn is_paper_mode(result: &RunResult) -> bool {
    result.findings.iter().any(|finding| finding.code == "paper-mode")
}

fn as_drawn(posterior: &PosteriorResult) -> Reliability {
    let text = format!(
        "how often an edge is in {} draws of the trained policy, as they come, over {}; nothing says how far the policy \
         is from the distribution it aims at",
        posterior.samples,
        objects(posterior)
    );
    Reliability { doubt: Some(Doubt::Unconfirmed), text }
}

fn policy(posterior: &PosteriorResult) -> Reliability {
    let ess = posterior.effective_sample_size;
    let weights = format!(
        "importance-weighted draws of the trained policy over {}, effective sample size {ess:.0} of {}",
        objects(posterior),
        posterior.samples
    );
    let Some(coverage) = posterior.coverage else {
        let text = format!("{weights}; no independent estimate says whether the policy covers the posterior");
        return Reliability { doubt: Some(Doubt::Unconfirmed), text };
    };
    let log_z = coverage.log_z_reference.map_or_else(
        || "log Z of the reference is not known".to_owned(),
        |log_z| format!("log Z differs by {:.2}", (coverage.log_z_policy - log_z).abs()),
    );
    let ratio =
        coverage.median_log_ratio.map_or_else(String::new, |ratio| format!(", median log-ratio {ratio:.2}"));
    let reference = match coverage.reference {
        Source::Exact => "the exact posterior",
        _ => "the chains",
    };
    let verdict = if coverage.agrees() {
        format!("it agrees with {reference}")
    } else {
        format!("not confirmed by {reference}, because {}", refusals(&coverage))
    };
    Reliability {
        doubt: (!coverage.agrees()).then_some(Doubt::Unconfirmed),
        text: format!(
            "{weights}; {verdict}: {log_z}{ratio}, edges differ by {:.3} on average and {:.3} at most",
            coverage.edges_mean_difference, coverage.edges_largest_difference
        ),
    }
}

#[cfg(test)]
mod tests {
    use gflowcausal::graph::Dag;
    use gflowcausal::posterior::Convergence;
    use gflowcausal::{Config, DataResult, ScoreName, data, discover};

    use super::*;

    /// A run whose chains ended with this R-hat and left out one edge of this probability, if any.
    fn run_of_chains(r_hat: f64, missed: Option<f64>) -> RunResult {
        let sachs = data::builtin("sachs").unwrap().table;
        let config = Config { score: ScoreName::Bic, method: "exact".to_owned(), ..Config::default() };
        let data = DataResult {
            name: "sachs".to_owned(),
            rows: sachs.rows(),
            rows_used: None,
            variables: sachs.names().map(str::to_owned).collect(),
            sha256: String::new(),
        };
        let mut result = discover(&sachs, &config).unwrap().to_result(&config, data, None::<&Dag>);
        let (from, to) = ("Raf".to_owned(), "Jnk".to_owned());
        result.posterior.by = Source::Chains;
        result.posterior.effective_sample_size = 400.0;
        result.posterior.convergence = Some(Convergence {
            r_hat,
            mean_r_hat: r_hat,
            median_effective_sample_size: 400.0,
            largest_error: 0.02,
            left_out: 0,
            edges_from_outside: 0.1,
        });
        result.posterior.missed_parents =
            missed.map(|probability| MissedParent { from, to, probability }).into_iter().collect();
        result
    }

    #[test]
    fn the_doubt_is_the_one_that_there_is() {
        let doubt = |r_hat, missed| reliability(&run_of_chains(r_hat, missed)).doubt;
        assert_eq!(doubt(1.01, None), None);
        assert_eq!(doubt(1.01, Some(0.05)), None, "named, but too unlikely for a warning");
        assert_eq!(doubt(1.01, Some(0.3)), Some(Doubt::MissedParents));
        assert_eq!(doubt(1.5, Some(0.3)), Some(Doubt::NotConverged));
    }

    #[test]
    fn an_edge_that_is_left_out_is_named() {
        let text = reliability(&run_of_chains(1.01, Some(0.05))).text;
        assert!(text.contains("the chains agree") && text.contains("Raf -> Jnk (about 0.05)"), "{text}");
    }
}
