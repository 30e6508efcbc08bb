// What the run found, and how the page reaches it. Text of the data gets into the page as text alone.
const data = JSON.parse(document.getElementById("run-data").textContent);
const { names, labels } = data;
const count = names.length;
const SVG = "http://www.w3.org/2000/svg";

const pair = (from, to) => from * count + to;
const probabilities = new Float64Array(count * count);
for (const [from, to, probability] of data.probabilities) probabilities[pair(from, to)] = probability;
const ancestors = new Float64Array(count * count);
for (const [from, to, probability] of data.ancestors) ancestors[pair(from, to)] = probability;
const indices = new Map(names.map((name, index) => [name, index]));
data.edges.forEach((edge) =>
  Object.assign(edge, { from: indices.get(edge.from), to: indices.get(edge.to) }));
/** Where an edge that was laid out passes the rows between its ends, by its pair. */
const laidOut = new Map(data.bends.map(([from, to, bends]) => [pair(from, to), { from, bends }]));
const bestEdges = new Map(data.edges.map((edge) => [pair(edge.from, edge.to), edge]));
const trueEdges = data.truth && new Set(data.truth.map(([from, to]) => pair(from, to)));

const find = (id) => document.getElementById(id);

/** An element of HTML; children are elements or text. */
function html(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

/** An element of SVG inside `parent`. */
function svg(tag, attributes, parent) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  parent?.append(element);
  return element;
}

/** A variable's name, kept apart from the direction of the text around it. */
const named = (node) => html("bdi", {}, names[node]);

/** A number with so many digits; what rounds to zero has no sign. */
const fixed = (value, digits) => (value === null || value === undefined ? "–" : value.toFixed(digits).replace(/^-(0\.?0*)$/, "$1"));

/** How an edge of the best graph relates to the truth. */
function verdict(from, to) {
  if (!trueEdges) return "";
  const isFound = bestEdges.has(pair(from, to));
  if (trueEdges.has(pair(from, to))) return isFound ? "right" : bestEdges.has(pair(to, from)) ? "reversed" : "missing";
  if (!isFound) return "";
  return trueEdges.has(pair(to, from)) ? "reversed" : "extra";
}
