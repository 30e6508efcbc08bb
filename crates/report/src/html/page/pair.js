// Two columns of the data: a scatter of numbers, boxes for numbers by category, shares for two categories.
const PICTURE = { width: 300, height: 190, left: 44, right: 8, top: 8, bottom: 34 };
const BINS = 8;

/** The pictures of an edge: its columns, and what is left of the effect once its other parents are taken away. */
function pairPictures({ from, to }) {
  const [x, y] = [column(from), column(to)];
  if (!x || !y) return [];
  const note = html("p", { className: "hint" }, `${data.preview.columns.length ? rowsShown() : ""}`);
  if (!x.levels && !y.levels) {
    const parts = [html("h4", {}, "The data"), scatter(x.values, y.values, names[from], names[to])];
    const left = partialResiduals(from, to);
    if (left) parts.push(html("h4", {}, `Given ${left.others} other ${left.others === 1 ? "parent" : "parents"}`), scatter(x.values, left.values, names[from], `${names[to]}, the rest`));
    return [...parts, note];
  }
  const picture = x.levels && y.levels ? shares(x, y) : x.levels ? boxPlot(x, y.values, names[to]) : boxPlot(y, x.values, names[from]);
  return [html("h4", {}, "The data"), picture, note];
}

function rowsShown() {
  const shown = data.preview.rows;
  return shown < data.preview.of ? `${shown} of ${data.preview.of} rows, evenly spaced` : `${shown} rows`;
}

function column(node) {
  const found = data.preview?.columns[node];
  if (!found) return null;
  return Array.isArray(found) ? { values: found } : { values: found.codes, levels: found.levels };
}

/** The effect less what its parents but one explain, by the slopes of the best graph; none where it has no others. */
function partialResiduals(from, to) {
  const parents = data.edges.filter((edge) => edge.to === to);
  const own = parents.find((edge) => edge.from === from);
  const others = parents.filter((edge) => edge.from !== from);
  const areKnown = own && others.every((edge) => edge.weight !== null && !column(edge.from)?.levels);
  if (!areKnown || !others.length) return null;
  const columns = others.map((edge) => column(edge.from).values);
  const values = column(to).values.map((value, row) =>
    columns.reduce((rest, other, at) => (rest === null || other[row] === null ? null : rest - others[at].weight * other[row]), value));
  return { values, others: others.length };
}

/** Round numbers that divide the range of `values`. */
function ticksOf(values) {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const span = most - least || Math.abs(most) || 1;
  const step = [1, 2, 5, 10].map((k) => k * 10 ** Math.floor(Math.log10(span / 3))).find((k) => span / k <= 4.5);
  const ticks = [];
  for (let at = Math.ceil(least / step) * step; at <= most + step * 1e-9; at += step) ticks.push(Number(at.toPrecision(10)));
  return { least: least - 0.03 * span, most: most + 0.03 * span, ticks };
}

