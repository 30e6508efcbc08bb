//! What a reader does with the page of a small run.

use std::fs;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use crate::devtools::Browser;
use crate::{DRAWN, gflowcausal, result, show, slide};

/// Opened once for everything that can be asked of one page: a browser starts slowly.
#[test]
#[ignore = "needs Chromium: `make browser` (part of `make test`) installs and runs it"]
fn the_page_of_a_run_answers() {
    let home = TempDir::new().unwrap();
    gflowcausal(
        home.path(),
        &["discover", "sachs", "--score", "bic", "--iterations", "60", "--samples", "300", "--out", "run"],
    );
    let run = home.path().join("run");
    let found = result(&run);
    let mut page = Browser::start(1280, 900);
    page.open(&run.join("report.html"));
    assert_eq!(page.complaints(), Vec::<&Value>::new());
    the_consensus_comes_first(&mut page, &found);
    an_edge_is_picked_and_let_go(&mut page);
    an_address_shows_what_its_sender_saw(&mut page, &run);
    page.value(&show("best"));
    the_slider_leaves_the_right_edges(&mut page, &found);
    views_have_their_edges(&mut page, &found);
    the_difference_is_the_metrics(&mut page, &found);
    search_highlights(&mut page, &found);
    an_edge_says_why(&mut page, &found);
    boxes_paper_and_zoom_move(&mut page);
    the_table_sorts_and_filters(&mut page, &found);
    the_map_is_read_with_keys(&mut page);
    files_are_saved(&mut page, home.path());
    it_fits_every_width(&mut page);
    it_is_dark_where_that_is_preferred(&mut page);
    assert_eq!(page.complaints(), Vec::<&Value>::new());
}

#[test]
#[ignore = "needs Chromium: `make browser` (part of `make test`) installs and runs it"]
fn unsure_pairs_that_the_consensus_does_not_draw_are_counted() {
    let home = TempDir::new().unwrap();
    gflowcausal(home.path(), &["discover", "sachs", "--score", "bic", "--penalty", "1", "--out", "run"]);
    let run = home.path().join("run");
    let found = result(&run);
    let count = |list: &str| found["consensus"][list].as_array().unwrap().len();
    let rest = count("sure") + count("direction_open") + count("unsure") - count("edges");
    let mut page = Browser::start(1280, 900);
    page.open(&run.join("report.html"));
    let counts = page.text("document.getElementById('counts').textContent");
    let said = format!("; {rest} unsure pairs are not drawn: no edge is likelier");
    assert!(rest > 1 && counts.ends_with(&said), "{rest} are not drawn: {counts}");
}

fn edges(found: &Value) -> &Vec<Value> {
    found["graph"]["edges"].as_array().unwrap()
}

/// What the page knows of a probability.
fn rounded(value: &Value) -> f64 {
    (value.as_f64().unwrap() * 1e4).round() / 1e4
}

fn the_consensus_comes_first(page: &mut Browser, found: &Value) {
    assert_eq!(page.text("document.querySelector('input[name=view]:checked').value"), "consensus");
    let count = |list: &str| found["consensus"][list].as_array().unwrap().len();
    let (sure, open) = (count("sure"), count("direction_open"));
    let counts = page.text("document.getElementById('counts').textContent");
    assert!(
        counts.contains(&format!("{sure} with a sure direction, {open} with an open direction")),
        "{counts}"
    );
    let summary = page.text("document.getElementById('summary').textContent");
    assert!(
        summary.starts_with("From 853 rows of 11 variables: ") && summary.contains(" causes "),
        "{summary}"
    );
    assert!(page.number("document.querySelectorAll('.banner').length") >= 1.0);
    assert!(page.number("document.querySelectorAll('#graph .edge.negative .sign').length") >= 1.0);
}

