//! The report of a run: one HTML file that opens offline in any browser.

mod command;
mod data;
mod facts;

use gflowcausal::Error;
use minijinja::value::Value;
use minijinja::{Environment, context};
use sha2::{Digest, Sha256};

use crate::plot::{FIGURE_STYLE, edge_counts, panels, scores};
use crate::{REPORT, Record};

const TEMPLATE: &str = include_str!("page/report.html");
const STYLE: &str = include_str!("page/report.css");

/// The script's parts, in the order in which they need each other. They share one scope.
const SCRIPTS: [&str; 9] = [
    include_str!("page/data.js"),
    include_str!("page/views.js"),
    include_str!("page/routes.js"),
    include_str!("page/graph.js"),
    include_str!("page/why.js"),
    include_str!("page/table.js"),
    include_str!("page/heat_map.js"),
    include_str!("page/export.js"),
    include_str!("page/start.js"),
];

/// The size of a chart in the page.
const CHART: (f64, f64) = (380.0, 230.0);

impl Record {
    /// The report as one HTML page without any reference to the outside.
    ///
    /// # Errors
    /// When the page's template is at fault.
    pub fn to_html(&self) -> Result<String, Error> {
        let failed = |error: minijinja::Error| Error::Picture { reason: error.to_string() };
        let script = format!("\"use strict\";(() => {{\n{}}})();\n", SCRIPTS.concat());
        let mut templates = Environment::new();
        templates.add_template(REPORT, TEMPLATE).map_err(failed)?;
        let safe = |text: String| Value::from_safe_string(text);
        let training = panels(self.history(), CHART).map(|panel| safe(panel.into_page())).to_vec();
        let page = context! {
            policy => policy(&script),
            name => self.data_name(),
            facts => facts::facts(self),
            summary => facts::summary(self),
            trust => facts::trust(self),
            command => command::command(self),
            findings => &self.result.findings,
            sortability => self.result.sortability.as_ref().map(|sortability| &sortability.verdict),
            metrics => facts::metrics(self),
            single => self.is_single(),
            has_truth => self.truth.is_some(),
            top => self.result.posterior.top.len(),
            training => if self.history().is_empty() { vec![] } else { training },
            spread => vec![
                safe(scores(&self.draws, self.result.score.temperature, CHART).into_page()),
                safe(edge_counts(&self.draws, CHART).into_page()),
            ],
            version => &self.result.version,
            figure_style => safe(FIGURE_STYLE.to_owned()),
            style => safe(STYLE.to_owned()),
            data => safe(data::json(self)),
            script => safe(script),
        };
        templates.get_template(REPORT).and_then(|template| template.render(page)).map_err(failed)
    }
}

/// What the browser may load: nothing from elsewhere, and no script but ours, whatever a name in the data says.
fn policy(script: &str) -> String {
    let hash = base64(&Sha256::digest(script.as_bytes()));
    format!(
        "default-src 'none'; style-src 'unsafe-inline'; img-src data: blob:; script-src 'sha256-{hash}'; \
         base-uri 'none'; form-action 'none'"
    )
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let bits =
            chunk.iter().fold(0_u32, |bits, &byte| bits << 8 | u32::from(byte)) << (8 * (3 - chunk.len()));
        let letter = |place: usize| char::from(LETTERS[(bits >> (18 - 6 * place)) as usize & 63]);
        text.extend((0..=chunk.len()).map(letter));
        text.extend(std::iter::repeat_n('=', 3 - chunk.len()));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_rfc_4648() {
        let words: [&[u8]; 4] = [b"", b"f", b"fo", b"foobar"];
        assert_eq!(words.map(base64), ["", "Zg==", "Zm8=", "Zm9vYmFy"]);
    }
}
