// Why an edge is there, and what a variable hangs together with.
const tip = find("tip");

function whyOf({ from, to, kind }) {
  const forward = probabilities[pair(from, to)];
  const backward = probabilities[pair(to, from)];
  const best = bestEdges.get(pair(from, to));
  const among = data.runners_up.filter(({ edges }) => edges.some(([a, b]) => a === from && b === to)).length;
  const facts = data.single ? [] : [
    ["probability", fixed(best?.probability ?? forward, 2)],
    ["of the reverse", fixed(best?.reverse_probability ?? backward, 2)],
    ["of neither", fixed(best?.absent_probability ?? Math.max(0, 1 - forward - backward), 2)],
    ["of a directed path", fixed(ancestors[pair(from, to)], 2)],
  ];
  if (best) {
    facts.push(["direction", best.compelled ? decidedBy(from, to) : "reversible"]);
    if (best.delta_score !== null) {
      if (data.score !== null) facts.push(["score with it", fixed(data.score, 1)], ["score without it", fixed(data.score - best.delta_score, 1)]);
      facts.push(["score lost without", fixed(best.delta_score, 1)]);
      const reversed = best.delta_reversed === null ? "closes a cycle" : fixed(best.delta_reversed, 1);
      facts.push(["score lost if reversed", reversed]);
    }
    facts.push(...slopes(best));
  } else {
    facts.push(["in the best graph", bestEdges.has(pair(to, from)) ? "reversed" : "no"]);
  }
  if (data.runners_up.length) facts.push(["among the runners-up", `${among} of ${data.runners_up.length}`]);
  facts.push(...effectFacts(from, to));
  const truth = kind === "missing" ? "missing" : verdict(from, to);
  if (truth) facts.push(["against the truth", truth]);
  return facts;
}

/** The slope and the standardised slope, each with its interval of two standard errors. */
function slopes({ weight, standard_error: error, standardized_weight: standardized }) {
  if (weight === null || weight === undefined) return [];
  const short = (value) => Number(value.toPrecision(3)).toString();
  const interval = (value, width) => (width === null || width === undefined ? "" : ` [${short(value - 1.96 * width)}, ${short(value + 1.96 * width)}]`);
  const facts = [["slope", short(weight) + interval(weight, error)]];
  if (standardized !== null && standardized !== undefined) {
    const width = error === null || error === undefined || weight === 0 ? null : Math.abs((error * standardized) / weight);
    facts.push(["standardised slope", short(standardized) + interval(standardized, width)]);
  }
  return facts;
}

/** What a direction that is not open follows from. */
function decidedBy(from, to) {
  const isSet = data.decided.some(([a, b]) => a === names[from] && b === names[to]);
  return isSet ? "decided by experiments" : "compelled";
}

/** Fills `element` with why an edge is there. */
function explain(element, item) {
  const arrow = item.kind === "undirected" ? " – " : " → ";
  const list = html("dl", { className: "why" });
  for (const [term, value] of whyOf(item)) list.append(html("dt", {}, term), html("dd", {}, value));
  element.replaceChildren(html("h3", {}, named(item.from), arrow, named(item.to)), list);
}

function pointAt(event) {
  const edge = event.target.closest?.(".edge");
  markPointed(edge);
  if (!edge) return hideTip();
  explain(tip, items[edge.dataset.item]);
  tip.hidden = false;
  const [x, y] = freeCorner(edge, event);
  tip.style.left = `${x}px`;
  tip.style.top = `${y}px`;
  return undefined;
}

/** The corner of the drawing where the hover box covers least of the edge, the farthest from the pointer among equals. */
function freeCorner(edge, event) {
  const paperBox = graph.getBoundingClientRect();
  const line = edge.getBoundingClientRect();
  const [width, height] = [tip.offsetWidth, tip.offsetHeight];
  const [right, bottom] = [Math.max(4, paperBox.width - width - 8), Math.max(4, paperBox.height - height - 8)];
  const cost = ([x, y]) => {
    const [left, top] = [paperBox.left + x, paperBox.top + y];
    const across = Math.min(left + width, line.right) - Math.max(left, line.left);
    const down = Math.min(top + height, line.bottom) - Math.max(top, line.top);
    const covered = across > 0 && down > 0 ? across * down : 0;
    const isUnder = event.clientX > left - 12 && event.clientX < left + width + 12 && event.clientY > top - 12 && event.clientY < top + height + 12;
    return (isUnder ? 1e9 : 0) + 1e3 * covered - Math.hypot(left + width / 2 - event.clientX, top + height / 2 - event.clientY);
  };
  return [[8, 8], [right, 8], [8, bottom], [right, bottom]].reduce((best, at) => (cost(at) < cost(best) ? at : best));
}

function markPointed(edge) {
  for (const other of edgeLayer.querySelectorAll(".pointed")) other.classList.remove("pointed");
  edge?.classList.add("pointed");
}

function hideTip() {
  tip.hidden = true;
  markPointed(null);
}

/** Chooses an edge: it stands out, and the panel shows what is known of it. */
function pick(item) {
  if (state.chosen !== null) choose(null);
  state.picked = { from: item.from, to: item.to };
  const about = find("about");
  explain(about, item);
  about.append(...pairPictures(item), ...effectPictures(item));
  markPicked();
  remember();
}

/** Marks the picked edge and its ends in the current view. */
function markPicked() {
  const { picked } = state;
  const isPicked = ({ from, to, isDrawn }) => picked && isDrawn && ((from === picked.from && to === picked.to) || (from === picked.to && to === picked.from));
  for (const item of items) item.element.classList.toggle("picked", Boolean(isPicked(item)));
  boxes.forEach((box, node) => box.classList.toggle("at-end", Boolean(picked) && (node === picked.from || node === picked.to)));
  graph.classList.toggle("picking", Boolean(picked));
}

/** Lets go of whatever is chosen. */
function letGo() {
  state.picked = null;
  hideTip();
  choose(null);
  for (const row of find("edges").querySelectorAll("tr.chosen")) row.classList.remove("chosen");
  find("about").replaceChildren(html("p", { className: "hint" }, "Click an edge to see the data behind it, or a variable to see what it depends on."));
}

function showVariable(node, above, under) {
  const list = (set) => {
    if (!set.size) return ["none"];
    return [...set].flatMap((other, at) => (at ? [", ", named(other)] : [named(other)]));
  };
  const about = find("about");
  about.replaceChildren(
    html("h3", {}, named(node)),
    html("p", {}, html("strong", {}, `${above.size} ancestors: `), ...list(above)),
    html("p", {}, html("strong", {}, `${under.size} descendants: `), ...list(under)),
  );
}