fn an_edge_is_picked_and_let_go(page: &mut Browser) {
    let place = page.value(OPEN_EDGE);
    let (x, y) = (place[0].as_f64().unwrap(), place[1].as_f64().unwrap());
    page.point_at(x, y);
    let covers = format!(
        "(({{ left, right, top, bottom }}) => left <= {x} && {x} <= right && top <= {y} && {y} <= bottom)\
         (document.getElementById('tip').getBoundingClientRect())"
    );
    assert_eq!(page.value(&covers), Value::Bool(false), "the hover box covers what it explains");
    page.drag((x, y), (x, y));
    assert_eq!(page.number("document.querySelectorAll('#graph .edge.picked').length"), 1.0);
    assert_eq!(page.number("document.querySelectorAll('#graph .node.at-end').length"), 2.0);
    assert!(page.number("document.querySelectorAll('#about svg.pair circle.dot').length") > 100.0);
    let about = page.text("document.getElementById('about').textContent");
    for part in
        ["probability", "of the reverse", "of neither", "of a directed path", "standardised slope", "["]
    {
        assert!(about.contains(part), "no {part} in {about}");
    }
    assert!(page.text("location.hash").contains("edge="));
    page.value("document.querySelector('#about').scrollIntoView({ block: 'end' })");
    let top = page.number("document.getElementById('graph').getBoundingClientRect().top");
    assert!(top >= 0.0, "the drawing stays beside a long panel: {top}");
    page.value("scrollTo(0, 0)");
    page.press("Escape");
    assert_eq!(page.number("document.querySelectorAll('#graph .picked, #graph .at-end').length"), 0.0);
    assert!(!page.text("location.hash").contains("edge="));
    page.point_at(2.0, 2.0);
}

fn an_address_shows_what_its_sender_saw(page: &mut Browser, run: &Path) {
    page.value(&format!("{}; {}", show("probable"), slide(0.3)));
    page.value("document.querySelector('#edges tbody button').click()");
    let address = page.text("location.hash");
    let drawn = page.number(DRAWN);
    let chosen = page.text("document.querySelector('#about h3').textContent");
    page.value("history.replaceState(null, '', '#')");
    page.open(&run.join("report.html"));
    assert_ne!(page.number(DRAWN), drawn, "another view has another number of edges here");
    page.value(&format!("location.hash = {}", Value::from(address)));
    page.value("new Promise((done) => setTimeout(done, 100))");
    assert_eq!(page.text("document.querySelector('input[name=view]:checked').value"), "probable");
    assert_eq!(page.number(DRAWN), drawn);
    assert_eq!(page.text("document.querySelector('#about h3').textContent"), chosen);
    page.press("Escape");
    page.value(&slide(0.5));
}

fn the_slider_leaves_the_right_edges(page: &mut Browser, found: &Value) {
    let mut seen = Vec::new();
    for least in [0.0, 0.3, 0.5, 0.7, 0.9, 1.0] {
        page.value(&slide(least));
        let right = edges(found).iter().filter(|edge| rounded(&edge["probability"]) >= least).count();
        assert_eq!(page.number(DRAWN) as usize, right, "at {least}");
        let counts = page.text("document.getElementById('counts').textContent");
        assert!(counts.starts_with(&format!("{right} edge")), "{counts}");
        seen.push(right);
    }
    assert!(seen[0] > seen[5], "the slider does something in this run: {seen:?}");
    page.value(&slide(0.0));
}

fn views_have_their_edges(page: &mut Browser, found: &Value) {
    page.value(&show("cpdag"));
    let class = ["directed", "undirected"].map(|kind| found["cpdag"][kind].as_array().unwrap().len());
    let counts = page.text("document.getElementById('counts').textContent");
    assert!(counts.ends_with(&format!("{} directed, {} undirected", class[0], class[1])), "{counts}");
    page.value(&show("runners-up"));
    for (rank, top) in found["posterior"]["runners_up"].as_array().unwrap().iter().enumerate().take(3) {
        page.value(&format!(
            "(() => {{ const rank = document.getElementById('rank'); rank.value = {rank}; \
             rank.dispatchEvent(new Event('change')); }})()"
        ));
        assert_eq!(page.number(DRAWN) as usize, top["edges"].as_array().unwrap().len(), "graph {rank}");
    }
    page.value(&show("probable"));
    let rows = found["posterior"]["edge_probabilities"].as_array().unwrap().iter();
    let probable = rows.flat_map(|row| row.as_array().unwrap()).filter(|p| rounded(p) >= 0.5).count();
    assert_eq!(page.number(DRAWN) as usize, probable);
    page.value(&show("best"));
}

