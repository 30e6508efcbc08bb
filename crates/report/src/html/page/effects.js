// What an intervention does: the effect of a chosen pair, and what moves a chosen variable.
const effects = data.effects;
const effectsOf = new Map();
for (const effect of effects?.pairs ?? []) {
  const key = pair(effect.cause, effect.effect);
  effectsOf.set(key, [...(effectsOf.get(key) ?? []), effect]);
}

const strength = ({ rank }) => Math.abs(rank);
const short = (value) => Number(value.toPrecision(3)).toString();
const range = ({ low, high }) => `${short(low)} … ${short(high)}`;

/** The facts about the effect of one variable on another, of the strongest contrast where there are several. */
function effectFacts(from, to) {
  const [effect] = [...(effectsOf.get(pair(from, to)) ?? [])].sort((a, b) => strength(b) - strength(a));
  if (!effect) return [];
  return [
    [effect.levels ? `effect, ${effect.levels}` : "total effect", short(effect.mean)],
    [`${Math.round(100 * effects.level)} % interval`, range(effect)],
    ["no directed path", fixed(effect.none, 2)],
  ];
}

/** Bars of a distribution, with the mass at zero as a bar of its own. */
function bars({ bars, none, mean }) {
  const picture = svg("svg", { class: "figure spark", viewBox: "0 0 120 20", width: 120, height: 20, role: "img" });
  svg("title", {}, picture).textContent = `mean ${short(mean)}, zero with probability ${none.toFixed(2)}`;
  if (!bars) return picture;
  const [low, high, weights] = bars;
  const highest = Math.max(none, ...weights);
  const bar = (x, width, weight) => {
    const height = (18 * weight) / highest;
    svg("rect", { x, y: 19 - height, width, height, fill: "currentColor" }, picture);
  };
  const width = 116 / weights.length;
  weights.forEach((weight, at) => weight > 0 && bar(2 + at * width, width - 0.5, weight));
  if (none > 0) bar(Math.max(0, Math.min(118, 2 + (116 * (0 - low)) / (high - low) - 1)), 2, none);
  return picture;
}

/** The expected effect over the doses of the cause, with its band. */
function curve({ cause, effect, curve: points }) {
  const [width, height, left, base, top] = [260, 150, 44, 122, 8];
  const picture = svg("svg", { class: "figure curve", viewBox: `0 0 ${width} ${height}`, width, height, role: "img" });
  svg("title", {}, picture).textContent =
    `${names[effect]} when ${names[cause]} is set: from ${short(points[0][1])} to ${short(points.at(-1)[1])}`;
  const [lows, highs] = [points.map((point) => point[2]), points.map((point) => point[3])];
  const [low, high] = [Math.min(...lows), Math.max(...highs)];
  const [first, last] = [points[0][0], points.at(-1)[0]];
  const x = (dose) => left + ((width - left - 8) * (dose - first)) / (last - first || 1);
  const y = (value) => base - ((base - top) * (value - low)) / (high - low || 1);
  const path = (at, list) => list.map((point) => `${x(point[0]).toFixed(1)} ${y(point[at]).toFixed(1)}`).join("L");
  svg("path", { class: "band", d: `M${path(2, points)}L${path(3, [...points].reverse())}Z` }, picture);
  svg("path", { class: "fit", d: `M${path(1, points)}` }, picture);
  svg("path", { class: "axis", d: `M${left} ${top}V${base}H${width - 8}` }, picture);
  const word = (text, at) => (svg("text", { class: "small", ...at }, picture).textContent = text);
  word(short(high), { x: left - 4, y: top + 8, "text-anchor": "end" });
  word(short(low), { x: left - 4, y: base, "text-anchor": "end" });
  word(short(first), { x: left, y: base + 13 });
  word(short(last), { x: width - 8, y: base + 13, "text-anchor": "end" });
  word(`${shortened(names[cause])} is set`, { x: (left + width) / 2, y: base + 26, "text-anchor": "middle" });
  return picture;
}

/** A long name by its beginning and its end. */
const shortened = (name) => (name.length > 20 ? `${name.slice(0, 10)}…${name.slice(-9)}` : name);

/** The dose–response curve of a pair, or the distribution where graphs disagree. */
function effectPictures({ from, to }) {
  const [effect] = [...(effectsOf.get(pair(from, to)) ?? [])].sort((a, b) => strength(b) - strength(a));
  if (!effect?.curve && !effect?.bars) return [];
  const words = effect.curve ? `${names[to]} if ${names[from]} is set` : "the effect over all drawn graphs";
  return [html("figure", {}, html("figcaption", {}, words), effect.curve ? curve(effect) : bars(effect))];
}

/** What moves `node`, strongest first. */
function drawCauses(node) {
  const rows = (effects?.pairs ?? []).filter((effect) => effect.effect === node && effect.none < 0.99);
  rows.sort((a, b) => strength(b) - strength(a));
  const picture = rows.some((effect) => effect.curve) ? "Curve" : "Distribution";
  const head = [["Cause"], ["Mean effect", "number"], [`${Math.round(100 * effects.level)} % interval`, "number"], ["P(no path)", "number"], ["P(> 0)", "number"], [picture]];
  const line = (effect) => html("tr", {},
    html("td", {}, named(effect.cause), effect.levels ? ` ${effect.levels}` : ""),
    ...[short(effect.mean), range(effect), fixed(effect.none, 2), fixed(effect.positive, 2)].map((text) => html("td", { className: "number" }, text)),
    html("td", {}, effect.curve ? curve(effect) : bars(effect)));
  find("causes-head").replaceChildren(html("tr", {}, ...head.map(([words, className = ""]) => html("th", { scope: "col", className }, words))));
  find("causes-rows").replaceChildren(...rows.map(line));
  find("causes-count").textContent = rows.length
    ? `${rows.length} that may move ${names[node]}; ${effects.assumptions}`
    : `Nothing moves ${names[node]}: no directed path to it has a probability of 0.01 or more.`;
}

function startEffects() {
  const choice = find("moved");
  if (!effects || !choice) return;
  choice.append(...names.map((name, node) => html("option", { value: node }, name)));
  const likeliest = names.map((_, node) => effects.pairs.reduce((sum, e) => sum + (e.effect === node ? 1 - e.none : 0), 0));
  choice.value = likeliest.indexOf(Math.max(...likeliest));
  choice.addEventListener("change", () => drawCauses(Number(choice.value)));
  drawCauses(Number(choice.value));
}
