//! The report of a run: one HTML file that opens offline in any browser.

pub(crate) mod command;
mod content_security_policy;
mod data;
mod effects;
mod facts;
mod summary;

use gflowcausal::{Error, RunResult};
use minijinja::value::Value;
use minijinja::{Environment, context};

use crate::REPORT;
use crate::indexed::IndexedRun;
use crate::plot::{FIGURE_STYLE, edge_counts, panels, scores};
use crate::reliability::reliability;

const TEMPLATE: &str = include_str!("page/report.html");
const STYLE: &str = include_str!("page/report.css");

/// The script's parts, in the order in which they need each other. They share one scope.
const SCRIPTS: [&str; 12] = [
    include_str!("page/data.js"),
    include_str!("page/views.js"),
    include_str!("page/routes.js"),
    include_str!("page/graph.js"),
    include_str!("page/effects.js"),
    include_str!("page/why.js"),
    include_str!("page/pair.js"),
    include_str!("page/table.js"),
    include_str!("page/heat_map.js"),
    include_str!("page/export.js"),
    include_str!("page/fragment.js"),
    include_str!("page/start.js"),
];

/// The size of a chart in the page.
const CHART: (f64, f64) = (380.0, 230.0);

/// The report as one HTML page without any reference to the outside.
///
/// # Errors
/// When the result contradicts itself.
pub fn html_page(result: &RunResult) -> Result<String, Error> {
    let failed = |error: minijinja::Error| Error::Picture { reason: error.to_string() };
    let run = IndexedRun::new(result)?;
    let script = format!("\"use strict\";(() => {{\n{}}})();\n", SCRIPTS.concat());
    let mut templates = Environment::new();
    templates.add_template(REPORT, TEMPLATE).map_err(failed)?;
    let safe = |text: String| Value::from_safe_string(text);
    let training = panels(run.history(), CHART).map(|panel| safe(panel.into_page())).to_vec();
    let samples = run.samples();
    let page = context! {
        policy => content_security_policy::of(&script),
        name => &result.data.name,
        facts => facts::facts(result),
        banner => summary::banner(result),
        summary => summary::summary(result),
        preview => result.preview.as_ref().map(data::rows_shown),
        reliability => facts::sentence(&reliability(result).text.replace(" -> ", " → ")),
        command => result.run.as_ref().map(command::command),
        findings => &result.findings,
        sortability => result.sortability.as_ref().map(|sortability| &sortability.verdict),
        metrics => facts::metrics(result),
        single => run.is_single(),
        has_truth => run.truth.is_some(),
        has_effects => result.effects.is_some(),
        runners_up => result.posterior.runners_up.len(),
        training => if run.history().is_empty() { vec![] } else { training },
        spread => vec![
            safe(scores(&samples, result.score.temperature, CHART).into_page()),
            safe(edge_counts(&samples, CHART).into_page()),
        ],
        version => &result.version,
        figure_style => safe(FIGURE_STYLE.to_owned()),
        style => safe(STYLE.to_owned()),
        data => safe(data::json(&run)),
        script => safe(script),
    };
    templates.get_template(REPORT).and_then(|template| template.render(page)).map_err(failed)
}