fn the_difference_is_the_metrics(page: &mut Browser, found: &Value) {
    page.value(&show("truth"));
    let metrics = &found["metrics"];
    for kind in ["missing", "extra", "reversed"] {
        let drawn =
            page.number(&format!("document.querySelectorAll('#graph .edge.{kind}:not(.off)').length"));
        assert_eq!(drawn as u64, metrics[kind].as_u64().unwrap(), "{kind}");
    }
    let opacities = "[...document.querySelectorAll('#graph .edge.missing, #graph .edge.extra, #graph .edge.reversed')]\
                     .every((edge) => getComputedStyle(edge).opacity === '1')";
    assert_eq!(page.value(opacities), Value::Bool(true), "mistakes stand out");
    let legend = page.text("document.getElementById('legend').innerText");
    assert!(legend.contains("missing") && !legend.contains("more probable"), "{legend}");
    let counts = page.text("document.getElementById('counts').textContent");
    let both =
        format!("SHD {}, or {} with reversible edges either way", metrics["shd"], metrics["class_shd"]);
    assert!(counts.ends_with(&both), "{counts}");
    page.value(&slide(1.0));
    let found_surely = edges(found).iter().filter(|edge| rounded(&edge["probability"]) >= 1.0).count();
    let drawn = page.number("document.querySelectorAll('#graph .edge:not(.off):not(.missing)').length");
    assert_eq!(drawn as usize, found_surely);
    page.value(&slide(0.0));
    page.value(&show("best"));
}

fn search_highlights(page: &mut Browser, found: &Value) {
    let name = found["order"][3].as_str().unwrap();
    let type_name = |text: &str| {
        format!(
            "(() => {{ const field = document.getElementById('search'); field.value = {}; \
             field.dispatchEvent(new Event('input')); }})()",
            Value::from(text)
        )
    };
    page.value(&type_name(name));
    let chosen = "document.querySelector('#graph .node.chosen title').textContent";
    assert_eq!(page.text(chosen), name);
    for (class, ancestors_of) in [("above", true), ("under", false)] {
        let drawn = page.number(&format!("document.querySelectorAll('#graph .node.{class}').length"));
        assert_eq!(drawn as usize, reached(found, name, ancestors_of), "{class} {name}");
    }
    page.value(&type_name(""));
    assert_eq!(page.number("document.querySelectorAll('#graph .chosen, #graph .found').length"), 0.0);
}

/// How many ancestors or descendants `name` has in the best graph.
fn reached(found: &Value, name: &str, ancestors: bool) -> usize {
    let (near, far) = if ancestors { ("to", "from") } else { ("from", "to") };
    let mut seen = std::collections::BTreeSet::from([name]);
    loop {
        let before = seen.len();
        for edge in edges(found) {
            if seen.contains(edge[near].as_str().unwrap()) {
                seen.insert(edge[far].as_str().unwrap());
            }
        }
        if seen.len() == before {
            return before - 1;
        }
    }
}

/// A place of the screen where an edge lies open, and the names of its ends.
const OPEN_EDGE: &str = "(() => {
  document.getElementById('graph').scrollIntoView();
  for (const edge of document.querySelectorAll('#graph .edge')) {
    const line = edge.querySelector('.line');
    const matrix = line.getScreenCTM();
    for (const share of [0.5, 0.4, 0.6]) {
      const point = line.getPointAtLength(line.getTotalLength() * share).matrixTransform(matrix);
      if (document.elementFromPoint(point.x, point.y)?.closest('.edge') === edge) return [point.x, point.y];
    }
  }
})()";

