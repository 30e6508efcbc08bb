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
  ];
  if (best) {
    facts.push(["direction", best.compelled ? "compelled" : "reversible"]);
    if (best.delta_score !== null) {
      if (data.score !== null) facts.push(["score with it", fixed(data.score, 1)], ["score without it", fixed(data.score - best.delta_score, 1)]);
      facts.push(["score lost without", fixed(best.delta_score, 1)]);
      const reversed = best.delta_reversed === null ? "closes a cycle" : fixed(best.delta_reversed, 1);
      facts.push(["score lost if reversed", reversed]);
    }
    if (best.weight !== null) facts.push(["slope", Number(best.weight.toPrecision(4)).toString()]);
  } else {
    facts.push(["in the best graph", bestEdges.has(pair(to, from)) ? "reversed" : "no"]);
  }
  if (data.runners_up.length) facts.push(["among the runners-up", `${among} of ${data.runners_up.length}`]);
  facts.push(...effectFacts(from, to));
  const truth = kind === "missing" ? "missing" : verdict(from, to);
  if (truth) facts.push(["against the truth", truth]);
  return facts;
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
  const { left, top, width, height } = graph.getBoundingClientRect();
  const [x, y] = [event.clientX - left, event.clientY - top];
  tip.style.left = `${Math.max(4, Math.min(x + 14, width - tip.offsetWidth - 8))}px`;
  tip.style.top = `${Math.max(4, y + tip.offsetHeight + 20 > height ? y - tip.offsetHeight - 12 : y + 16)}px`;
  return undefined;
}

function markPointed(edge) {
  for (const other of edgeLayer.querySelectorAll(".pointed")) other.classList.remove("pointed");
  edge?.classList.add("pointed");
}

function hideTip() {
  tip.hidden = true;
  markPointed(null);
}

function showEdge(item) {
  explain(find("about"), item);
  const drawn = items.find((other) => other.isDrawn && other.from === item.from && other.to === item.to);
  markPointed(drawn?.element);
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
