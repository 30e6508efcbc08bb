// The map of edge probabilities, in causal order.
const map = find("map");
const LEAST_NAMED = 7.5;
let mapSize = null;
let cursor = null;

function drawMap() {
  if (data.single) return;
  const context = map.getContext("2d");
  const style = getComputedStyle(document.documentElement);
  const side = map.parentElement.clientWidth;
  const hasNames = (side * 0.86) / count >= LEAST_NAMED;
  const font = Math.max(7, Math.min(13, (side / count) * 0.72));
  context.font = `${font}px system-ui, sans-serif`;
  const longest = hasNames ? Math.max(...labels.map((label) => context.measureText(label).width)) : 0;
  const margin = hasNames ? Math.min(longest + 8, side * 0.3) : 2;
  const cell = Math.min((side - margin - 2) / count, 34);
  const wide = margin + cell * count + 2;
  const ratio = window.devicePixelRatio || 1;
  mapSize = { margin, cell };
  map.style.width = `${wide}px`;
  map.width = map.height = Math.round(wide * ratio);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  const [heat, ink, rule] = ["--heat", "--ink", "--rule"].map((name) => style.getPropertyValue(name).trim());
  drawCells(context, heat);
  context.strokeStyle = rule;
  context.strokeRect(margin, margin, cell * count, cell * count);
  if (hasNames) drawMapNames(context, ink, font);
}

function drawCells(context, heat) {
  const { margin, cell } = mapSize;
  const ranks = new Array(count);
  data.order.forEach((node, rank) => (ranks[node] = rank));
  const corner = (from, to) => [margin + ranks[to] * cell, margin + ranks[from] * cell];
  for (const [from, to, probability] of data.probabilities) {
    context.fillStyle = `rgba(${heat}, ${probability})`;
    context.fillRect(...corner(from, to), cell, cell);
  }
  if (cell < 5) return;
  context.strokeStyle = "#d1700b";
  context.lineWidth = cell < 12 ? 1 : 1.6;
  for (const { from, to } of data.edges) {
    const [x, y] = corner(from, to);
    context.strokeRect(x + 1, y + 1, cell - 2, cell - 2);
  }
}

function drawMapNames(context, ink, font) {
  const { margin, cell } = mapSize;
  context.fillStyle = ink;
  context.font = `${font}px system-ui, sans-serif`;
  context.textBaseline = "middle";
  data.order.forEach((node, rank) => {
    const middle = margin + (rank + 0.5) * cell;
    context.textAlign = "right";
    context.fillText(labels[node], margin - 5, middle, margin - 6);
    context.save();
    context.translate(middle, margin - 5);
    context.rotate(-Math.PI / 2);
    context.textAlign = "left";
    context.fillText(labels[node], 0, 0, margin - 6);
    context.restore();
  });
}

/** Says what the cell at `row`, `column` holds. */
function readCell(row, column) {
  const inside = row >= 0 && column >= 0 && row < count && column < count;
  if (!inside) return;
  cursor = { row, column };
  const [from, to] = [data.order[row], data.order[column]];
  const text = row === column ? ": the same variable" : `: probability ${probabilities[pair(from, to)].toFixed(2)}`;
  const best = bestEdges.has(pair(from, to)) ? ", in the best graph" : "";
  find("map-cell").replaceChildren(named(from), " → ", named(to), text + best);
}

function watchMap() {
  map.addEventListener("pointermove", (event) => {
    const { left, top } = map.getBoundingClientRect();
    const at = (offset) => Math.floor((offset - mapSize.margin) / mapSize.cell);
    readCell(at(event.clientY - top), at(event.clientX - left));
  });
  const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
  map.addEventListener("keydown", (event) => {
    const step = steps[event.key];
    if (!step) return;
    event.preventDefault();
    const { row, column } = cursor ?? { row: 0, column: 0 };
    readCell(row + step[0], column + step[1]);
  });
}