fn an_edge_says_why(page: &mut Browser, found: &Value) {
    let place = page.value(OPEN_EDGE);
    page.point_at(place[0].as_f64().unwrap(), place[1].as_f64().unwrap());
    assert_eq!(page.value("document.getElementById('tip').hidden"), Value::Bool(false));
    let ends = page.value("[...document.querySelectorAll('#tip bdi')].map((name) => name.textContent)");
    let edge = edges(found).iter().find(|edge| edge["from"] == ends[0] && edge["to"] == ends[1]);
    let edge = edge.expect("the edge is of the best graph");
    let mut said = |term: &str| {
        page.text(&format!(
            "[...document.querySelectorAll('#tip dt')].find((term) => term.textContent === '{term}')\
             .nextSibling.textContent"
        ))
    };
    assert_eq!(said("probability"), format!("{:.2}", rounded(&edge["probability"])));
    assert_eq!(said("of the reverse"), format!("{:.2}", rounded(&edge["reverse_probability"])));
    let direction = if edge["compelled"] == true { "compelled" } else { "reversible" };
    assert_eq!(said("direction"), direction);
    let close = |said: String, right: f64| (said.parse::<f64>().unwrap() - right).abs() <= 0.051;
    let (score, lost) = (found["score"]["graph"].as_f64().unwrap(), edge["delta_score"].as_f64().unwrap());
    assert!(close(said("score lost without"), lost));
    assert!(close(said("score without it"), score - lost));
    match edge["delta_reversed"].as_f64() {
        Some(lost) => assert!(close(said("score lost if reversed"), lost)),
        None => assert_eq!(said("score lost if reversed"), "closes a cycle"),
    }
    page.point_at(2.0, 2.0);
}

/// The middle of the first box on the screen.
const FIRST_BOX: &str = "(() => {
  const { x, y, width, height } = document.querySelector('#graph .node rect').getBoundingClientRect();
  return [x + width / 2, y + height / 2];
})()";

fn boxes_paper_and_zoom_move(page: &mut Browser) {
    let place = |page: &mut Browser| {
        let place = page.value(FIRST_BOX);
        (place[0].as_f64().unwrap(), place[1].as_f64().unwrap())
    };
    let is_near = |a: (f64, f64), b: (f64, f64)| (a.0 - b.0).abs() < 2.0 && (a.1 - b.1).abs() < 2.0;
    let start = place(page);
    page.drag(start, start);
    assert_eq!(
        page.number("document.querySelectorAll('#graph .node.chosen').length"),
        1.0,
        "a click chooses"
    );
    let moved = (start.0 + 60.0, start.1 + 40.0);
    page.drag(start, moved);
    assert!(is_near(place(page), moved), "the box is where it was dragged to");
    let corner = page.value(
        "(({ left, top }) => [left + 8, top + 8])(document.getElementById('graph').getBoundingClientRect())",
    );
    let corner = (corner[0].as_f64().unwrap(), corner[1].as_f64().unwrap());
    page.drag(corner, (corner.0 + 30.0, corner.1 + 20.0));
    assert!(is_near(place(page), (moved.0 + 30.0, moved.1 + 20.0)), "the paper takes the box along");
    page.value("document.getElementById('graph').focus()");
    let wide = "document.querySelector('#graph .node rect').getBoundingClientRect().width";
    let before = page.number(wide);
    page.press("+");
    assert!(page.number(wide) > 1.2 * before, "+ zooms in");
    page.press("Escape");
    page.value("document.getElementById('reset').click()");
    assert!(is_near(place(page), start), "everything is back");
}