function frame(label) {
  const { width, height } = PICTURE;
  const picture = svg("svg", { class: "figure pair", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
  return picture;
}

const shortName = (text) => (text.length > 26 ? `${text.slice(0, 15)}…${text.slice(-10)}` : text);

function axes(picture, across, down, xLabel, yLabel) {
  const { width, height, left, right, top, bottom } = PICTURE;
  const x = (value) => left + ((value - across.least) / (across.most - across.least)) * (width - left - right);
  const y = (value) => height - bottom - ((value - down.least) / (down.most - down.least)) * (height - top - bottom);
  svg("path", { class: "axis", d: `M${left} ${top}V${height - bottom}H${width - right}` }, picture);
  for (const tick of down.ticks) {
    svg("path", { class: "grid", d: `M${left} ${y(tick).toFixed(1)}H${width - right}` }, picture);
    svg("text", { class: "small", x: left - 4, y: y(tick) + 4, "text-anchor": "end" }, picture).textContent = String(tick);
  }
  for (const tick of across.ticks) svg("text", { class: "small", x: x(tick), y: height - bottom + 13, "text-anchor": "middle" }, picture).textContent = String(tick);
  svg("text", { class: "small", x: (left + width - right) / 2, y: height - 4, "text-anchor": "middle" }, picture).textContent = shortName(xLabel);
  const turned = { class: "small", transform: `translate(10 ${(height - bottom) / 2}) rotate(-90)`, "text-anchor": "middle" };
  svg("text", turned, picture).textContent = shortName(yLabel);
  return { x, y };
}

/** The logarithms of numbers that are positive and spread over orders of magnitude; others as they are. */
function spread(values, label) {
  const known = values.filter((value) => value !== null).sort((a, b) => a - b);
  const isWide = known[0] > 0 && known.at(-1) > 20 * known[Math.floor(known.length / 2)];
  return isWide ? [values.map((value) => (value === null ? null : Math.log10(value))), `log10 ${label}`] : [values, label];
}

/** Points, and the mean of the effect in bins of the cause where there are many. */
function scatter(left, down, leftLabel, downLabel) {
  const [[xs, xLabel], [ys, yLabel]] = [spread(left, leftLabel), spread(down, downLabel)];
  const points = xs.map((x, row) => [x, ys[row]]).filter(([x, y]) => x !== null && y !== null);
  const picture = frame(`Scatter of ${yLabel} over ${xLabel}`);
  if (points.length < 2) return picture;
  const [across, upward] = [0, 1].map((at) => ticksOf(points.map((point) => point[at])));
  const { x, y } = axes(picture, across, upward, xLabel, yLabel);
  for (const [a, b] of points) svg("circle", { class: "dot", cx: x(a).toFixed(1), cy: y(b).toFixed(1), r: 2 }, picture);
  if (points.length < 5 * BINS) return picture;
  const sorted = [...points].sort((a, b) => a[0] - b[0]);
  const mean = (part, at) => part.reduce((sum, point) => sum + point[at], 0) / part.length;
  const bins = Array.from({ length: BINS }, (_, k) => sorted.slice(Math.floor((k * sorted.length) / BINS), Math.floor(((k + 1) * sorted.length) / BINS)));
  const line = bins.map((bin, k) => `${k ? "L" : "M"}${x(mean(bin, 0)).toFixed(1)} ${y(mean(bin, 1)).toFixed(1)}`);
  svg("path", { class: "fit", d: line.join("") }, picture);
  return picture;
}

/** A box for each category: quartiles, median, and the range within one and a half quartile ranges. */
function boxPlot({ values: codes, levels }, values, yLabel) {
  const groups = levels.map((_, level) => values.filter((value, row) => codes[row] === level && value !== null).sort((a, b) => a - b));
  const picture = frame(`${yLabel} by category`);
  const known = groups.flat();
  if (known.length < 2) return picture;
  const { x, y } = axes(picture, { least: 0, most: levels.length, ticks: [] }, ticksOf(known), "", yLabel);
  groups.forEach((group, level) => {
    const [left, right, middle] = [x(level + 0.2), x(level + 0.8), x(level + 0.5)];
    svg("text", { class: "small", x: middle, y: PICTURE.height - 20, "text-anchor": "middle" }, picture).textContent = shortName(levels[level]).slice(0, Math.max(3, Math.floor(42 / levels.length)));
    if (!group.length) return;
    const at = (share) => group[Math.round(share * (group.length - 1))];
    const [lower, median, upper] = [at(0.25), at(0.5), at(0.75)];
    const reach = 1.5 * (upper - lower);
    const inside = group.filter((value) => value >= lower - reach && value <= upper + reach);
    svg("path", { class: "axis", d: `M${middle} ${y(inside[0])}V${y(lower)}M${middle} ${y(upper)}V${y(inside.at(-1))}` }, picture);
    svg("rect", { class: "box", x: left, y: y(upper), width: right - left, height: Math.max(1, y(lower) - y(upper)) }, picture);
    svg("path", { class: "fit", d: `M${left} ${y(median)}H${right}` }, picture);
  });
  return picture;
}

/** The shares of the effect's categories within each category of the cause. */
function shares(x, y) {
  const list = html("div", { className: "bars" });
  x.levels.forEach((level, at) => {
    const rows = y.values.filter((value, row) => x.values[row] === at && value !== null);
    if (!rows.length) return;
    list.append(html("strong", {}, level), html("span", {}), html("span", {}, `${rows.length} rows`));
    y.levels.forEach((other, code) => {
      const share = rows.filter((value) => value === code).length / rows.length;
      const bar = html("i");
      bar.style.width = `${(100 * share).toFixed(1)}%`;
      list.append(html("span", {}, other), html("span", {}, bar), html("span", {}, share.toFixed(2)));
    });
  });
  return list;
}
