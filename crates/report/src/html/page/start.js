// Puts everything together.
function drawLegend() {
  const entries = LEGENDS[state.view].map(([kind, words]) => {
    const sample = svg("svg", { class: "figure", viewBox: "0 0 46 14", "aria-hidden": "true" });
    const edge = svg("g", { class: `edge ${kind}` }, sample);
    const points = [[2, 7], [44, 7]];
    const head = kind === "undirected" ? null : arrowHead(points);
    svg("path", { class: "line", d: smooth(points), "stroke-width": 2 }, edge);
    if (head) svg("path", { class: "head", d: head, "stroke-width": 1.2 }, edge);
    else for (const cx of [5, 41]) svg("circle", { class: "end", cx, cy: 7, r: 3 }, edge);
    return html("li", {}, sample, words);
  });
  if (items.some((item) => item.element.classList.contains("negative"))) {
    const sample = svg("svg", { class: "figure", viewBox: "0 0 46 14", "aria-hidden": "true" });
    const edge = svg("g", { class: "edge negative" }, sample);
    svg("path", { class: "line", d: "M2 7L44 7", "stroke-width": 2 }, edge);
    svg("line", { class: "sign", x1: 23, y1: 1, x2: 23, y2: 13 }, edge);
    entries.push(html("li", {}, sample, "negative slope: red, with a bar"));
  }
  if (!data.single && state.view !== "truth") {
    const [light, dark] = [html("span", { className: "in-light" }, "darker"), html("span", { className: "in-dark" }, "brighter")];
    entries.push(html("li", {}, "wider and ", light, dark, ": more probable"));
  }
  find("legend").replaceChildren(...entries);
}

function show(view) {
  state.view = view;
  for (const radio of document.getElementsByName("view")) radio.checked = radio.value === view;
  find("rank-label").hidden = view !== "runners-up";
  hideTip();
  drawEdges();
  drawLegend();
}

function fullScreen() {
  if (document.fullscreenElement) document.exitFullscreen();
  else find("stage").requestFullscreen?.();
}

function fillChoices() {
  find("names").append(...names.map((name) => html("option", { value: name })));
  const share = ({ probability, score, edges }, at) => {
    const known = probability === null ? "" : `, class probability ${probability.toFixed(3)}`;
    return `${at + 1}. ${edges.length} edges, score ${fixed(score, 1)}${known}`;
  };
  find("rank").append(...data.runners_up.map((graph, at) => html("option", { value: at }, share(graph, at))));
}

function watchTools() {
  for (const radio of document.getElementsByName("view")) radio.addEventListener("change", () => show(radio.value));
  find("rank").addEventListener("change", ({ target }) => {
    state.rank = Number(target.value);
    drawEdges();
  });
  find("threshold").addEventListener("input", ({ target }) => {
    state.thresholds[state.view] = Number(target.value);
    applyThreshold();
  });
  find("search").addEventListener("input", ({ target }) => search(target.value));
  const actions = {
    "zoom-in": () => zoom(1.25), "zoom-out": () => zoom(0.8), fit, reset: resetPlaces,
    "full-screen": fullScreen, share,
    "save-svg": saveSvg, "save-png": savePng, "save-dot": saveDot, "save-csv": saveCsv,
    "more-rows": () => {
      showsAll = true;
      drawRows();
    },
  };
  for (const [id, action] of Object.entries(actions)) find(id).addEventListener("click", action);
  for (const [id, event] of [["filter", "input"], ["only-best", "change"]]) find(id).addEventListener(event, drawRows);
}

function watchWindow() {
  let waiting = 0;
  window.addEventListener("resize", () => {
    clearTimeout(waiting);
    waiting = setTimeout(drawMap, 120);
  });
  for (const query of ["print", "(prefers-color-scheme: dark)"]) window.matchMedia(query).addEventListener("change", drawMap);
}

places.forEach((_, node) => placeBox(node));
fillChoices();
watchTools();
watchPointers();
watchKeys();
watchMap();
watchWindow();
startEffects();
drawHead();
drawRows();
show(state.view);
fit();
drawMap();
restore();
window.addEventListener("hashchange", restore);