fn the_table_sorts_and_filters(page: &mut Browser, found: &Value) {
    let column = |at: usize| {
        format!(
            "[...document.getElementById('edges').tBodies[0].rows].map((row) => row.cells[{at}].textContent)"
        )
    };
    let texts = |value: Value| serde_json::from_value::<Vec<String>>(value).unwrap();
    let numbers =
        |value: Value| -> Vec<f64> { texts(value).iter().map(|cell| cell.parse().unwrap()).collect() };
    let click =
        |at: usize| format!("document.getElementById('edges').tHead.rows[0].cells[{at}].firstChild.click()");
    assert!(numbers(page.value(&column(2))).is_sorted_by(|a, b| a >= b), "likeliest first");
    page.value(&click(2));
    assert!(numbers(page.value(&column(2))).is_sorted(), "the second click turns the order");
    page.value(&click(0));
    let causes = texts(page.value(&column(0)));
    assert!(causes.len() > 11 && causes.is_sorted_by_key(|name| name.to_lowercase()), "{causes:?}");
    page.value("document.getElementById('only-best').click()");
    assert_eq!(texts(page.value(&column(0))).len(), edges(found).len());
    let name = found["order"][0].as_str().unwrap();
    page.value(&format!(
        "(() => {{ const field = document.getElementById('filter'); field.value = '{name}'; \
         field.dispatchEvent(new Event('input')); }})()"
    ));
    let has = |edge: &&Value| {
        edge["from"].as_str().unwrap().contains(name) || edge["to"].as_str().unwrap().contains(name)
    };
    assert_eq!(texts(page.value(&column(0))).len(), edges(found).iter().filter(has).count());
    page.value("document.getElementById('edges').scrollIntoView()");
    page.value("document.querySelector('#edges tbody button').click()");
    assert!(page.text("document.getElementById('about').textContent").contains("probability"));
    let top = page.number("document.getElementById('about').getBoundingClientRect().top");
    assert!((0.0..400.0).contains(&top), "what a row of the table asked for is in sight: {top}");
    let cells = texts(
        page.value("[...document.querySelectorAll('#edges td.number')].map((cell) => cell.textContent)"),
    );
    assert!(!cells.iter().any(|cell| cell.starts_with("-0.0") && cell.parse() == Ok(0.0)), "{cells:?}");
}

fn the_map_is_read_with_keys(page: &mut Browser) {
    page.value("document.getElementById('map').focus()");
    page.press("ArrowRight");
    let cell = page.text("document.getElementById('map-cell').textContent");
    assert!(cell.contains(": probability "), "{cell}");
}

fn files_are_saved(page: &mut Browser, home: &Path) {
    let png = page.saved_by("save-png", "png");
    assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
    let side = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
    assert!(side(16) > 300 && side(20) > 300, "{} × {}", side(16), side(20));
    let svg = String::from_utf8(page.saved_by("save-svg", "svg")).unwrap();
    assert!(svg.starts_with("<svg") && svg.contains(">PKC</text>") && !svg.contains("hit"), "{svg}");
    for (id, ending) in [("save-dot", "dot"), ("save-csv", "csv")] {
        let name = format!("saved.{ending}");
        fs::write(home.join(&name), page.saved_by(id, ending)).unwrap();
        let text = gflowcausal(home, &["evaluate", "run/adjacency.csv", "--truth", &name]);
        // A list of edges names only variables that have one.
        assert!(text.starts_with("SHD 0 "), "{ending}: {text}");
    }
}

fn it_fits_every_width(page: &mut Browser) {
    for width in [375, 1024, 1920] {
        page.resize(width, 800);
        let wide = page.number("document.documentElement.scrollWidth");
        assert!(wide <= f64::from(width), "{wide} at {width}");
        let broken =
            "[...document.querySelectorAll('pre span')].filter((word) => word.clientHeight > 30).length";
        assert_eq!(page.number(broken), 0.0, "a word of the command is broken at {width}");
        let highest = "Math.max(...[...document.querySelectorAll('#causes-rows td.number')].map((cell) => cell.clientHeight))";
        let highest = page.number(highest);
        assert!(highest < 40.0, "numbers of effects break within lines: {highest} at {width}");
    }
}

fn it_is_dark_where_that_is_preferred(page: &mut Browser) {
    let background = "getComputedStyle(document.body).backgroundColor";
    assert_eq!(page.text(background), "rgb(255, 255, 255)");
    let dark = serde_json::json!({ "features": [{ "name": "prefers-color-scheme", "value": "dark" }] });
    page.call("Emulation.setEmulatedMedia", dark);
    assert_eq!(page.text(background), "rgb(18, 24, 31)");
    let legend = page.text("document.getElementById('legend').innerText");
    assert!(legend.contains("wider and brighter"), "{legend}");
}
